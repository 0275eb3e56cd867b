//! What the section shows of known logs: the worked case, other engines, hostile text, files that are no log.

use super::*;
use crate::view::Tag;

fn given(control: &str, name: &str, text: &[u8]) -> Given {
    Given { control: control.to_owned(), name: name.to_owned(), size: text.len() as u64 }
}

/// Reads these logs as the workshop would.
fn read(by: &str, logs: &[(&str, &str, &[u8])]) -> Answer {
    let ask = Ask { by: by.to_owned(), ..Ask::default() };
    let mut reading = Reading::new(&ask, logs.iter().map(|(control, name, text)| given(control, name, text)).collect());
    while let Some(index) = reading.current() {
        for portion in logs[index].2.chunks(100) {
            reading.push(portion);
        }
        reading.end(None);
    }
    reading.finish()
}

fn sample(name: &str) -> Answer {
    answer("sample", &Ask { by: name.to_owned(), ..Ask::default() }, None).unwrap()
}

fn words(answer: &Answer) -> String {
    answer.view("log-result").unwrap().iter().map(|part| part.plain()).collect()
}

fn elements(answer: &Answer) -> Vec<&Element> {
    answer.view("log-result").unwrap().into_iter().flat_map(Element::elements).collect()
}

fn query(answer: &Answer) -> Option<&str> {
    answer.scenario.as_ref().map(|destination| destination.query.as_str())
}

/// Texts of the buttons that copy.
fn copies(answer: &Answer) -> Vec<&str> {
    elements(answer).into_iter().filter_map(|element| element.get(Attribute::DataCopy)).collect()
}

#[test]
fn the_failing_run_says_what_to_type() {
    let answer = sample("sample-debug");
    let text = words(&answer);
    for expected in [
        "Cannot start: no room for the KV cache; raise the fraction. It is short by 20.603\u{a0}GiB",
        "Your log says a rest of −20.603 GiB, we compute −20.603 GiB",
        "left for the KV cache−20.603GiB± 0.0005TP5line 1",
        "tokens of the pool−314,811",
        "debug-0.55.log · SGLang · 9 lines, 2 KiB",
    ] {
        assert!(text.contains(expected), "{expected} is missing in {text}");
    }
    assert_eq!(copies(&answer), ["--mem-fraction-static 0.770"]);
    // It is what the page opens on: there is nothing to go to, and nothing to go back to.
    assert_eq!(query(&answer), None);
    assert!(!text.contains("back to before"));
}

#[test]
fn the_numbers_in_the_lines_are_terms() {
    let answer = sample("sample-debug");
    let marks: Vec<(String, &str)> = elements(&answer)
        .into_iter()
        .filter(|element| element.tag() == Tag::Mark)
        .map(|element| (element.plain(), element.get(Attribute::DataTerm).unwrap()))
        .collect();
    let expected = [
        ("21.697", "available"),
        ("93.999", "total"),
        ("0.55", "fraction"),
        ("-20.603", "rest"),
        ("70272", "cell"),
        ("-314811", "tokens"),
    ];
    let marks: Vec<(&str, &str)> = marks.iter().map(|(text, term)| (text.as_str(), *term)).collect();
    assert_eq!(marks, expected);
    let all = elements(&answer);
    for link in all.iter().filter_map(|element| element.get(Attribute::Href)?.strip_prefix('#')) {
        let there = link == "headline" || all.iter().any(|element| element.get(Attribute::Id) == Some(link));
        assert!(there, "#{link} leads nowhere");
    }
    assert!(words(&answer).contains("… 3 lines …"), "lines without use are folded");
}

#[test]
fn the_working_run_is_taken_over() {
    let answer = sample("sample-baseline");
    assert!(words(&answer).contains("It started: 159,288 tokens of KV cache"), "{}", words(&answer));
    assert!(words(&answer).contains("Your log says pools of 10.42 GiB, we compute 10.430 GiB"));
    let destination = answer.scenario.clone().unwrap();
    assert_eq!((destination.query.as_str(), destination.push), ("f=0.88&total=94&avail=21.71&cell=70240", true));
    let back = elements(&answer).into_iter().find(|element| element.plain() == "back to before").unwrap();
    assert_eq!(back.get(Attribute::Href), Some("?"));
    assert!(copies(&answer).is_empty(), "nothing is to be mended");
    // True whatever the page shows by now.
    assert!(words(&answer).contains("The bars, sliders and curve above were set to these numbers: look at them"));
    let again = elements(&answer).into_iter().find(|element| element.plain() == "set them again").unwrap();
    assert_eq!(again.get(Attribute::Href), Some("?f=0.88&total=94&avail=21.71&cell=70240"));
}

#[test]
fn a_flag_keeps_its_dashes() {
    assert_eq!(report::typeset("of -20.603 GiB: --max-total-tokens 1"), "of −20.603 GiB: --max-total-tokens 1");
    let log = b"[2026-01-01 00:00:00 TP0] Load weight begin. avail mem=94.00 GB\n\
        [2026-01-01 00:00:01 TP0] server_args=ServerArgs(mem_fraction_static=0.88, max_total_tokens=100000, page_size=1)\n\
        [2026-01-01 00:00:02 TP0] Load weight begin. avail mem=94.00 GB\n\
        [2026-01-01 00:00:03 TP0] Load weight end. avail mem=21.71 GB, mem usage=72.29 GB.\n\
        [2026-01-01 00:00:04 TP0] KV Cache is allocated. #tokens: 100000, K size: 3.27 GB, V size: 3.27 GB\n\
        [2026-01-01 00:00:05 TP0] max_total_num_tokens=100000, context_len=4096\n";
    let answer = read("log", &[("log", "", log)]);
    assert!(words(&answer).contains("--max-total-tokens 100000 caps the pool, and explains"), "{}", words(&answer));
    assert!(!words(&answer).contains("−-max"), "{}", words(&answer));
}

#[test]
fn a_command_or_a_config_is_no_log() {
    for (text, expected) in [
        (
            "python3 -m sglang.launch_server --model-path x --tp 8 --mem-fraction-static 0.9\n",
            "This is a command, not a log",
        ),
        (
            "# start\nexport A=1\ndocker run --gpus all x \\\n  python3 -m sglang.launch_server \\\n  --tp 8\n",
            "This is a command",
        ),
        ("vllm serve x --gpu-memory-utilization 0.9", "This is a command, not a log"),
        (
            "{\n  \"architectures\": [\"LlamaForCausalLM\"],\n  \"hidden_size\": 4096\n}\n",
            "This is a config.json, not a log",
        ),
    ] {
        let answer = read("log", &[("log", "", text.as_bytes())]);
        let words = words(&answer);
        assert!(words.contains(expected) && !words.contains("Add the lines from"), "{text}: {words}");
        assert_eq!(query(&answer), None);
    }
    // With what the server printed it is a log.
    for text in [
        "python3 -m sglang.launch_server --tp 8\n[2026-01-01 00:00:00 TP0] Init torch distributed begin.\n",
        "python3 -m sglang.launch_server --tp 8\n[2026-01-01 00:00:00 TP0] Load weight begin. avail mem=94.00 GB\n",
    ] {
        let answer = read("log", &[("log", "", text.as_bytes())]);
        assert!(!words(&answer).contains("not a log"), "{text}: {}", words(&answer));
    }
}

#[test]
fn why_the_sliders_stay_is_said() {
    let log = "[2026-01-01 00:00:02 TP0] Load weight begin. avail mem=94.00 GB\n\
        [2026-01-01 00:00:03 TP0] Load weight end. avail mem=21.71 GB, mem usage=72.29 GB.\n";
    let without = read("log", &[("log", "", log.as_bytes())]);
    assert!(words(&without).contains("Set it as you typed it, with the two numbers below"));
    // By these numbers it would have started: 0.88 leaves 10.43 GiB.
    let refused = "[2026-01-01 00:00:04 TP0] server_args=ServerArgs(mem_fraction_static=0.88)\n".to_owned()
        + log
        + "RuntimeError: Not enough memory. Please try to increase --mem-fraction-static.\n";
    let answer = read("log", &[("log", "", refused.as_bytes())]);
    assert_eq!(query(&answer), None);
    let said = words(&answer);
    assert!(said.contains("By these numbers the server would start") && !said.contains("does not give"), "{said}");
}

#[test]
fn without_numbers_no_value_is_given() {
    let answer = sample("sample-lowered");
    assert!(copies(&answer).is_empty());
    assert_eq!(query(&answer), None);
    let text = words(&answer);
    assert!(text.contains("A larger --mem-fraction-static. How far does not follow"), "{text}");
    assert!(text.contains("The sliders above stay as they were"), "{text}");
}

#[test]
fn two_logs_are_told_apart_in_one_line() {
    let both = sample("sample-both");
    let line = "the fraction went from 0.88 to 0.55 and explains all of it";
    assert!(words(&both).contains(line), "{}", words(&both));
    assert!(words(&both).contains("The rest for the KV cache changes by −31.03 GiB"), "{}", words(&both));
    let rows: Vec<String> = elements(&both)
        .into_iter()
        .filter(|element| element.get(Attribute::Class) == Some("log__versus"))
        .flat_map(Element::elements)
        .filter(|element| element.tag() == Tag::Tr)
        .map(Element::plain)
        .collect();
    assert_eq!(rows[1], "mem_fraction_static0.880.55−31.020 GiB");
    assert_eq!(rows[2], "available21.7121.70−10.2 MiB");
    let rest = rows.get(3..).unwrap();
    assert!(rest.contains(&"cuda_graph_max_bs512128not by itself".to_owned()), "{rest:?}");
    assert!(rest.contains(&"disable_custom_all_reduceFalseTruenot by itself".to_owned()), "{rest:?}");
    // The failing run prints no cell; the other one of the same model does.
    let expected = "total=94&avail=21.7&cell=70240&vs=f:0.88,total:94,avail:21.71,cell:70240";
    assert_eq!(query(&both), Some(expected));
    // Whichever way round they are given.
    let alone = words(&sample("sample-sanity"));
    assert!(alone.contains("tokens are counted as in the page’s own example"), "{alone}");
    let (working, failing) = (include_bytes!("samples/baseline-0.88.log"), include_bytes!("samples/sanity-0.55.log"));
    let turned = read("log-files", &[("log-files", "b.log", failing), ("log-files", "a.log", working)]);
    assert!(words(&turned).contains(line), "{}", words(&turned));
    assert_eq!(query(&turned), Some(expected));
}

#[test]
fn what_was_used_last_in_a_place_counts() {
    let failing: &[u8] = include_bytes!("samples/debug-0.55.log");
    let logs: [(&str, &str, &[u8]); 2] = [("log", "", b"nothing"), ("log-files", "server.log", failing)];
    let files = read("log-files", &logs);
    assert!(words(&files).contains("server.log") && !words(&files).contains("pasted"), "{}", words(&files));
    assert!(files.set.contains(&("log-control-log".to_owned(), Attribute::Value, Some(String::new()))));
    let pasted = read("log", &logs);
    assert!(words(&pasted).contains("The pasted text") && !words(&pasted).contains("server.log"));
    // The other place is another log.
    let logs: [(&str, &str, &[u8]); 2] = [("log", "", b"nothing"), ("other-files", "server.log", failing)];
    assert!(words(&read("other-files", &logs)).contains("One of the logs lacks the fraction"));
    // Nothing there: the result goes.
    assert_eq!(words(&read("log", &[])), "");
}

#[test]
fn another_engine_is_recognised_and_moves_no_slider() {
    let log = b"INFO 03-01 10:00:00 [gpu_worker.py:1] Free memory on device cuda:0 (31.44/47.38 GiB) on startup is less than desired GPU memory utilization (0.95, 45.01 GiB). Decrease GPU memory utilization or reduce GPU memory used by other processes.\n";
    let answer = read("log", &[("log", "", log)]);
    let text = words(&answer);
    assert!(text.contains("vLLM") && text.contains("SGLang’s budget and stay as they were"), "{text}");
    assert_eq!(query(&answer), None);
    assert_eq!(copies(&answer), ["--gpu-memory-utilization 0.663"]);
    // Its share is of the whole device, and nothing is loaded yet.
    assert!(text.contains("free at the start31.44GiB") && text.contains("the whole GPU47.38GiB"), "{text}");
    assert!(!text.contains("free after the weights"), "{text}");
}

#[test]
fn strangers_text_is_text_and_stays_out_of_the_address() {
    let log = "[2026-02-27 12:40:05 TP5] <script>alert(1)</script> \u{202e}DEBUG profile_max_num_token: avail=31.697 GiB, total=93.999 GiB, fraction=0.55, reserved=42.300 GiB, rest=-10.603 GiB, cell_size=70272, max_tokens=-162012 \0 secret-token\nRuntimeError: Not enough memory. Please try to increase --mem-fraction-static.\n";
    let answer = read("log", &[("log", "", log.as_bytes())]);
    let text = words(&answer);
    assert!(text.contains("<script>alert(1)</script>") && text.contains("secret-token"), "{text}");
    assert!(!text.contains(['\u{202e}', '\0']), "{text}");
    assert!(query(&answer).is_some_and(|query| !query.contains("secret") && !query.contains('<')), "{answer:?}");
}

#[test]
fn what_is_no_log_is_refused_in_a_sentence() {
    let junk: Vec<u8> = (0..9000_u32).map(|index| if index % 3 == 0 { 0 } else { (index % 251) as u8 }).collect();
    let wide: Vec<u8> =
        "Nothing of a server here, again and again. ".repeat(9).encode_utf16().flat_map(u16::to_le_bytes).collect();
    for (bytes, expected) in [
        (&b""[..], "There is nothing in it."),
        (&[0x28, 0xb5, 0x2f, 0xfd, 4, 5][..], "This is zstd"),
        (&b"PK\x03\x04 and so on"[..], "This is a zip archive"),
        (&junk, "This is not text"),
        (&wide, "This looks like UTF-16"),
    ] {
        let answer = read("log-files", &[("log-files", "x", bytes)]);
        assert!(words(&answer).contains(expected), "{expected}: {}", words(&answer));
        assert_eq!(query(&answer), None);
    }
}

#[test]
fn a_broken_end_is_told_beside_what_was_read() {
    let mut reading = Reading::new(&Ask::default(), vec![given("log-files", "a.gz", b"")]);
    reading.push(include_bytes!("samples/debug-0.55.log"));
    reading.end(Some("Only the first 0.0 MiB were read: the rest is damaged, or no gzip.".to_owned()));
    let answer = reading.finish();
    assert!(words(&answer).contains("20.603\u{a0}GiB") && words(&answer).contains("damaged"), "{}", words(&answer));
}

#[test]
fn progress_is_told_in_words_and_can_be_cancelled() {
    let mib = vec![b'\n'; 1 << 20];
    let given = Given { control: "log-files".to_owned(), name: "big.log".to_owned(), size: 4 << 20 };
    let mut reading = Reading::new(&Ask::default(), vec![given]);
    reading.push(&mib);
    let first = reading.progress();
    let line = first.view("log-progress").unwrap()[0];
    assert!(line.plain().contains("big.log: 1.0 of 4.0 MiB read"), "{}", line.plain());
    assert_eq!(line.find("log-bar").and_then(|bar| bar.get(Attribute::Value)), Some("0.25"));
    assert!(line.elements().iter().any(|element| element.get(Attribute::DataAsk) == Some("log/cancel")));
    reading.push(&mib);
    let second = reading.progress();
    assert!(second.view("log-progress").is_none(), "the button keeps the focus");
    assert!(second.set.contains(&("log-bar".to_owned(), Attribute::Value, Some("0.5".to_owned()))));
    let stopped = answer("cancel", &Ask::default(), None).unwrap();
    assert!(stopped.view("log-progress").unwrap()[0].plain().contains("Cancelled"));
}

#[test]
fn long_lines_are_shortened_around_their_numbers() {
    let filler = "a=1, ".repeat(2000);
    let log = format!(
        "[2026-02-26 18:20:03] server_args=ServerArgs({filler}mem_fraction_static=0.87654, {filler}tp_size=8)\n[2026-02-26 18:21:30 TP0] Load weight begin. avail mem=94.00 GB\n"
    );
    let answer = read("log", &[("log", "", log.as_bytes())]);
    let all = elements(&answer);
    let line = all.iter().find(|element| element.get(Attribute::Id) == Some("log-1-line-1")).unwrap().plain();
    assert!(line.contains("mem_fraction_static=0.87654,") && line.len() < 800, "{line}");
}

#[test]
fn the_form_says_where_the_text_goes() {
    let opened = answer("open", &Ask::default(), None).unwrap();
    let body: String = opened.view("log-body").unwrap().iter().map(|part| part.plain()).collect();
    assert!(body.contains("never leaves this browser"), "{body}");
    let controls: Vec<&Element> = opened.view("log-body").unwrap().into_iter().flat_map(Element::elements).collect();
    for control in controls.iter().filter(|control| [Tag::Input, Tag::Textarea].contains(&control.tag())) {
        let id = control.get(Attribute::Id).unwrap();
        assert!(controls.iter().any(|label| label.get(Attribute::For) == Some(id)), "{id} has no label");
    }
    assert!(answer("nonsense", &Ask::default(), None).is_none());
}
