//! The accessibility rules of axe-core, run inside the page.

use std::fmt;

use crate::{Page, Result};

/// Where `npm ci` put it.
const AXE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../node_modules/axe-core/axe.min.js");

/// A rule that the page breaks, and where.
#[derive(Clone, Debug, PartialEq)]
pub struct Violation {
    pub rule: String,
    pub help: String,
    pub places: Vec<String>,
}

impl fmt::Display for Violation {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}: {}", self.rule, self.help)?;
        self.places.iter().try_for_each(|place| write!(out, "\n    {place}"))
    }
}

impl Page {
    /// What axe-core finds wrong with the page as it is now.
    pub async fn violations(&self) -> Result<Vec<Violation>> {
        self.settle().await?;
        let axe = std::fs::read_to_string(AXE)
            .map_err(|error| format!("{AXE}: {error}; `cargo xtask setup` installs axe-core"))?;
        self.script(&axe, vec![]).await?;
        let script = "return axe.run(document, { resultTypes: ['violations'] }).then((r) => r.violations.map((v) =>
            [v.id, v.help, ...v.nodes.map((n) => n.target.join(' ') + ': ' + n.any.concat(n.all).map((c) => c.message).join('; '))]))";
        let found: Vec<Vec<String>> = serde_json::from_value(self.script(script, vec![]).await?)?;
        Ok(found
            .into_iter()
            .filter_map(|texts| {
                let mut texts = texts.into_iter();
                Some(Violation { rule: texts.next()?, help: texts.next()?, places: texts.collect() })
            })
            .collect())
    }

    /// Fails with the list of violations if there is any.
    pub async fn is_accessible(&self) -> Result {
        let found = self.violations().await?;
        if found.is_empty() {
            return Ok(());
        }
        let lines: Vec<String> = found.iter().map(Violation::to_string).collect();
        Err(format!("accessibility rules are broken:\n{}", lines.join("\n")).into())
    }
}
