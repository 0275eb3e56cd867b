//! The arguments of a server as a log shows them: a dataclass repr, a dict, a Namespace, or a command line.

use super::attempt::Attempt;
use super::lines::Record;
use super::report::Argument;

/// Arguments that are kept; newer SGLang prints about 400.
const MOST: usize = 800;

/// Bytes of a value that are kept.
const LONGEST: usize = 160;

/// Reads `Name(key=value, …)` or `{'key': value, …}` from the record.
pub fn read(record: &Record, attempt: &mut Attempt) {
    let start = ["server_args=", "args: Namespace", "non-default args:", "EngineConfig("]
        .iter()
        .find_map(|mark| record.text.find(mark))
        .and_then(|at| record.text.get(at..))
        .and_then(|text| text.find(['(', '{']).and_then(|open| text.get(open + 1..)));
    let Some(inside) = start else { return };
    let mut found: Vec<Argument> = Vec::new();
    for item in items(inside).into_iter().take(MOST) {
        let Some(split) = item.find(['=', ':']) else { continue };
        let (name, value) = (item.get(..split).unwrap_or_default(), item.get(split + 1..).unwrap_or_default());
        let name = unquoted(name);
        if !name.is_empty() && name.len() < 60 && !name.contains(' ') {
            found.push(Argument { name: name.to_owned(), value: unquoted(value).chars().take(LONGEST).collect() });
        }
    }
    if !found.is_empty() {
        attempt.arguments = found;
    }
}

/// Reads `--flag value`, `--flag=value` and bare `--flag` from a command line.
pub fn read_command(record: &Record, attempt: &mut Attempt) {
    let mut words = record.text.split_whitespace().filter(|word| *word != "\\").peekable();
    let mut found = Vec::new();
    while let Some(word) = words.next() {
        let Some(flag) = word.strip_prefix("--") else { continue };
        let (name, mut value) = match flag.split_once('=') {
            Some((name, value)) => (name, value.to_owned()),
            None => (flag, String::new()),
        };
        if value.is_empty()
            && let Some(next) = words.next_if(|next| !next.starts_with("--"))
        {
            next.clone_into(&mut value);
        }
        if found.len() < MOST {
            let value =
                if value.is_empty() { "True".to_owned() } else { unquoted(&value).chars().take(LONGEST).collect() };
            found.push(Argument { name: name.replace('-', "_"), value });
        }
    }
    // What the server itself printed is in force and stays.
    if attempt.arguments.is_empty() {
        attempt.typed = found;
    }
}

/// The items of a list, parted at commas outside of quotes and brackets, up to the bracket that closes the list.
fn items(inside: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let (mut depth, mut quote, mut start, mut escaped) = (0_u32, None, 0, false);
    for (at, character) in inside.char_indices() {
        if escaped {
            escaped = false;
            continue;
        }
        match (character, quote) {
            ('\\', Some(_)) => escaped = true,
            (_, Some(open)) if character == open => quote = None,
            (_, Some(_)) => {}
            ('\'' | '"', None) => quote = Some(character),
            ('(' | '[' | '{', None) => depth += 1,
            (')' | ']' | '}', None) if depth == 0 => {
                found.push(inside.get(start..at).unwrap_or_default());
                return found;
            }
            (')' | ']' | '}', None) => depth -= 1,
            (',', None) if depth == 0 => {
                found.push(inside.get(start..at).unwrap_or_default());
                start = at + 1;
            }
            _ => {}
        }
    }
    // The list does not end: the last item may be cut and is not taken.
    found
}

fn unquoted(text: &str) -> &str {
    text.trim().trim_matches(['\'', '"'])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arguments(text: &str) -> Vec<(String, String)> {
        let mut attempt = Attempt::default();
        read(&Record { text: text.to_owned(), ..Record::default() }, &mut attempt);
        attempt.arguments.into_iter().map(|argument| (argument.name, argument.value)).collect()
    }

    #[test]
    fn reads_both_forms_and_drops_a_cut_item() {
        let expected = vec![("a".to_owned(), "x, y".to_owned()), ("b".to_owned(), "[1, 2]".to_owned())];
        assert_eq!(arguments("server_args=ServerArgs(a='x, y', b=[1, 2])"), expected);
        assert_eq!(arguments("server_args={'a': 'x, y', 'b': [1, 2]} and more"), expected);
        assert_eq!(arguments("server_args=ServerArgs(a='x, y', b=[1, 2], c=0.8"), expected);
    }

    #[test]
    fn reads_a_command_line() {
        let mut attempt = Attempt::default();
        let text = "$ python3 -m sglang.launch_server --tp 8 --mem-fraction-static=0.3 --enable-mla \\ --port 1";
        read_command(&Record { text: text.to_owned(), ..Record::default() }, &mut attempt);
        let names: Vec<_> =
            attempt.typed.iter().map(|argument| (argument.name.as_str(), argument.value.as_str())).collect();
        assert_eq!(names, [("tp", "8"), ("mem_fraction_static", "0.3"), ("enable_mla", "True"), ("port", "1")]);
    }
}
