//! Cache marks on a list of Anthropic's format, where a report says that they belong.
//!
//! 1. A mark stands on the last block of a message that can bear one: no thinking, no text that is empty or white.
//! 2. All marks of the list are alike: as the newest that the host set itself, within a result too, so that its
//!    lifetime stays.
//! 3. Never more than four in a request, those outside of the list counted: the ones farthest on in the list stay.
//! 4. No other message keeps one. Without a place to mark the list is as it was: its marks are the host's.
//! 5. Messages that change are written anew, their members as they were spelled; all others are the very bytes.

use std::collections::BTreeSet;

use serde_json::value::RawValue;
use serde_json::Value;

use crate::raw::Raw;

const MOST_MARKS: usize = 4;
const MARK: &str = "cache_control";
const EPHEMERAL: &str = r#"{"type":"ephemeral"}"#;
const THINKING: [&str; 2] = ["thinking", "redacted_thinking"];

/// Members of an object in their order, as they were spelled.
type Members = Vec<(String, Raw)>;

/// The list to send, with marks on the messages at `breakpoints` (the report's `cache_breakpoints`). `own_marks`: of
/// the request outside of the list: on system prompt and tools.
pub fn with_cache_marks(messages: &[Raw], breakpoints: &[i64], own_marks: usize) -> Vec<Raw> {
    if breakpoints.is_empty() {
        return messages.to_vec();
    }
    let named: BTreeSet<i64> = breakpoints.iter().copied().collect();
    let places: Vec<i64> = named.into_iter().rev().take(MOST_MARKS.saturating_sub(own_marks)).collect();
    let mark = messages.iter().rev().find_map(newest).unwrap_or_else(|| parsed(EPHEMERAL));
    let with = |(place, one): (usize, &Raw)| {
        let mark = places.contains(&(place as i64)).then_some(&mark);
        changed(one, mark).unwrap_or_else(|| one.clone())
    };
    messages.iter().enumerate().map(with).collect()
}

/// The message with this mark alone, None: with none. None where it stays as it is.
fn changed(message: &Raw, mark: Option<&Raw>) -> Option<Raw> {
    if mark.is_none() && !message.text().contains(MARK) {
        return None;
    }
    let mut members = members(message)?;
    let content = members.iter_mut().find(|(name, _)| name == "content").map(|(_, value)| value)?;
    let mut blocks: Vec<Raw> = match content.read::<Value>().ok()? {
        Value::String(_) if mark.is_some() => {
            vec![parsed(format!(r#"{{"type":"text","text":{}}}"#, content.text()))]
        }
        Value::Array(_) => content.read().ok()?,
        _ => return None,
    };
    let bare: Vec<Option<Raw>> = blocks.iter().map(bare).collect();
    let mut is_changed = bare.iter().any(Option::is_some);
    for (block, bare) in blocks.iter_mut().zip(bare) {
        *block = bare.unwrap_or_else(|| block.clone());
    }
    if let (Some(mark), Some(block)) = (mark, blocks.iter_mut().rev().find(|block| may_bear(block))) {
        let mut bearing = self::members(block)?;
        bearing.push((MARK.into(), mark.clone()));
        *block = written(&bearing);
        is_changed = true;
    }
    *content = Raw::of(&blocks).ok()?;
    is_changed.then(|| written(&members))
}

/// Without marks, those within a result too; None where it has none.
fn bare(block: &Raw) -> Option<Raw> {
    if !block.text().contains(MARK) {
        return None;
    }
    let all = members(block)?;
    let count = all.len();
    let mut rest: Members = all.into_iter().filter(|(name, _)| name != MARK).collect();
    let mut is_changed = rest.len() < count;
    for (_, value) in rest.iter_mut().filter(|(name, _)| name == "content") {
        let Ok(inner) = value.read::<Vec<Raw>>() else { continue };
        let made: Vec<Raw> = inner.iter().map(|one| bare(one).unwrap_or_else(|| one.clone())).collect();
        if made != inner {
            *value = Raw::of(&made).ok()?;
            is_changed = true;
        }
    }
    is_changed.then(|| written(&rest))
}

/// Rule 1.
fn may_bear(block: &Raw) -> bool {
    let value: Value = block.read().unwrap_or_default();
    match value["type"].as_str() {
        None => false,
        Some("text") => value["text"].as_str().is_some_and(|text| !text.trim().is_empty()),
        Some(kind) => !THINKING.contains(&kind),
    }
}

/// Rule 2.
fn newest(message: &Raw) -> Option<Raw> {
    if !message.text().contains(MARK) {
        return None;
    }
    let value: Value = message.read().ok()?;
    Raw::of(&newest_of(&value)?).ok()
}

/// Of what a message or a result holds; a result's own mark stands behind those within it.
fn newest_of(holder: &Value) -> Option<Value> {
    let blocks = holder.get("content")?.as_array()?;
    let own = |block: &Value| block.get(MARK).filter(|mark| mark.is_object()).cloned();
    blocks.iter().rev().find_map(|block| own(block).or_else(|| newest_of(block)))
}

fn members(object: &Raw) -> Option<Members> {
    struct Ordered(Members);
    impl<'de> serde::Deserialize<'de> for Ordered {
        fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Ordered, D::Error> {
            struct Visitor;
            impl<'de> serde::de::Visitor<'de> for Visitor {
                type Value = Members;
                fn expecting(&self, out: &mut std::fmt::Formatter) -> std::fmt::Result {
                    out.write_str("an object")
                }
                fn visit_map<A: serde::de::MapAccess<'de>>(self, mut map: A) -> Result<Members, A::Error> {
                    let mut found = Members::new();
                    while let Some((name, value)) = map.next_entry::<String, Raw>()? {
                        found.push((name, value));
                    }
                    Ok(found)
                }
            }
            from.deserialize_map(Visitor).map(Ordered)
        }
    }
    object.read::<Ordered>().ok().map(|ordered| ordered.0)
}

fn written(members: &Members) -> Raw {
    let member = |(name, value): &(String, Raw)| format!("{}:{}", Value::from(name.as_str()), value.text());
    parsed(format!("{{{}}}", members.iter().map(member).collect::<Vec<_>>().join(",")))
}

/// Of JSON that was made here.
fn parsed(text: impl Into<String>) -> Raw {
    Raw::parse(text).unwrap_or_else(|_| Raw::of(RawValue::NULL).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(texts: &[&str]) -> Vec<Raw> {
        texts.iter().map(|text| Raw::parse(*text).unwrap()).collect()
    }

    fn texts(list: &[Raw]) -> Vec<&str> {
        list.iter().map(Raw::text).collect()
    }

    fn users() -> Vec<Raw> {
        (0..6).map(|number| Raw::parse(format!(r#"{{"role":"user","content":"{number}"}}"#)).unwrap()).collect()
    }

    fn places(list: &[Raw]) -> Vec<usize> {
        (0..list.len()).filter(|place| list[*place].text().contains(MARK)).collect()
    }

    #[test]
    fn named_messages_bear_a_mark_and_all_others_are_the_very_bytes() {
        let made = with_cache_marks(&users(), &[2, 5], 2);
        let marked = r#"{"type":"text","text":"2","cache_control":{"type":"ephemeral"}}"#;
        assert_eq!(made[2].text(), format!(r#"{{"role":"user","content":[{marked}]}}"#));
        assert_eq!(places(&made), [2, 5]);
        assert_eq!(made[0], users()[0]);
    }

    #[test]
    fn there_are_never_more_than_four_with_those_outside_of_the_list() {
        let wanted: [&[usize]; 6] = [&[1, 2, 3, 5], &[2, 3, 5], &[3, 5], &[5], &[], &[]];
        for (own, wanted) in wanted.iter().enumerate() {
            assert_eq!(places(&with_cache_marks(&users(), &[0, 1, 2, 3, 5], own)), *wanted, "{own}");
        }
    }

    #[test]
    fn the_last_block_that_can_bear_one_does() {
        let thought = r#"{"type":"thinking","thinking":"","signature":"s"}"#;
        for (content, wanted) in [
            (format!(r#"[{{"type":"text","text":"a"}},{thought}]"#), true),
            (r#"[{"type":"tool_use","input":{"x":1E3}}]"#.into(), true),
            (format!("[{thought}]"), false),
            (r#"[{"type":"text","text":" "}]"#.into(), false),
            (r#""""#.into(), false),
        ] {
            let given = list(&[&format!(r#"{{ "n": 1.10, "role":"assistant","content":{content}}}"#)]);
            let made = with_cache_marks(&given, &[0], 2);
            assert_eq!(made != given, wanted, "{content}");
            assert!(!made[0].text().contains(r#""signature":"s","cache_control""#));
            assert!(made[0].text().contains("1.10"));
        }
    }

    #[test]
    fn a_mark_within_a_result_keeps_its_lifetime_too() {
        let given = list(&[
            r#"{"role":"user","content":[{"type":"tool_result","content":[{"type":"text","text":"o","cache_control":{"ttl":"1h"}}]}]}"#,
            r#"{"role":"user","content":"b"}"#,
        ]);
        let made = with_cache_marks(&given, &[1], 2);
        assert_eq!(
            texts(&made),
            [
                r#"{"role":"user","content":[{"type":"tool_result","content":[{"type":"text","text":"o"}]}]}"#,
                r#"{"role":"user","content":[{"type":"text","text":"b","cache_control":{"ttl":"1h"}}]}"#,
            ]
        );
    }

    #[test]
    fn marks_of_the_host_move_and_keep_their_lifetime() {
        let given = list(&[
            r#"{"role":"user","content":[{"type":"text","text":"a","cache_control":{"type":"ephemeral"}}]}"#,
            r#"{"role":"user","content":[{"type":"tool_result","content":[{"type":"text","text":"o","cache_control":{"ttl":"5m"}}],"cache_control":{"type":"ephemeral","ttl":"1h"}}]}"#,
            r#"{"role":"user","content":"b"}"#,
        ]);
        let made = with_cache_marks(&given, &[2], 2);
        assert_eq!(
            texts(&made),
            [
                r#"{"role":"user","content":[{"type":"text","text":"a"}]}"#,
                r#"{"role":"user","content":[{"type":"tool_result","content":[{"type":"text","text":"o"}]}]}"#,
                r#"{"role":"user","content":[{"type":"text","text":"b","cache_control":{"ttl":"1h","type":"ephemeral"}}]}"#,
            ]
        );
        assert_eq!(with_cache_marks(&given, &[], 2), given);
    }
}
