//! Work that may wait a frame or two, one piece a frame.
//!
//! Under the finger are the bars, the verdict and the slider itself; they follow at once. The formula, the curve and the
//! rest of the page take turns in the frames after, so that no frame does everything, also on a slow machine. However
//! fast the edits come, each piece gets its turn: nothing here starts anew because of them.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use leptos::prelude::request_animation_frame;

/// A handle on the queue; copies share it.
#[derive(Clone, Default)]
pub struct Turns(Rc<Queue>);

/// The pieces, and whose turn it is.
#[derive(Default)]
struct Queue {
    pieces: RefCell<Vec<Piece>>,
    next: Cell<usize>,
    running: Cell<bool>,
}

struct Piece {
    wanted: bool,
    work: Box<dyn FnMut()>,
}

/// Names a piece of work.
#[derive(Clone, Copy)]
pub struct Ticket(usize);

impl Turns {
    /// Another piece of work, which waits until it is asked for. It must not ask for work itself.
    pub fn add(&self, work: Box<dyn FnMut()>) -> Ticket {
        let mut pieces = self.0.pieces.borrow_mut();
        pieces.push(Piece { wanted: false, work });
        Ticket(pieces.len() - 1)
    }

    /// Has it done in one of the next frames; asking again before that changes nothing.
    pub fn ask(&self, ticket: Ticket) {
        if let Some(piece) = self.0.pieces.borrow_mut().get_mut(ticket.0) {
            piece.wanted = true;
        }
        if !self.0.running.replace(true) {
            // The next frame is the one that shows what is under the finger; it stays free of anything else.
            let turns = self.clone();
            request_animation_frame(move || turns.schedule());
        }
    }

    fn schedule(self) {
        request_animation_frame(move || self.turn());
    }

    fn turn(self) {
        let more = {
            let mut pieces = self.0.pieces.borrow_mut();
            let count = pieces.len();
            let next = self.0.next.get().min(count);
            let (before, after) = pieces.split_at_mut(next);
            let mut order = after.iter_mut().chain(before).enumerate();
            if let Some((steps, piece)) = order.find(|(_, piece)| piece.wanted) {
                piece.wanted = false;
                (piece.work)();
                self.0.next.set((next + steps) % count + 1);
            }
            pieces.iter().any(|piece| piece.wanted)
        };
        self.0.running.set(more);
        if more {
            self.schedule();
        }
    }
}
