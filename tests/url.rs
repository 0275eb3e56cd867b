//! The scenario URL: what strangers type, canonical form, and that nothing else is lost.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "tests")]

use kv_budget::catalog::presets::PRESETS;
use kv_budget::engines::sglang::Version;
use kv_budget::issue::IssueKind;
use kv_budget::scenario::query::{decode, encode};
use kv_budget::scenario::{Scenario, Versus};
use kv_budget::units::{BytesPerToken, Fraction, Gib};
use proptest::prelude::*;

/// Field and kind of each issue, in order.
fn issues(query: &str) -> Vec<(String, IssueKind)> {
    decode(query).issues.into_iter().map(|issue| (issue.field, issue.kind)).collect()
}

fn canonical(query: &str) -> String {
    encode(&decode(query).scenario)
}

#[test]
fn the_default_scenario_is_the_empty_query() {
    assert_eq!(decode("").scenario, Scenario::default());
    assert_eq!(canonical(""), "");
    assert_eq!(canonical("?"), "");
    let whole = format!("v=1&f=0.55&total=93.999&avail=21.697&cell=70272&page=1&sglang={}", Version::NEWEST);
    assert_eq!(canonical(&whole), "");
    assert_eq!(issues("v=1&f=0.55"), []);
}

#[test]
fn canonical_order_and_form() {
    assert_eq!(canonical("cell=8294.4&f=.880&avail=21.6970"), "f=0.88&cell=8294.4");
    assert_eq!(canonical("f=0.7&preset=baseline-0.88"), "preset=baseline-0.88&f=0.7");
    assert_eq!(canonical("f=0.88&preset=baseline-0.88"), "preset=baseline-0.88");
    assert_eq!(canonical("preset=custom-allreduce-0.55"), "preset=custom-allreduce-0.55");
    assert_eq!(canonical("vs=cell%3A1%2Cf:0.88"), "vs=f:0.88,cell:1");
    assert_eq!(canonical("show=bars,verdict"), "show=verdict,bars");
    assert_eq!(canonical("ranks=21.7, 20.9&avail=3"), "ranks=21.7,20.9");
    assert_eq!(canonical("f=-0"), "f=0");
    assert_eq!(canonical("model=Qwen3-8B&gpu=H100&spec=EAGLE3"), "model=qwen3-8b&gpu=h100&spec=eagle3");
    assert_eq!(canonical("tp=8&model=kimi-k2.5&gpu=rtx-pro-6000"), "model=kimi-k2.5&gpu=rtx-pro-6000&tp=8");
}

/// Beside a plan the absence of a number leaves it to the plan, so one that is there stays there.
#[test]
fn a_number_beside_a_plan_is_never_omitted() {
    assert_eq!(canonical("gpu=h200&f=0.55"), "f=0.55&gpu=h200");
    assert_eq!(canonical(&format!("gpu=h200&f=abc&page=1&sglang={}", Version::NEWEST)), "gpu=h200");
    assert_eq!(canonical("gpu=h200&preset=baseline-0.88&f=0.88"), "preset=baseline-0.88&gpu=h200");
    assert_eq!(canonical("gpu=h200&ranks=21.7,20.9"), "gpu=h200&ranks=21.7,20.9");
    let scenario = decode("gpu=h200&cell=70272").scenario;
    assert!(scenario.gives("cell") && !scenario.gives("f"));
    assert!(!decode("cell=70272").scenario.gives("cell"), "without a plan it is the default");
    let mut chosen = Scenario::default();
    chosen.give_numbers();
    assert_eq!(encode(&chosen), "");
}

#[test]
fn assumptions_and_limits_of_other_sections_travel() {
    let all = "model=kimi-k2.5&gpu=h200&running=64&need=8&act=2&cg=0.5&card=96&vocab=129280";
    assert_eq!(canonical(all), all);
    let kinds: Vec<_> = issues("running=0&vocab=1.5&card=-1").into_iter().map(|(_, kind)| kind).collect();
    assert_eq!(kinds, [IssueKind::OutOfRange, IssueKind::OutOfRange, IssueKind::NotANumber]);
}

#[test]
fn each_bad_value_costs_only_its_own_field() {
    use IssueKind::*;
    for (query, kind) in [
        ("f=NaN", NotANumber),
        ("f=inf", NotANumber),
        ("f=1e999", NotANumber),
        ("f=0,55", NotANumber),
        ("f=0%2C55", NotANumber),
        ("f=55%25", NotANumber),
        ("f=55%", BadEncoding),
        ("f=%ff%fe", BadEncoding),
        ("f=%zz", BadEncoding),
        ("f=０.５５", NotANumber),
        ("f=", NotANumber),
        ("f", NotANumber),
        ("f=1.5", OutOfRange),
        ("f=-1", OutOfRange),
        ("cell=0", OutOfRange),
        ("cell=-5", OutOfRange),
        ("cell=.0000000009", OutOfRange),
        ("vs=cell:.0000000009", OutOfRange),
        ("page=64.5", NotANumber),
        ("page=0", OutOfRange),
        ("total=99999", OutOfRange),
        ("preset=nope", UnknownValue),
        ("sglang=new", UnknownValue),
        ("v=2", UnknownValue),
        ("vs=f:2", OutOfRange),
        ("vs=x", UnknownValue),
        ("ranks=1,b", NotANumber),
        ("model=<script>", UnknownValue),
        ("theme=pink", UnknownValue),
        ("show=bars,nope", UnknownValue),
    ] {
        let field = query.split('=').next().expect("a key").to_owned();
        let full = format!("{query}&dyn=9.5");
        assert_eq!(issues(&full), [(field, kind)], "{query}");
        assert_eq!(decode(&full).scenario.dynamic_need, Some(Gib(9.5)), "{query}");
    }
}

#[test]
fn out_of_range_is_clamped_to_the_range() {
    for query in ["act=-0", "act=-1"] {
        let peak = decode(query).scenario.activation_peak;
        assert!(peak.is_some_and(|peak| peak.0 == 0.0 && peak.0.is_sign_positive()), "{query}");
    }
    assert_eq!(decode("f=1.5").scenario.fraction.get(), 1.0);
    assert_eq!(decode("f=-1").scenario.fraction.get(), 0.0);
    assert_eq!(decode("total=1e9").scenario.total, Gib(93.999), "not a plain decimal");
    assert_eq!(decode("total=1000000000").scenario.total, Gib(4096.0));
    assert_eq!(decode("cell=0").scenario.cell.get(), 70272.0, "nothing is nearest to zero");
    assert_eq!(decode("cell=.0000000009").scenario.cell.get(), 70272.0, "an address would carry it as zero");
    assert_eq!(decode("cell=.000000001").scenario.cell.get(), 1e-9);
    assert_eq!(decode("page=70000").scenario.page_size, 65536);
}

#[test]
fn repeated_unknown_and_enormous() {
    use IssueKind::*;
    assert_eq!(issues("f=0.6&f=0.7"), [("f".to_owned(), Repeated)]);
    assert_eq!(decode("f=0.6&f=0.7").scenario.fraction.get(), 0.7);
    assert_eq!(issues("utm_source=mail"), [("utm_source".to_owned(), UnknownKey)]);
    let junk = "x".repeat(100_000);
    let decoded = decode(&format!("{junk}&f=0.88&cap={junk}"));
    assert_eq!(decoded.scenario.fraction.get(), 0.88);
    assert_eq!(decoded.issues.len(), 2);
    assert!(decoded.issues.iter().all(|issue| issue.field.chars().count() <= 41));
    let many = (0..1000).map(|number| format!("k{number}=1")).collect::<Vec<_>>().join("&");
    assert_eq!(decode(&many).issues.len(), 21);
}

#[test]
fn ranks_override_available() {
    let decoded = decode("ranks=21.7,21.7,20.9");
    assert_eq!(decoded.scenario.available(), Gib(20.9));
    assert_eq!(decoded.issues, []);
    assert_eq!(issues("avail=21.7&ranks=21.7,20.9"), [("avail".to_owned(), IssueKind::Conflict)]);
    assert_eq!(issues("avail=20.9&ranks=21.7,20.9"), []);
}

#[test]
fn presets_round_trip() {
    for preset in &PRESETS {
        let query = format!("preset={}", preset.id);
        let decoded = decode(&query);
        assert_eq!(decoded.issues, [], "{query}");
        assert_eq!(encode(&decoded.scenario), query);
        assert_eq!(decoded.scenario.matching_preset(), Some(preset));
    }
}

/// What the other run has of its own, and what it takes from this one.
#[test]
fn the_run_to_compare_with() {
    let of = |query: &str| decode(query).scenario.versus_inputs();
    assert_eq!(of("f=0.6"), None);
    // A preset brings its four numbers and no cap; what activations and graphs need is the same server's.
    let preset = of("total=80&avail=20&cell=1000&cap=500&dyn=9.5&vs=misread-physical-96").expect("a preset");
    assert_eq!((preset.fraction.get(), preset.total, preset.available), (0.55, Gib(96.0), Gib(21.7)));
    assert_eq!((preset.cell.get(), preset.max_total_tokens, preset.dynamic_need), (70272.0, None, Some(Gib(9.5))));
    // A change brings only what it names.
    let changed = of("total=80&avail=20&cell=1000&cap=500&dyn=9.5&vs=f:0.7,cell:2000").expect("a change");
    assert_eq!((changed.fraction.get(), changed.total, changed.available), (0.7, Gib(80.0), Gib(20.0)));
    assert_eq!(
        (changed.cell.get(), changed.max_total_tokens, changed.dynamic_need),
        (2000.0, Some(500), Some(Gib(9.5)))
    );
    let memory = of("f=0.6&vs=total:90,avail:30").expect("a change");
    assert_eq!((memory.fraction.get(), memory.total, memory.available), (0.6, Gib(90.0), Gib(30.0)));
}

/// A link opens the section that it speaks of.
#[test]
fn a_scenario_knows_which_sections_it_speaks_of() {
    for (query, assumes, told, walked) in [
        ("f=0.6", false, false, false),
        ("act=2", true, false, false),
        ("cg=0.5", true, false, false),
        ("card=96", true, false, false),
        ("vocab=129280", true, false, false),
        ("step=2", false, true, false),
        ("walk=2", false, false, true),
    ] {
        let scenario = decode(query).scenario;
        assert_eq!((scenario.assumes(), scenario.is_told(), scenario.is_walked()), (assumes, told, walked), "{query}");
    }
}

#[test]
fn more_free_after_the_weights_than_before_is_a_contradiction() {
    let conflicts = |query: &str| decode(query).scenario.issues().len();
    assert_eq!(conflicts("total=80&avail=80.001"), 1);
    assert_eq!(conflicts("total=80&avail=80"), 0, "an empty model");
}

/// Each notice names the value, why it was not taken, and what is used in its place.
#[test]
fn a_refusal_says_why_and_what_is_used() {
    let said = |query: &str| decode(query).issues.into_iter().map(|issue| issue.message).collect::<Vec<_>>();
    assert_eq!(said("f=abc"), ["“abc” is not a plain number with a decimal point; 0.55 is used."]);
    assert_eq!(said("f=1.5"), ["“1.5” is outside the range; 1 is used."]);
    assert_eq!(said("f=%zz"), ["“%zz” is not valid percent-encoding; 0.55 is used."]);
    assert_eq!(said("kv=int3"), ["“int3” is not known; it was left out."]);
    let long = |digits: usize| said(&["cap=".to_owned(), "x".repeat(digits)].concat()).concat();
    assert!(long(2049).ends_with("is too long; it was left out."));
    assert!(long(2048).ends_with("is not a plain number with a decimal point; it was left out."));
}

#[test]
fn more_than_twenty_notices_are_counted() {
    let junk = |count: usize| (0..count).map(|key| format!("k{key}=1&")).collect::<String>();
    assert_eq!(decode(&junk(20)).issues.len(), 20);
    let many = decode(&junk(25)).issues;
    assert_eq!(many.len(), 21);
    assert_eq!(many.last().map(|issue| issue.message.as_str()), Some("5 more things in this address were left out."));
}

#[test]
fn a_frame_is_asked_for_by_one() {
    assert!(decode("embed=1").scenario.view.embed && !decode("embed=0").scenario.view.embed);
}

fn decimal(most: u64, decimals: u32) -> impl Strategy<Value = f64> {
    let scale = 10_u64.pow(decimals);
    (0..=most * scale).prop_map(move |mantissa| mantissa as f64 / scale as f64)
}

prop_compose! {
    fn scenario()(
        preset in prop::option::of(prop::sample::select(PRESETS.iter().collect::<Vec<_>>())),
        fraction in decimal(1, 9),
        total in decimal(4096, 9),
        available in decimal(4096, 9),
        cell in 1_u64..1_000_000_000,
        page_size in 1_u64..=65536,
        max_total_tokens in prop::option::of(1_u64..=1 << 53),
        dynamic_need in prop::option::of(decimal(4096, 6)),
        context in prop::option::of(1_u64..=1 << 53),
        ranks in prop::collection::vec(decimal(4096, 3), 0..9),
        tp in prop::option::of(1_u64..=64),
        chunk in prop::option::of(-1_i64..20_000),
        versus in prop::option::of(decimal(1, 3)),
    ) -> Scenario {
        let mut scenario = preset.map_or_else(Scenario::default, Scenario::from_preset);
        scenario.fraction = Fraction::new(fraction).unwrap();
        scenario.total = Gib(total);
        scenario.set_available(Gib(available));
        scenario.ranks = ranks.into_iter().map(Gib).collect();
        scenario.available_typed = scenario.available();
        scenario.cell = BytesPerToken::new(cell as f64 / 10.0).unwrap();
        scenario.page_size = page_size;
        scenario.max_total_tokens = max_total_tokens;
        scenario.dynamic_need = dynamic_need.map(Gib);
        scenario.context = context;
        scenario.plan.tp = tp;
        scenario.plan.chunked_prefill_size = chunk;
        scenario.versus = versus.map(|fraction| Versus::Changed {
            fraction: Fraction::new(fraction), total: None, available: None, cell: None,
        });
        scenario
    }
}

proptest! {
    #[test]
    fn decoding_what_was_encoded_changes_nothing(scenario in scenario()) {
        let decoded = decode(&encode(&scenario));
        prop_assert_eq!(decoded.issues, []);
        prop_assert_eq!(decoded.scenario, scenario);
    }

    #[test]
    fn any_text_has_one_canonical_form(text in "\\PC{0,200}") {
        let once = canonical(&text);
        prop_assert_eq!(canonical(&once), once);
    }

    #[test]
    fn any_values_have_one_canonical_form(
        pairs in prop::collection::vec(
            (prop::sample::select(kv_budget::scenario::fields::FIELDS.iter().map(|field| field.key).collect::<Vec<_>>()),
             prop_oneof!["-?[0-9]{0,12}(\\.[0-9]{0,20})?", "\\.0{0,20}[0-9]{1,10}", "[a-z0-9.,:%+-]{0,20}", "\\PC{0,10}"]),
            0..8,
        )
    ) {
        let query = pairs.iter().map(|(key, value)| format!("{key}={value}")).collect::<Vec<_>>().join("&");
        let once = canonical(&query);
        prop_assert_eq!(canonical(&once), once);
    }
}
