//! The list to send: from ctxmgr's answer, or without one.
//!
//! Rules without an answer (docs/reference/without-an-answer.md, the same in every client):
//! 1. The last projection and what came since, where the list begins with what that projection was of, and it fits.
//! 2. Else the host's own list, untouched, whether or not it fits: what leaves is never a client's to decide, and a
//!    host that sends its own list compacts as it does without ctxmgr.
//! 3. `fits` says whether it is likely to fit. Where it is false, compact before the call.

use crate::fault::Fault;
use crate::raw::Raw;
use crate::types::{ContextResult, Edit, PolicyKeys, Report};
use crate::view::{bytes, is_message};

/// As ctxmgr estimates: low on purpose, code and prose have 3.5 to 4 bytes a token.
const BYTES_PER_TOKEN: f64 = 3.0;
/// Tokens kept free for the reply, where the policy does not say, and never more than this part of the window.
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

/// A list as it was sent, what came of it, and what that weighs by ctxmgr's report (0: not told). `base` is for the
/// next `append`; None after a fault.
#[derive(Clone)]
pub(crate) struct Last {
    pub of: Vec<Raw>,
    pub gave: Vec<Raw>,
    pub tokens: f64,
    pub base: Option<String>,
}

impl Last {
    /// What is new in a list that begins with this one.
    pub fn since<'a>(&self, own: &'a [Raw]) -> Option<&'a [Raw]> {
        own.strip_prefix(&self.of[..])
    }
}

/// The list that an answer means. Garbage where it can mean none: messages of the host's come in their order and each
/// once, new ones are messages, and something is left.
pub(crate) fn applied(own: &[Raw], answer: &ContextResult) -> Result<Vec<Raw>, Fault> {
    let mut out = Vec::new();
    match (&answer.edits, &answer.messages) {
        _ if answer.unchanged == Some(true) => out.extend_from_slice(own),
        (Some(edits), _) => {
            let mut kept = 0; // all before it is kept or left out
            for edit in edits {
                match edit {
                    Edit::Put(message) if is_message(message) => out.push(message.clone()),
                    Edit::Put(_) => return Err(garbage("what it puts in is no message")),
                    &Edit::Keep([from, to]) => {
                        let run = own.get(from as usize..to as usize).filter(|_| from >= kept);
                        out.extend_from_slice(run.ok_or_else(|| garbage("an edit outside or out of order"))?);
                        kept = to;
                    }
                }
            }
        }
        (None, Some(messages)) if messages.iter().all(is_message) => out.extend_from_slice(messages),
        (None, Some(_)) => return Err(garbage("messages that are none")),
        (None, None) => return Err(garbage("neither messages nor edits")),
    }
    if out.is_empty() && !own.is_empty() {
        return Err(garbage("an empty list"));
    }
    Ok(out)
}

fn garbage(what: &str) -> Fault {
    Fault::Garbage(format!("context: {what}"))
}

/// What to send, where it comes from, and whether it fits into `room` tokens.
pub(crate) fn without_answer(own: &[Raw], last: Option<&Last>, room: f64) -> (Vec<Raw>, Source, bool) {
    let weigh = |messages: &[Raw]| messages.iter().map(weight).sum::<f64>();
    if let Some((last, since)) = last.and_then(|last| Some((last, last.since(own)?))) {
        let told = if last.tokens > 0.0 { last.tokens } else { weigh(&last.gave) };
        if told + weigh(since) <= room {
            return ([&last.gave[..], since].concat(), Source::Kept, true);
        }
    }
    (own.to_vec(), Source::Own, weigh(own) <= room)
}

/// Tokens for messages; `window` and `overhead` (system prompt, tools) in tokens.
pub(crate) fn room(window: f64, reserve: f64, overhead: f64) -> f64 {
    window - reserve.min(window * MOST_RESERVE) - overhead
}

/// Tokens kept free for the reply, by the policy's keys as they were set.
pub(crate) fn reserve(policy: Option<&PolicyKeys>, model: &str) -> f64 {
    let of_model = policy.and_then(|policy| policy.models.as_ref()?.get(model)?.as_ref()?.reserve);
    of_model.or(policy.and_then(|policy| policy.reserve)).map_or(RESERVE, |tokens| tokens as f64)
}

fn weight(message: &Raw) -> f64 {
    bytes(message) as f64 / BYTES_PER_TOKEN
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(words: &str) -> Vec<Raw> {
        let message = |word| Raw::parse(format!(r#"{{"role":"user","content":"{word}"}}"#)).unwrap();
        words.split_whitespace().map(message).collect()
    }

    fn answer(text: &str) -> ContextResult {
        let report = r#"{"rawTokens":0,"tokens":0,"zone":"green","epoch":0,"firstChangedIndex":0,"turnsKept":0,
            "turnsDropped":0,"resultsDistilled":0,"resultsPruned":0,"packetTokens":0,"checks":[]}"#;
        serde_json::from_str(&format!(r#"{{{text},"base":"b","seq":0,"report":{report}}}"#)).unwrap()
    }

    #[test]
    fn answers_are_applied_and_impossible_ones_refused() {
        let own = list("a b c");
        let put = |word: &str| format!(r#"{{"put":{}}}"#, list(word)[0].text());
        let puts = format!(r#""edits":[{},{{"keep":[1,3]}}]"#, put("p"));
        let messages = format!(r#""messages":[{}]"#, list("c")[0].text());
        for (said, wanted) in [
            (&*puts, Some("p b c")),
            (r#""edits":[{"keep":[0,1]},{"keep":[2,3]}]"#, Some("a c")),
            (&*messages, Some("c")),
            (r#""unchanged":true"#, Some("a b c")),
            (r#""edits":[{"keep":[1,4]}]"#, None),
            (r#""edits":[{"keep":[2,1]}]"#, None),
            (r#""edits":[{"keep":[0,3]},{"keep":[0,3]}]"#, None),
            (r#""edits":[{"keep":[0,2]},{"keep":[1,3]}]"#, None),
            (r#""edits":[{"keep":[2,3]},{"keep":[0,1]}]"#, None),
            (r#""edits":[{"put":[]},{"keep":[0,3]}]"#, None),
            (r#""edits":[{"put":{}},{"keep":[0,3]}]"#, None),
            (r#""edits":[{"put":"p"},{"keep":[0,3]}]"#, None),
            (r#""edits":[]"#, None),
            (r#""messages":[]"#, None),
            (r#""messages":["c"]"#, None),
            (r#""unchanged":false"#, None),
        ] {
            assert_eq!(applied(&own, &answer(said)).ok(), wanted.map(list), "{said}");
        }
    }

    #[test]
    fn without_an_answer_the_last_projection_goes_on_or_the_own_list_is_sent() {
        let last = Last { of: list("a b c"), gave: list("p c"), tokens: 0.0, base: None };
        for (own, wanted, source) in [
            ("a b c", "p c", Source::Kept),
            ("a b c d", "p c d", Source::Kept),
            ("a b", "a b", Source::Own),
            ("a x c d", "a x c d", Source::Own),
        ] {
            let given = without_answer(&list(own), Some(&last), 1_000.0);
            assert_eq!(given, (list(wanted), source, true), "{own}");
        }
        assert_eq!(without_answer(&list("a"), None, 1_000.0), (list("a"), Source::Own, true));
    }

    #[test]
    fn what_does_not_fit_is_the_hosts_own_list_untouched() {
        let long = "x".repeat(2_969); // with its role 1,000 tokens
        let gave = list(&format!("{long} {long}"));
        for (own, tokens, room, kept, fits) in [
            (format!("a {long}"), 0.0, 1_100.0, false, true),
            (format!("a {long} b"), 0.0, 1_005.0, false, false),
            ("a b".into(), 900.0, 1_000.0, true, true), // what it weighs was told
            ("a b".into(), 995.0, 1_000.0, false, true),
        ] {
            let last = Last { of: list("a"), gave: gave.clone(), tokens, base: None };
            let wanted = if kept { [&gave[..], &list("b")].concat() } else { list(&own) };
            let source = if kept { Source::Kept } else { Source::Own };
            assert_eq!(without_answer(&list(&own), Some(&last), room), (wanted, source, fits), "{own:.20} {room}");
        }
        assert_eq!(without_answer(&list(&long), None, 30.0), (list(&long), Source::Own, false));
    }

    #[test]
    fn the_reserve_is_the_policys() {
        let read = |text| serde_json::from_str::<PolicyKeys>(text).unwrap();
        for (policy, wanted) in [
            ("{}", RESERVE),
            (r#"{"reserve":4000}"#, 4_000.0),
            (r#"{"reserve":4000,"models":{"m":{"reserve":9000}}}"#, 9_000.0),
            (r#"{"models":{"n":{"reserve":9000}}}"#, RESERVE),
        ] {
            assert_eq!(reserve(Some(&read(policy)), "m"), wanted, "{policy}");
        }
        assert_eq!(reserve(None, "m"), RESERVE);
    }

    #[test]
    fn room_is_beside_reserve_and_overhead() {
        assert_eq!(room(1_000.0, RESERVE, 0.0), 750.0);
        assert_eq!(room(200_000.0, RESERVE, 60_000.0), 200_000.0 - 16_384.0 - 60_000.0);
        assert_eq!(weight(&Raw::of(&"x".repeat(2_998)).unwrap()), 1_000.0); // with its quotes
    }
}
