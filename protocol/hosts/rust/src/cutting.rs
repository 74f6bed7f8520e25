//! The newest part of a list: what goes out where ctxmgr does not answer and the whole does not fit.
//!
//! 1. Prompts at the front stay. Of the rest as many of the newest whole turns as fit.
//! 2. Where not even the newest turn fits: what it begins with, and as many of its newest whole steps as fit, at least
//!    one. A model that sees its newest results goes on; a request that is too long is refused.
//! 3. A step begins where the model speaks after somebody else, and parts no call from its result: providers refuse
//!    either without the other.

use std::collections::HashSet;

use crate::raw::Raw;
use crate::view::View;

/// All of `list` where nothing can be left out. `weigh`: what a message takes up of `room`.
pub(crate) fn newest(list: &[Raw], weigh: impl Fn(&Raw) -> f64, room: f64) -> Vec<Raw> {
    let views: Vec<View> = list.iter().map(View::of).collect();
    let first = views.iter().position(|view| !view.is_prompt).unwrap_or(list.len());
    let mut behind = vec![0.0; list.len() + 1]; // what all from a message on take up
    for at in (0..list.len()).rev() {
        behind[at] = behind[at + 1] + weigh(&list[at]);
    }
    let left = room - (behind[0] - behind[first]);
    let fitting = |starts: &[usize], into: f64| starts.iter().copied().find(|&at| behind[at] <= into);

    let turns: Vec<usize> = (first..list.len()).filter(|&at| views[at].opens_turn).collect();
    if let Some(turn) = fitting(&turns, left) {
        return [&list[..first], &list[turn..]].concat();
    }
    let turn = turns.last().copied().unwrap_or(first);
    let steps = step_starts(&views, turn);
    let start = steps.first().copied().unwrap_or(list.len());
    let opening = behind[turn] - behind[start];
    let step = fitting(&steps, left - opening).or(steps.last().copied()).unwrap_or(start);
    [&list[..first], &list[turn..start], &list[step..]].concat()
}

/// Rule 3, from `turn` on. Ids may come again in a later step: a result belongs to the nearest call before it.
fn step_starts(views: &[View], turn: usize) -> Vec<usize> {
    let called: HashSet<&str> = views[turn..].iter().flat_map(View::calls).collect();
    let mut open = HashSet::new(); // results seen whose call is still to come, further to the front
    let mut starts = Vec::new();
    for at in (turn..views.len()).rev() {
        open.extend(views[at].results().filter(|id| called.contains(id)));
        for id in views[at].calls() {
            open.remove(id);
        }
        let speaks = views[at].of_model && (at == turn || !views[at - 1].of_model);
        if speaks && open.is_empty() {
            starts.push(at);
        }
    }
    starts.reverse();
    starts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(texts: &[&str]) -> Vec<Raw> {
        texts.iter().map(|text| Raw::parse(*text).unwrap()).collect()
    }

    const SYSTEM: &str = r#"{"role":"system","content":"be brief"}"#;
    const ASK: &str = r#"{"role":"user","content":"ask"}"#;
    const OLD: &str = r#"{"role":"user","content":"old"}"#;
    const ANSWER: &str = r#"{"role":"assistant","content":"answer"}"#;

    /// A step as each format has it; `ID` stands for what tells its calls from those of another.
    const STEPS: [&[&str]; 4] = [
        &[
            r#"{"role":"assistant","content":[{"type":"toolCall","id":"ID1"},{"type":"toolCall","id":"ID2"}]}"#,
            r#"{"role":"toolResult","toolCallId":"ID1"}"#,
            r#"{"role":"toolResult","toolCallId":"ID2"}"#,
        ],
        &[
            r#"{"role":"assistant","content":null,"tool_calls":[{"id":"ID1"},{"id":"ID2"}]}"#,
            r#"{"role":"tool","tool_call_id":"ID1"}"#,
            r#"{"role":"tool","tool_call_id":"ID2"}"#,
        ],
        &[
            r#"{"role":"assistant","content":[{"type":"thinking"},{"type":"tool_use","id":"ID"}]}"#,
            r#"{"role":"user","content":[{"type":"tool_result","tool_use_id":"ID"},{"type":"text"}]}"#,
        ],
        &[
            r#"{"type":"reasoning"}"#,
            r#"{"type":"message","role":"assistant","content":[{"type":"output_text"}]}"#,
            r#"{"type":"function_call","call_id":"ID"}"#,
            r#"{"type":"function_call_output","call_id":"ID"}"#,
        ],
    ];

    #[test]
    fn turn_that_is_too_long_by_itself_is_cut_to_whole_steps() {
        for step in STEPS {
            let long = step.len();
            let texts = ["a", "b", "c", "a"].map(|id| step.iter().map(move |text| text.replace("ID", id)));
            let steps: Vec<Raw> = texts.into_iter().flatten().map(|text| Raw::parse(text).unwrap()).collect();
            let all = [list(&[SYSTEM, OLD, ANSWER, ASK]), steps.clone()].concat();
            let kept = |count: usize| [list(&[SYSTEM, ASK]), steps[(4 - count) * long..].to_vec()].concat();
            for (room, wanted) in [
                (all.len() - 1, kept(4)), // a turn less
                (2 + 4 * long, kept(4)),
                (1 + 4 * long, kept(3)),
                (2 + 3 * long, kept(3)),
                (1 + 2 * long, kept(1)),
                (0, kept(1)),
            ] {
                assert_eq!(newest(&all, |_| 1.0, room as f64), wanted, "{room}: {step:?}");
            }
        }
    }

    #[test]
    fn odd_lists_are_cut_where_they_can_be() {
        let packet = r#"{"role":"custom","customType":"ctxmgr.packet"}"#;
        let (result, output) = (r#"{"role":"toolResult"}"#, r#"{"type":"function_call_output","call_id":"c2"}"#);
        let call = r#"{"type":"function_call","call_id":"c2"}"#;
        for (texts, room, wanted) in [
            // a result that comes late is not parted from its call
            (&[ASK, call, OLD, ANSWER, output][..], 0, &[OLD, ANSWER, output][..]),
            (&[ASK, call, result, ANSWER, output], 3, &[ASK, call, result, ANSWER, output]),
            // results without a call, and messages that are none, hold nothing up
            (&[ASK, ANSWER, output, "null", "7", "\"x\"", ANSWER], 2, &[ASK, ANSWER]),
            // without a message of the user, what the list begins with stays
            (&[packet, ANSWER, result, ANSWER, result], 3, &[packet, ANSWER, result]),
            (&[ANSWER, result, ANSWER, result], 3, &[ANSWER, result]),
            // nothing to leave out
            (&[OLD, ANSWER, ASK], 0, &[ASK]),
            (&["null", "7"], 0, &["null", "7"]),
            (&[], 0, &[]),
        ] {
            assert_eq!(newest(&list(texts), |_| 1.0, f64::from(room)), list(wanted), "{texts:?}");
        }
    }
}
