//! Sliders: whole steps for the browser, values for the scenario.

use super::Scenario;
use super::fields::{Slot, field};
use crate::units::within;

/// How steps and values are related.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Scale {
    /// This many steps for 1.
    Linear(f64),
    /// value = step²: fine where cells are small, and still reaching the large ones.
    Square,
}

/// One slider.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Slider {
    /// URL key of its field.
    pub key: &'static str,
    /// Steps and values.
    pub scale: Scale,
    /// The first step.
    pub first: f64,
    /// The last step; a larger value stretches the slider, so that the thumb never lies.
    pub last: f64,
}

/// The four numbers of the formula: 0.001 a step for the fraction, 0.1 GiB for memory.
pub const SLIDERS: [Slider; 4] = [
    Slider { key: "f", scale: Scale::Linear(1000.0), first: 0.0, last: 1000.0 },
    Slider { key: "total", scale: Scale::Linear(10.0), first: 0.0, last: 3200.0 },
    Slider { key: "avail", scale: Scale::Linear(10.0), first: 0.0, last: 3200.0 },
    Slider { key: "cell", scale: Scale::Square, first: 1.0, last: 1024.0 },
];

/// The nearest step of the scenario's value.
pub fn step(slider: &Slider, scenario: &Scenario) -> f64 {
    // The smallest of several GPUs moves the slider as a single number does.
    let value = if slider.key == "avail" { Some(scenario.available().0) } else { get(slider.key, scenario) };
    let value = value.unwrap_or_default();
    match slider.scale {
        Scale::Linear(steps) => (value * steps).round(),
        Scale::Square => value.sqrt().round(),
    }
}

/// The last step that the slider needs for this scenario.
pub fn reach(slider: &Slider, scenario: &Scenario) -> f64 {
    slider.last.max(step(slider, scenario))
}

/// Moves the scenario to a step, kept within the slider.
pub fn slide(slider: &Slider, scenario: &mut Scenario, to: f64) {
    let to = within(to, slider.first, reach(slider, scenario));
    let value = match slider.scale {
        Scale::Linear(steps) => to / steps,
        Scale::Square => to * to,
    };
    set(slider.key, scenario, value);
}

/// The value of a numeric field.
pub fn get(key: &str, scenario: &Scenario) -> Option<f64> {
    match field(key).map(|field| &field.slot) {
        Some(Slot::Number { get, .. }) => get(scenario),
        _ => None,
    }
}

/// Sets a numeric field to a value within its range.
pub fn set(key: &str, scenario: &mut Scenario, value: f64) {
    if let Some(Slot::Number { set, range, .. }) = field(key).map(|field| &field.slot)
        && let Ok((value, _)) = range.admit(value)
    {
        set(scenario, value);
    }
}

/// The fields that may be left empty: those that the page has under "More".
pub const OPTIONAL: [&str; 4] = ["dyn", "ctx", "page", "cap"];

/// Empties one of the [`OPTIONAL`] fields.
pub fn clear(key: &str, scenario: &mut Scenario) {
    match key {
        "dyn" => scenario.dynamic_need = None,
        "ctx" => scenario.context = None,
        "cap" => scenario.max_total_tokens = None,
        "page" => scenario.page_size = 1,
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::query::decode;

    #[test]
    fn each_slider_moves_by_its_step() {
        let mut scenario = Scenario::default();
        for slider in &SLIDERS {
            let before = step(slider, &scenario);
            slide(slider, &mut scenario, before + 1.0);
            assert_eq!(step(slider, &scenario), before + 1.0, "{}", slider.key);
        }
        assert_eq!(scenario.fraction.get(), 0.551);
        assert_eq!(scenario.total.0, 94.1);
        assert_eq!(scenario.available().0, 21.8);
        assert_eq!(scenario.cell.get(), 266.0 * 266.0);
    }

    #[test]
    fn what_is_optional_can_be_emptied() {
        for key in OPTIONAL {
            let mut scenario = decode(&[key, "=64"].concat()).scenario;
            assert_ne!(scenario, Scenario::default(), "{key}");
            clear(key, &mut scenario);
            assert_eq!(scenario, Scenario::default(), "{key}");
        }
    }

    #[test]
    fn sliders_stay_within_and_stretch() {
        let mut scenario = decode("total=500").scenario;
        let [fraction, total, ..] = &SLIDERS;
        assert_eq!(reach(total, &scenario), 5000.0);
        slide(fraction, &mut scenario, 5000.0);
        assert_eq!(scenario.fraction.get(), 1.0);
        slide(fraction, &mut scenario, -1.0);
        assert_eq!(scenario.fraction.get(), 0.0);
    }
}
