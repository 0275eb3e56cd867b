//! Geometry without pixels' owners: what the bars and the curve show, computed from a report and tested natively.
//!
//! [`bars`] and [`scene`] turn data into shares, ticks and labels; [`draw`] puts a scene on any plotters backend, which
//! is a canvas in the browser and an SVG in tests and in the delivered HTML.

pub mod bars;
pub mod draw;
mod scale;
pub mod scene;
