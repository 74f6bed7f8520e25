//! The little of a message that must be seen of it: whether it can be one, and how long it is, its images as images.

use serde_json::Value;

use crate::raw::Raw;

/// A picture's text is no measure of its tokens: it weighs as so many bytes.
const IMAGE_BYTES: usize = 3_600;
const IMAGES: [&str; 3] = ["image", "image_url", "input_image"];

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
