//! The words of the reference: formula, terms, errors, questions, glossary; one table that every language fills.
//!
//! Only the build reads them, for pages that need no program: they cost no reader of the page a byte.

mod en;
mod zh;

use super::story::Language;
use super::table::{Text, Texts};

/// The texts of a language.
pub fn words(language: Language) -> &'static Reference {
    match language {
        Language::English => &en::REFERENCE,
        Language::Chinese => &zh::REFERENCE,
    }
}

texts! {
    /// The whole article.
    Reference {
        /// Its title.
        title: Text,
        /// Under the title.
        lead: Text,
        /// For search engines.
        description: Text,
        /// Above the list of its parts.
        contents: Text,
        /// The formula.
        formula: Formula,
        /// Each term of it.
        terms: [Entry; 9],
        /// Above the terms.
        terms_title: Text,
        /// The units.
        units: Chapter,
        /// The band.
        band: Chapter,
        /// The errors.
        errors: Errors,
        /// What was measured.
        measured: Chapter,
        /// Above the questions.
        questions_title: Text,
        /// Questions that people ask.
        questions: [Entry; 10],
        /// Above the glossary.
        glossary_title: Text,
        /// The field's own words.
        glossary: [Entry; 16],
        /// How it is known.
        sources: Chapter,
        /// Links of every page.
        links: Links,
    }

    /// The formula.
    Formula {
        /// Above it.
        title: Text,
        /// Its lines.
        lines: [Text; 3],
        /// The same with the numbers of the case.
        filled: [Text; 3],
        /// Around it.
        told: [Text; 3],
    }

    /// Something and what is said of it.
    Entry {
        /// The word or the question.
        head: Text,
        /// What is said.
        told: Text,
    }

    /// A heading and paragraphs.
    Chapter {
        /// The heading.
        title: Text,
        /// The paragraphs.
        told: &'static [Text],
    }

    /// The errors.
    Errors {
        /// Above the table.
        title: Text,
        /// Before the table.
        lead: Text,
        /// Its columns.
        columns: [Text; 4],
        /// Turn it up.
        raise: Text,
        /// Turn it down.
        lower: Text,
        /// Neither helps.
        neither: Text,
        /// One row each: message, releases, what to do.
        rows: [ErrorText; 12],
    }

    /// An error.
    ErrorText {
        /// What is printed.
        message: Text,
        /// Where it is printed.
        releases: Text,
        /// What it means and what else helps.
        cure: Text,
    }

    /// Links of every page.
    Links {
        /// To the page.
        page: Text,
        /// To the story.
        story: Text,
        /// To the reference.
        reference: Text,
        /// What the footer says.
        foot: Text,
    }
}

const fn entry(head: Text, told: Text) -> Entry {
    Entry { head, told }
}

const fn error(message: Text, releases: Text, cure: Text) -> ErrorText {
    ErrorText { message, releases, cure }
}

/// Which way to turn the fraction, for each row of the errors: up, down, or neither.
pub const DIRECTIONS: [Direction; 12] = [
    Direction::Raise,
    Direction::Raise,
    Direction::Raise,
    Direction::Raise,
    Direction::Raise,
    Direction::Neither,
    Direction::Lower,
    Direction::Lower,
    Direction::Lower,
    Direction::Lower,
    Direction::Raise,
    Direction::Neither,
];

/// Which way to turn the fraction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// Up.
    Raise,
    /// Down.
    Lower,
    /// It is not the fraction.
    Neither,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::table::check;

    #[test]
    fn the_languages_have_the_same_texts_with_the_same_places() {
        for language in Language::ALL {
            check::same(words(Language::English), words(language));
        }
    }

    #[test]
    fn no_text_has_a_number_of_the_model() {
        for language in Language::ALL {
            check::no_number(words(language));
        }
    }
}
