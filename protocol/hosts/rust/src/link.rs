//! One running process: calls out, the host's callbacks in, and an end that wakes everybody.
//!
//! 1. A caller never writes by itself: a thread does, so that a process that does not read costs no more than the bound.
//! 2. Broken framing or no JSON ends the process: nothing after it can be trusted.
//! 3. Ending is once; the first reason stays. The process is gone before anybody hears of its end: a host may exit then.
//! 4. The reason names the program, and how it ended: its exit code or signal, and the last line of its standard error
//!    where that is read here.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Write};
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{channel, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use serde::Serialize;

use crate::asked::Task;
use crate::environment::isolate;
use crate::fault::Fault;
use crate::framing;
use crate::host::{Cancelled, Host};
use crate::raw::Raw;
use crate::types::{ErrorObject, Notification, Request};

/// For a process that has closed its output to end by itself.
const CLOSED: Duration = Duration::from_millis(100);
/// Of the last line on standard error, characters that are quoted.
const LAST_LINE: usize = 200;
/// Between two looks whether a process has ended: the standard library cannot wait for one with a bound.
const LOOK: Duration = Duration::from_millis(5);

/// Time since any fixed moment.
pub(crate) type Clock = Arc<dyn Fn() -> Duration + Send + Sync>;

/// Ends its process when the last user lets go of it.
pub(crate) struct Link {
    pub number: u64,
    shared: Arc<Shared>,
}

pub(crate) struct Shared {
    pub state: Mutex<State>,
    program: String,
    child: Mutex<Child>,
    ids: AtomicU64,
    pub running: Mutex<HashMap<String, Cancelled>>,
    clock: Clock,
}

pub(crate) enum State {
    Open { waiting: HashMap<u64, Sender<Reply>>, out: Sender<Vec<u8>> },
    Ended { why: String, at: Duration },
}

pub(crate) type Reply = Result<Raw, ErrorObject>;

#[derive(Serialize)]
struct Out<'a, P> {
    jsonrpc: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<u64>,
    method: &'a str,
    params: P,
}

impl Link {
    /// `reads_stderr`: what the process writes there is written to this process's, and its last line kept.
    pub fn spawn(
        mut command: Command,
        host: Arc<dyn Host>,
        clock: Clock,
        number: u64,
        reads_stderr: bool,
    ) -> Result<Link, Fault> {
        isolate(&mut command);
        if reads_stderr {
            command.stderr(Stdio::piped());
        }
        let program = command.get_program().to_string_lossy().into_owned();
        #[cfg(unix)] // an interrupt typed at the host's terminal is the host's business
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let spawned = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
        let mut child = spawned.map_err(|fault| Fault::Gone(cannot_start(&program, &command, &fault)))?;
        let (stdin, stdout) = (child.stdin.take(), child.stdout.take());
        let last_line = child.stderr.take().map(|stderr| {
            let (last, wait) = channel();
            thread::spawn(move || last.send(forward(stderr)));
            wait
        });
        let (out, queue) = channel();
        let shared = Arc::new(Shared {
            state: Mutex::new(State::Open { waiting: HashMap::new(), out }),
            program,
            child: Mutex::new(child),
            ids: AtomicU64::new(1),
            running: Mutex::default(),
            clock,
        });
        let reading = shared.clone();
        thread::spawn(move || write(queue, stdin.expect("it is piped")));
        thread::spawn(move || read(reading, host, stdout.expect("it is piped"), last_line));
        Ok(Link { number, shared })
    }

    /// When it ended; None while it runs.
    pub fn ended(&self) -> Option<Duration> {
        match &*lock(&self.shared.state) {
            State::Open { .. } => None,
            State::Ended { at, .. } => Some(*at),
        }
    }

    pub fn call<M: Request>(&self, params: &M::Params, until: Instant) -> Result<M::Answer, Fault> {
        self.ask(M::NAME, params, until)?.read().map_err(|fault| Fault::garbage(M::NAME, &fault))
    }

    /// The answer as it came.
    pub fn ask(&self, method: &str, params: &impl Serialize, until: Instant) -> Result<Raw, Fault> {
        let id = self.shared.ids.fetch_add(1, Ordering::Relaxed);
        let (answer, wait) = channel();
        self.shared.send(&Out { jsonrpc: "2.0", id: Some(id), method, params }, Some((id, answer)))?;
        match wait.recv_timeout(until.saturating_duration_since(Instant::now())) {
            Ok(Ok(result)) => Ok(result),
            Ok(Err(error)) => Err(Fault::Refused(error)),
            Err(RecvTimeoutError::Disconnected) => Err(self.shared.gone()),
            Err(RecvTimeoutError::Timeout) => {
                if let State::Open { waiting, .. } = &mut *lock(&self.shared.state) {
                    waiting.remove(&id);
                }
                let params = HashMap::from([("id", id)]);
                let _ =
                    self.shared.send(&Out { jsonrpc: "2.0", id: None, method: "$/cancelRequest", params }, None);
                Err(Fault::Timeout)
            }
        }
    }

    pub fn notify<M: Notification>(&self, params: &M::Params) -> Result<(), Fault> {
        self.shared.send(&Out { jsonrpc: "2.0", id: None, method: M::NAME, params }, None)
    }

    pub fn pid(&self) -> u32 {
        lock(&self.shared.child).id()
    }

    pub fn end(&self, why: &str) {
        self.shared.end(why);
    }

    /// Closes its input, and ends it if it has not ended by itself until then: None.
    pub fn leave(&self, until: Instant) -> Option<ExitStatus> {
        *lock(&self.shared.state) = self.shared.ended("it was shut down");
        lock(&self.shared.running).values().for_each(Cancelled::set);
        let mut child = lock(&self.shared.child);
        loop {
            if let Ok(Some(status)) = child.try_wait() {
                return Some(status);
            }
            if Instant::now() >= until {
                kill(&mut child);
                return None;
            }
            thread::sleep(LOOK);
        }
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        self.shared.end("the client was dropped");
    }
}

impl Shared {
    /// Queues a message; `call` is who waits for its answer.
    pub(crate) fn send(&self, message: &impl Serialize, call: Option<(u64, Sender<Reply>)>) -> Result<(), Fault> {
        let body = serde_json::to_vec(message).map_err(|fault| Fault::garbage("what the host sends", &fault))?;
        match &mut *lock(&self.state) {
            State::Ended { why, .. } => Err(Fault::Gone(why.clone())),
            State::Open { waiting, out } => {
                waiting.extend(call);
                let _ = out.send(body); // its thread is gone: so is the process, and the reading thread says so
                Ok(())
            }
        }
    }

    fn ended(&self, why: &str) -> State {
        State::Ended { why: why.into(), at: (self.clock)() }
    }

    fn gone(&self) -> Fault {
        match &*lock(&self.state) {
            State::Ended { why, .. } => Fault::Gone(why.clone()),
            State::Open { .. } => Fault::Gone("it dropped the call".into()),
        }
    }

    /// Rule 3. Who comes while it is being ended waits for that.
    fn end(&self, why: &str) {
        if !self.is_open() {
            return;
        }
        let mut child = lock(&self.child);
        if self.is_open() {
            kill(&mut child);
            *lock(&self.state) = self.ended(why); // dropping the senders wakes every call and ends the writing thread
            lock(&self.running).values().for_each(Cancelled::set);
        }
    }

    /// How the process ended that has closed its output; None where it has not ended by itself soon after.
    fn exited(&self) -> Option<ExitStatus> {
        let until = Instant::now() + CLOSED;
        loop {
            if let Ok(status @ Some(_)) = lock(&self.child).try_wait() {
                return status;
            }
            if Instant::now() >= until || !self.is_open() {
                return None;
            }
            thread::sleep(LOOK);
        }
    }

    fn is_open(&self) -> bool {
        matches!(*lock(&self.state), State::Open { .. })
    }
}

fn write(queue: Receiver<Vec<u8>>, mut to: ChildStdin) {
    while queue.recv().is_ok_and(|body| framing::write(&mut to, &body).is_ok()) {}
}

fn read(shared: Arc<Shared>, host: Arc<dyn Host>, from: ChildStdout, last_line: Option<Receiver<String>>) {
    let (queue, tasks) = channel::<Task>();
    thread::spawn(move || {
        for task in tasks {
            let _ = catch_unwind(AssertUnwindSafe(task));
        }
    });
    let mut from = BufReader::with_capacity(1 << 16, from);
    let why = loop {
        match framing::read(&mut from).map(|body| body.map(|body| serde_json::from_slice(&body))) {
            Ok(Some(Ok(message))) => shared.arrived(message, &host, &queue),
            Ok(Some(Err(_))) => break format!("{} wrote something that is not a message", shared.program),
            Ok(None) => break closed(&shared, last_line),
            Err(fault) => break format!("the output of {} is broken: {}", shared.program, fault.kind()),
        }
    };
    shared.end(&why);
}

/// Rule 4.
fn closed(shared: &Shared, last_line: Option<Receiver<String>>) -> String {
    let program = &shared.program;
    let Some(status) = shared.exited() else { return format!("{program} closed its output") };
    let last = last_line.and_then(|wait| wait.recv_timeout(CLOSED).ok()).unwrap_or_default();
    let how = match status.code() {
        Some(code) => format!("exited with code {code}"),
        None => format!("was killed: {status}"), // which names the signal
    };
    if last.is_empty() {
        format!("{program} {how}")
    } else {
        format!("{program} {how}: {last}")
    }
}

fn cannot_start(program: &str, command: &Command, fault: &std::io::Error) -> String {
    let folder = command.get_current_dir().filter(|folder| !folder.exists());
    match (fault.kind(), folder) {
        (std::io::ErrorKind::NotFound, Some(folder)) => {
            format!("{program} cannot be started: no folder {}", folder.display())
        }
        (std::io::ErrorKind::NotFound, None) => format!("{program} cannot be started: no such program"),
        (kind, _) => format!("{program} cannot be started: {kind}"),
    }
}

/// Hands on what a process writes to its standard error; the last line that is not blank. Not of JSON: that is no cause
/// but data, which may be conversation.
fn forward(from: ChildStderr) -> String {
    let (mut from, mut last) = (BufReader::new(from), String::new());
    let mut bytes = Vec::new();
    while from.read_until(b'\n', &mut bytes).is_ok_and(|count| count > 0) {
        let _ = std::io::stderr().write_all(&bytes);
        let line = String::from_utf8_lossy(&bytes);
        if !line.trim().is_empty() {
            last = line.trim().chars().take(LAST_LINE).collect();
        }
        bytes.clear();
    }
    if last.starts_with(['{', '[']) {
        String::new()
    } else {
        last
    }
}

fn kill(child: &mut Child) {
    let _ = child.kill();
    let _ = child.wait();
}

/// A panic of the host under a lock leaves nothing half done here.
pub(crate) fn lock<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}
