//! A client for ctxmgr, the sidecar that keeps a coding agent's context window small.
//!
//! 1. A model call never fails because of ctxmgr: `Session::context` always gives a list to send (`projection`).
//! 2. What is kept is the host's own bytes: messages are `Raw` both ways, and only new ones travel.
//! 3. Every call has a bound. Nobody waits for a process that hangs: it is ended, and started again later (`client`).
//! 4. Nothing is written to standard output, and no conversation text stands in an error.
//!
//! Strings in Rust are UTF-8, so half of a surrogate pair, which JavaScript hosts send, cannot occur in what is made
//! here. `Raw` text from elsewhere may spell one (`\ud83d`): ctxmgr mends its copy, what is kept stays as it is.
#![deny(clippy::print_stdout, clippy::dbg_macro)]

mod asked;
pub mod client;
mod environment;
mod events;
pub mod fault;
pub mod framing;
pub mod host;
mod link;
pub mod marks;
pub mod projection;
pub mod raw;
pub mod session;
#[rustfmt::skip]
pub mod types;
mod view;

pub use client::{Client, Options};
pub use fault::Fault;
pub use host::{Cancelled, Host, Silent};
pub use marks::with_cache_marks;
pub use projection::{Projection, Source};
pub use raw::Raw;
pub use session::Session;
