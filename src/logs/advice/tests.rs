//! What is advised, flag by flag, against values worked out by hand.

mod opened;

use super::*;
use crate::logs::by_hand::Log;
use crate::logs::diagnose::verdict;
use crate::logs::rules::{Consumer, Signal};

impl Log {
    fn advice(&self, cause: Cause, direction: Direction) -> Vec<Advice> {
        of(&self.attempt, verdict(cause, direction, None), &self.facts)
    }

    /// Flags with what they are and what they become.
    fn flags(&self, cause: Cause, direction: Direction) -> Vec<(String, Option<f64>, Option<f64>)> {
        self.advice(cause, direction).into_iter().map(|advice| (advice.flag, advice.from, advice.to)).collect()
    }
}

fn change(flag: &str, from: f64, to: f64) -> (String, Option<f64>, Option<f64>) {
    (flag.to_owned(), Some(from), Some(to))
}

fn set(flag: &str, to: f64) -> (String, Option<f64>, Option<f64>) {
    (flag.to_owned(), None, Some(to))
}

fn word(flag: &str) -> (String, Option<f64>, Option<f64>) {
    (flag.to_owned(), None, None)
}

const NOTHING: [(String, Option<f64>, Option<f64>); 0] = [];

use Direction::{Lower, Raise};
use FactName::{Available, AvailableAtEnd, Cell, Context, Fraction as Share, MaxRunningRequests, MinFraction};
use FactName::{Rest, Tokens, Total};

#[test]
fn raising_goes_to_the_first_thousandth_above_the_floor() {
    let log = |floor| Log::of(Engine::Sglang).fact(MinFraction, floor).argument("tp_size", "8");
    let both = [change("--mem-fraction-static", 0.55, 0.77), change("--tp-size", 8.0, 16.0)];
    assert_eq!(log(0.7692).fact(Share, 0.55).flags(Cause::NoRoomAtStart, Raise), both);
    // A floor that lies on a thousandth leaves nothing there.
    let on = log(0.8).fact(Share, 0.55).flags(Cause::NoRoomAtStart, Raise);
    assert_eq!(on.first(), Some(&change("--mem-fraction-static", 0.55, 0.801)));
    // It is there already, or above: only more GPUs are left.
    for share in [0.77, 0.9] {
        let flags = log(0.7692).fact(Share, share).flags(Cause::NoRoomAtStart, Raise);
        assert_eq!(flags, [change("--tp-size", 8.0, 16.0)]);
    }
    assert_eq!(log(1.02).fact(Share, 0.9).flags(Cause::NoRoomAtStart, Raise), [change("--tp-size", 8.0, 16.0)]);
}

#[test]
fn a_multimodal_model_takes_nine_tenths_of_what_is_typed() {
    let log = || Log::of(Engine::Sglang).fact(MinFraction, 0.8).fact(Share, 0.7);
    // 0.8 / 0.9 = 0.8889.
    let flags = log().flags(Cause::FlagNotInForce, Raise);
    assert_eq!(flags, [change("--mem-fraction-static", 0.7, 0.889)]);
    let typed = log().datum(Datum::TypedFraction, 0.75).flags(Cause::FlagNotInForce, Raise);
    assert_eq!(typed, [change("--mem-fraction-static", 0.7, 0.801)]);
}

#[test]
fn each_reason_to_raise_has_its_own_sentence() {
    let why = |cause| {
        let log = Log::of(Engine::Sglang).fact(MinFraction, 0.8).fact(Share, 0.7);
        log.advice(cause, Raise).first().map(|advice| advice.why.clone()).unwrap_or_default()
    };
    assert!(why(Cause::NoRoomAtStart).contains("almost empty"));
    assert!(why(Cause::FlagNotInForce).contains("factor of 0.90"));
    assert!(why(Cause::HybridState).contains("state slots come on top"));
}

#[test]
fn states_are_made_fewer_only_where_they_are_the_reason() {
    let log = Log::of(Engine::Sglang).fact(MinFraction, 0.8).fact(Share, 0.7).argument("max_mamba_cache_size", "25");
    let raised = change("--mem-fraction-static", 0.7, 0.801);
    assert_eq!(log.flags(Cause::NoRoomAtStart, Raise), std::slice::from_ref(&raised));
    assert_eq!(log.flags(Cause::HybridState, Raise), [raised, change("--max-mamba-cache-size", 25.0, 12.0)]);
}

#[test]
fn twice_as_many_gpus_in_each_engines_words() {
    for (engine, argument, flag) in [
        (Engine::Sglang, "tp_size", "--tp-size"),
        (Engine::Sglang, "tp", "--tp-size"),
        (Engine::Vllm, "tensor_parallel_size", "--tensor-parallel-size"),
        (Engine::TensorrtLlm, "tp_size", "--tp_size"),
        (Engine::LmdeployPytorch, "tp", "--tp"),
        (Engine::LmdeployTurbomind, "tp", "--tp"),
    ] {
        let log = |tp| Log::of(engine).argument(argument, tp).flags(Cause::WeightsTooLarge, Direction::None);
        assert_eq!(log("4"), [change(flag, 4.0, 8.0)], "{engine:?}");
        assert_eq!(log("1"), [change(flag, 1.0, 2.0)], "{engine:?}");
        assert_eq!((log("0").len(), log("64").len()), (0, 0), "{engine:?}");
    }
    assert_eq!(Log::of(Engine::LlamaCpp).argument("tp", "4").flags(Cause::WeightsTooLarge, Direction::None), NOTHING);
}

#[test]
fn lowering_gives_back_more_than_the_shortage() {
    let log = |share| Log::of(Engine::Sglang).fact(Share, share);
    let short = |log: Log| log.datum(Datum::Tried, 3.0).datum(Datum::Free, 0.5);
    let lowered = |log: Log| log.flags(Cause::RuntimeOom, Lower);
    let to = |share| [change("--mem-fraction-static", 0.9, share)];
    // (2.5 + 1) / 78 = 0.0449, rounded away from what failed.
    assert_eq!(lowered(short(log(0.9).fact(Total, 78.0))), to(0.85));
    // Of the device where nothing else is known: (2.5 + 1) / 40 = 0.0875.
    assert_eq!(lowered(short(log(0.9)).datum(Datum::Capacity, 40.0)), to(0.81));
    // At least 0.03, also where a total says nothing.
    assert_eq!(lowered(log(0.9).fact(Total, 78.0)), to(0.87));
    assert_eq!(lowered(short(log(0.9).fact(Total, 0.0))), to(0.87));
    // Half-way to the floor where the step would go below it, or meet it.
    assert_eq!(lowered(log(0.9).fact(MinFraction, 0.88)), to(0.89));
    assert_eq!(lowered(log(0.9).fact(MinFraction, 0.87)), to(0.885));
    assert_eq!(lowered(log(0.9).fact(MinFraction, 0.86)), to(0.87));
    assert_eq!(lowered(log(0.02)), NOTHING);
    assert_eq!(lowered(log(0.03)), NOTHING, "that would be zero");
    // Already at the floor.
    assert_eq!(lowered(log(0.9).fact(MinFraction, 0.9)), NOTHING);
    assert_eq!(lowered(Log::of(Engine::Sglang)), NOTHING);
    assert_eq!(lowered(Log::of(Engine::Vllm).fact(Share, 0.9)), [change("--gpu-memory-utilization", 0.9, 0.87)]);
}

#[test]
fn smaller_graphs_where_graphs_are_the_reason() {
    let graphs = |log: &Log, cause| -> Vec<_> {
        log.flags(cause, Direction::None).into_iter().filter(|(flag, ..)| flag.contains("graph")).collect()
    };
    let sglang = || Log::of(Engine::Sglang);
    let half = [change("--cuda-graph-max-bs", 160.0, 80.0)];
    assert_eq!(graphs(&sglang().argument("cuda_graph_max_bs", "160"), Cause::EmptyBand), half);
    assert_eq!(graphs(&sglang().argument("cuda_graph_max_bs", "160"), Cause::RuntimeOom), NOTHING);
    let lowered = sglang().argument("cuda_graph_max_bs", "160").flags(Cause::GraphCaptureOom, Lower);
    assert_eq!(lowered, half, "no fraction is known, so only this");
    assert_eq!(graphs(&sglang(), Cause::EmptyBand), [set("--cuda-graph-max-bs", 16.0)]);
    // The largest that was captured.
    let captured = sglang().datum(Datum::GraphBatch, 32.0);
    assert_eq!(graphs(&captured, Cause::EmptyBand), [change("--cuda-graph-max-bs", 32.0, 16.0)]);
    // Nothing smaller than one.
    assert_eq!(graphs(&sglang().argument("cuda_graph_max_bs", "1"), Cause::EmptyBand), NOTHING);
    // Releases with a flag for decode alone.
    let decode = sglang().argument("cuda_graph_max_bs_decode", "64");
    assert_eq!(graphs(&decode, Cause::EmptyBand), [change("--cuda-graph-max-bs-decode", 64.0, 32.0)]);
    let named = sglang().signal(Signal::DecodeFlag).argument("cuda_graph_max_bs", "64");
    assert_eq!(graphs(&named, Cause::EmptyBand), [change("--cuda-graph-max-bs-decode", 64.0, 32.0)]);
    // Graphs of prefill grow with the chunk, not with the batch.
    let prefill = sglang().signal(Signal::PrefillCapture);
    assert_eq!(graphs(&prefill, Cause::EmptyBand), NOTHING);
    let both = prefill.signal(Signal::DecodeCapture);
    assert_eq!(graphs(&both, Cause::EmptyBand), [set("--cuda-graph-max-bs", 16.0)]);
    let symmetric = sglang().signal(Signal::Consumer(Consumer::SymmetricMemory));
    assert_eq!(graphs(&symmetric, Cause::EmptyBand), NOTHING);
}

#[test]
fn smaller_chunks_tables_and_images() {
    let log = || Log::of(Engine::Sglang);
    let work = |log: Log| log.flags(Cause::RuntimeOom, Direction::None);
    assert_eq!(
        work(log().argument("chunked_prefill_size", "8192")),
        [change("--chunked-prefill-size", 8192.0, 4096.0)]
    );
    assert_eq!(
        work(log().argument("chunked_prefill_size", "4097")),
        [change("--chunked-prefill-size", 4097.0, 2048.0)]
    );
    assert_eq!(work(log().argument("chunked_prefill_size", "4095")), NOTHING);
    // 2,049 rows × 131,076 tokens × 4 bytes = 1.0005 GiB.
    let table = log().argument("max_running_requests", "2048").fact(Context, 131_072.0);
    assert!(
        table.advice(Cause::RuntimeOom, Direction::None).iter().any(|advice| advice.why.contains("takes 1.00 GiB"))
    );
    assert_eq!(work(table), [change("--max-running-requests", 2048.0, 1024.0)]);
    let seen = log().fact(MaxRunningRequests, 2047.0).fact(Context, 131_072.0);
    assert_eq!(work(seen), [change("--max-running-requests", 2047.0, 1023.0)]);
    // 1,024 rows × 131,076 × 4 bytes = 0.50002 GiB are worth a flag, 1,023 rows = 0.4995 GiB are not.
    let half = |requests| work(log().fact(MaxRunningRequests, requests).fact(Context, 131_072.0)).len();
    assert_eq!((half(1023.0), half(1022.0)), (1, 0));
    assert_eq!(work(log().fact(MaxRunningRequests, 1.0).fact(Context, 1e9)), NOTHING);
    // One row and four tokens more than the flags say: 3 × 50,000,004 × 4 bytes, 20,000,001 × 12 × 4 bytes.
    for (requests, context, size) in [(2.0, 5e7, "0.56"), (2e7, 8.0, "0.89")] {
        let table = log().fact(MaxRunningRequests, requests).fact(Context, context);
        let advice = table.advice(Cause::RuntimeOom, Direction::None);
        let why = advice.first().map(|advice| advice.why.as_str()).unwrap_or_default();
        assert!(why.contains(&format!("takes {size} GiB")), "{why}");
    }
    let images = log().signal(Signal::Consumer(Consumer::Images));
    assert_eq!(work(images), [word("--disable-fast-image-processor")]);
}

#[test]
fn smaller_work_in_vllm_and_llama_cpp() {
    let vllm = || Log::of(Engine::Vllm);
    let work = |log: Log| log.flags(Cause::RuntimeOom, Direction::None);
    let both = vllm().argument("max_num_seqs", "257").argument("max_num_batched_tokens", "8193");
    assert_eq!(
        work(both),
        [change("--max-num-seqs", 257.0, 128.0), change("--max-num-batched-tokens", 8193.0, 4096.0)]
    );
    assert_eq!(work(vllm().fact(MaxRunningRequests, 2.0)), [change("--max-num-seqs", 2.0, 1.0)]);
    assert_eq!(work(vllm().fact(MaxRunningRequests, 1.0).argument("max_num_batched_tokens", "2048")), NOTHING);
    let llama = || Log::of(Engine::LlamaCpp);
    let cache = word("--cache-type-k q8_0");
    let full = |context| work(llama().signal(Signal::KvBufferOom).fact(Context, context));
    assert_eq!(full(8193.0), [change("-c", 8193.0, 4096.0), cache.clone()]);
    assert_eq!(full(1024.0), [change("-c", 1024.0, 512.0), cache.clone()]);
    assert_eq!(full(1023.0), [cache]);
    assert_eq!(work(llama().datum(Datum::PhysicalBatch, 1025.0)), [change("-ub", 1025.0, 512.0)]);
    assert_eq!(work(llama()), [set("-ub", 256.0)]);
    assert_eq!(work(Log::of(Engine::TensorrtLlm)), NOTHING);
}

#[test]
fn slots_of_state() {
    let log = || Log::of(Engine::Sglang);
    let state = |log: Log| log.flags(Cause::HybridState, Direction::None);
    let all = log()
        .argument("max_mamba_cache_size", "25")
        .argument("max_running_requests", "9")
        .argument("chunked_prefill_size", "8193");
    assert_eq!(
        state(all),
        [
            change("--max-mamba-cache-size", 25.0, 12.0),
            change("--max-running-requests", 9.0, 4.0),
            change("--chunked-prefill-size", 8193.0, 4096.0),
        ]
    );
    // They are used up while it runs: more of them, and the chunk does not matter.
    let full = log()
        .signal(Signal::StateSlotsFull)
        .argument("max_mamba_cache_size", "25")
        .argument("chunked_prefill_size", "8192");
    assert_eq!(state(full), [change("--max-mamba-cache-size", 25.0, 38.0)]);
    let least = log()
        .argument("max_mamba_cache_size", "1")
        .fact(MaxRunningRequests, 1.0)
        .argument("chunked_prefill_size", "4095");
    assert_eq!(state(least), NOTHING);
    assert_eq!(state(Log::of(Engine::Vllm).argument("max_mamba_cache_size", "25")), NOTHING);
}

#[test]
fn the_longest_request_that_fits() {
    let context = |log: Log| log.flags(Cause::PoolSmallerThanContext, Direction::None);
    for (engine, flag) in [
        (Engine::Sglang, "--context-length"),
        (Engine::TensorrtLlm, "--max_seq_len"),
        (Engine::LmdeployPytorch, "--session-len"),
        (Engine::LmdeployTurbomind, "--session-len"),
    ] {
        let log = |fits| context(Log::of(engine).fact(Context, 40_960.0).fact(Tokens, fits));
        assert_eq!(log(30_000.0), [change(flag, 40_960.0, 30_000.0)], "{engine:?}");
        assert_eq!((log(40_960.0).len(), log(0.5).len()), (0, 0), "{engine:?}");
    }
    // vLLM says what is missing: 1.5 of 80 GiB.
    let vllm = |need, share| {
        Log::of(Engine::Vllm)
            .datum(Datum::FittingContext, 30_000.0)
            .datum(Datum::NeedKv, need)
            .fact(Rest, 3.5)
            .fact(Total, 80.0)
            .fact(Share, share)
            .fact(Context, 40_960.0)
    };
    let shorter = change("--max-model-len", 40_960.0, 30_000.0);
    let small = word("--kv-cache-dtype fp8");
    let raised = change("--gpu-memory-utilization", 0.9, 0.919);
    assert_eq!(context(vllm(5.0, 0.9)), [shorter.clone(), raised, small.clone()]);
    assert_eq!(context(vllm(5.0, 0.97)), [shorter.clone(), small.clone()]);
    let empty = Log::of(Engine::Vllm).datum(Datum::FittingContext, 30_000.0).datum(Datum::NeedKv, 3.0).fact(Rest, 3.5);
    assert_eq!(context(empty.fact(Total, 0.0).fact(Share, 0.9).fact(Context, 40_960.0)), [shorter, small]);
}

#[test]
fn what_one_request_lacks_is_added_where_it_is_free() {
    // 11,072 tokens of 131,072 bytes are 1.3516 GiB, 0.0173 of 78.
    let from = |share, end, pool| {
        Log::of(Engine::Sglang)
            .fact(Context, 131_072.0)
            .fact(Tokens, pool)
            .fact(Cell, 131_072.0)
            .fact(Total, 78.0)
            .fact(Share, share)
            .fact(AvailableAtEnd, end)
            .flags(Cause::PoolSmallerThanContext, Direction::None)
    };
    let log = |end, pool| from(0.88, end, pool);
    let shorter = change("--context-length", 131_072.0, 120_000.0);
    assert_eq!(log(5.0, 120_000.0), [shorter.clone(), change("--mem-fraction-static", 0.88, 0.898)]);
    assert_eq!(log(2.3, 120_000.0), std::slice::from_ref(&shorter), "1 GiB more than that stays free");
    assert_eq!(from(0.982, 5.0, 120_000.0), [shorter], "the next thousandth would be 1");
    assert_eq!(log(5.0, 131_072.0), NOTHING);
}

#[test]
fn vllm_takes_no_more_than_is_free() {
    let log = |free, total| {
        let log = Log::of(Engine::Vllm).fact(Available, free).fact(Total, total).fact(Share, 0.9);
        log.flags(Cause::FractionOverFree, Lower)
    };
    // 70 / 79.1 = 0.88496.
    assert_eq!(log(70.0, 79.1), [change("--gpu-memory-utilization", 0.9, 0.884)]);
    assert_eq!(log(70.0, 80.0), [change("--gpu-memory-utilization", 0.9, 0.875)]);
    assert_eq!((log(0.0, 79.1), log(70.0, 0.0)), (NOTHING.to_vec(), NOTHING.to_vec()));
}

#[test]
fn a_page_of_tokens_is_the_least_that_a_pool_holds() {
    let to = |floor, total, page: &str| {
        let log = Log::of(Engine::Sglang).fact(MinFraction, floor).fact(Total, total).fact(Cell, 1_048_576.0);
        let flags = log.fact(Share, 0.1).argument("page_size", page).flags(Cause::NoRoomAtStart, Raise);
        flags.first().and_then(|(_, _, to)| *to)
    };
    // 64 tokens of 1 MiB are 0.0625 GiB, 0.00625 of 10.
    assert_eq!((to(0.5, 10.0, "64"), to(0.5, 10.0, "1")), (Some(0.507), Some(0.501)));
    assert_eq!(to(0.5, 0.0, "64"), Some(0.501), "of no total a few bytes do");
    assert_eq!(to(0.9995, 10.0, "1"), None, "nothing is left below 1");
    let empty = Log::of(Engine::Sglang).fact(MinFraction, -0.1);
    assert_eq!(empty.flags(Cause::NoRoomAtStart, Raise), NOTHING, "a fraction of zero is no advice");
}

#[test]
fn fewer_requests_at_a_time_is_a_flag_of_sglang() {
    let full = |engine| Log::of(engine).flags(Cause::PoolFull, Direction::None);
    assert_eq!(full(Engine::Sglang), [set("--schedule-conservativeness", 1.3)]);
    assert_eq!(full(Engine::Vllm), NOTHING);
}
