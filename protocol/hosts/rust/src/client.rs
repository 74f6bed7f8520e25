//! Keeps one ctxmgr running: starts it, and starts it again when it is gone.
//!
//! 1. A call starts the process if it is not there, within the call's own bound; others wait for that, no longer than theirs.
//! 2. After a failure nothing is started for 1 s, then 2 s, 4 s, ... up to 5 minutes: a process that hangs costs a
//!    bound each time. Having run for longer than the next pause would be, it begins at 1 s again.

use std::collections::HashSet;
use std::process::{Command, ExitStatus};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde::Deserialize;

use crate::fault::Fault;
use crate::host::Host;
use crate::link::{lock, Link};
use crate::session::Session;
use crate::types::methods::{Exit, Initialized, Shutdown};
use crate::types::{
    InitializeParams, NoParams, Notification, PolicyKeys, Request, SessionStartParams, PROTOCOL_VERSION,
};

const FIRST_PAUSE: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_secs(300);
/// As long as ctxmgr may take for a list of some megabytes on a slow machine, several times over.
const BOUND: Duration = Duration::from_secs(10);
const FAR: Duration = Duration::from_secs(365 * 24 * 3600);

pub struct Options {
    /// Makes the command anew for each start.
    pub command: Box<dyn Fn() -> Command + Send + Sync>,
    /// Reads the process's standard error, to name its last line where the process ends by itself, and writes it on to
    /// this process's. Default: true. With false it goes where `command` directs it.
    pub reads_stderr: bool,
    /// Who the host is and what it can do. `protocol_version` and `process_id` are filled in.
    pub initialize: InitializeParams,
    /// Of a call that names no bound of its own.
    pub bound: Duration,
    /// Time since any fixed moment: for the pauses between starts, nothing else.
    pub clock: Arc<dyn Fn() -> Duration + Send + Sync>,
}

impl Options {
    pub fn new(command: impl Fn() -> Command + Send + Sync + 'static) -> Options {
        let begun = Instant::now();
        Options {
            command: Box::new(command),
            reads_stderr: true,
            initialize: InitializeParams::default(),
            bound: BOUND,
            clock: Arc::new(move || begun.elapsed()),
        }
    }
}

/// Cheap to clone. The process ends with the last clone; `shutdown` lets it end by itself.
#[derive(Clone)]
pub struct Client(Arc<Inner>);

struct Inner {
    options: Options,
    host: Arc<dyn Host>,
    standing: Mutex<Standing>,
    changed: Condvar,
    /// The sessions in which something went wrong since their last list was answered.
    troubled: Mutex<HashSet<String>>,
}

#[derive(Default)]
struct Standing {
    link: Option<Arc<Link>>,
    starting: bool,
    /// The process that is being started, once there is one.
    coming: Option<Arc<Link>>,
    ended: bool,
    starts: u64,
    failures: u32,
    since: Duration,
    not_before: Duration,
}

impl Client {
    /// Starts nothing yet: the first call does. So there is always a client, even where ctxmgr is not installed.
    pub fn new(options: Options, host: impl Host) -> Client {
        let (standing, changed, troubled) = Default::default();
        Client(Arc::new(Inner { options, host: Arc::new(host), standing, changed, troubled }))
    }

    pub fn session(&self, start: SessionStartParams) -> Session {
        Session::new(self.clone(), start)
    }

    /// For methods of no session; a `Session` has its own, which sees to it that ctxmgr knows the session.
    pub fn request<M: Request>(&self, params: &M::Params) -> Result<M::Answer, Fault> {
        self.request_within::<M>(params, self.bound())
    }

    /// As `request`, for what may take long, such as `compact`. After a timeout the request is cancelled.
    pub fn request_within<M: Request>(&self, params: &M::Params, bound: Duration) -> Result<M::Answer, Fault> {
        let until = until(bound);
        self.link(until)?.call::<M>(params, until)
    }

    pub fn notify<M: Notification>(&self, params: &M::Params) -> Result<(), Fault> {
        self.link(until(self.bound()))?.notify::<M>(params)
    }

    /// The running process, if there is one.
    pub fn pid(&self) -> Option<u32> {
        lock(&self.0.standing).link.as_ref().map(|link| link.pid())
    }

    /// Lets ctxmgr save and end by itself; its exit status, or None where it had to be ended at the bound, or was
    /// not there. One that is being started has nothing to save, and is ended at once. No call is served after it.
    pub fn shutdown(&self, bound: Duration) -> Option<ExitStatus> {
        let until = until(bound);
        let coming = {
            let mut standing = lock(&self.0.standing);
            standing.ended = true;
            standing.coming.clone()
        };
        coming.inspect(|link| link.end("it was shut down"));
        let link = self.settled(until)?.link.take()?;
        let _ = link.call::<Shutdown>(&NoParams::default(), until);
        let _ = link.notify::<Exit>(&NoParams::default());
        link.leave(until)
    }

    pub(crate) fn bound(&self) -> Duration {
        self.0.options.bound
    }

    pub(crate) fn host(&self) -> &dyn Host {
        &*self.0.host
    }

    /// A session goes on without an answer. The host hears of the first.
    pub(crate) fn note(&self, session: &str, fault: &Fault) {
        if *fault == Fault::Ended {
            return;
        }
        let mut troubled = lock(&self.0.troubled);
        let begins = troubled.is_empty();
        troubled.insert(session.into());
        drop(troubled);
        if begins {
            self.0.host.trouble(fault);
        }
    }

    /// A list of this session was answered.
    pub(crate) fn works(&self, session: &str) {
        let mut troubled = lock(&self.0.troubled);
        let over = troubled.remove(session) && troubled.is_empty();
        drop(troubled);
        if over {
            self.0.host.recovered();
        }
    }

    /// A session that is no more is no trouble.
    pub(crate) fn forget(&self, session: &str) {
        lock(&self.0.troubled).remove(session);
    }

    pub(crate) fn policy(&self) -> Option<&PolicyKeys> {
        self.0.options.initialize.policy.as_ref()
    }

    /// Once nothing is being started any more; None where that takes longer.
    fn settled(&self, until: Instant) -> Option<MutexGuard<'_, Standing>> {
        let inner = &*self.0;
        let mut standing = lock(&inner.standing);
        while standing.starting {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return None;
            }
            standing = inner.changed.wait_timeout(standing, left).unwrap_or_else(PoisonError::into_inner).0;
        }
        Some(standing)
    }

    /// Rule 1.
    pub(crate) fn link(&self, until: Instant) -> Result<Arc<Link>, Fault> {
        let inner = &*self.0;
        let mut standing = self.settled(until).ok_or(Fault::Timeout)?;
        let now = (inner.options.clock)();
        if standing.ended {
            return Err(Fault::Ended);
        }
        if let Some(link) = &standing.link {
            match link.ended() {
                None => return Ok(link.clone()),
                Some(at) => standing.failed(at),
            }
        }
        if now < standing.not_before {
            return Err(Fault::Waiting);
        }
        standing.starting = true;
        standing.starts += 1;
        let number = standing.starts;
        drop(standing);
        let started = self.start(number, until);
        let mut standing = lock(&inner.standing);
        (standing.starting, standing.coming) = (false, None);
        inner.changed.notify_all();
        match started {
            Ok(_) if standing.ended => Err(Fault::Ended),
            Ok(link) => {
                standing.since = (inner.options.clock)();
                Ok(standing.link.insert(link).clone())
            }
            Err(fault) => {
                standing.failed((inner.options.clock)());
                Err(fault)
            }
        }
    }

    fn start(&self, number: u64, until: Instant) -> Result<Arc<Link>, Fault> {
        let Inner { options, host, .. } = &*self.0;
        let (host, clock) = (host.clone(), options.clock.clone());
        let link = Arc::new(Link::spawn((options.command)(), host, clock, number, options.reads_stderr)?);
        {
            let mut standing = lock(&self.0.standing);
            if standing.ended {
                return Err(Fault::Ended); // and the process ends with `link`
            }
            standing.coming = Some(link.clone());
        }
        let mut params = options.initialize.clone();
        params.protocol_version = PROTOCOL_VERSION.into();
        params.process_id = params.process_id.or(Some(std::process::id().into()));
        let answer = link.call::<Hello>(&params, until)?;
        if answer.protocol_version.split('.').next() != PROTOCOL_VERSION.split('.').next() {
            return Err(Fault::Garbage("initialize: another major version of the protocol".into()));
        }
        link.notify::<Initialized>(&NoParams::default())?;
        Ok(link)
    }
}

/// `initialize`, of whose answer only the version is read: no policy key of a newer ctxmgr may keep it from starting.
struct Hello;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Version {
    protocol_version: String,
}

impl Request for Hello {
    const NAME: &'static str = "initialize";
    type Params = InitializeParams;
    type Answer = Version;
}

impl Standing {
    /// Rule 2.
    fn failed(&mut self, at: Duration) {
        let pause = |failures: u32| (FIRST_PAUSE * 2u32.pow(failures.min(16))).min(LONGEST_PAUSE);
        if self.link.take().is_some() && at.saturating_sub(self.since) > pause(self.failures) {
            self.failures = 0;
        }
        self.not_before = at + pause(self.failures);
        self.failures += 1;
    }
}

pub(crate) fn until(bound: Duration) -> Instant {
    Instant::now() + bound.min(FAR)
}
