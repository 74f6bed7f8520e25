//! What ctxmgr asks of the host.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;

use crate::fault::Fault;
use crate::types::{
    CompleteParams, CompleteResult, EmbedParams, EmbedResult, ProgressParams, RequestCompactionParams,
    RequestCompactionResult, TelemetryEvent,
};

/// Implement what `InitializeParams.capabilities` declares; nothing else is asked. Calls into the client are allowed
/// from each of them. A panic is answered as an error.
pub trait Host: Send + Sync + 'static {
    /// Queue a compaction and say so at once: the next such request waits for this answer. Asked when `turn_end` was
    /// a notification; as a request, its answer holds `commands` instead.
    fn request_compaction(&self, _asked: RequestCompactionParams) -> RequestCompactionResult {
        RequestCompactionResult { accepted: false, reason: None }
    }

    /// Run one model call. On a thread of its own, as long as it takes.
    fn complete(&self, _asked: CompleteParams, _cancelled: &Cancelled) -> Result<CompleteResult, String> {
        Err("this host does not complete".into())
    }

    /// Run one model call at the end of a session's last request: what came since, then `instruction` as one user
    /// message, with the same system prompt and tools, so that the provider reads the rest from its cache. Where
    /// `complete_on_context` is declared beside `complete`. On a thread of its own.
    fn complete_on_context(
        &self,
        _instruction: &str,
        _asked: &CompleteParams,
        _cancelled: &Cancelled,
    ) -> Result<CompleteResult, String> {
        Err("this host does not complete at the end of its list".into())
    }

    /// Turn texts into vectors. On a thread of its own.
    fn embed(&self, _asked: EmbedParams, _cancelled: &Cancelled) -> Result<EmbedResult, String> {
        Err("this host does not embed".into())
    }

    /// What the host goes on without: once, whatever else goes wrong before it is over. On the thread whose call it was.
    fn trouble(&self, _fault: &Fault) {}

    /// Once, when lists are answered again in every session that was in trouble.
    fn recovered(&self) {}

    /// How far a call is that named a `progressToken`. In order, on the thread of `request_compaction`.
    fn progress(&self, _how_far: ProgressParams) {}

    /// What happens in a session, in numbers; where `telemetry` is declared. In order, on the thread of
    /// `request_compaction`.
    fn telemetry(&self, _event: TelemetryEvent) {}
}

/// A host that does nothing for ctxmgr.
pub struct Silent;

impl Host for Silent {}

/// Becomes true when ctxmgr does not need the answer any more.
#[derive(Clone, Default)]
pub struct Cancelled(pub(crate) Arc<AtomicBool>);

impl Cancelled {
    pub(crate) fn set(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
