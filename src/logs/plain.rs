//! The text of a line: out of a JSON log, without colours, and with a replacement character for what is not UTF-8.

/// Characters without escape sequences and other control characters; what is not UTF-8 becomes a replacement character.
pub fn plain(bytes: &[u8]) -> String {
    let mut text = uncoloured(String::from_utf8_lossy(bytes).into_owned());
    // A collector wraps what another has wrapped.
    for _ in 0..3 {
        let Some(inner) = message(&text) else { break };
        text = uncoloured(inner);
    }
    typed(text)
}

/// What web pages, word processors and Chinese input put in the place of characters of a keyboard.
fn typed(text: String) -> String {
    if text.is_ascii() {
        return text;
    }
    let mut typed = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        // Two hyphens before a flag's name become one dash.
        if matches!(character, '\u{2013}'..='\u{2015}') && characters.peek().is_some_and(char::is_ascii_alphabetic) {
            typed.push('-');
        }
        typed.push(match character {
            '\u{a0}' | '\u{3000}' => ' ',
            // Tables show a line's end so.
            '\u{23ce}' => '\r',
            '\u{2010}'..='\u{2015}' | '\u{2212}' => '-',
            '\u{ff01}'..='\u{ff5e}' => char::from_u32(u32::from(character) - 0xfee0).unwrap_or(character),
            '\u{2018}' | '\u{2019}' => '\'',
            '\u{201c}' | '\u{201d}' => '"',
            other => other,
        });
    }
    typed
}

fn uncoloured(text: String) -> String {
    if !text.contains(['\u{1b}', '\u{9b}', '^', '\\']) {
        return text;
    }
    let mut plain = String::with_capacity(text.len());
    let mut rest = text.as_str();
    while let Some(first) = rest.chars().next() {
        let escape = ["\u{1b}[", "\u{9b}", "^[[", "\\u001b[", "\\x1b[", "\\033["]
            .iter()
            .find_map(|start| rest.strip_prefix(start));
        if let Some(sequence) = escape {
            let end = sequence.find(|c: char| ('@'..='~').contains(&c)).map_or(sequence.len(), |end| end + 1);
            // A caret or a backslash that begins no real sequence stays.
            let real = sequence.get(..end).unwrap_or_default();
            if end <= 24 && real.bytes().rev().skip(1).all(|byte| byte.is_ascii_digit() || matches!(byte, b';' | b'?'))
            {
                rest = sequence.get(end..).unwrap_or_default();
                continue;
            }
        }
        if let Some(command) = rest.strip_prefix("\u{1b}]") {
            let end = command.find('\u{7}').map_or(command.len(), |end| end + 1);
            rest = command.get(end..).unwrap_or_default();
            continue;
        }
        if first != '\u{1b}' {
            plain.push(first);
        }
        rest = rest.get(first.len_utf8()..).unwrap_or_default();
    }
    plain
}

/// Names under which a JSON log keeps the message: Docker's own first.
const MESSAGES: &[&str] = &[
    "\"log\":",
    "\"textPayload\":",
    "\"message\":",
    "\"msg\":",
    "\"line\":",
    "\"Body\":",
    "\"body\":",
    "\"@message\":",
    "\"MESSAGE\":",
    "\"event\":",
];

/// The message of a line of a JSON log, with what stands before the JSON.
fn message(text: &str) -> Option<String> {
    let (before, inside) =
        text.split_once('{').filter(|(before, _)| !before.contains('"') && !before.ends_with('='))?;
    let inside = inside.trim().strip_suffix('}').filter(|inside| inside.starts_with('"'))?;
    let start = MESSAGES.iter().find_map(|name| inside.get(inside.find(name)? + name.len()..))?;
    let start = start.trim_start().strip_prefix('"')?;
    let mut message = before.to_owned();
    let mut characters = start.chars();
    while let Some(character) = characters.next() {
        match character {
            '"' => break,
            '\\' => match characters.next()? {
                // A message of several lines is parted as those of a terminal are.
                'n' | 'r' => message.push('\r'),
                't' => message.push(' '),
                'u' => {
                    let code: String = characters.by_ref().take(4).collect();
                    let code = u32::from_str_radix(&code, 16).ok()?;
                    message.push(char::from_u32(code).unwrap_or('\u{fffd}'));
                }
                other => message.push(other),
            },
            other => message.push(other),
        }
    }
    Some(message)
}

#[cfg(test)]
mod tests {
    use super::super::prefix::pieces;
    use super::*;

    #[test]
    fn reads_the_message_of_json() {
        for name in ["log", "textPayload", "message", "msg", "Body", "@message", "MESSAGE", "event"] {
            let line = format!("{{\"a\":1,\"{name}\":\"one\\ntwo\"}}");
            assert_eq!(pieces(&plain(line.as_bytes())), ["one", "two"], "{name}");
        }
        assert_eq!(plain(b"{'message': 1}"), "{'message': 1}");
        assert_eq!(plain(b"app-1 | {\"event\": \"a [TP0] b\", \"level\": \"info\"}\r"), "app-1 | a [TP0] b");
        assert_eq!(plain(b"{ \"level\": \"info\", \"message\": \"x\" }"), "x");
        assert_eq!(plain(br#"{"log":"{\"message\":\"inner\"}\n"}"#), "inner");
    }

    #[test]
    fn what_was_typeset_is_read_as_typed() {
        let text = "\u{2014}mem-fraction-static\u{a0}0.7\u{2013}0.8\u{ff1a} 1 \u{2212} x";
        assert_eq!(plain(text.as_bytes()), "--mem-fraction-static 0.7-0.8: 1 - x");
    }

    #[test]
    fn colours_go() {
        assert_eq!(plain(b"\x1b[0;36m(EngineCore)\x1b[0;0m x"), "(EngineCore) x");
        assert_eq!(plain(b"^[[0;36mx ^^^^ y"), "x ^^^^ y");
        assert_eq!(plain(b"{\"log\":\"[TP0] a \\\"b\\\"\\n\",\"stream\":\"stderr\"}"), "[TP0] a \"b\"\r");
    }
}
