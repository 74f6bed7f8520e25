//! One session: what was sent of its list, what came back, and which process knows of it.
//!
//! 1. A process that does not know the session yet is told by `session_start` before anything else: so a restart is
//!    replayed by the next call. Again without `entries`: ctxmgr's snapshot is newer than they are.
//! 2. Only new messages travel, and only edits come back, so what is kept are the host's own bytes. Where ctxmgr does
//!    not know the base any more, and after every fault, the whole list goes.
//! 3. A `context` or `session_start` that is not answered in time means a process that hangs: it is ended.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use crate::client::{until, Client};
use crate::fault::Fault;
use crate::link::{lock, Link};
use crate::projection::{applied, reserve, room, without_answer, Last, Projection, Source};
use crate::raw::Raw;
use crate::types::methods::{Context, ModelSelect, SessionStart};
use crate::types::{
    AnswerForm, Append, ContextParams, ContextResult, Model, ModelSelectParams, Notification, Request,
    SessionStartParams, SessionStartResult, StatusResult,
};

const CONTENT_MODIFIED: i64 = -32801;

/// Several threads may use one; nothing is locked while a call waits.
pub struct Session {
    client: Client,
    known: Mutex<Known>,
}

struct Known {
    start: SessionStartParams,
    link: u64,
    last: Option<Last>,
}

impl Session {
    pub(crate) fn new(client: Client, start: SessionStartParams) -> Session {
        Session { client, known: Mutex::new(Known { start, link: 0, last: None }) }
    }

    pub fn id(&self) -> String {
        lock(&self.known).start.session_id.clone()
    }

    /// Says whether ctxmgr knew the session. Need not be called: the first call does.
    pub fn start(&self) -> Result<SessionStartResult, Fault> {
        let until = until(self.client.bound());
        self.started_on(&*self.client.link(until)?, until)
    }

    /// The list to send to the model in place of `messages`. Never fails; see `Projection`.
    pub fn context(&self, messages: &[Raw]) -> Projection {
        self.context_with(messages, ContextParams::default())
    }

    /// As `context`, with `at` and `overhead_tokens` of these params; the rest of them is filled in.
    pub fn context_with(&self, messages: &[Raw], params: ContextParams) -> Projection {
        let overhead = params.overhead_tokens.unwrap_or(0.0);
        match self.answered(messages, params) {
            Ok((messages, answer)) => {
                let report = Some(answer.report);
                Projection { messages, source: Source::Answered, fits: true, report, fault: None }
            }
            Err(fault) => {
                let Model { id, context_window: window, .. } = lock(&self.known).start.model.clone();
                let room = room(window, reserve(self.client.policy(), &id), overhead);
                let last = lock(&self.known).last.clone(); // a list is long in the weighing
                let (messages, source, fits) = without_answer(messages, last.as_ref(), room);
                Projection { messages, source, fits, report: None, fault: Some(fault) }
            }
        }
    }

    pub fn model_select(&self, model: Model) -> Result<StatusResult, Fault> {
        let session_id = self.id();
        lock(&self.known).start.model = model.clone();
        self.request::<ModelSelect>(&ModelSelectParams { session_id, model })
    }

    /// Every other method of a session, such as `TurnEnd`.
    pub fn request<M: Request>(&self, params: &M::Params) -> Result<M::Answer, Fault> {
        self.request_within::<M>(params, self.client.bound())
    }

    pub fn request_within<M: Request>(&self, params: &M::Params, bound: Duration) -> Result<M::Answer, Fault> {
        let until = until(bound);
        self.link(until)?.call::<M>(params, until)
    }

    pub fn notify<M: Notification>(&self, params: &M::Params) -> Result<(), Fault> {
        self.link(until(self.client.bound()))?.notify::<M>(params)
    }

    /// Rule 1.
    fn link(&self, until: Instant) -> Result<Arc<Link>, Fault> {
        let link = self.client.link(until)?;
        if lock(&self.known).link != link.number {
            self.started_on(&link, until)?;
        }
        Ok(link)
    }

    fn started_on(&self, link: &Link, until: Instant) -> Result<SessionStartResult, Fault> {
        let start = lock(&self.known).start.clone();
        let answer = within(link, link.call::<SessionStart>(&start, until))?;
        let mut known = lock(&self.known);
        known.link = link.number;
        (known.start.entries, known.start.leaf_id) = (None, None);
        known.last.iter_mut().for_each(|last| last.base = None);
        Ok(answer)
    }

    /// Rule 2.
    fn answered(&self, own: &[Raw], mut params: ContextParams) -> Result<(Vec<Raw>, ContextResult), Fault> {
        let until = until(self.client.bound());
        let link = self.link(until)?;
        params.session_id = self.id();
        params.answer = Some(AnswerForm::Edits);
        params.append = lock(&self.known).last.as_mut().and_then(|last| {
            let (since, base) = (last.since(own)?.to_vec(), last.base.take()?);
            Some(Append { after: last.of.len() as f64, base, messages: since })
        });
        params.messages = params.append.is_none().then(|| own.to_vec());
        let mut answer = within(&link, link.call::<Context>(&params, until));
        if answer.as_ref().is_err_and(|fault| params.append.is_some() && fault.is_refusal(CONTENT_MODIFIED)) {
            (params.append, params.messages) = (None, Some(own.to_vec()));
            answer = within(&link, link.call::<Context>(&params, until));
        }
        let answer = answer?;
        let gave = applied(own, &answer)?;
        let base = Some(answer.base.clone()).filter(|base| !base.is_empty());
        lock(&self.known).last =
            Some(Last { of: own.to_vec(), gave: gave.clone(), tokens: answer.report.tokens as f64, base });
        Ok((gave, answer))
    }
}

/// Rule 3.
fn within<T>(link: &Link, answer: Result<T, Fault>) -> Result<T, Fault> {
    if let Err(Fault::Timeout) = answer {
        link.end("it did not answer in time");
    }
    answer
}
