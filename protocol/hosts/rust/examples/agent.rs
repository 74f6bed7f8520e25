//! An agent with one tool, for any provider of OpenAI's chat completions: `cargo run --example agent -- "What is in a.txt?"`
use std::io::Write;
use std::process::{Command, Stdio};

use ctxmgr_client::types::{methods::TurnEnd, Model, SessionStartParams, TurnEndParams, UsageParams};
use ctxmgr_client::{Client, Fault, Host, Options, Raw};
use serde_json::{json, Value};

struct Agent;

impl Host for Agent {
    fn trouble(&self, fault: &Fault) {
        eprintln!("{fault}"); // called once per trouble; your calls go on
    }
}

/// Your HTTP client goes here; this one is curl. Gives the reply and the provider's usage object as it came.
fn call_model(messages: &[Raw]) -> Result<(Value, UsageParams), Box<dyn std::error::Error>> {
    let variable = |name| std::env::var(name).unwrap_or_default();
    let parameters = json!({"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]});
    let tools = json!([{"type": "function", "function": {"name": "read_file", "parameters": parameters}}]);
    let body = json!({"model": variable("OPENAI_MODEL"), "messages": messages, "tools": tools});
    let mut curl = Command::new("curl")
        .args(["--silent", "--fail-with-body", "--header", "content-type: application/json", "--header"])
        .arg(format!("authorization: Bearer {}", variable("OPENAI_API_KEY")))
        .args(["--data-binary", "@-", &format!("{}/chat/completions", variable("OPENAI_BASE_URL"))])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    curl.stdin.take().expect("it is piped").write_all(&serde_json::to_vec(&body)?)?;
    let output = curl.wait_with_output()?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stdout).into());
    }
    let mut answer: Value = serde_json::from_slice(&output.stdout)?;
    Ok((answer["choices"][0]["message"].take(), serde_json::from_value(answer["usage"].take()).unwrap_or_default()))
}

fn run_tool(call: &Value) -> Value {
    let arguments: Value =
        serde_json::from_str(call["function"]["arguments"].as_str().unwrap_or("{}")).unwrap_or_default();
    let read = std::fs::read_to_string(arguments["path"].as_str().unwrap_or_default());
    let content = read.unwrap_or_else(|error| format!("Error: {error}"));
    json!({"role": "tool", "tool_call_id": call["id"], "content": content})
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut options = Options::new(|| {
        let mut command = Command::new("ctxmgr");
        command.arg("serve");
        command
    });
    options.initialize.message_format = Some("openai".into()); // or "anthropic", "responses", "gemini", "pi", "auto"
    let client = Client::new(options, Agent);
    let model = Model { id: std::env::var("OPENAI_MODEL")?, context_window: 400_000.0, ..Default::default() };
    let session = client.session(SessionStartParams { session_id: "s1".into(), model, ..Default::default() });

    let question = std::env::args().nth(1).unwrap_or("What is in Cargo.toml?".into());
    let mut messages = vec![Raw::of(&json!({"role": "user", "content": question}))?];
    loop {
        let projection = session.context(&messages); // always a list to send
        let (reply, usage) = call_model(&projection.messages)?;
        let calls = reply["tool_calls"].as_array().cloned().unwrap_or_default();
        let message = Raw::of(&reply)?;
        let results = calls.iter().map(|call| Raw::of(&run_tool(call))).collect::<Result<Vec<_>, _>>()?;
        messages.push(message.clone()); // keep the whole conversation; ctxmgr shortens only what is sent
        messages.extend(results.iter().cloned());
        let (session_id, tool_results, usage) = (session.id(), Some(results), Some(usage));
        let turn = TurnEndParams { session_id, message, tool_results, usage, ..Default::default() };
        let _ = session.request::<TurnEnd>(&turn); // a failed one is sent again; `trouble` was told
        if calls.is_empty() {
            println!("{}", reply["content"].as_str().unwrap_or_default());
            break;
        }
    }
    client.shutdown(std::time::Duration::from_secs(5));
    Ok(())
}
