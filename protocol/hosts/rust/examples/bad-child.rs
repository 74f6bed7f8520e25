//! A sidecar that does as it is told: `bad-child LOG RUN...`, a run a process, each a list of words, a word a request.
//!
//! `ok` answers, `silent` does not, `stay` never ends, `exit` ends, `close` closes its output and stays, `text` writes what is no frame,
//! `number` and `scalar` what is no message, `shape` an answer of another shape, `outside` an edit that points nowhere,
//! `twice` edits that keep each message twice, `nothing` an edit that puts in no message, `error`, `stale` and `forgot` answer errors. After the last word: `ok`. Each message is noted in LOG as method and count.

use std::fs::OpenOptions;
use std::io::{stdin, stdout, BufReader, Read, Write};

use ctxmgr_client::framing;
use serde_json::{json, Value};

fn main() {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().expect("LOG");
    let before = std::fs::read_to_string(&path).unwrap_or_default().matches("initialize ").count();
    let run = arguments.nth(before).unwrap_or_default();
    let mut words = run.split_whitespace();
    let mut from = BufReader::new(stdin());
    while let Ok(Some(body)) = framing::read(&mut from) {
        let message: Value = serde_json::from_slice(&body).expect("the client writes JSON");
        let params = &message["params"];
        let (after, list) = match params["append"].as_object() {
            Some(append) => (append["after"].as_f64().unwrap(), &append["messages"]),
            None => (0.0, &params["messages"]),
        };
        let sent = list.as_array().map_or(0, Vec::len);
        let method = message["method"].as_str().unwrap_or_default();
        let mut log = OpenOptions::new().create(true).append(true).open(&path).unwrap();
        let said = params["message"]["content"].as_str().unwrap_or_default();
        log.write_all(format!("{method} {after}+{sent}{said}\n").as_bytes()).unwrap(); // at once: it may be killed
        if message["id"].is_null() {
            continue;
        }
        let end = after as usize + sent;
        let say = |key: &str, value: Value| {
            let answer = json!({"jsonrpc": "2.0", "id": message["id"], key: value});
            framing::write(&mut stdout(), &serde_json::to_vec(&answer).unwrap()).unwrap();
        };
        match words.next().unwrap_or("ok") {
            "ok" => say(
                "result",
                result(method, json!([{"put": {"role": "custom"}}, {"keep": [end.saturating_sub(1), end]}])),
            ),
            "outside" => say("result", result(method, json!([{"keep": [0, end + 1]}]))),
            "twice" => say("result", result(method, json!([{"keep": [0, end]}, {"keep": [0, end]}]))),
            "nothing" => say("result", result(method, json!([{"put": []}, {"keep": [0, end]}]))),
            "shape" => say("result", json!({"edits": 7})),
            "forgot" => say("error", json!({"code": -32001, "message": "no such session"})),
            "error" => say("error", json!({"code": -32603, "message": "a fault"})),
            "stale" => say("error", json!({"code": -32801, "message": "stale"})),
            "number" => framing::write(&mut stdout(), b"7").unwrap(),
            "scalar" => framing::write(&mut stdout(), b"{\"id\":").unwrap(),
            "text" => println!("Traceback: not a frame"),
            "exit" => std::process::exit(3),
            "close" => {
                // SAFETY: nothing here writes to standard output after this
                drop(unsafe { <std::os::fd::OwnedFd as std::os::fd::FromRawFd>::from_raw_fd(1) });
                let _ = stdin().read_to_end(&mut Vec::new());
            }
            "silent" => {}
            "stay" => loop {
                std::thread::park(); // not even the end of its input moves it
            },
            word => panic!("{word}"),
        }
    }
}

fn result(method: &str, edits: Value) -> Value {
    let report = json!({"rawTokens": 0, "tokens": 0, "zone": "violet", "epoch": 0, "firstChangedIndex": 0,
        "turnsKept": 0, "turnsDropped": 0, "resultsDistilled": 0, "resultsPruned": 0, "packetTokens": 0, "checks": []});
    let status = json!({"mode": "on", "preset": "turns", "zone": "green", "pressure": 0, "tokens": null,
        "contextWindow": 1, "packetTokens": 0, "summaries": {"compaction": 0, "branch": 0},
        "latch": {"state": "idle", "failures": 0}, "promise": true, "weigher": "estimate", "notes": [], "epoch": 0, "pins": 0, "seq": 0,
        "stats": {"contexts": 0, "fallbacks": 0, "turnsDropped": 0, "resultsDistilled": 0, "resultsPruned": 0,
            "tokensScanned": 0, "tokensPruned": 0, "tokensProtected": 0, "compactionsRequested": 0}});
    match method {
        "initialize" => {
            json!({"protocolVersion": "1.7", "serverInfo": {"name": "bad", "version": "0"}, "policy": {},
            "capabilities": {"messageFormats": [], "presets": [], "framings": [], "append": true, "edits": true}})
        }
        "session_start" => json!({"restored": false, "status": status, "seq": 0}),
        "turn_end" => {
            let wanted = json!({"sessionId": "s", "reason": "threshold", "zone": "red", "tokens": 1, "threshold": 1,
                "contextWindow": 9, "deliver": "whenIdle"});
            let command = json!({"method": "requestCompaction", "params": wanted});
            json!({"commands": [command], "status": status, "seq": 0})
        }
        "session_compact" | "session_compact_failed" => json!({"status": status, "seq": 0}),
        "context" => json!({"edits": edits, "base": "b", "report": report, "seq": 0, "later": true}),
        _ => Value::Null,
    }
}
