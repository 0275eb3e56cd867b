//! Tables of texts that every language fills: a language that lacks one does not compile.

/// A text, with its places (`template`).
pub type Text = &'static str;

/// Gives every text in something, so that two languages can be held against each other.
pub trait Texts {
    /// Adds them in order.
    fn collect(&self, into: &mut Vec<&'static str>);
}

impl Texts for &'static str {
    fn collect(&self, into: &mut Vec<&'static str>) {
        into.push(self);
    }
}

impl<T: Texts, const N: usize> Texts for [T; N] {
    fn collect(&self, into: &mut Vec<&'static str>) {
        self.iter().for_each(|text| text.collect(into));
    }
}

impl<T: Texts> Texts for &'static [T] {
    fn collect(&self, into: &mut Vec<&'static str>) {
        self.iter().for_each(|text| text.collect(into));
    }
}

/// Structures of texts.
macro_rules! texts {
    ($($(#[$doc:meta])* $name:ident { $($(#[$field_doc:meta])* $field:ident: $kind:ty,)* })*) => {
        $(
            $(#[$doc])*
            #[derive(Debug)]
            pub struct $name {
                $($(#[$field_doc])* pub $field: $kind,)*
            }

            impl Texts for $name {
                fn collect(&self, into: &mut Vec<&'static str>) {
                    $(self.$field.collect(into);)*
                }
            }
        )*
    };
}

/// What holds for the texts of two languages.
#[cfg(test)]
pub mod check {
    use super::Texts;
    use crate::text::template::slots;

    fn all(texts: &impl Texts) -> Vec<&'static str> {
        let mut found = Vec::new();
        texts.collect(&mut found);
        found
    }

    /// The same texts, with the same places and marks.
    pub fn same(english: &impl Texts, other: &impl Texts) {
        let (english, other) = (all(english), all(other));
        assert_eq!(english.len(), other.len());
        for (english, other) in english.iter().zip(&other) {
            let sorted = |text| {
                let mut names = slots(text);
                names.sort_unstable();
                names
            };
            assert_eq!(sorted(english), sorted(other), "{english}\n{other}");
            for mark in ['`', '[', '<'] {
                assert_eq!(english.matches(mark).count(), other.matches(mark).count(), "{english}\n{other}");
            }
            assert!(!other.is_empty() && !english.is_empty());
        }
    }

    /// No number is typed, but for names, releases, and the numbers of arithmetic itself.
    pub fn no_number(texts: &impl Texts) {
        const NAMES: [&str; 8] = ["fp8", "H200", "RTX PRO 6000", "K2.5", "Llama-3.1-8B", "2026", "1024³", "1000³"];
        for text in all(texts) {
            let text = NAMES.iter().fold(text.to_owned(), |text, name| text.replace(name, ""));
            let outside: String = text.split('{').map(|part| part.rsplit('}').next().unwrap_or(part)).collect();
            let prose = outside.split('`').step_by(2).collect::<String>();
            let numbers = prose.split(|c: char| !c.is_ascii_digit() && c != '.').map(|part| part.trim_matches('.'));
            let strange = numbers.filter(|number| number.contains(|c: char| c.is_ascii_digit())).find(|number| {
                let release = number.matches('.').count() == 2;
                !release && !["0", "1", "2", "0.01"].contains(number)
            });
            assert_eq!(strange, None, "{text}");
        }
    }
}
