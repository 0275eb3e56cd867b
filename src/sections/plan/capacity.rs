//! How many requests fit, the way back from requests to a fraction, and what would happen otherwise.

use super::memory::link;
use super::parts::{part, rank, scrolling};
use crate::budget::Breakdown;
use crate::engines::sglang::cell::CellKind;
use crate::format;
use crate::plan::answer::{BackAnswer, Planned, Row};
use crate::scenario::Scenario;
use crate::units::{Gib, Tokens};
use crate::view::{Attribute, Element, p, td, th, tr};

/// Tokens and requests.
pub fn capacity(plan: &Planned, filled: &Scenario) -> Element {
    let count = |number: u64| format::whole(i64::try_from(number).unwrap_or(i64::MAX));
    let words = if plan.tokens > 0 {
        let requests = match plan.requests {
            0 => "not even one request".to_owned(),
            1 => "1 request".to_owned(),
            many => count(many) + " requests",
        };
        let rank = rank(plan);
        let all = |each: f64| format::whole((each * plan.dp as f64) as i64);
        let server = if plan.dp > 1 {
            let (tokens, requests) = (all(plan.tokens as f64), all(plan.requests as f64));
            [" All ", &count(plan.dp), " hold ", &tokens, " tokens: ", &requests, " requests."].concat()
        } else {
            String::new()
        };
        [
            "The pool",
            rank,
            " holds ",
            &format::tokens(Tokens(plan.tokens)),
            ": ",
            &requests,
            " of ",
            &count(plan.context),
            if plan.requests > 1 { " tokens each" } else { " tokens" },
            ". SGLang runs at most ",
            &count(plan.max_running_requests),
            " requests at once",
            rank,
            ".",
            &server,
        ]
        .concat()
    } else {
        "Nothing: there is no pool at this fraction.".to_owned()
    };
    part("capacity", "What fits")
        .with(p().text(words))
        .all(beside_formula(plan, filled))
        .all(plan.back.as_ref().map(|wanted| back(wanted, plan)))
}

/// Why the formula of the page gives another number, where it does.
fn beside_formula(plan: &Planned, filled: &Scenario) -> Option<Element> {
    let formula = Breakdown::of(&filled.inputs()).pool_tokens;
    let reason = match plan.kind {
        CellKind::LinearHybrid => "states take whole slots, which the formula counts by their share",
        CellKind::SwaHybrid => "it knows one pool, and this model has two",
        _ => "SGLang keeps 100 MiB for images first",
    };
    (formula.0 != plan.tokens)
        .then(|| p().text(["The formula above gives ", &format::tokens(formula), ": ", reason, "."].concat()))
}

fn back(back: &BackAnswer, plan: &Planned) -> Element {
    let wanted = format::whole(i64::try_from(back.requests).unwrap_or(i64::MAX));
    let context = format::whole(i64::try_from(plan.context).unwrap_or(i64::MAX));
    let tokens = format::tokens(Tokens(back.tokens));
    let want = [&wanted, " requests of ", &context, " tokens are ", &tokens, ". "].concat();
    let answer = match back.fraction {
        Some(fraction) if back.works => {
            ["The fraction that holds them is ", &format::fraction_to_type(fraction), "."].concat()
        }
        Some(fraction) => [
            "They would take ",
            &format::fraction_to_type(fraction),
            ", above the upper edge of ",
            &format::number(plan.max_fraction, 3),
            ". ",
        ]
        .concat(),
        None => "No fraction holds them. ".to_owned(),
    };
    let help = match (back.works, back.helps.is_empty()) {
        (true, _) => String::new(),
        (false, true) => "None of the changes above is enough by itself.".to_owned(),
        (false, false) => ["It would work with ", &back.helps.join(", or with "), "."].concat(),
    };
    p().id("plan-back").text([want, answer, help].concat())
}

/// The table of what would happen otherwise.
pub fn what_if(plan: &Planned) -> Element {
    let row = |row: &Row| {
        let tokens = if row.tokens > 0 { format::whole(row.tokens) } else { "none".to_owned() };
        linked(row, [outcome(row, plan.measured).to_owned(), tokens, format::gib_number(Gib(row.headroom_gib))])
    };
    let tokens = ["tokens", rank(plan)].concat();
    let columns = ["instead of this plan", "outcome", &tokens, "left over beyond the need, GiB"];
    part("what-if", "What if").with(p().text("Each row is a link that takes it over; Back returns.")).with(scrolling(
        "What would happen otherwise",
        &columns,
        plan.fractions.iter().chain(&plan.changes).map(row),
    ))
}

/// A row of a table whose name leads to its scenario.
pub fn linked(row: &Row, cells: impl IntoIterator<Item = String>) -> Element {
    tr().set(Attribute::DataVerdict, row.verdict)
        .with(th().set(Attribute::Scope, "row").with(link(&row.label, &row.scenario)))
        .all(cells.into_iter().map(|words| td().text(words)))
}

fn outcome(row: &Row, measured: bool) -> &'static str {
    match row.verdict {
        "starts" => "starts",
        "too_high" if measured => "starts, then runs out of memory",
        "too_high" => "may run out of memory",
        "no_fraction_works" if measured => "no fraction works",
        "no_fraction_works" if row.tokens > 0 => "below its own reserve",
        _ => "cannot start",
    }
}
