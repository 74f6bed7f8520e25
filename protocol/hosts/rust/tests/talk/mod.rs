//! What the tests of this folder say to a sidecar.
#![allow(dead_code)] // each test file takes some of it

use std::path::PathBuf;
use std::time::Duration;

use ctxmgr_client::types::{Model, SessionStartParams};
use ctxmgr_client::Raw;

/// Only a failing test waits so long.
pub const BOUND: Duration = Duration::from_secs(60);

/// An empty folder of this test's own, also where the tests run twice at once.
pub fn folder(name: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&path);
    std::fs::create_dir_all(&path).unwrap();
    path
}

pub fn start(session: &str, window: f64) -> SessionStartParams {
    let model = Model { id: "m".into(), context_window: window, ..Default::default() };
    SessionStartParams { session_id: session.into(), model, ..Default::default() }
}

/// With what is not known to anyone, numbers in odd spellings, and keys in no order.
pub fn user(n: usize) -> Raw {
    Raw::parse(format!(
        r#"{{"timestamp":1{n}000.0, "z":[1.10,1E3,-0],"role":"user","content":"question {n} \u0041/\/ ✂"}}"#
    ))
    .unwrap()
}

pub fn assistant(n: usize) -> Raw {
    Raw::parse(format!(
        r#"{{"role":"assistant","content":[{{"type":"text","text":"answer {n}"}}],"stopReason":"stop","timestamp":1{n}500}}"#
    ))
    .unwrap()
}

/// So many turns, and the next question.
pub fn conversation(turns: usize) -> Vec<Raw> {
    (0..turns).flat_map(|n| [user(n), assistant(n)]).chain([user(turns)]).collect()
}

pub fn kill(pid: u32) {
    assert!(std::process::Command::new("kill").args(["-9", &pid.to_string()]).status().unwrap().success());
}
