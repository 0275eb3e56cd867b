//! The page as its readers use it, one file a subject; one program, so that all of its tests share the cores.

mod accessible;
mod address;
mod broken;
mod controls;
mod curve;
mod delivery;
mod endurance;
mod engines;
mod fields;
mod files;
mod hostile;
mod keyboard;
mod log;
mod motion;
mod opening;
mod presets;
mod screens;
mod share;
mod story;
mod terms;
mod tree;
