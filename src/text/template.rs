//! Sentences with places in them: a text in one piece for the translator, and pieces for whoever shows it.
//!
//! `` `code` ``, `*weight*`, `[reserved|words that stand for a term]`, `<#log|a link>`, `{name}` for a value, `{=name}` for
//! one that follows the scenario and `{#f}` for one that can be typed. Brackets may hold one another.

use crate::budget::Term;

/// A piece of a sentence.
#[derive(Debug, Clone, PartialEq)]
pub enum Piece {
    /// As it stands.
    Text(&'static str),
    /// Something to type, or a name in the source.
    Code(Vec<Piece>),
    /// With weight.
    Strong(Vec<Piece>),
    /// Words that stand for a term.
    Term(Term, Vec<Piece>),
    /// Leads to a place of the page.
    Link(&'static str, Vec<Piece>),
    /// A value by its name.
    Slot(&'static str),
}

const TERMS: [Term; 9] = [
    Term::Fraction,
    Term::Total,
    Term::Available,
    Term::Weights,
    Term::StaticBudget,
    Term::Reserved,
    Term::Rest,
    Term::Cell,
    Term::Tokens,
];

/// The pieces of a template. Total: a bracket that is never closed reaches to the end.
pub fn pieces(template: &'static str) -> Vec<Piece> {
    let mut found = Vec::new();
    let mut rest = template;
    while let Some(at) = rest.find(['`', '*', '[', '<', '{']) {
        let (before, from) = rest.split_at(at);
        if !before.is_empty() {
            found.push(Piece::Text(before));
        }
        let open = from.as_bytes().first().copied().unwrap_or_default();
        let inner = from.get(1..).unwrap_or_default();
        let close = match open {
            b'[' => ']',
            b'<' => '>',
            b'{' => '}',
            mark => char::from(mark),
        };
        let end = inner.find(close).unwrap_or(inner.len());
        let (inside, after) = inner.split_at(end);
        rest = after.get(1..).unwrap_or_default();
        let (name, words) = inside.split_once('|').unwrap_or(("", inside));
        found.push(match open {
            b'`' => Piece::Code(pieces(inside)),
            b'*' => Piece::Strong(pieces(inside)),
            b'{' => Piece::Slot(inside),
            b'<' => Piece::Link(name, pieces(words)),
            _ => match TERMS.iter().find(|term| term.slug() == name) {
                Some(term) => Piece::Term(*term, pieces(words)),
                None => Piece::Text(inside),
            },
        });
    }
    if !rest.is_empty() {
        found.push(Piece::Text(rest));
    }
    found
}

/// The names of all values in a template, in order.
pub fn slots(template: &'static str) -> Vec<&'static str> {
    fn collect(pieces: Vec<Piece>, found: &mut Vec<&'static str>) {
        for piece in pieces {
            match piece {
                Piece::Slot(name) => found.push(name),
                Piece::Code(inner) | Piece::Strong(inner) | Piece::Term(_, inner) | Piece::Link(_, inner) => {
                    collect(inner, found);
                }
                Piece::Text(_) => {}
            }
        }
    }
    let mut found = Vec::new();
    collect(pieces(template), &mut found);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_piece() {
        assert_eq!(
            pieces("At `--f {f}` *now* [reserved|{=reserved} GiB] or <#log|log>."),
            vec![
                Piece::Text("At "),
                Piece::Code(vec![Piece::Text("--f "), Piece::Slot("f")]),
                Piece::Text(" "),
                Piece::Strong(vec![Piece::Text("now")]),
                Piece::Text(" "),
                Piece::Term(Term::Reserved, vec![Piece::Slot("=reserved"), Piece::Text(" GiB")]),
                Piece::Text(" or "),
                Piece::Link("#log", vec![Piece::Text("log")]),
                Piece::Text("."),
            ]
        );
        assert_eq!(slots("[rest|{a}] `{b}` {=c}"), ["a", "b", "=c"]);
    }

    #[test]
    fn what_is_not_closed_reaches_to_the_end() {
        assert_eq!(pieces("a {b"), vec![Piece::Text("a "), Piece::Slot("b")]);
        assert_eq!(pieces("[nothing|x"), vec![Piece::Text("nothing|x")]);
        assert_eq!(pieces(""), vec![]);
    }
}
