//! A [`Curve`] on any plotters backend.
//!
//! Only the backend's own primitives are used: plotters' charts measure text by a trick that a strict
//! Content-Security-Policy defeats, and format ticks with float printing that costs more than this file. Backends work
//! in whole device pixels, so every constant is multiplied by the pixel ratio.

use std::convert::Infallible;

use plotters_backend::text_anchor::{HPos, Pos, VPos};
use plotters_backend::{
    BackendColor, BackendCoord, BackendStyle, BackendTextStyle, DrawingBackend, DrawingErrorKind, FontFamily,
};

use super::scene::{Curve, Mark, ZoneKind};
use crate::units::within;

/// Colours as red, green, blue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Palette {
    /// Text and the current point.
    pub ink: (u8, u8, u8),
    /// Tick labels.
    pub soft: (u8, u8, u8),
    /// Grid.
    pub line: (u8, u8, u8),
    /// Behind the plot; labels stand on it.
    pub paper: (u8, u8, u8),
    /// Where the server cannot start.
    pub short: (u8, u8, u8),
    /// Where it starts; the curve.
    pub room: (u8, u8, u8),
    /// Where it starts and dies.
    pub reserve: (u8, u8, u8),
}

/// Where the plot lies within the backend, in device pixels: the way between data and pixels.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Frame {
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
    ratio: f64,
}

const MARGIN_LEFT: f64 = 44.0;
const MARGIN_RIGHT: f64 = 14.0;
const MARGIN_TOP: f64 = 22.0;
const MARGIN_BOTTOM: f64 = 26.0;

impl Frame {
    /// For a backend of this many device pixels at this pixel ratio.
    pub fn new(width: u32, height: u32, ratio: f64) -> Self {
        let (width, height) = (f64::from(width), f64::from(height));
        Self {
            left: MARGIN_LEFT * ratio,
            right: (width - MARGIN_RIGHT * ratio).max(MARGIN_LEFT * ratio + 1.0),
            top: MARGIN_TOP * ratio,
            bottom: (height - MARGIN_BOTTOM * ratio).max(MARGIN_TOP * ratio + 1.0),
            ratio,
        }
    }

    /// Device pixels from the left of a fraction.
    pub fn x(&self, fraction: f64) -> f64 {
        self.left + (self.right - self.left) * fraction
    }

    /// The fraction at this many device pixels from the left, 0 to 1.
    pub fn fraction_at(&self, x: f64) -> f64 {
        within((x - self.left) / (self.right - self.left), 0.0, 1.0)
    }

    fn y(&self, curve: &Curve, value: f64) -> f64 {
        self.bottom - (self.bottom - self.top) * (value - curve.bottom) / (curve.top - curve.bottom)
    }

    fn px(&self, css_pixels: f64) -> i32 {
        (css_pixels * self.ratio).round() as i32
    }
}

/// Draws the whole plot on an empty backend.
///
/// # Errors
/// Whatever the backend reports.
pub fn draw<B: DrawingBackend>(
    backend: &mut B,
    curve: &Curve,
    palette: &Palette,
    ratio: f64,
) -> Result<(), DrawingErrorKind<B::ErrorType>> {
    let (width, height) = backend.get_size();
    let frame = Frame::new(width, height, ratio);
    backend.ensure_prepared()?;
    zones(backend, curve, palette, &frame)?;
    grid(backend, curve, palette, &frame)?;
    let points = curve.line.iter().map(|&(x, y)| (frame.x(x) as i32, frame.y(curve, y).round() as i32));
    let stroke = Stroke { color: opaque(palette.room), width: frame.px(2.5).max(1) as u32 };
    backend.draw_path(points, &stroke)?;
    marks(backend, curve, palette, &frame)?;
    backend.present()
}

fn zones<B: DrawingBackend>(
    backend: &mut B,
    curve: &Curve,
    palette: &Palette,
    frame: &Frame,
) -> Result<(), DrawingErrorKind<B::ErrorType>> {
    for zone in &curve.zones {
        let color = match zone.kind {
            ZoneKind::CannotStart => palette.short,
            ZoneKind::Starts => palette.room,
            ZoneKind::TooHigh => palette.reserve,
        };
        let (left, right) = (frame.x(zone.from) as i32, frame.x(zone.to) as i32);
        let (top, bottom) = (frame.top as i32, frame.bottom as i32);
        backend.draw_rect((left, top), (right, bottom), &BackendColor { alpha: 0.13, rgb: color }, true)?;
        // A solid strip below the axis, where nobody takes it for the curve: the outcome does not hang on a faint tint alone.
        let (above, below) = (bottom + frame.px(4.0), bottom + frame.px(8.0));
        backend.draw_rect((left, above), (right - frame.px(1.0), below), &opaque(color), true)?;
    }
    Ok(())
}

fn grid<B: DrawingBackend>(
    backend: &mut B,
    curve: &Curve,
    palette: &Palette,
    frame: &Frame,
) -> Result<(), DrawingErrorKind<B::ErrorType>> {
    let stroke = Stroke { color: opaque(palette.line), width: frame.px(1.0).max(1) as u32 };
    let (left, right, bottom) = (frame.left as i32, frame.right as i32, frame.bottom as i32);
    for (value, label) in &curve.y_ticks {
        let y = frame.y(curve, *value).round() as i32;
        backend.draw_line((left, y), (right, y), &stroke)?;
        text(backend, label, palette.soft, frame, (left - frame.px(6.0), y), HPos::Right, VPos::Center)?;
    }
    for (value, label) in &curve.x_ticks {
        let x = frame.x(*value).round() as i32;
        backend.draw_line((x, bottom + frame.px(8.0)), (x, bottom + frame.px(11.0)), &stroke)?;
        text(backend, label, palette.soft, frame, (x, bottom + frame.px(12.0)), HPos::Center, VPos::Top)?;
    }
    Ok(())
}

fn marks<B: DrawingBackend>(
    backend: &mut B,
    curve: &Curve,
    palette: &Palette,
    frame: &Frame,
) -> Result<(), DrawingErrorKind<B::ErrorType>> {
    // The current point is labelled first; a run whose label would touch another stays a dot.
    let mut taken: Vec<f64> = vec![frame.x(curve.current.x)];
    for run in &curve.runs {
        let x = frame.x(run.x);
        let at = point(curve, frame, run);
        backend.draw_circle(at, frame.px(4.5) as u32, &opaque(palette.paper), true)?;
        backend.draw_circle(at, frame.px(3.5) as u32, &opaque(palette.soft), true)?;
        if taken.iter().all(|other| (other - x).abs() >= f64::from(frame.px(52.0))) {
            taken.push(x);
            label(backend, curve, palette.soft, frame, run)?;
        }
    }
    let at = point(curve, frame, &curve.current);
    let guide = Stroke { color: opaque(palette.ink), width: frame.px(1.0).max(1) as u32 };
    backend.draw_line((at.0, frame.top as i32), (at.0, frame.bottom as i32), &guide)?;
    backend.draw_circle(at, frame.px(7.0) as u32, &opaque(palette.paper), true)?;
    backend.draw_circle(at, frame.px(5.5) as u32, &opaque(palette.ink), true)?;
    label(backend, curve, palette.ink, frame, &curve.current)
}

fn point(curve: &Curve, frame: &Frame, mark: &Mark) -> BackendCoord {
    (frame.x(mark.x).round() as i32, frame.y(curve, mark.y).round() as i32)
}

/// The label above the plot, over the point, kept within the frame.
fn label<B: DrawingBackend>(
    backend: &mut B,
    curve: &Curve,
    color: (u8, u8, u8),
    frame: &Frame,
    mark: &Mark,
) -> Result<(), DrawingErrorKind<B::ErrorType>> {
    let (x, _) = point(curve, frame, mark);
    let half = frame.px(26.0);
    let x = x.clamp(frame.left as i32 + half, (frame.right as i32 - half).max(frame.left as i32 + half));
    let above = (x, frame.top as i32 - frame.px(5.0));
    text(backend, &mark.label, color, frame, above, HPos::Center, VPos::Bottom)
}

fn text<B: DrawingBackend>(
    backend: &mut B,
    words: &str,
    color: (u8, u8, u8),
    frame: &Frame,
    at: BackendCoord,
    horizontal: HPos,
    vertical: VPos,
) -> Result<(), DrawingErrorKind<B::ErrorType>> {
    let style = Label { color, size: 12.0 * frame.ratio, anchor: (horizontal, vertical) };
    backend.draw_text(words, &style, at)
}

fn opaque(rgb: (u8, u8, u8)) -> BackendColor {
    BackendColor { alpha: 1.0, rgb }
}

struct Stroke {
    color: BackendColor,
    width: u32,
}

impl BackendStyle for Stroke {
    fn color(&self) -> BackendColor {
        self.color
    }
    fn stroke_width(&self) -> u32 {
        self.width
    }
}

struct Label {
    color: (u8, u8, u8),
    size: f64,
    anchor: (HPos, VPos),
}

impl BackendTextStyle for Label {
    type FontError = Infallible;

    fn color(&self) -> BackendColor {
        opaque(self.color)
    }

    fn size(&self) -> f64 {
        self.size
    }

    fn anchor(&self) -> Pos {
        Pos::new(self.anchor.0, self.anchor.1)
    }

    fn family(&self) -> FontFamily<'_> {
        FontFamily::SansSerif
    }

    /// An estimate that only the SVG backend asks for, and only to place text.
    fn layout_box(&self, text: &str) -> Result<((i32, i32), (i32, i32)), Infallible> {
        let width = text.chars().count() as f64 * self.size * 0.6;
        Ok(((0, 0), (width as i32, self.size as i32)))
    }

    fn draw<E, F: FnMut(i32, i32, BackendColor) -> Result<(), E>>(
        &self,
        _: &str,
        _: BackendCoord,
        _: F,
    ) -> Result<Result<(), E>, Infallible> {
        // Only backends without fonts ask for pixels, and none of them is used.
        Ok(Ok(()))
    }
}
