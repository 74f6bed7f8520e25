//! The little of a message that must be seen of it: who speaks, its calls and results, its images. Any of the formats
//! that ctxmgr knows; what can not be read is nobody's.

use serde_json::Value;

use crate::raw::Raw;

/// A picture's text is no measure of its tokens: it weighs as so many bytes.
const IMAGE_BYTES: usize = 3_600;
const IMAGES: [&str; 3] = ["image", "image_url", "input_image"];

pub(crate) struct View {
    pub is_prompt: bool,
    /// A message of the user that is no tool's result (Anthropic's results lie in such messages).
    pub opens_turn: bool,
    /// An assistant's message, or an item of the Responses API that the model made.
    pub of_model: bool,
    ids: Vec<(Side, String)>,
}

#[derive(PartialEq)]
enum Side {
    Call,
    Result,
}

impl View {
    pub fn of(message: &Raw) -> View {
        let value: Value = message.read().unwrap_or_default();
        let (role, kind) = (value["role"].as_str(), value["type"].as_str());
        let blocks = list(&value["content"]);
        let of_type = |wanted: [&'static str; 2]| {
            blocks.iter().filter(move |block| block["type"].as_str().is_some_and(|kind| wanted.contains(&kind)))
        };
        let results = || of_type(["tool_result", "tool_result"]);
        let ends = |end: &str| kind.filter(|kind| kind.ends_with(end)).map(|_| &value["call_id"]);
        let called = of_type(["toolCall", "tool_use"]).chain(list(&value["tool_calls"])).map(|call| &call["id"]);
        let answered = results().map(|block| &block["tool_use_id"]);
        let told = [&value["toolCallId"], &value["tool_call_id"]];
        let id = |side: fn() -> Side| move |id: &Value| Some((side(), id.as_str()?.to_owned()));
        View {
            is_prompt: matches!(role, Some("system" | "developer")),
            opens_turn: role == Some("user") && results().next().is_none(),
            of_model: role.map_or(kind.is_some() && ends("_output").is_none(), |role| role == "assistant"),
            ids: called
                .chain(ends("_call"))
                .filter_map(id(|| Side::Call))
                .chain(answered.chain(told).chain(ends("_output")).filter_map(id(|| Side::Result)))
                .collect(),
        }
    }

    pub fn calls(&self) -> impl Iterator<Item = &str> {
        self.on(Side::Call)
    }

    pub fn results(&self) -> impl Iterator<Item = &str> {
        self.on(Side::Result)
    }

    fn on(&self, wanted: Side) -> impl Iterator<Item = &str> {
        self.ids.iter().filter(move |(side, _)| *side == wanted).map(|(_, id)| &**id)
    }
}

/// Whether it can be a message: of every format each has a role, or as an item a type.
pub(crate) fn is_message(given: &Raw) -> bool {
    let value: Value = given.read().unwrap_or_default();
    value["role"].is_string() || value["type"].is_string()
}

/// How long it is, in bytes of JSON; its images as images.
pub(crate) fn bytes(message: &Raw) -> usize {
    let text = message.text();
    if text.len() <= IMAGE_BYTES || !text.contains("image") {
        return text.len();
    }
    let value: Value = message.read().unwrap_or_default();
    text.len() - excess(&value).min(text.len())
}

/// By how much the images in it are longer than they weigh.
fn excess(value: &Value) -> usize {
    match value {
        Value::Array(values) => values.iter().map(excess).sum(),
        Value::Object(members)
            if members.get("type").and_then(Value::as_str).is_some_and(|it| IMAGES.contains(&it)) =>
        {
            value.to_string().len().saturating_sub(IMAGE_BYTES)
        }
        Value::Object(members) => members.values().map(excess).sum(),
        _ => 0,
    }
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn images_weigh_as_images() {
        let data = "x".repeat(100_000);
        let plain = Raw::parse(format!(r#"{{"role":"user","content":"an image: {data}"}}"#)).unwrap();
        assert_eq!(bytes(&plain), plain.text().len());
        for image in [
            format!(r#"{{"type":"image","data":"{data}"}}"#),
            format!(r#"{{"type":"tool_result","content":[{{"type":"image","source":{{"data":"{data}"}}}}]}}"#),
            format!(r#"{{"type":"image_url","image_url":{{"url":"{data}"}}}}"#),
        ] {
            let message = Raw::parse(format!(r#"{{"role":"user","content":[{image}]}}"#)).unwrap();
            assert!((IMAGE_BYTES..IMAGE_BYTES + 200).contains(&bytes(&message)), "{image:.30}");
        }
    }

    #[test]
    fn messages_have_a_role_or_a_type() {
        for (text, wanted) in [
            (r#"{"role":"user"}"#, true),
            (r#"{"type":"function_call_output"}"#, true),
            ("{}", false),
            ("[]", false),
            (r#""role""#, false),
            ("null", false),
            (r#"{"role":1}"#, false),
        ] {
            assert_eq!(is_message(&Raw::parse(text).unwrap()), wanted, "{text}");
        }
    }
}
