//! Boxes and words on pixels.

use tiny_skia::{Color, FillRule, Paint, Path, PathBuilder, Pixmap, Rect, Stroke, Transform};
use ttf_parser::{Face, GlyphId, OutlineBuilder};

use crate::step::{Failure, Result};

const PLAIN: &[u8] = include_bytes!("../../fonts/DejaVuSans.ttf");
const BOLD: &[u8] = include_bytes!("../../fonts/DejaVuSans-Bold.ttf");

const STEP: &str = "draw a link preview";

/// A colour of the page, `#rrggbb`.
pub type Ink = &'static str;

/// How words are written.
#[derive(Clone, Copy)]
pub struct Style {
    pub size: f32,
    pub bold: bool,
    pub color: Ink,
}

/// A picture with the two faces that it writes in.
pub struct Canvas {
    pixels: Pixmap,
    plain: Face<'static>,
    bold: Face<'static>,
}

impl Canvas {
    pub fn new(width: u32, height: u32, ground: Ink) -> Result<Self> {
        let face = |bytes| Face::parse(bytes, 0).map_err(|error| Failure::new(STEP, error));
        let mut pixels = Pixmap::new(width, height).ok_or_else(|| Failure::new(STEP, "an empty picture"))?;
        pixels.fill(color(ground));
        Ok(Self { pixels, plain: face(PLAIN)?, bold: face(BOLD)? })
    }

    /// A box, from its top left corner.
    pub fn fill(&mut self, (x, y): (f32, f32), (width, height): (f32, f32), color: Ink) {
        if let Some(rect) = Rect::from_xywh(x, y, width.max(0.5), height) {
            self.pixels.fill_rect(rect, &paint(color), Transform::identity(), None);
        }
    }

    /// Slanting lines within a box: what is missing.
    pub fn hatch(&mut self, (x, y): (f32, f32), (width, height): (f32, f32), color: Ink) {
        let stroke = Stroke { width: 3.0, ..Stroke::default() };
        let mut at = x - height;
        while at < x + width {
            let (from, to) = (at.max(x), (at + height).min(x + width));
            let mut line = PathBuilder::new();
            line.move_to(from, y + height - (from - at));
            line.line_to(to, y + height - (to - at));
            if let Some(line) = line.finish() {
                self.pixels.stroke_path(&line, &paint(color), &stroke, Transform::identity(), None);
            }
            at += 14.0;
        }
    }

    /// Words from a point on their baseline.
    pub fn write(&mut self, (x, y): (f32, f32), words: &str, style: Style) {
        let face = if style.bold { &self.bold } else { &self.plain };
        let scale = style.size / f32::from(face.units_per_em());
        let mut outline = Outline { path: PathBuilder::new(), x, y, scale };
        for glyph in words.chars().map(|letter| glyph(face, letter)) {
            face.outline_glyph(glyph, &mut outline);
            outline.x += advance(face, glyph) * scale;
        }
        if let Some(path) = outline.path.finish() {
            self.fill_path(&path, style.color);
        }
    }

    fn fill_path(&mut self, path: &Path, color: Ink) {
        self.pixels.fill_path(path, &paint(color), FillRule::Winding, Transform::identity(), None);
    }

    /// Words that end at a point.
    pub fn write_to(&mut self, (x, y): (f32, f32), words: &str, style: Style) {
        self.write((x - self.width(words, style), y), words, style);
    }

    /// How wide words are.
    pub fn width(&self, words: &str, style: Style) -> f32 {
        let face = if style.bold { &self.bold } else { &self.plain };
        let scale = style.size / f32::from(face.units_per_em());
        words.chars().map(|letter| advance(face, glyph(face, letter)) * scale).sum()
    }

    /// Words in lines of at most this width.
    pub fn lines(&self, words: &str, style: Style, most: f32) -> Vec<String> {
        let mut lines: Vec<String> = Vec::new();
        for word in words.split(' ') {
            match lines.last_mut() {
                Some(line) if self.width(&format!("{line} {word}"), style) <= most => {
                    line.push(' ');
                    line.push_str(word);
                }
                _ => lines.push(word.to_owned()),
            }
        }
        lines
    }

    pub fn png(&self) -> Result<Vec<u8>> {
        self.pixels.encode_png().map_err(|error| Failure::new(STEP, error))
    }
}

fn glyph(face: &Face, letter: char) -> GlyphId {
    face.glyph_index(letter).unwrap_or_default()
}

fn advance(face: &Face, glyph: GlyphId) -> f32 {
    f32::from(face.glyph_hor_advance(glyph).unwrap_or_default())
}

fn paint(color: Ink) -> Paint<'static> {
    let mut paint = Paint::default();
    paint.set_color(self::color(color));
    paint
}

/// What cannot be read is black.
fn color(color: Ink) -> Color {
    let part = |at| color.get(at..at + 2).and_then(|digits| u8::from_str_radix(digits, 16).ok()).unwrap_or_default();
    Color::from_rgba8(part(1), part(3), part(5), 255)
}

/// Letters' outlines, from font units to pixels.
struct Outline {
    path: PathBuilder,
    x: f32,
    y: f32,
    scale: f32,
}

impl Outline {
    fn at(&self, x: f32, y: f32) -> (f32, f32) {
        (self.x + x * self.scale, self.y - y * self.scale)
    }
}

impl OutlineBuilder for Outline {
    fn move_to(&mut self, x: f32, y: f32) {
        let (x, y) = self.at(x, y);
        self.path.move_to(x, y);
    }

    fn line_to(&mut self, x: f32, y: f32) {
        let (x, y) = self.at(x, y);
        self.path.line_to(x, y);
    }

    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        let ((x1, y1), (x, y)) = (self.at(x1, y1), self.at(x, y));
        self.path.quad_to(x1, y1, x, y);
    }

    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        let ((x1, y1), (x2, y2), (x, y)) = (self.at(x1, y1), self.at(x2, y2), self.at(x, y));
        self.path.cubic_to(x1, y1, x2, y2, x, y);
    }

    fn close(&mut self) {
        self.path.close();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_colour_of_the_page_is_that_of_the_pixels() {
        assert_eq!(color("#fbfaf6"), Color::from_rgba8(0xfb, 0xfa, 0xf6, 255));
    }

    #[test]
    fn long_words_become_lines() {
        let canvas = Canvas::new(10, 10, "#ffffff").unwrap();
        let style = Style { size: 20.0, bold: false, color: "#000000" };
        let lines = canvas.lines("one two three four", style, 100.0);
        assert!(lines.len() > 1 && lines.iter().all(|line| canvas.width(line, style) <= 100.0), "{lines:?}");
        assert_eq!(lines.join(" "), "one two three four");
    }

    #[test]
    fn every_letter_that_the_page_says_is_in_the_fonts() {
        for face in [PLAIN, BOLD] {
            let face = Face::parse(face, 0).unwrap();
            for letter in "−·×÷’“”±✓✗→ AZaz09.,:()%-".chars() {
                assert!(face.glyph_index(letter).is_some(), "{letter}");
            }
        }
    }
}
