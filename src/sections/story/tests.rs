//! The story against what was known before it was written: the record of the week, and sums done by hand.

use super::*;
use crate::view::Tag;

fn ask(scenario: &str) -> Ask {
    Ask { scenario: scenario.to_owned(), ..Ask::default() }
}

fn answered(verb: &str, ask: &Ask) -> Answer {
    answer(verb, ask, None).expect("a verb of the story")
}

/// The only tree of an answer.
fn tree<'a>(answer: &'a Answer, body: &str) -> &'a Element {
    answer.view(body).expect("the body").first().expect("one tree")
}

fn told(scenario: &str) -> String {
    tree(&answered("open", &ask(scenario)), "story-body").plain()
}

fn goes(answer: &Answer) -> &str {
    answer.scenario.as_ref().map_or("", |to| to.query.as_str())
}

/// What each step must say, whatever the language. All of it from the record of the week: rest −20.603 at 0.55 and −25.303
/// at 0.50; −21.5 with the card's 96 GB; 24 MiB × 0.55 = 13.2 MiB and 224 × 0.55 = 123.2; 100 MiB × 0.45 = 45.0 and less
/// 100 is −55.0; (0.88 − 0.55) × 93.999 = 31.020; 24 ÷ 1024 ÷ 20.603 = 0.11 %.
const SAID: [&[&str]; 9] = [
    &["93.999 GiB", "21.697 GiB", "42.300 GiB", "20.603 GiB", "54.1", "89.5", "122", "mem_fraction_static=0.55"],
    &["11", "42.300 GiB", "20.603 GiB"],
    &["0.50", "11", "47.000 GiB", "42.300 GiB", "4.700 GiB", "0.940 GiB", "25.303 GiB"],
    &["96", "−21.500 GiB", "93.999 GiB", "−20.590 GiB", "100 MiB", "+45.0 MiB", "−55.0 MiB"],
    &["8 MiB", "24 MiB", "14", "224 MiB", "−20.615 GiB", "−13.2 MiB", "−123.2 MiB", "20.603 GiB", "13.2 MiB", "0.1 %"],
    &[
        "660",
        "avail=21.697 GiB, total=93.999 GiB, fraction=0.55, reserved=42.300 GiB, rest=-20.603 GiB, cell_size=70272, max_tokens=-314811",
        "−314,803",
        "−314,811",
        "± 11",
        "−20.603 GiB",
    ],
    &["8", "20.603 GiB"],
    &[
        "0.88",
        "0.55",
        "31.020 GiB",
        "−31.020 GiB",
        "10.417 GiB",
        "11.280 GiB",
        "159,171",
        "10.42 GB",
        "512",
        "128",
        "False",
        "True",
    ],
    &["0.7692", "24 MiB", "20.603 GiB", "0.1 %", "4.700 GiB", "32,768", "9.000 GiB", "6.000 GiB"],
];

#[test]
fn every_number_of_every_step_in_both_languages() {
    for language in ["en", "zh"] {
        for (step, said) in (1..).zip(SAID) {
            let text = told(&format!("step={step}&lang={language}"));
            for number in said {
                assert!(text.contains(number), "step {step} in {language} lacks {number}: {text}");
            }
            assert!(!text.contains(['{', '}', '`', '[', ']']), "step {step} in {language}: {text}");
        }
    }
}

#[test]
fn each_step_sets_its_numbers_and_is_an_address() {
    let queries = [
        "step=1",
        "step=2",
        "f=0.5&step=3",
        "total=96&avail=21.7&step=4",
        "total=93.9755625&avail=21.6735625&step=5",
        "step=6",
        "step=7",
        "f=0.88&step=8",
        "step=9",
    ];
    for (step, query) in (1_u64..).zip(queries) {
        let opened = answered("open", &ask(&format!("step={step}")));
        assert_eq!(goes(&opened), query, "opened by its address alone");
        assert!(!opened.scenario.as_ref().is_some_and(|to| to.push), "the address stays one entry");
        assert_eq!(opened.focus.as_deref(), Some("story-title"));
        let went = answered("go", &Ask { by: format!("to-{step}"), ..ask("f=0.6&total=80") });
        assert_eq!(goes(&went), query, "reached by a button");
        assert!(went.scenario.as_ref().is_some_and(|to| to.push), "Back returns");
        let again = answered("open", &ask(query));
        let plain = |answer: &Answer| tree(answer, "story-body").plain();
        assert_eq!(plain(&again), plain(&opened), "the address says the same");
    }
}

#[test]
fn opening_takes_no_numbers_away() {
    let opened = answered("open", &ask("f=0.6&total=80&avail=30"));
    assert_eq!(opened.scenario, None);
    assert_eq!(opened.focus, None, "nothing asked for a step");
    let text = tree(&opened, "story-body").plain();
    assert!(text.contains("The bars above show your own numbers."), "{text}");
    assert!(text.contains("short by 2.000 GiB"), "30 − 80 × 0.4 = −2: {text}");
    let back = answered("return", &Ask { fields: shown_as("1 en"), ..ask("f=0.6&total=80&avail=30&step=1") });
    assert_eq!(goes(&back), "step=1");
    // Back to before the first move is the first step; numbers of one's own are no way back.
    for (query, step) in [("", "1 of 9"), ("f=0.6", "5 of 9")] {
        let answer = answered("follow", &Ask { fields: shown_as("5 zh"), ..ask(query) });
        assert!(tree(&answer, "story-body").plain().contains(step), "{query}");
    }
    let again = answered("open", &ask("f=0.6&step=3"));
    assert_eq!(again.scenario, None, "numbers beside the step are the reader's own");
}

fn shown_as(shown: &str) -> std::collections::BTreeMap<String, String> {
    [("shown".to_owned(), shown.to_owned())].into()
}

#[test]
fn what_follows_is_replaced_and_nothing_else() {
    let mut fields = shown_as("3 en");
    fields.insert("f".to_owned(), "0.6".to_owned());
    let typed = answered("type", &Ask { by: "f".to_owned(), fields, ..ask("f=0.5&step=3") });
    assert_eq!(goes(&typed), "f=0.6&step=3");
    assert!(typed.replace.iter().all(|part| part.into.contains("-now-")), "{:?}", typed.replace);
    let said: String = typed.replace.iter().flat_map(|part| &part.view).map(Node::plain).collect();
    assert!(said.contains("short by 15.903 GiB"), "21.697 − 93.999 × 0.4 = −15.9026: {said}");
    let value = typed.set.iter().find(|(id, ..)| id == "story-type-f").and_then(|(.., value)| value.clone());
    assert_eq!(value.as_deref(), Some("0.6"), "as it was typed, and not as it would be written");
    // The same from elsewhere on the page.
    let followed = answered("follow", &Ask { fields: shown_as("3 en"), ..ask("f=0.6&step=3") });
    assert_eq!(followed.replace, typed.replace);
    assert_eq!(followed.scenario, None);
    // Another step, or another language, is another tree.
    for query in ["f=0.6&step=4", "f=0.6&step=3&lang=zh"] {
        let answer = answered("follow", &Ask { fields: shown_as("3 en"), ..ask(query) });
        assert!(answer.view("story-body").is_some(), "{query}");
    }
    // What is no number changes nothing yet.
    let mut fields = shown_as("3 en");
    fields.insert("f".to_owned(), String::new());
    assert_eq!(goes(&answered("type", &Ask { by: "f".to_owned(), fields, ..ask("f=0.5&step=3") })), "f=0.5&step=3");
}

#[test]
fn the_bars_answer_the_bet() {
    for (by, query, said) in [
        ("lower", "f=0.5&step=2", "Down to 0.50: −25.303 GiB"),
        (
            "raise",
            "f=0.6&step=2",
            "Up to 0.60: −15.903 GiB. Still short, but less. Each 0.01 gives 0.940 GiB back, and from 0.770 on",
        ),
    ] {
        let answer = answered("bet", &Ask { by: by.to_owned(), fields: shown_as("2 en"), ..ask("step=2") });
        assert_eq!(goes(&answer), query);
        let text: String =
            answer.view("story-said").expect("an answer").iter().map(|element| element.plain()).collect();
        assert!(text.contains(said), "{text}");
    }
}

#[test]
fn suspects_are_moved_on_the_same_picture() {
    let take = |id: &str, step: u64| {
        let ask =
            Ask { by: format!("take={id}"), fields: shown_as(&format!("{step} en")), ..ask(&format!("step={step}")) };
        let answer = answered("take", &ask);
        let said: String = answer.replace.iter().flat_map(|part| &part.view).map(Node::plain).collect();
        (goes(&answer).to_owned(), said)
    };
    let (query, said) = take("bar-mappings-224mb", 5);
    assert_eq!(query, "total=93.78025&avail=21.47825&step=5");
    assert!(said.contains("−20.723 GiB") && said.contains("−123.2 MiB"), "{said}");
    let (query, said) = take("one-gpu-100mb-short", 4);
    assert_eq!(query, "total=93.90134375&step=4");
    assert!(said.contains("−20.559 GiB"), "{said}");
    // To scale: 13.2 MiB of 20.603 GiB.
    let opened = answered("open", &ask("step=5"));
    let sizes: Vec<&str> = tree(&opened, "story-body")
        .elements()
        .into_iter()
        .flat_map(|element| {
            element.vars().iter().filter(|(name, _)| *name == "--size").map(|(_, value)| value.as_str())
        })
        .collect();
    assert_eq!(sizes, ["1", "0.00584", "0.00063"]);
}

#[test]
fn beliefs_fall_where_they_fell() {
    let count = |step: u64| {
        let opened = answered("open", &ask(&format!("step={step}")));
        let tree = tree(&opened, "story-body").clone();
        let how = |kind: &str| {
            let is = |element: &&Element| element.tag() == Tag::Li && element.get(Attribute::DataHow) == Some(kind);
            tree.elements().into_iter().filter(is).count()
        };
        [how("stands"), how("falls"), how("fallen")]
    };
    let expected = [[1, 0, 0], [2, 0, 0], [1, 1, 0], [1, 1, 1], [0, 2, 1], [1, 0, 2], [2, 0, 0], [0, 2, 0], [0, 0, 6]];
    assert_eq!([1, 2, 3, 4, 5, 6, 7, 8, 9].map(count), expected);
}

#[test]
fn the_puzzles_are_checked_by_the_model() {
    let states = |query: &str| {
        let opened = answered("open", &ask(query));
        let state = |element: &&Element| element.get(Attribute::Class) == Some("story__state");
        let found = tree(&opened, "story-body").elements().into_iter().filter(state).map(Element::plain);
        found.collect::<Vec<_>>()
    };
    assert_eq!(
        states("step=9&f=0.6"),
        ["✗ it does not start yet", "✗ there is room for 0 of 4 requests", "✗ there is room for 0 of 8 requests"]
    );
    assert_eq!(
        states("step=9&f=0.88"),
        ["✓ solved", "✓ solved", "✗ there is room for 4 of 8 requests"],
        "159,171 ÷ 32,768 = 4.86"
    );
    assert_eq!(states("step=9&f=0.95")[2], "✗ there is room for 7 of 8 requests, and only 4.700 GiB are set aside");
    assert_eq!(states("step=9&f=0.9&cell=35136")[2], "✓ solved, and not by the fraction alone");
    let claim = |number: usize, query: &str| {
        let answer = answered("claim", &Ask { by: format!("claim-{number}"), ..ask(query) });
        answer
            .view(&puzzles::place(number))
            .expect("an answer")
            .iter()
            .map(|element| element.plain())
            .collect::<String>()
    };
    assert_eq!(claim(0, "step=9"), "One can: anything from 0.770 to 1.000.");
    assert_eq!(claim(1, "step=9"), "One can: anything from 0.861 to 0.904.");
    assert!(claim(2, "step=9").starts_with("Right. The room takes at least 0.952, the graphs leave at most 0.936."));
    assert!(
        claim(2, "step=9&cell=35136").starts_with("One can: anything from 0.861 to 0.936"),
        "for the numbers as they are"
    );
}

#[test]
fn the_two_logs_differ_in_what_the_log_section_finds() {
    use crate::logs::{compare, diagnose};
    let read = |text: &str| diagnose(text.as_bytes());
    let (worked, failed) =
        (read(include_str!("../log/samples/baseline-0.88.log")), read(include_str!("../log/samples/sanity-0.55.log")));
    let found = compare(&worked, &failed);
    for argument in crate::catalog::case::ARGUMENTS {
        let name = argument.name;
        let seen = found
            .differences
            .iter()
            .find(|seen| seen.name.contains(name) || name.contains("fraction") && seen.name.contains("fraction"));
        let seen = seen.unwrap_or_else(|| panic!("{name} is not in {:?}", found.differences));
        assert_eq!((seen.from.as_str(), seen.to.as_str()), (argument.worked, argument.failed), "{name}");
    }
    let texts = found.differences.iter().filter(|seen| seen.gib.is_none()).count();
    assert_eq!(texts, 2, "all others are without effect: {:?}", found.differences);
}

#[test]
fn the_walk_with_the_scenarios_numbers() {
    let open = |query: &str| {
        let opened = answered("walk/open", &ask(query));
        (tree(&opened, "walk-body").plain(), opened.focus)
    };
    for language in ["en", "zh"] {
        for (step, said) in [
            (1, vec!["93.999 GiB", "Load weight begin. avail mem=94.00 GB"]),
            (2, vec!["72.302 GiB", "76.9 %", "21.697 GiB", "avail mem=21.70 GB, mem usage=72.30 GB", "0.5.14"]),
            (3, vec!["0.88", "11.280 GiB", "10.417 GiB", "159,171", "#tokens: 159171"]),
            (4, vec!["70,272", "159,171", "KV size: 10.42 GB"]),
            (5, vec!["11.280 GiB", "57", "13.9 GiB", "3.9", "2.3", "5.0 GiB", "1.4", "2.8 GiB", "1 MiB", "0.95"]),
        ] {
            let (text, focus) = open(&format!("f=0.88&walk={step}&lang={language}"));
            for number in said {
                assert!(text.contains(number), "step {step} in {language} lacks {number}: {text}");
            }
            assert_eq!(focus.as_deref(), Some("walk-title"));
        }
    }
    let (text, _) = open("walk=5");
    assert!(text.contains("This server does not get here. From 0.770 on it would."), "{text}");
    let (text, _) = open("walk=3");
    assert!(text.contains("missing −20.603 GiB") && text.contains("short by 20.603 GiB"), "{text}");
    let went = answered(
        "walk/step",
        &Ask { fields: [("walk-step".to_owned(), "4".to_owned())].into(), ..ask("f=0.88&walk=3&step=2") },
    );
    assert_eq!(goes(&went), "f=0.88&step=2&walk=4", "the numbers stay");
    assert_eq!(went.announce.as_deref(), Some("Step 4 of 5 The rest becomes the KV pool"));
}

#[test]
fn the_language_is_the_readers_or_the_browsers() {
    let zh = Ask { language: "zh-CN".to_owned(), ..ask("step=1") };
    let opened = answered("open", &zh);
    assert_eq!(tree(&opened, "story-body").get(Attribute::Lang), Some("zh-Hans"));
    let english = answered("language", &Ask { by: "in-en".to_owned(), fields: shown_as("1 zh"), ..zh });
    assert_eq!(tree(&english, "story-body").get(Attribute::Lang), Some("en"));
    assert_eq!(goes(&english), "step=1&lang=en");
}

#[test]
fn ids_are_given_once() {
    for step in 1..=9 {
        for (verb, body) in [("open", "story-body"), ("walk/open", "walk-body")] {
            let opened = answered(verb, &ask(&format!("step={step}&walk=3")));
            let mut ids: Vec<String> =
                tree(&opened, body).elements().iter().filter_map(|e| e.get(Attribute::Id)).map(str::to_owned).collect();
            let all = ids.len();
            ids.sort_unstable();
            ids.dedup();
            assert_eq!(ids.len(), all);
        }
    }
}

#[test]
fn the_page_without_a_program_has_nothing_to_press() {
    for language in Language::ALL {
        let page: Vec<Element> = pages::story(language).into_iter().chain(pages::walk(language)).collect();
        let pressed = |element: &&Element| [Tag::Button, Tag::Input].contains(&element.tag());
        assert!(page.iter().all(|part| part.elements().iter().find(|e| pressed(e)).is_none()));
        let text: String = page.iter().map(Element::plain).collect();
        for number in SAID.iter().flat_map(|said| said.iter()) {
            assert!(text.contains(number), "{number}");
        }
        assert!(text.contains("−15.903 GiB") && text.contains("0.952"), "both answers to the bet, and to the puzzles");
    }
}
