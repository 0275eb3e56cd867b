//! The formula in three aligned lines: symbols, numbers, value; then the way to tokens.

use leptos::prelude::*;

use super::state::State;
use crate::budget::{Report, Rounding, Term};
use crate::format;

/// The second section.
#[component]
pub fn Formula() -> impl IntoView {
    let state = State::here();
    let cell = move |term: Term, of: fn(&Report) -> String| {
        view! { <td data-term=term.slug()>{state.report(of)}</td> }
    };
    view! {
        <section class="formula" aria-label="The formula with these numbers">
            <table>
                <tbody>
                    <tr>
                        <th scope="row" data-term="rest">"rest"</th>
                        <td class="op">"="</td>
                        <td data-term="available">"available"</td>
                        <td class="op">"−"</td>
                        <td data-term="total">"total"</td>
                        <td class="op">"× (1 −"</td>
                        <td data-term="fraction">"fraction"</td>
                        <td class="op">")"</td>
                    </tr>
                    <tr>
                        <td></td>
                        <td class="op">"="</td>
                        {cell(Term::Available, |report| format::gib_number(report.inputs.available))}
                        <td class="op">"−"</td>
                        {cell(Term::Total, |report| format::gib_number(report.inputs.total))}
                        <td class="op">"× (1 −"</td>
                        {cell(Term::Fraction, |report| format::fraction(report.inputs.fraction))}
                        <td class="op">")"</td>
                    </tr>
                    <tr>
                        <td></td>
                        <td class="op">"="</td>
                        {cell(Term::Available, |report| format::gib_number(report.inputs.available))}
                        <td class="op">"−"</td>
                        {cell(Term::Reserved, |report| format::gib_number(report.breakdown.reserved))}
                        <td class="op">"="</td>
                        <td class="result" colspan="2" data-term="rest">
                            {state.report(|report| format::gib(report.breakdown.rest))}
                        </td>
                    </tr>
                </tbody>
            </table>
            <p class="formula__tokens">
                <span data-term="tokens">"tokens"</span> " = ⌊"
                <span data-term="rest">{state.report(|report| format::whole(report.breakdown.rest_bytes.0))}</span>
                " bytes ÷ "
                <span data-term="cell">{state.report(|report| format::cell(report.inputs.cell))}</span>
                "⌋ = "
                <b data-term="tokens">{state.report(|report| format::whole(report.breakdown.tokens.0))}</b>
                <small>{state.report(rounding)}</small>
            </p>
        </section>
    }
}

/// What the decimals of the inputs leave open.
fn rounding(report: &Report) -> String {
    let rounding = Rounding::as_shown(&report.inputs);
    [
        " ± ",
        &format::whole(rounding.tokens_half_width().0),
        ", if total and available were rounded to ",
        &format::whole(i64::from(rounding.decimals)),
        " decimals",
    ]
    .concat()
}
