//! What can go wrong between host and ctxmgr. No text here holds conversation.

use std::fmt;

use crate::types::ErrorObject;

#[derive(Clone, Debug, PartialEq)]
pub enum Fault {
    /// The process is not there: it could not be started, or has ended; why.
    Gone(String),
    /// It failed before, and is not started again yet.
    Waiting,
    /// No answer within the bound.
    Timeout,
    /// An answer that is not of the protocol; which one.
    Garbage(String),
    /// ctxmgr answered with an error.
    Refused(ErrorObject),
    /// The client was shut down.
    Ended,
}

impl Fault {
    /// Where a text is no JSON or another shape. serde's own words would quote the text.
    pub(crate) fn garbage(what: &str, fault: &serde_json::Error) -> Fault {
        Fault::Garbage(format!("{what}: {:?} error at column {}", fault.classify(), fault.column()))
    }

    pub(crate) fn is_refusal(&self, code: i64) -> bool {
        matches!(self, Fault::Refused(error) if error.code == code)
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Fault::Gone(why) => write!(out, "ctxmgr is not running: {why}"),
            Fault::Waiting => write!(out, "ctxmgr failed and is not restarted yet"),
            Fault::Timeout => write!(out, "ctxmgr did not answer in time"),
            Fault::Garbage(what) => write!(out, "ctxmgr answered garbage: {what}"),
            Fault::Refused(error) => write!(out, "ctxmgr answered error {}: {}", error.code, error.message),
            Fault::Ended => write!(out, "the client was shut down"),
        }
    }
}

impl std::error::Error for Fault {}
