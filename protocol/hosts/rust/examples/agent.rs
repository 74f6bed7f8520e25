//! One turn of an agent with ctxmgr beside it: `cargo run --example agent`
use ctxmgr_client::types::{methods::TurnEnd, Model, SessionStartParams, TurnEndParams};
use ctxmgr_client::{Client, Options, Raw, Silent};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let command = || {
        let mut command = std::process::Command::new("ctxmgr");
        command.arg("serve");
        command
    };
    let client = Client::new(Options::new(command), Silent);
    let model = Model { id: "some-model".into(), context_window: 200_000.0, ..Default::default() };
    let session = client.session(SessionStartParams { session_id: "s1".into(), model, ..Default::default() });

    let mut messages = vec![Raw::parse(r#"{"role":"user","content":"Fix the login bug.","timestamp":1}"#)?];
    let projection = session.context(&messages); // always a list to send
    println!("{:?}: send {} of {} messages", projection.source, projection.messages.len(), messages.len());
    if !projection.fits {
        eprintln!("it is too long for the model even so: compact before you send it");
    }

    messages.push(Raw::parse(r#"{"role":"assistant","content":[{"type":"text","text":"Done."}],"timestamp":2}"#)?);
    let turn = TurnEndParams { session_id: session.id(), message: messages[1].clone(), ..Default::default() };
    match session.request::<TurnEnd>(&turn) {
        Ok(answer) => println!("zone {:?}, to do: {} commands", answer.status.zone, answer.commands.len()),
        Err(fault) => eprintln!("{fault}"), // the next turn goes on without it
    }
    client.shutdown(std::time::Duration::from_secs(5));
    Ok(())
}
