//! A session with the real sidecar. `CTXMGR_COMMAND` holds its command, as words between blanks (`python3 -P -m ctxmgr`) or
//! as a JSON list of them; without it, `ctxmgr` from the path.
#![cfg(unix)]

mod talk;

use std::path::Path;
use std::process::Command;
use std::sync::mpsc::{channel, Sender};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use ctxmgr_client::types::methods::{
    Compact, Context, Explain, GetPolicy, GetStatus, RpcDiscover, SessionCompact, TurnEnd,
};
use ctxmgr_client::types::*;
use ctxmgr_client::{Cancelled, Client, Fault, Host, Options, Raw, Silent, Source};
use serde_json::json;
use talk::{assistant, conversation, folder, kill, start, user, BOUND};

const WINDOW: f64 = 200_000.0;
const RED: f64 = 130_000.0; // of 200,000: red begins at 128,531

fn options(state_dir: &Path) -> Options {
    let said = std::env::var("CTXMGR_COMMAND").unwrap_or_else(|_| "ctxmgr".into());
    let words: Vec<String> =
        serde_json::from_str(&said).unwrap_or_else(|_| said.split_whitespace().map(String::from).collect());
    let state_dir = state_dir.to_owned();
    let mut options = Options::new(move || {
        let mut command = Command::new(&words[0]);
        command.args(&words[1..]).args(["serve", "--state-dir"]).arg(&state_dir);
        command
    });
    options.bound = BOUND;
    options.initialize.policy = Some(PolicyKeys {
        preset: Some(Preset::Turns),
        tokenizer: Some(String::from("estimate").into()),
        working_set: Some(WorkingSetKeys { results: Some(0), tokens: Some(0) }),
        ..Default::default()
    });
    options
}

fn turn_end(session_id: &str, n: usize, tokens: f64) -> TurnEndParams {
    let usage = Some(UsageParams { tokens: Some(tokens), ..Default::default() });
    TurnEndParams { session_id: session_id.into(), message: assistant(n), usage, ..Default::default() }
}

fn ask(session_id: &str) -> SessionParams {
    SessionParams { session_id: session_id.into() }
}

fn status_of(session_id: &str) -> GetStatusParams {
    GetStatusParams { session_id: session_id.into(), ..GetStatusParams::default() }
}

#[test]
fn kept_messages_are_the_very_bytes_that_were_sent() {
    let client = Client::new(options(&folder("bytes")), Silent);
    let session = client.session(start("s/1 ✂", WINDOW));
    assert!(!session.start().unwrap().restored);
    let mut own = conversation(0);
    let mut left_out = false;
    for n in 0..12 {
        let given = session.context(&own);
        assert_eq!((given.source, given.fault), (Source::Answered, None));
        assert_eq!(given.messages, whole(&client, &own), "edits and messages give the same list");
        let put: Vec<_> = given.messages.iter().filter(|&message| !own.contains(message)).collect();
        assert!(put.iter().all(|message| message.text().contains("ctxmgr.packet")) && put.len() < 2);
        left_out |= given.messages.len() < own.len();
        let ended = session.request::<TurnEnd>(&turn_end("s/1 ✂", n, 1_000.0)).unwrap();
        assert_eq!((ended.seq, ended.commands.len()), (n as i64 + 1, 0));
        own.extend([assistant(n), user(n + 1)]);
    }
    assert!(left_out);
    let policy = session.request::<GetPolicy>(&ask("s/1 ✂")).unwrap().policy;
    assert_eq!((policy.preset, policy.tokenizer), (Preset::Turns, String::from("estimate").into()));
    assert!(client.request::<RpcDiscover>(&NoParams {}).unwrap().text().contains("turn_end"));
    let refused = client.request::<GetStatus>(&status_of("another")).unwrap_err();
    assert!(matches!(refused, Fault::Refused(ErrorObject { code: -32001, .. })), "{refused}");
    assert_eq!(client.shutdown(BOUND).and_then(|status| status.code()), Some(0));
}

/// The same list, sent whole and answered whole.
fn whole(client: &Client, own: &[Raw]) -> Vec<Raw> {
    let params = ContextParams { session_id: "s/1 ✂".into(), messages: Some(own.to_vec()), ..Default::default() };
    client.request::<Context>(&params).unwrap().messages.unwrap_or_else(|| own.to_vec())
}

#[test]
fn killed_sidecar_goes_on_where_it_was() {
    let (now, options) = (Arc::new(std::sync::atomic::AtomicU64::new(0)), options(&folder("killed")));
    let clock = now.clone();
    let clock = Arc::new(move || Duration::from_secs(clock.load(std::sync::atomic::Ordering::Relaxed)));
    let client = Client::new(Options { clock, ..options }, Silent);
    let session = client.session(start("s", WINDOW));
    let own = conversation(9);
    let first = session.context(&own);
    assert!(first.messages.len() < own.len());
    session.request::<TurnEnd>(&turn_end("s", 9, 1_000.0)).unwrap();

    kill(client.pid().unwrap());
    let more = conversation(10);
    let second = session.context(&more);
    assert_eq!((second.source, second.fits), (Source::Kept, true));
    assert_eq!(second.messages, [&first.messages[..], &more[own.len()..]].concat());

    now.store(1, std::sync::atomic::Ordering::Relaxed);
    let third = session.context(&more);
    assert_eq!((third.source, third.fault), (Source::Answered, None));
    assert_eq!(third.messages.last(), more.last());
    assert_eq!(session.request::<GetStatus>(&status_of("s")).unwrap().seq, 1);
    assert!(session.start().unwrap().restored);
}

/// One call and its result, of about 400 tokens.
fn step(n: usize) -> [Raw; 2] {
    let call = json!({"type": "toolCall", "id": format!("c{n}"), "name": "read", "arguments": {"path": format!("f{n}.rs")}});
    let text = format!("let name_{n} = other_{n}; ").repeat(64);
    [
        json!({"role": "assistant", "content": [call], "stopReason": "toolUse", "timestamp": n}),
        json!({"role": "toolResult", "toolCallId": format!("c{n}"), "toolName": "read", "isError": false,
            "content": [{"type": "text", "text": text}], "timestamp": n}),
    ]
    .map(|message| Raw::of(&message).unwrap())
}

#[test]
fn long_run_is_held_flat_by_epochs_and_grows_between_them() {
    let mut options = options(&folder("epochs"));
    options.initialize.policy = Some(PolicyKeys {
        tokenizer: Some(String::from("estimate").into()), // and the default preset
        host_reserve: Some(1_000),
        working_set: Some(WorkingSetKeys { results: Some(2), tokens: Some(1_000) }),
        ..Default::default()
    });
    let client = Client::new(options, Silent);
    let session = client.session(start("s", 16_000.0));
    let (mut own, mut before, mut epochs) = (vec![user(0)], Vec::new(), Vec::new());
    for n in 0..60 {
        own.extend(step(n));
        let given = session.context(&own);
        assert_eq!((given.source, given.fault), (Source::Answered, None));
        let report = given.report.unwrap();
        let same = usize::try_from(report.first_changed_index).unwrap_or(before.len());
        assert_eq!(given.messages[..same], before[..same]);
        if report.first_changed_index >= 0 {
            epochs.push(report.epoch); // a list changes with an epoch, and with nothing else
        } else if n > 0 {
            assert_eq!(given.messages[same..], own[own.len() - 2..]);
        }
        assert_eq!(given.messages[given.messages.len() - 2..], own[own.len() - 2..]);
        assert!(report.tokens < 9_000, "{} tokens at step {n}", report.tokens);
        before = given.messages;
    }
    assert!((3..=15).contains(&epochs.len()), "{epochs:?}");
    assert_eq!(epochs, (1..=epochs.len() as i64).collect::<Vec<_>>());
    let params = ExplainParams { session_id: "s".into(), ..Default::default() };
    let receipts = session.request::<Explain>(&params).unwrap().epochs;
    assert_eq!(receipts.iter().map(|receipt| receipt.epoch).collect::<Vec<_>>(), epochs);
    assert_eq!(client.shutdown(BOUND).and_then(|status| status.code()), Some(0));
}

/// A host that tells the test what it is asked, and asks back from inside.
struct Telling {
    asked: Sender<RequestCompactionParams>,
    completed: Sender<Purpose>,
    progressed: Sender<ProgressParams>,
    client: Arc<OnceLock<Client>>,
}

impl Host for Telling {
    fn request_compaction(&self, asked: RequestCompactionParams) -> RequestCompactionResult {
        self.asked.send(asked).unwrap();
        RequestCompactionResult { accepted: true, ..Default::default() }
    }

    fn complete(&self, asked: CompleteParams, cancelled: &Cancelled) -> Result<CompleteResult, String> {
        assert!(!cancelled.is_set());
        let client = self.client.get().unwrap();
        client
            .request::<GetStatus>(&status_of(asked.session_id.as_deref().unwrap()))
            .map_err(|fault| fault.to_string())?;
        let sections: &[&str] = match &asked.purpose {
            Purpose::TurnPrefix => &["Original Request", "Progress So Far", "Context Needed to Continue"],
            _ => &[
                "Goal",
                "Constraints & Preferences",
                "Progress",
                "Key Decisions",
                "Next Steps",
                "Critical Context",
            ],
        };
        let text: String =
            sections.iter().map(|section| format!("## {section}\n- words for {section}\n\n")).collect();
        self.completed.send(asked.purpose).unwrap();
        Ok(CompleteResult { text: Some(text), stop_reason: Some("stop".into()), ..Default::default() })
    }

    fn progress(&self, how_far: ProgressParams) {
        self.progressed.send(how_far).unwrap();
    }
}

#[test]
fn callbacks_run_while_calls_wait() {
    let (asked, asks) = channel();
    let (completed, completions) = channel();
    let (progressed, progress) = channel();
    let known = Arc::new(OnceLock::new());
    let mut options = options(&folder("callbacks"));
    options.initialize.capabilities = Some(HostCapabilities {
        request_compaction: Some(CompactionMoment::WhenIdle.into()),
        complete: Some(true),
        ..Default::default()
    });
    let client = Client::new(options, Telling { asked, completed, progressed, client: known.clone() });
    known.set(client.clone()).ok().unwrap();
    let session = client.session(start("s", WINDOW));
    session.context(&conversation(0));

    session.notify::<TurnEnd>(&turn_end("s", 0, RED)).unwrap();
    let request = asks.recv_timeout(BOUND).unwrap();
    assert_eq!((request.session_id.as_str(), request.zone, request.tokens), ("s", Zone::Red, Some(RED as i64)));

    let entries = (0..20).map(|n| {
        let message = json!({"role": (["user", "assistant"][n % 2]), "timestamp": n, "stopReason": "stop",
            "content": [{"type": "text", "text": format!("{n} {}", "words about the work ".repeat(80))}]});
        let parent = n.checked_sub(1).map(|before| format!("e{before}"));
        Raw::of(&json!({"type": "message", "id": format!("e{n}"), "parentId": parent, "timestamp": n, "message": message}))
    });
    let params = CompactParams {
        session_id: Some("s".into()),
        entries: Some(entries.collect::<Result<_, _>>().unwrap()),
        settings: Some(CutSettings { keep_recent_tokens: Some(900.0), ..Default::default() }),
        progress_token: Some(String::from("t").into()),
        ..Default::default()
    };
    let compaction = session.request_within::<Compact>(&params, BOUND).unwrap().compaction;
    assert!(compaction.summary.contains("words for Goal"), "{}", compaction.details.ctxmgr.text());
    let purposes = [(); 2].map(|()| completions.recv_timeout(BOUND).unwrap()); // both run side by side
    assert!(purposes.contains(&Purpose::History) && purposes.contains(&Purpose::TurnPrefix));
    assert_eq!(progress.recv_timeout(BOUND).unwrap().token, String::from("t").into());

    let entry = CompactionEntry {
        summary: compaction.summary,
        first_kept_entry_id: Some(compaction.first_kept_entry_id),
        ..Default::default()
    };
    let params = SessionCompactParams { session_id: "s".into(), compaction_entry: entry, ..Default::default() };
    let status = session.request::<SessionCompact>(&params).unwrap().status;
    assert_eq!((status.latch.state, status.summaries.compaction), (LatchState::Idle, 1));
    assert_eq!(client.shutdown(BOUND).and_then(|status| status.code()), Some(0));
}

/// A host that is asked at the end of its own list, and never with a copy.
struct OnContext(Sender<String>);

impl Host for OnContext {
    fn complete_on_context(
        &self,
        instruction: &str,
        asked: &CompleteParams,
        cancelled: &Cancelled,
    ) -> Result<CompleteResult, String> {
        assert!(!cancelled.is_set() && asked.prompt.is_empty() && asked.session_id.as_deref() == Some("s"));
        self.0.send(instruction.into()).unwrap();
        let sections = ["Goal", "Progress", "Key Decisions", "Next Steps", "Critical Context"];
        let text: String =
            sections.iter().map(|section| format!("## {section}\n- words for {section}\n\n")).collect();
        Ok(CompleteResult { text: Some(text), stop_reason: Some("stop".into()), ..Default::default() })
    }
}

#[test]
fn summary_is_asked_for_at_the_end_of_the_hosts_own_list() {
    let (instructed, instructions) = channel();
    let mut options = options(&folder("on-context"));
    options.initialize.capabilities =
        Some(HostCapabilities { complete: Some(true), complete_on_context: Some(true), ..Default::default() });
    let client = Client::new(options, OnContext(instructed));
    let session = client.session(start("s", WINDOW));
    let messages: Vec<_> = (0..20)
        .map(|n| {
            json!({"role": (["user", "assistant"][n % 2]), "timestamp": n, "stopReason": "stop",
                "content": [{"type": "text", "text": format!("{n} {}", "words about the work ".repeat(80))}]})
        })
        .collect();
    let list: Vec<Raw> = messages.iter().map(|message| Raw::of(message).unwrap()).collect();
    assert_eq!(session.context(&list).source, Source::Answered);
    let entries = messages.iter().enumerate().map(|(n, message)| {
        let parent = n.checked_sub(1).map(|before| format!("e{before}"));
        Raw::of(&json!({"type": "message", "id": format!("e{n}"), "parentId": parent, "timestamp": n, "message": message}))
    });
    let params = CompactParams {
        session_id: Some("s".into()),
        entries: Some(entries.collect::<Result<_, _>>().unwrap()),
        settings: Some(CutSettings { keep_recent_tokens: Some(900.0), ..Default::default() }),
        ..Default::default()
    };
    let compaction = session.request_within::<Compact>(&params, BOUND).unwrap().compaction;
    assert!(compaction.summary.contains("words for Goal"), "{}", compaction.details.ctxmgr.text());
    assert!(instructions.recv_timeout(BOUND).unwrap().contains("## Next Steps"));
    assert!(instructions.try_recv().is_err());
    assert_eq!(client.shutdown(BOUND).and_then(|status| status.code()), Some(0));
}
