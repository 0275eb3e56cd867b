//! The accessibility tree: what a screen reader is given.

use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::{Page, Result};

/// States worth a word; others are the browser's own bookkeeping.
const STATES: [&str; 8] = ["disabled", "invalid", "expanded", "pressed", "checked", "live", "valuemin", "valuemax"];

impl Page {
    /// The tree of an element, a line a node: role, name in quotes, value, states, description. Chromium only.
    pub async fn tree(&self, css: &str) -> Result<String> {
        self.find(css).await?;
        let document = self.devtools("DOM.getDocument", json!({ "depth": 0 })).await?;
        let asked = json!({ "nodeId": document["root"]["nodeId"], "selector": css });
        let found = self.devtools("DOM.querySelector", asked).await?;
        let node = self.devtools("DOM.describeNode", json!({ "nodeId": found["nodeId"] })).await?;
        let all = self.devtools("Accessibility.getFullAXTree", json!({})).await?;
        let mut nodes = all["nodes"].as_array().cloned().ok_or("no accessibility tree")?;
        // The protocol gives the number of a slider and not what is spoken instead of it.
        for slider in nodes.iter_mut().filter(|one| one["role"]["value"] == "slider") {
            let own = self.devtools("DOM.describeNode", json!({ "backendNodeId": slider["backendDOMNodeId"] })).await?;
            let attributes = own["node"]["attributes"].as_array().cloned().unwrap_or_default();
            if let Some([_, spoken]) = attributes.as_chunks().0.iter().find(|[name, _]| name == "aria-valuetext") {
                slider["value"]["value"] = spoken.clone();
            }
        }
        let root = nodes.iter().find(|one| one["backendDOMNodeId"] == node["node"]["backendNodeId"]);
        let mut out = String::new();
        write_node(root.ok_or_else(|| format!("{css} is not in the tree"))?, &nodes, 0, &mut out);
        Ok(out)
    }
}

fn write_node(node: &Value, nodes: &[Value], depth: usize, out: &mut String) {
    let role = node["role"]["value"].as_str().unwrap_or_default();
    let seen = node["ignored"] != true && !["none", "generic", "InlineTextBox"].contains(&role);
    if seen {
        let text = |value: &Value| {
            value["value"].as_str().unwrap_or_default().split_whitespace().collect::<Vec<_>>().join(" ")
        };
        let mut line = format!("{}{role}", "  ".repeat(depth));
        let name = text(&node["name"]);
        if !name.is_empty() {
            write!(line, " {name:?}").ok();
        }
        if let Some(value) = node["value"].get("value") {
            write!(line, " = {}", value.as_str().map_or_else(|| value.to_string(), str::to_owned)).ok();
        }
        for property in node["properties"].as_array().into_iter().flatten() {
            let (name, value) = (property["name"].as_str().unwrap_or_default(), &property["value"]["value"]);
            if STATES.contains(&name) && *value != false && *value != "false" && *value != "" {
                write!(line, " {name}={}", value.as_str().map_or_else(|| value.to_string(), str::to_owned)).ok();
            }
        }
        let description = text(&node["description"]);
        if !description.is_empty() {
            write!(line, " ({description})").ok();
        }
        out.push_str(&line);
        out.push('\n');
    }
    // A text's pieces say the same once more.
    if role == "StaticText" {
        return;
    }
    for id in node["childIds"].as_array().into_iter().flatten() {
        if let Some(child) = nodes.iter().find(|one| one["nodeId"] == *id) {
            write_node(child, nodes, depth + usize::from(seen), out);
        }
    }
}
