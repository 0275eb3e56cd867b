//! The reference in English.

use super::{Chapter, Errors, Formula, Links, Reference, entry, error};

/// All of it.
pub(super) const REFERENCE: Reference = Reference {
    title: "The KV-cache budget of an SGLang server",
    lead: "What `--mem-fraction-static` is a fraction of, what it leaves for the KV cache, and which way to turn it for which error.",
    description: "Reference for SGLang’s --mem-fraction-static: the formula, each term with its unit, errors by version and their cure, ten questions answered, a glossary.",
    contents: "On this page",
    formula: Formula {
        title: "The formula",
        lines: [
            "reserved = total × (1 − fraction)",
            "rest = available − reserved",
            "tokens = ⌊rest × {gib_bytes} ÷ cell⌋",
        ],
        filled: [
            "{reserved055n} = {total_n} × (1 − {f055})",
            "{rest055n} = {avail_n} − {reserved055n}",
            "{tokens055} = ⌊{bytes055} ÷ {cell}⌋",
        ],
        told: [
            "SGLang computes this once, between loading the weights and allocating the KV pool. All GPUs use the numbers of the fullest one.",
            "With the numbers of a server that failed, eight cards with Kimi-K2.5 at {f055}:",
            "The number of tokens is cut to `--max-total-tokens`, where that is given, and rounded down to whole pages; if nothing is left, the server refuses to start. The same server with {f088} keeps {rest088} for the KV cache, {tokens088} tokens. It starts from {edge} on.",
        ],
    },
    terms_title: "The terms",
    terms: [
        entry(
            "fraction",
            "`--mem-fraction-static`, from 0 to 1, typed or picked by SGLang. The share of total that weights and KV cache *together* may use. No unit.",
        ),
        entry(
            "total",
            "GiB that were *free* on the fullest GPU (the one with the least free memory) after the distributed groups were set up and before the weights were loaded. Not the size of the card: {total} on a card sold as {card} GB. The log’s “Load weight begin” is close to it, about {begin_bias} lower on the server measured.",
        ),
        entry(
            "available",
            "GiB that are free on the fullest GPU after the weights were loaded; since release {v_draft} after the draft model’s weights, too. {avail} here. The log’s “Load weight end”.",
        ),
        entry(
            "weights",
            "total − available: the weights and whatever else was loaded before the pool. {weights} here.",
        ),
        entry("budget", "total × fraction, GiB: what weights and KV cache together may use. {budget055} at {f055}."),
        entry(
            "reserved",
            "total × (1 − fraction), GiB: what stays for CUDA graphs, activations and workspaces. {reserved055} at {f055}, {reserved088} at {f088}.",
        ),
        entry(
            "rest",
            "available − reserved, GiB: what is left for the KV cache. Negative means that the server cannot start.",
        ),
        entry(
            "cell",
            "Bytes of KV cache of one token on one GPU, over all layers. {cell} for Kimi-K2.5: {layers} layers × ({rank} + {rope}) × 2 bytes. With grouped-query attention: layers × KV heads on this GPU × (key + value width) × bytes of the type. It can be fractional with sliding windows.",
        ),
        entry(
            "tokens",
            "The size of the pool in tokens. Every token of every running request needs one, and so does every cached prefix.",
        ),
    ],
    units: Chapter {
        title: "Units",
        told: &[
            "GiB are 1024³ = {gib_bytes} bytes. What SGLang prints as “GB” is GiB. The size on the box of a card is in GB of 1000³ bytes, or simply a name.",
            "A log prints two decimals. Two numbers, each off by up to {half_log} GiB, leave ± {log_rounding} open in the rest at {f055}.",
        ],
    },
    band: Chapter {
        title: "The band of fractions that work",
        told: &[
            "*Too low*: at or below 1 − available ÷ total nothing is left for the KV cache. {minf} here; the smallest value with three decimals that starts is {edge}.",
            "*Too high*: what is set aside must hold graphs, activations and workspaces. If they need d GiB, the largest fraction is 1 − d ÷ total. Above it the pool is allocated, and the server dies in graph capture or in the first long prefill.",
            "Where the lower end lies above the upper one, *no fraction works*. Room for {goal_requests} requests of {goal_context} tokens takes at least {goal_least} here; {goal_kept} for graphs allow at most {goal_most}. Then only a smaller cell, smaller weights on each GPU, or smaller graphs and chunks help.",
            "Each 0.01 moves {hundredth} between the KV cache and what is set aside, on a GPU with {total} free at the start.",
        ],
    },
    errors: Errors {
        title: "Errors by version, and which way to turn",
        lead: "The same knob cures opposite errors. What counts is *when* it happens: while the pool is sized, raise; from its allocation on, lower. A full pool is another matter: tokens ran out, not memory.",
        columns: ["What is printed", "Releases", "Fraction", "What it means, and what else helps"],
        raise: "raise",
        lower: "lower",
        neither: "leave it",
        rows: [
            error(
                "`{refusal_046}`",
                "0.4.6 to 0.5.2, 0.5.11 to 0.5.13; from 0.5.14 on only where something is left, but less than a page",
                "Nothing is left for the KV cache. Also helps: smaller weights on each GPU, by more tensor parallelism or quantisation.",
            ),
            error("`{refusal_059}`", "0.5.3 to 0.5.9", "The same. The odd prefix is really printed."),
            error("`{refusal_0510}`", "0.5.10", "The same."),
            error(
                "`{refusal_0523}`",
                "from 0.5.14 on",
                "The same, with the value to type. It ignores what hybrids and multimodal models take in addition.",
            ),
            error(
                "`Not enough GPU memory for hybrid (mamba/linear-attention) state cache`",
                "from 0.5.13 on",
                "The states of running requests do not fit. Also helps: a smaller `--max-running-requests`.",
            ),
            error(
                "`The memory capacity is unbalanced. Some GPUs may be occupied by other processes.`",
                "all",
                "One GPU has over a tenth less free than another: end what occupies it. Within the tenth the server starts, and the fullest GPU decides in silence.",
            ),
            error(
                "`CUDA out of memory` between “Load weight end” and “Memory pool end”",
                "all",
                "The pool, the table of requests or a draft model’s pool does not fit. Also helps: a shorter `--context-length`, a smaller `--max-running-requests`.",
            ),
            error(
                "`Capture cuda graph failed`",
                "all",
                "What is set aside does not hold the graphs. Also helps: a smaller `--cuda-graph-max-bs`. Near the edge it can read `CUDA error: out of memory`.",
            ),
            error(
                "`CUDA out of memory` in a prefill",
                "all",
                "First a smaller `--chunked-prefill-size`, then the fraction. Input logprobs take about {logprob} a prompt token.",
            ),
            error("`CUDA out of memory` in decode", "all", "First fewer `--max-running-requests`, then the fraction."),
            error(
                "`KV cache pool is full. Retract requests.`",
                "all",
                "Tokens ran out, not bytes; requests wait and go on later. Nothing is broken: raise only if what is set aside is not needed.",
            ),
            error(
                "`max_total_tokens=… is larger than the profiled value`",
                "all",
                "A warning: your cap is above what fits, so it is not in force.",
            ),
        ],
    },
    measured: Chapter {
        title: "What real servers needed",
        told: &[
            "{starts} starts of one release on an H200: with the exact bytes the formula gave the right number of tokens in every start that printed one.",
            "The reserve that SGLang picks itself is far above the need: {kept} set aside and {used} in use after start, Llama-3.1-8B with its defaults. The largest need is passing: capturing prefill graphs takes {capture_low} to {capture_high} for a moment, of which {stays_low} to {stays_high} stay.",
            "That is one GPU, one release and one load. A server at {killed} looked healthy until one request asked for input logprobs.",
        ],
    },
    questions_title: "Ten questions",
    questions: [
        entry(
            "Should I raise or lower the fraction for this error?",
            "“Not enough memory” or “leave no GPU memory” before the pool is allocated: raise. Out of memory in graph capture, prefill or decode: lower, after trying smaller graphs, chunks or fewer requests.",
        ),
        entry(
            "What is the smallest value that starts, and does one also survive graph capture?",
            "The smallest is just above 1 − available ÷ total, the largest 1 − what graphs and activations need ÷ total. If the first lies above the second, no fraction does both.",
        ),
        entry(
            "Fraction of what? Are the weights inside?",
            "Of the memory that was free on the fullest GPU before the weights were loaded, not of the card and not of what is free now. Yes: weights and KV cache share it.",
        ),
        entry(
            "My GPU shows memory free. Why is the pool so small?",
            "Because 1 − fraction of total is set aside and mostly idle once the server runs. If requests wait for KV cache and that memory stays idle under your heaviest load, raise the fraction in steps of 0.01.",
        ),
        entry(
            "How many tokens and how many full-length requests fit? Why is a long prompt refused after a clean start?",
            "Tokens = rest ÷ cell, requests = tokens ÷ context length, rounded down. A prompt longer than the pool can never run, and SGLang does not check the context length against the pool when it starts.",
        ),
        entry(
            "How many bytes does one token cost?",
            "MLA: layers × (rank + rope) × bytes, the same on every GPU whatever the tensor parallel size. Grouped-query attention: layers × KV heads on each GPU (KV heads ÷ tensor parallel, at least one) × (key + value width) × bytes; fp8 halves both.",
        ),
        entry(
            "What does a draft model cost, and who pays?",
            "Up to release {v_before_draft} its weights and its KV pool came out of what was set aside; since {v_draft} they are loaded before available is measured and counted in the cell. So an upgrade can turn the same fraction from fine to too low.",
        ),
        entry(
            "Can two servers share a GPU?",
            "Yes: the second one measures as total what the first has left, so its fraction is a share of that remainder. Start them one after the other; started at once, each takes memory while the other measures.",
        ),
        entry(
            "Which value is really in force?",
            "The one in the `server_args` line of the log, which is printed after SGLang has filled in what you left out. Older releases pick {f088} where they cannot read the size of the GPU, and a vision tower lowers the value that was picked.",
        ),
        entry(
            "How much must stay free after start?",
            "As much as your largest prefill chunk, images and logprobs need beyond the graphs, which are there already. {starts} starts on an H200 took a few GiB; measure yours under load before you go up to the edge.",
        ),
    ],
    glossary_title: "Glossary",
    glossary: [
        entry("activation", "Memory of a forward pass while it runs. It grows with the prefill chunk."),
        entry("attention workspace", "A buffer that the attention backend keeps."),
        entry("chunked prefill", "A long prompt is computed in pieces of `--chunked-prefill-size` tokens."),
        entry(
            "CUDA graph",
            "A recorded forward pass for one batch size. Captured at start, after the pool; it keeps memory.",
        ),
        entry("draft model", "The small model of speculative decoding."),
        entry("DP attention", "Attention in data parallel: each group keeps the KV cache of its own requests."),
        entry("KV cache", "Keys and values of all earlier tokens, so that they are not computed again."),
        entry("KV pool", "The one block of memory that the KV cache lives in; allocated at start, never larger."),
        entry("latent (MLA)", "One compressed row a token in place of keys and values per head."),
        entry("page", "Tokens are handed out in pages of `--page-size`; a pool is a whole number of pages."),
        entry("prefill, decode", "Computing the prompt; producing one token after the other."),
        entry("radix cache", "Prefixes of earlier requests that stay in the pool until room is needed."),
        entry("rank", "One process on one GPU."),
        entry("retraction", "A running request gives its tokens back and waits, because the pool is full."),
        entry("sliding window", "Layers that keep only the last tokens, in a pool of their own."),
        entry("tensor parallel", "Each layer is split over the GPUs; each keeps its share of the weights."),
    ],
    sources: Chapter {
        title: "How this is known",
        told: &[
            "Every number here was computed from the model of this site when the page was built. The formula follows SGLang 0.4.6 to 0.5.23 to the last token, checked against SGLang’s own functions and against real starts.",
            "The case is a real week of debugging in February 2026, told in <#story|the story>. What was not measured is not claimed.",
        ],
    },
    links: Links {
        page: "KV Budget",
        story: "The story",
        reference: "Reference",
        foot: "Computed when this page was built; nothing on it runs or is sent anywhere.",
    },
};
