//! The events of one session that no process has answered yet, in the order in which they came.
//!
//! 1. An event that was not answered is told to the next process, before anything else. So nothing that was said while a
//!    process hung or was gone is lost.
//! 2. One that is refused is not told again: it would be refused again. One that `MOST_TELLINGS` processes have not
//!    answered is let go: it may be what ends them.
//! 3. At most `HELD_BYTES` are held, the oldest leave first.

use std::collections::VecDeque;

use crate::fault::Fault;
use crate::raw::Raw;

const HELD_BYTES: usize = 8 << 20; // some hundred turns
const MOST_TELLINGS: u32 = 3;
const UNKNOWN_SESSION: i64 = -32001;
const EVENTS: [&str; 5] = ["turn_end", "model_select", "session_compact", "session_compact_failed", "session_tree"];

pub(crate) fn is_event(method: &str) -> bool {
    EVENTS.contains(&method)
}

/// Whether nobody knows what became of a call with this end.
pub(crate) fn unanswered(fault: &Fault) -> bool {
    matches!(fault, Fault::Gone(_) | Fault::Waiting | Fault::Timeout) || fault.is_refusal(UNKNOWN_SESSION)
}

pub(crate) fn is_unknown_session(fault: &Fault) -> bool {
    fault.is_refusal(UNKNOWN_SESSION)
}

#[derive(Clone)]
pub(crate) struct Event {
    pub method: &'static str,
    pub params: Raw,
    /// Processes that did not answer it.
    pub tellings: u32,
}

#[derive(Default)]
pub(crate) struct Held(VecDeque<Event>);

impl Held {
    pub fn push(&mut self, event: Event) {
        self.0.push_back(event);
        self.trim();
    }

    pub fn take(&mut self) -> VecDeque<Event> {
        std::mem::take(&mut self.0)
    }

    /// Those that were taken and not told, before all that has come since.
    pub fn give_back(&mut self, mut left: VecDeque<Event>) {
        left.append(&mut self.0);
        self.0 = left;
        self.trim();
    }

    fn trim(&mut self) {
        self.0.retain(|event| event.tellings < MOST_TELLINGS);
        while self.0.len() > 1 && self.0.iter().map(|event| event.params.text().len()).sum::<usize>() > HELD_BYTES {
            self.0.pop_front();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(bytes: usize, tellings: u32) -> Event {
        Event { method: "turn_end", params: Raw::of(&"x".repeat(bytes)).unwrap(), tellings }
    }

    #[test]
    fn so_much_is_held_and_what_nobody_answers_is_let_go() {
        let mut held = Held::default();
        for tellings in [0, MOST_TELLINGS, 1] {
            held.push(event(HELD_BYTES / 3, tellings));
        }
        let taken = held.take();
        assert_eq!(taken.iter().map(|event| event.tellings).collect::<Vec<_>>(), [0, 1]);
        held.push(event(HELD_BYTES / 2, 2));
        held.give_back(taken);
        assert_eq!(held.take().iter().map(|event| event.tellings).collect::<Vec<_>>(), [1, 2]); // the oldest has left
        held.push(event(2 * HELD_BYTES, 0));
        assert_eq!(held.take().len(), 1); // the newest stays
    }
}
