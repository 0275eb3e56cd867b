//! The mouse: pointing, clicking at a place, dragging.

use std::time::Duration;

use fantoccini::actions::{InputSource as _, MOUSE_BUTTON_LEFT, MouseActions, PointerAction};
use serde_json::Value;

use crate::{Page, Result};

/// Long enough that the browser reports the way, short enough for many tests.
const MOVE: Duration = Duration::from_millis(40);

/// What the mouse does, in CSS pixels of the window.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Mouse {
    To(f64, f64),
    Down,
    Up,
}

impl Page {
    /// Does these things with the mouse, one after the other; a button that is down stays down.
    pub async fn mouse(&self, steps: &[Mouse]) -> Result {
        let mouse = steps.iter().fold(MouseActions::new("mouse".to_owned()), |mouse, step| match *step {
            // WebKit's driver can end a slow move before it has arrived.
            Mouse::To(x, y) => mouse
                .then(PointerAction::MoveTo { duration: Some(MOVE), x, y })
                .then(PointerAction::MoveTo { duration: Some(Duration::ZERO), x, y }),
            Mouse::Down => mouse.then(PointerAction::Down { button: MOUSE_BUTTON_LEFT }),
            Mouse::Up => mouse.then(PointerAction::Up { button: MOUSE_BUTTON_LEFT }),
        });
        Ok(self.client.perform_actions(mouse).await?)
    }

    /// Points at the middle of an element, scrolled into view.
    pub async fn point_at(&self, css: &str) -> Result {
        self.point_within(css, 0.5).await
    }

    /// Points at a share of an element's width, at half its height.
    pub async fn point_within(&self, css: &str, share: f64) -> Result {
        let script = "const e = document.querySelector(arguments[0]); e.scrollIntoView({ block: 'center' });
            const r = e.getBoundingClientRect(); return [r.left + r.width * arguments[1], r.top + r.height / 2]";
        self.find(css).await?;
        let (x, y) = serde_json::from_value(self.script(script, vec![css.into(), share.into()]).await?)?;
        self.mouse(&[Mouse::To(x, y)]).await
    }

    /// Drags the thumb of a slider from where it is to a share of its track (0 to 1), and lets go.
    pub async fn drag(&self, css: &str, to: f64) -> Result {
        self.grab(css, to).await?;
        self.mouse(&[Mouse::Up]).await
    }

    /// As [`Page::drag`], but still holding it.
    pub async fn grab(&self, css: &str, to: f64) -> Result {
        self.find(css).await?;
        // The centre of the thumb moves within the track less one thumb.
        let script = "const s = document.querySelector(arguments[0]); s.scrollIntoView({ block: 'center' });
            const r = s.getBoundingClientRect(), thumb = s.matches('.bars__handle') ? 22 : 16;
            const at = (share) => r.left + thumb / 2 + share * (r.width - thumb);
            return [at((s.value - s.min) / (s.max - s.min)), at(arguments[1]), r.top + r.height / 2]";
        let place: Value = self.script(script, vec![css.into(), to.into()]).await?;
        let (from, to, y): (f64, f64, f64) = serde_json::from_value(place)?;
        self.mouse(&[Mouse::To(from, y), Mouse::Down, Mouse::To(from.midpoint(to), y), Mouse::To(to, y)]).await
    }
}
