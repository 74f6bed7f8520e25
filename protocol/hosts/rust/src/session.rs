//! One session: what was sent of its list, what came back, and which process knows of it.
//!
//! 1. A process that does not know the session yet is told by `session_start` before anything else: so a restart is
//!    replayed by the next call. Again without `entries`: ctxmgr's snapshot is newer than they are.
//! 2. Only new messages travel, and only edits come back, so what is kept are the host's own bytes. Where ctxmgr does
//!    not know the base any more, and after every fault, the whole list goes.
//! 3. A `context`, `session_start` or event that is not answered in time means a process that hangs: it is ended.
//! 4. An event that was not answered is held, and told to the next process before anything else (`events`).

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use crate::client::{until, Client};
use crate::events::{is_event, is_unknown_session, unanswered, Event, Held};
use crate::fault::Fault;
use crate::link::{lock, Link};
use crate::projection::{applied, reserve, room, without_answer, Last, Projection, Source};
use crate::raw::Raw;
use crate::types::methods::{Context, ModelSelect, SessionCompactFailed, SessionStart, TurnEnd};
use crate::types::{
    AnswerForm, Append, CompactFailedParams, ContextParams, ContextResult, Model, ModelSelectParams, Notification,
    Request, SessionStartParams, SessionStartResult, StatusResult, TurnEndResult,
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
    held: Held,
}

impl Session {
    pub(crate) fn new(client: Client, start: SessionStartParams) -> Session {
        Session { client, known: Mutex::new(Known { start, link: 0, last: None, held: Held::default() }) }
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
                self.client.works(&self.id());
                let report = Some(answer.report);
                Projection { messages, source: Source::Answered, fits: true, report, fault: None }
            }
            Err(fault) => {
                self.client.note(&self.id(), &fault);
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

    /// Every other method of a session, such as `TurnEnd`. An event that was not answered is told again by itself.
    pub fn request<M: Request>(&self, params: &M::Params) -> Result<M::Answer, Fault> {
        self.request_within::<M>(params, self.client.bound())
    }

    pub fn request_within<M: Request>(&self, params: &M::Params, bound: Duration) -> Result<M::Answer, Fault> {
        let until = until(bound);
        if !is_event(M::NAME) {
            return self.link(until)?.call::<M>(params, until);
        }
        let mut event = held::<M>(M::NAME, params)?;
        let asked = self.link(until).and_then(|link| {
            event.tellings = 1;
            self.heard(&link, within(&link, link.ask(M::NAME, &event.params, until)))
        });
        self.held(event, &asked);
        asked?.read().map_err(|fault| Fault::garbage(M::NAME, &fault))
    }

    /// Without an answer nobody knows whether it was heard; what could not be sent is told later.
    pub fn notify<M: Notification>(&self, params: &M::Params) -> Result<(), Fault> {
        let sent = self.link(until(self.client.bound())).and_then(|link| link.notify::<M>(params));
        if is_event(M::NAME) {
            let params = Raw::of(params).map_err(|fault| Fault::garbage(M::NAME, &fault))?;
            self.held(Event { method: M::NAME, params, tellings: 0 }, &sent);
        }
        sent
    }

    /// Rule 4.
    fn held<T>(&self, event: Event, end: &Result<T, Fault>) {
        if let Some(fault) = end.as_ref().err().filter(|fault| unanswered(fault)) {
            lock(&self.known).held.push(event);
            self.client.note(&self.id(), fault);
        }
    }

    /// A process that does not know the session is told of it by the next call.
    fn heard<T>(&self, link: &Link, answer: Result<T, Fault>) -> Result<T, Fault> {
        if answer.as_ref().is_err_and(is_unknown_session) && lock(&self.known).link == link.number {
            lock(&self.known).link = 0;
        }
        answer
    }

    /// Rule 4: all that is held, in order. What a turn's end asks for is asked of the host.
    fn tell_held(&self, link: &Link, until: Instant) -> Result<(), Fault> {
        let mut held = lock(&self.known).held.take();
        while let Some(event) = held.front_mut() {
            event.tellings += 1;
            let answer = self.heard(link, within(link, link.ask(event.method, &event.params, until)));
            match answer {
                Err(fault) if unanswered(&fault) => {
                    lock(&self.known).held.give_back(held);
                    return Err(fault);
                }
                Ok(answer) if event.method == <TurnEnd as Request>::NAME => self.carry_out(link, &answer, until),
                _ => {} // heard, or refused
            }
            held.pop_front();
        }
        Ok(())
    }

    fn carry_out(&self, link: &Link, answer: &Raw, until: Instant) {
        let commands = answer.read::<TurnEndResult>().map(|answer| answer.commands).unwrap_or_default();
        for command in commands.into_iter().filter(|command| command.method == "requestCompaction") {
            let result = self.client.host().request_compaction(command.params);
            if !result.accepted {
                let reason = result.reason.unwrap_or_else(|| "refused".into());
                let params = CompactFailedParams { session_id: self.id(), reason, ..Default::default() };
                let _ = link.call::<SessionCompactFailed>(&params, until);
            }
        }
    }

    /// Rule 1.
    fn link(&self, until: Instant) -> Result<Arc<Link>, Fault> {
        let link = self.client.link(until)?;
        if lock(&self.known).link != link.number {
            self.started_on(&link, until)?;
        }
        self.tell_held(&link, until)?;
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

impl Drop for Session {
    fn drop(&mut self) {
        self.client.forget(&self.id());
    }
}

fn held<M: Request>(method: &'static str, params: &M::Params) -> Result<Event, Fault> {
    let params = Raw::of(params).map_err(|fault| Fault::garbage(method, &fault))?;
    Ok(Event { method, params, tellings: 0 })
}

/// Rule 3.
fn within<T>(link: &Link, answer: Result<T, Fault>) -> Result<T, Fault> {
    if let Err(Fault::Timeout) = answer {
        link.end("it did not answer in time");
    }
    answer
}
