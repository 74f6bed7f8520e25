//! The list to send: from ctxmgr's answer, or without one.
//!
//! Rules without an answer (design, section 2, safety of answers):
//! 1. The last projection and what came since, where the list begins with what that projection was of.
//! 2. Else the host's own list.
//! 3. `fits` says whether it is likely to fit. Where it is false, compact before the call.

use crate::fault::Fault;
use crate::raw::Raw;
use crate::types::{ContextResult, Edit, Report};

/// As ctxmgr estimates: low on purpose, code and prose have 3.5 to 4 bytes a token.
const BYTES_PER_TOKEN: f64 = 3.0;
/// Tokens kept free for the reply, and never more than this part of the window (design, section 4).
const RESERVE: f64 = 16_384.0;
const MOST_RESERVE: f64 = 0.25;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// ctxmgr answered.
    Answered,
    /// Rule 1.
    Kept,
    /// Rule 2.
    Own,
}

/// What `Session::context` gives. `messages` is what to send to the model, always.
#[derive(Clone, Debug)]
pub struct Projection {
    pub messages: Vec<Raw>,
    pub source: Source,
    pub fits: bool,
    /// ctxmgr's own account; None where it did not answer.
    pub report: Option<Report>,
    /// Why it did not answer.
    pub fault: Option<Fault>,
}

/// A list as it was sent, and what came of it. `base` is for the next `append`; None after a fault.
#[derive(Clone)]
pub(crate) struct Last {
    pub of: Vec<Raw>,
    pub gave: Vec<Raw>,
    pub base: Option<String>,
}

impl Last {
    /// What is new in a list that begins with this one.
    pub fn since<'a>(&self, own: &'a [Raw]) -> Option<&'a [Raw]> {
        own.strip_prefix(&self.of[..])
    }
}

/// The list that an answer means. Garbage where an edit points outside of the list, or nothing is left of it.
pub(crate) fn applied(own: &[Raw], answer: &ContextResult) -> Result<Vec<Raw>, Fault> {
    let mut out = Vec::new();
    match (&answer.edits, &answer.messages) {
        _ if answer.unchanged == Some(true) => out.extend_from_slice(own),
        (Some(edits), _) => {
            for edit in edits {
                match edit {
                    Edit::Put(message) => out.push(message.clone()),
                    Edit::Keep([from, to]) => {
                        let kept = own.get(*from as usize..*to as usize);
                        out.extend_from_slice(
                            kept.ok_or_else(|| Fault::Garbage("context: an edit outside".into()))?,
                        );
                    }
                }
            }
        }
        (None, Some(messages)) => out.extend_from_slice(messages),
        (None, None) => return Err(Fault::Garbage("context: neither messages nor edits".into())),
    }
    if out.is_empty() && !own.is_empty() {
        return Err(Fault::Garbage("context: an empty list".into()));
    }
    Ok(out)
}

/// Rules 1 and 2.
pub(crate) fn without_answer(own: &[Raw], last: Option<&Last>) -> (Vec<Raw>, Source) {
    match last.and_then(|last| Some((last, last.since(own)?))) {
        Some((last, since)) => ([&last.gave[..], since].concat(), Source::Kept),
        None => (own.to_vec(), Source::Own),
    }
}

/// Rule 3. `window` and `overhead` (system prompt, tools) in tokens.
pub(crate) fn fits(messages: &[Raw], window: f64, overhead: f64) -> bool {
    let bytes: usize = messages.iter().map(|message| message.text().len()).sum();
    bytes as f64 / BYTES_PER_TOKEN + overhead <= window - RESERVE.min(window * MOST_RESERVE)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(words: &str) -> Vec<Raw> {
        words.split_whitespace().map(|word| Raw::of(word).unwrap()).collect()
    }

    fn answer(text: &str) -> ContextResult {
        let report = r#"{"rawTokens":0,"tokens":0,"zone":"green","epoch":0,"firstChangedIndex":0,"turnsKept":0,
            "turnsDropped":0,"resultsDistilled":0,"resultsPruned":0,"packetTokens":0,"checks":[]}"#;
        serde_json::from_str(&format!(r#"{{{text},"base":"b","seq":0,"report":{report}}}"#)).unwrap()
    }

    #[test]
    fn answers_are_applied_and_impossible_ones_refused() {
        let own = list("a b c");
        for (said, wanted) in [
            (r#""edits":[{"put":"p"},{"keep":[1,3]}]"#, Some("p b c")),
            (r#""edits":[{"keep":[0,1]},{"keep":[2,3]}]"#, Some("a c")),
            (r#""messages":["c"]"#, Some("c")),
            (r#""unchanged":true"#, Some("a b c")),
            (r#""edits":[{"keep":[1,4]}]"#, None),
            (r#""edits":[{"keep":[2,1]}]"#, None),
            (r#""edits":[]"#, None),
            (r#""messages":[]"#, None),
            (r#""unchanged":false"#, None),
        ] {
            assert_eq!(applied(&own, &answer(said)).ok(), wanted.map(list), "{said}");
        }
    }

    #[test]
    fn without_an_answer_the_last_projection_goes_on_or_the_own_list_is_sent() {
        let last = Last { of: list("a b c"), gave: list("p c"), base: None };
        for (own, wanted, source) in [
            ("a b c", "p c", Source::Kept),
            ("a b c d", "p c d", Source::Kept),
            ("a b", "a b", Source::Own),
            ("a x c d", "a x c d", Source::Own),
        ] {
            assert_eq!(without_answer(&list(own), Some(&last)), (list(wanted), source), "{own}");
        }
        assert_eq!(without_answer(&list("a"), None), (list("a"), Source::Own));
    }

    #[test]
    fn a_list_fits_by_its_bytes_beside_reserve_and_overhead() {
        let own = [Raw::of(&"x".repeat(2_998)).unwrap()]; // 1,000 tokens with its quotes
        for (window, overhead, wanted) in [(1_334.0, 0.0, true), (1_332.0, 0.0, false), (1_334.0, 1.0, false)] {
            assert_eq!(fits(&own, window, overhead), wanted, "{window} {overhead}");
        }
        assert!(fits(&own, 17_384.0 + 60_000.0, 60_000.0));
    }
}
