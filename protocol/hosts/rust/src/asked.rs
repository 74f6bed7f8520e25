//! What comes from a process: answers to those who wait for them, and what it asks of the host.
//!
//! 1. What may take long has a thread of its own; the rest has one thread, which keeps its order.
//! 2. The host's panic is an error answer, never the end of a thread that others need.

use std::collections::HashMap;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::mpsc::Sender;
use std::sync::Arc;
use std::thread;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::host::{Cancelled, Host};
use crate::link::{lock, Reply, Shared, State};
use crate::raw::Raw;
use crate::types::{CompleteParams, ErrorObject};

const METHOD_NOT_FOUND: i64 = -32601;
const INVALID_PARAMS: i64 = -32602;
const INTERNAL_ERROR: i64 = -32603;

pub(crate) type Task = Box<dyn FnOnce() + Send>;

#[derive(Deserialize)]
pub(crate) struct In {
    id: Option<Raw>,
    method: Option<String>,
    params: Option<Raw>,
    result: Option<Raw>,
    error: Option<ErrorObject>,
}

#[derive(Serialize)]
struct Answer<'a> {
    jsonrpc: &'static str,
    id: &'a Raw,
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<Raw>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<ErrorObject>,
}

impl Shared {
    pub fn arrived(self: &Arc<Self>, message: In, host: &Arc<dyn Host>, queue: &Sender<Task>) {
        let (shared, host, params) = (self.clone(), host.clone(), message.params.unwrap_or_default());
        let cancelled = Cancelled::default();
        match (message.method.as_deref(), message.id) {
            (None, Some(id)) => {
                let waiting = match &mut *lock(&self.state) {
                    State::Open { waiting, .. } => id.read().ok().and_then(|id: u64| waiting.remove(&id)),
                    State::Ended { .. } => None,
                };
                let reply = message.error.map_or(Ok(message.result.unwrap_or_default()), Err);
                waiting.map(|call| call.send(reply)); // nobody waits: it came after its time
            }
            (Some("requestCompaction"), Some(id)) => {
                let run = move || shared.answer(&id, params, |asked| Ok(host.request_compaction(asked)));
                let _ = queue.send(Box::new(run));
            }
            (Some("$/progress"), None) => {
                let _ = queue.send(Box::new(move || {
                    let _ = params.read().map(|how_far| host.progress(how_far));
                }));
            }
            (Some("telemetry/event"), None) => {
                let _ = queue.send(Box::new(move || {
                    let _ = params.read().map(|event| host.telemetry(event));
                }));
            }
            (Some(method @ ("complete" | "embed")), Some(id)) => {
                let completes = method == "complete";
                lock(&self.running).insert(id.text().into(), cancelled.clone());
                thread::spawn(move || {
                    if completes {
                        shared.answer(&id, params, |asked: CompleteParams| match &asked.instruction {
                            Some(text) => host.complete_on_context(text, &asked, &cancelled),
                            None => host.complete(asked, &cancelled),
                        });
                    } else {
                        shared.answer(&id, params, |asked| host.embed(asked, &cancelled));
                    }
                    lock(&shared.running).remove(id.text());
                });
            }
            (Some("$/cancelRequest"), None) => {
                let id = params.read().ok().and_then(|mut it: HashMap<String, Raw>| it.remove("id"));
                id.and_then(|id| lock(&self.running).get(id.text()).map(Cancelled::set));
            }
            (Some(_), Some(id)) => self.reply(&id, Err(error(METHOD_NOT_FOUND, "the host has no such method"))),
            _ => {}
        }
    }

    fn answer<P, A, F>(&self, id: &Raw, params: Raw, run: F)
    where
        P: DeserializeOwned,
        A: Serialize,
        F: FnOnce(P) -> Result<A, String>,
    {
        let result = match params.read() {
            Err(_) => Err(error(INVALID_PARAMS, "the params have another shape")),
            Ok(params) => match catch_unwind(AssertUnwindSafe(|| run(params))) {
                Err(_) => Err(error(INTERNAL_ERROR, "the host panicked")),
                Ok(Err(why)) => Err(error(INTERNAL_ERROR, &why)),
                Ok(Ok(answer)) => Raw::of(&answer).map_err(|_| error(INTERNAL_ERROR, "it cannot be written")),
            },
        };
        self.reply(id, result);
    }

    fn reply(&self, id: &Raw, reply: Reply) {
        let (result, error) = reply.map_or_else(|error| (None, Some(error)), |result| (Some(result), None));
        let _ = self.send(&Answer { jsonrpc: "2.0", id, result, error }, None); // gone: nobody wants it
    }
}

fn error(code: i64, message: &str) -> ErrorObject {
    ErrorObject { code, message: message.into(), data: None }
}
