//! Geometry without pixels' owners: what the bars and the curve show, computed from a report and tested natively.
//!
//! [`bars`] and [`scene`] turn data into shares, ticks and labels; [`draw`] puts a scene on any plotters backend, which
//! is a canvas in the browser and an SVG in tests and in the delivered HTML. The pictures that a reader takes along are
//! SVG of their own: [`crate::exports::picture`].
//!
//! ```
//! use kv_budget::plot::bars::Bars;
//! use kv_budget::scenario::{Scenario, evaluate};
//!
//! // In the failing run the rest is an overdraft: from the end of the budget to the end of the weights.
//! let bars = Bars::of(&evaluate(&Scenario::default()).report);
//! assert!(bars.overdraft);
//! assert_eq!((bars.rest.start, bars.rest.end), (bars.budget[0].end, bars.free[0].end));
//! ```

pub mod bars;
pub mod draw;
mod scale;
pub mod scene;
