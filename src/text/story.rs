//! The words of the story and of the start-up walk, in each language: one table that every language fills.
//!
//! A language that lacks a text does not compile. What a number is, no text says: it has places (`template`), and
//! `sections::story` knows what stands there.

mod en;
mod zh;

use super::table::{Text, Texts};

/// Steps of the story.
pub const STORY_STEPS: usize = 9;

/// Steps of the start-up walk.
pub const WALK_STEPS: usize = 5;

/// A language of the story.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Language {
    /// English.
    English,
    /// Simplified Chinese.
    Chinese,
}

impl Language {
    /// All, in the order of the switch.
    pub const ALL: [Self; 2] = [Self::English, Self::Chinese];

    /// As the URL names it.
    pub fn key(self) -> &'static str {
        match self {
            Self::English => "en",
            Self::Chinese => "zh",
        }
    }

    /// As HTML names it.
    pub fn tag(self) -> &'static str {
        match self {
            Self::English => "en",
            Self::Chinese => "zh-Hans",
        }
    }

    /// By [`Language::key`].
    pub fn by_key(key: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|language| language.key() == key)
    }

    /// What the reader chose, or else what the browser prefers: of a tag such as `zh-CN`, the language alone.
    pub fn of(chosen: Option<Self>, preferred: &str) -> Self {
        let (language, _region) = preferred.split_once('-').unwrap_or((preferred, ""));
        chosen.or_else(|| Self::by_key(language)).unwrap_or(Self::English)
    }

    /// Its texts.
    pub fn words(self) -> &'static Words {
        match self {
            Self::English => &en::WORDS,
            Self::Chinese => &zh::WORDS,
        }
    }
}

texts! {
    /// Everything.
    Words {
        /// The name of the language, in itself.
        name: Text,
        /// What the story is called.
        title: Text,
        /// Under the title, on its own page.
        lead: Text,
        /// What surrounds the steps.
        frame: Frame,
        /// What happens to the KV cache.
        outcome: Outcome,
        /// The nine steps.
        steps: [Step; STORY_STEPS],
        /// What was believed.
        beliefs: [Belief; 6],
        /// The bet of the second step.
        bet: Bet,
        /// What the buttons that move the bars say.
        takes: Takes,
        /// The suspects held against the gap.
        sizes: Sizes,
        /// The two logs of the eighth step.
        logs: Logs,
        /// What to take along.
        checklist: [Text; 7],
        /// The puzzles of the last step.
        puzzles: Puzzles,
        /// What happens at start-up.
        walk: Walk,
    }

    /// What surrounds the steps.
    Frame {
        /// Which step it is.
        step_of: Text,
        /// For screen readers: what the row of steps is.
        steps: Text,
        /// For screen readers: what the language buttons are.
        languages: Text,
        /// The button to the step before.
        back: Text,
        /// The button to the next step.
        next: Text,
        /// Shown where the page's numbers are not those of the step.
        away: Text,
        /// The button that brings them back.
        returns: Text,
        /// Introduces the sentence that follows the scenario.
        now: Text,
        /// Above the beliefs.
        believed: Text,
        /// Said of a belief that still stands.
        stands: Text,
        /// Said of a belief that fell.
        fell: Text,
        /// Leads to the same on one page.
        whole: Text,
        /// Leads to the reference.
        reference: Text,
        /// Leads to the page itself.
        page: Text,
    }

    /// What happens to the KV cache, as the end of a sentence.
    Outcome {
        /// The rest is negative.
        short: Text,
        /// Something is left, but no page.
        nothing: Text,
        /// The server starts.
        starts: Text,
        /// The server starts, and what is set aside is too little.
        too_high: Text,
    }

    /// A step of the story.
    Step {
        /// In the row of steps.
        short: Text,
        /// Its heading.
        title: Text,
        /// What happened.
        told: &'static [Text],
        /// What can be moved.
        now: Text,
        /// What it means.
        then: &'static [Text],
    }

    /// What was believed, and how it fell.
    Belief {
        /// The belief.
        held: Text,
        /// Why it is wrong.
        fell: Text,
    }

    /// The bet.
    Bet {
        /// The button.
        lower: Text,
        /// The other button.
        raise: Text,
        /// What the bars answer.
        lowered: Text,
        /// What the bars answer.
        raised: Text,
        /// That nobody has to bet.
        skip: Text,
    }

    /// Buttons that move the bars.
    Takes {
        /// For screen readers: what they are together.
        label: Text,
        /// `total` as the card.
        card: Text,
        /// `total` as it was measured.
        measured: Text,
        /// One GPU with less.
        one_short: Text,
        /// No suspect.
        none: Text,
        /// The buffers.
        buffers: Text,
        /// The mappings.
        mappings: Text,
        /// The fraction that was typed.
        typed: Text,
        /// The fraction that was picked.
        picked: Text,
    }

    /// The suspects held against the gap.
    Sizes {
        /// What the picture shows.
        label: Text,
        /// The gap.
        gap: Text,
        /// The mappings.
        mappings: Text,
        /// The buffers.
        buffers: Text,
    }

    /// The two logs.
    Logs {
        /// Above the table.
        caption: Text,
        /// Column.
        worked: Text,
        /// Column.
        failed: Text,
        /// Column.
        effect: Text,
        /// Nobody typed it.
        automatic: Text,
        /// Somebody did.
        typed: Text,
        /// It does not move the rest.
        none: Text,
        /// In sum.
        sum: Text,
    }

    /// The puzzles.
    Puzzles {
        /// Above them.
        title: Text,
        /// How to solve them.
        how: Text,
        /// Start at all.
        start: Text,
        /// Requests and graphs.
        both: Text,
        /// It is solved.
        solved: Text,
        /// It is not: what is missing.
        room: Text,
        /// It is not: what is missing.
        kept: Text,
        /// Between two of these.
        and: Text,
        /// It does not start.
        not_started: Text,
        /// The button of who thinks that it cannot be done.
        claim: Text,
        /// The claim is wrong.
        wrong: Text,
        /// The claim is right.
        right: Text,
        /// It was solved by something else than the fraction.
        otherwise: Text,
    }

    /// The start-up walk.
    Walk {
        /// What it is called.
        title: Text,
        /// Under the title.
        lead: Text,
        /// For screen readers: what the row of steps is.
        steps_label: Text,
        /// The steps.
        steps: [WalkStep; WALK_STEPS],
        /// Names of what the picture shows.
        free: Text,
        /// The weights.
        weights: Text,
        /// The pool.
        pool: Text,
        /// What is set aside.
        reserved: Text,
        /// What is missing.
        missing: Text,
        /// Where it ends for a server that does not start.
        ends: Text,
        /// Whose numbers these are.
        whose: Text,
    }

    /// A step of the walk.
    WalkStep {
        /// In the row of steps.
        short: Text,
        /// Its heading.
        title: Text,
        /// What happens.
        told: &'static [Text],
        /// What the log prints.
        log: Text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::table::check;

    #[test]
    fn the_languages_have_the_same_texts_with_the_same_places() {
        for language in Language::ALL {
            check::same(Language::English.words(), language.words());
        }
    }

    #[test]
    fn no_text_has_a_number_of_the_model() {
        for language in Language::ALL {
            check::no_number(language.words());
        }
    }

    #[test]
    fn the_browser_decides_where_the_reader_did_not() {
        for (chosen, preferred, language) in [
            (None, "zh-CN", Language::Chinese),
            (None, "zh-Hans", Language::Chinese),
            (None, "de-DE", Language::English),
            (None, "", Language::English),
            (Some(Language::English), "zh-CN", Language::English),
            (Some(Language::Chinese), "en", Language::Chinese),
        ] {
            assert_eq!(Language::of(chosen, preferred), language);
        }
        for language in Language::ALL {
            assert_eq!(Language::of(None, language.tag()), language);
            assert_eq!(Language::by_key(language.key()), Some(language));
        }
    }
}
