//! Sentences with numbers in them: one place that writes these, instead of one for each sentence.

use crate::decimal::{write, write_trimmed};
use crate::format;

/// The template with its places filled in order: `{g}` takes GiB to two decimals and `{d}` to three, `{n}` a count and `{c}`
/// one without commas, `{f}` a fraction as it was typed and `{t}` one to type, `{m}` a number to four decimals and `{r}` to
/// three.
#[inline(never)]
pub fn fill(template: &str, values: &[f64]) -> String {
    let mut values = values.iter().copied();
    let mut parts = template.split('{');
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (place, rest) = part.split_once('}').unwrap_or_default();
        let value = values.next().unwrap_or_default();
        text.push_str(&match place {
            "g" => write(value, 2) + " GiB",
            "d" => write(value, 3) + " GiB",
            "r" => write(value, 3),
            "f" => write_trimmed(value, 4, 2),
            "t" => write_trimmed(value, 4, 3),
            "m" => write(value, 4),
            "c" => write(value, 0),
            _ => format::whole(value as i64),
        });
        text.push_str(rest);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_place_writes_its_number() {
        assert_eq!(fill("no place", &[]), "no place");
        assert_eq!(
            fill("{g}, {d}; {n} of {m}", &[1.5, 20.603, 46_611.0, 0.3198]),
            "1.50 GiB, 20.603 GiB; 46,611 of 0.3198"
        );
        assert_eq!(fill("{f} {t} {c}.", &[0.9, 0.9, 100_000.0]), "0.90 0.900 100000.");
    }
}
