//! The address bar: read at the start, written after edits, never in between.

use std::cell::RefCell;

use wasm_bindgen::JsValue;

use super::Refused;

/// The scenario's query: what stands behind `?`, or behind `#` where that carries values.
pub fn query() -> String {
    let Some(location) = web_sys::window().map(|window| window.location()) else { return String::new() };
    let search = location.search().unwrap_or_default();
    if search.len() > 1 {
        return search;
    }
    location.hash().ok().filter(|hash| hash.contains('=')).unwrap_or_default()
}

thread_local! {
    /// What the page read from the address, or wrote into it, last.
    static KNOWN: RefCell<String> = const { RefCell::new(String::new()) };
}

/// The scenario's query, for a page that shows it from now on.
pub fn read() -> String {
    let now = query();
    KNOWN.set(now.clone());
    now
}

/// The scenario's query where Back or Forward brought another one. Links within the page are steps, too, and none of
/// theirs is a scenario: also where one took the place of values behind `#`.
pub fn read_if_another() -> Option<String> {
    let (now, known) = (query(), KNOWN.take());
    let is_link = now.is_empty() && known.starts_with('#') && web_sys::window()?.location().hash().ok()?.len() > 1;
    if now == known || is_link {
        KNOWN.set(known);
        return None;
    }
    Some(read())
}

/// Whether the address points at the part of the page with this id.
pub fn is_at(id: &str) -> bool {
    let hash = web_sys::window().and_then(|window| window.location().hash().ok());
    hash.is_some_and(|hash| hash.strip_prefix('#') == Some(id))
}

/// The full address of a query on this page.
pub fn address(query: &str) -> String {
    let href = web_sys::window().and_then(|window| window.location().href().ok()).unwrap_or_default();
    let end = href.find(['?', '#']).unwrap_or(href.len());
    let mut address = href.get(..end).unwrap_or_default().to_owned();
    if !query.is_empty() {
        address.push('?');
        address.push_str(query);
    }
    address
}

/// Puts the query into the address bar without a new entry.
///
/// # Errors
/// [`Refused`] where the browser limits such calls (Safari: 100 in 30 s) or forbids them (opaque origins).
pub fn replace(query: &str) -> Result<(), Refused> {
    history()?.replace_state_with_url(&JsValue::NULL, "", Some(&address(query))).map_err(|_| Refused)?;
    read();
    Ok(())
}

/// Puts the query into the address bar as a new entry, so that Back returns.
///
/// # Errors
/// As [`replace`].
pub fn push(query: &str) -> Result<(), Refused> {
    history()?.push_state_with_url(&JsValue::NULL, "", Some(&address(query))).map_err(|_| Refused)?;
    read();
    Ok(())
}

/// None for an embed: its entries would be steps of the page around it.
fn history() -> Result<web_sys::History, Refused> {
    if super::page::root().is_some_and(|root| root.has_attribute("data-embed")) {
        return Err(Refused);
    }
    web_sys::window().ok_or(Refused)?.history().map_err(|_| Refused)
}
