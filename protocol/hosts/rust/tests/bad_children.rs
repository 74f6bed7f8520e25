//! Whatever a sidecar does, there is a list to send, within the bound.
#![cfg(unix)]

mod talk;

use std::path::PathBuf;
use std::process::Command;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use ctxmgr_client::types::methods::{GetStatus, TurnEnd};
use ctxmgr_client::types::{GetStatusParams, RequestCompactionParams, RequestCompactionResult, TurnEndParams};
use ctxmgr_client::{Client, Fault, Host, Options, Raw, Silent, Source};
use talk::{conversation, folder, start, BOUND};

/// For children that never answer: nothing has to be quick for it.
const SHORT: Duration = Duration::from_millis(200);
/// For a child that falls silent: it starts and answers well within.
const SILENCE: Duration = Duration::from_secs(3);

/// Seconds that a test sets.
#[derive(Clone, Default)]
struct Clock(Arc<AtomicU64>);

impl Clock {
    fn set(&self, seconds: u64) {
        self.0.store(seconds, Ordering::Relaxed);
    }
}

fn status_of(session_id: &str) -> GetStatusParams {
    GetStatusParams { session_id: session_id.into(), ..GetStatusParams::default() }
}

fn client(bound: Duration, clock: &Clock, command: impl Fn() -> Command + Send + Sync + 'static) -> Client {
    hosted(bound, clock, command, Silent)
}

fn hosted(
    bound: Duration,
    clock: &Clock,
    command: impl Fn() -> Command + Send + Sync + 'static,
    host: impl Host,
) -> Client {
    let clock = clock.clone();
    let clock = Arc::new(move || Duration::from_secs(clock.0.load(Ordering::Relaxed)));
    Client::new(Options { bound, clock, ..Options::new(command) }, host)
}

/// What the host was told and asked, a word each.
#[derive(Clone, Default)]
struct Ear(Arc<Mutex<Vec<&'static str>>>);

impl Ear {
    fn heard(&self) -> Vec<&'static str> {
        self.0.lock().unwrap().clone()
    }
}

impl Host for Ear {
    fn trouble(&self, _fault: &Fault) {
        self.0.lock().unwrap().push("trouble");
    }

    fn recovered(&self) {
        self.0.lock().unwrap().push("recovered");
    }

    fn request_compaction(&self, _asked: RequestCompactionParams) -> RequestCompactionResult {
        self.0.lock().unwrap().push("asked");
        RequestCompactionResult { accepted: false, reason: Some("not now".into()) }
    }
}

fn turn(said: &str) -> TurnEndParams {
    let message = Raw::parse(format!(r#"{{"role":"assistant","content":"{said}"}}"#)).unwrap();
    TurnEndParams { session_id: "s".into(), message, ..Default::default() }
}

fn shell(script: &'static str) -> impl Fn() -> Command {
    move || {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        command
    }
}

/// It is built beside the tests as an example is, so that nobody who installs the package gets it.
fn bad_child() -> PathBuf {
    let built = std::env::current_exe().unwrap();
    built.ancestors().nth(2).unwrap().join("examples").join(format!("bad-child{}", std::env::consts::EXE_SUFFIX))
}

/// A `bad-child` with its runs, and the file that says what it was sent.
fn child(name: &str, runs: &'static [&'static str]) -> (PathBuf, impl Fn() -> Command) {
    let log = folder(name).join("log");
    let path = log.clone();
    let command = move || {
        let mut command = Command::new(bad_child());
        command.arg(&path).args(runs);
        command
    };
    (log, command)
}

fn lines(log: &PathBuf) -> Vec<String> {
    std::fs::read_to_string(log).unwrap_or_default().lines().map(String::from).collect()
}

#[test]
fn child_that_never_comes_up_leaves_the_own_list() {
    for (script, wanted) in [
        ("exit 3", "Gone"),
        ("cat >/dev/null", "Timeout"),
        ("exec sleep 60", "Timeout"),
        ("echo hello; cat >/dev/null", "Gone"),
        ("exec 1>&-; cat >/dev/null", "Gone"),
        ("printf 'Content-Length: 99999999999\\r\\n\\r\\n'; cat >/dev/null", "Gone"),
        ("printf 'Content-Length: 5\\r\\n\\r\\nhello'; cat >/dev/null", "Gone"),
        (
            r#"printf 'Content-Length: 56\r\n\r\n{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2.0"}}'; cat >/dev/null"#,
            "Gone",
        ),
        ("exec /nowhere/ctxmgr 2>&-", "Gone"),
    ] {
        let begun = Instant::now();
        let bound = if wanted == "Timeout" { SHORT } else { BOUND };
        let client = client(bound, &Clock::default(), shell(script));
        let own = vec![Raw::of(&"x".repeat(1 << 20)).unwrap()]; // more than a pipe holds
        let session = client.session(start("s", 1e6));
        let given = session.context(&own);
        assert_eq!((&given.messages, given.source, given.fits), (&own, Source::Own, true), "{script}");
        let fault = given.fault.unwrap();
        assert!(format!("{fault:?} {fault}").contains(wanted), "{script}: {fault:?}");
        assert_eq!(session.context(&own).fault, Some(Fault::Waiting), "{script}");
        assert!(begun.elapsed() < BOUND, "{script}");
        assert_eq!((client.pid(), client.shutdown(BOUND)), (None, None));
    }
}

#[test]
fn missing_program_leaves_a_list_that_is_too_long_untouched() {
    let client = client(BOUND, &Clock::default(), || Command::new("/nowhere/ctxmgr"));
    let own = conversation(100);
    let given = client.session(start("s", 1_000.0)).context(&own);
    assert!(matches!(given.fault, Some(Fault::Gone(_))));
    assert_eq!((given.messages, given.source, given.fits), (own, Source::Own, false));
}

#[test]
fn failing_child_leaves_the_last_projection_and_what_came_since() {
    // by the word: the fault, and whether the process is still there
    for (word, wanted, lives) in [
        ("exit", "Gone", false),
        ("close", "Gone", false),
        ("text", "Gone", false),
        ("number", "Gone", false),
        ("scalar", "Gone", false),
        ("silent", "Timeout", false),
        ("shape", "Garbage", true),
        ("outside", "Garbage", true),
        ("twice", "Garbage", true),
        ("nothing", "Garbage", true),
        ("error", "Refused", true),
        ("stale stale", "Refused", true),
    ] {
        let runs: &'static [&'static str] = vec![&*format!("ok ok ok {word}").leak(), "ok"].leak();
        let clock = Clock::default();
        let (log, command) = child(&format!("failing-{}", word.replace(' ', "-")), runs);
        let client = client(if wanted == "Timeout" { SILENCE } else { BOUND }, &clock, command);
        let session = client.session(start("s", 1e6));
        let (two, three) = (conversation(2), conversation(3));
        let first = session.context(&two);
        assert_eq!((first.messages.len(), first.source, first.fault), (2, Source::Answered, None), "{word}");

        let second = session.context(&three);
        assert!(format!("{:?}", second.fault).contains(wanted), "{word}: {:?}", second.fault);
        assert_eq!((second.source, second.fits), (Source::Kept, true), "{word}");
        assert_eq!(second.messages, [&first.messages[..], &three[5..]].concat(), "{word}");
        assert_eq!(client.pid().is_some_and(|_| session.context(&three).fault.is_none()), lives, "{word}");

        clock.set(100); // a process that is gone comes back, and is told everything again
        let third = session.context(&three);
        assert_eq!((third.messages.len(), third.fault), (2, None), "{word}");
        let told: Vec<_> = lines(&log).into_iter().rev().take_while(|_| !lives).take(4).collect();
        let again = ["context 0+7", "session_start 0+0", "initialized 0+0", "initialize 0+0"];
        assert_eq!(told, again[..told.len()], "{word}");
    }
}

#[test]
fn what_one_process_has_not_answered_is_told_to_the_next() {
    for (word, bound) in [("exit", BOUND), ("close", BOUND), ("text", BOUND), ("silent", SILENCE)] {
        let runs: &'static [&'static str] = vec![&*format!("ok ok {word}").leak(), "ok"].leak();
        let (clock, ear) = (Clock::default(), Ear::default());
        let (log, command) = child(&format!("events-{word}"), runs);
        let client = hosted(bound, &clock, command, ear.clone());
        let session = client.session(start("s", 1e6));
        session.start().unwrap();
        assert!(session.request::<TurnEnd>(&turn("one")).is_err(), "{word}");
        assert!(session.notify::<TurnEnd>(&turn("two")).is_err(), "{word}"); // nobody is there yet
        assert_eq!(session.context(&conversation(1)).source, Source::Own, "{word}");
        assert_eq!(ear.heard(), ["trouble"], "{word}");
        clock.set(100);
        assert_eq!(session.context(&conversation(1)).fault, None, "{word}");
        let told: Vec<_> = lines(&log).into_iter().skip_while(|line| line != "turn_end 0+0one").skip(1).collect();
        let refused = "session_compact_failed 0+0"; // what a turn's end asks for is asked, and the host refuses
        let wanted =
            ["turn_end 0+0one", refused, "turn_end 0+0two", refused, "context 0+3"].map(String::from).to_vec();
        let of_it = |line: &String| wanted.contains(line);
        assert_eq!(told.into_iter().filter(of_it).collect::<Vec<_>>(), wanted, "{word}");
        assert_eq!(ear.heard(), ["trouble", "asked", "asked", "recovered"], "{word}");
    }
}

#[test]
fn what_ends_each_process_is_let_go_and_what_is_refused_is_not_told_again() {
    let clock = Clock::default();
    let (log, command) = child("poison", &["ok ok exit", "ok ok exit", "ok ok exit", "ok ok ok error"]);
    let client = client(BOUND, &clock, command);
    let session = client.session(start("s", 1e6));
    session.start().unwrap();
    assert!(session.request::<TurnEnd>(&turn("one")).is_err());
    for second in [100, 200] {
        clock.set(second);
        assert_eq!(session.context(&conversation(1)).source, Source::Own, "{second}");
    }
    clock.set(300);
    assert_eq!(session.context(&conversation(1)).fault, None);
    assert!(matches!(session.request::<TurnEnd>(&turn("two")), Err(Fault::Refused(_))));
    assert_eq!(session.context(&conversation(2)).fault, None);
    let turns: Vec<_> = lines(&log).into_iter().filter(|line| line.starts_with("turn_end")).collect();
    assert_eq!(turns, ["turn_end 0+0one", "turn_end 0+0one", "turn_end 0+0one", "turn_end 0+0two"]);
}

#[test]
fn session_that_is_locked_or_forgotten_is_told_anew() {
    let (ear, (log, command)) = (Ear::default(), child("locked", &["ok error error ok forgot ok ok ok"]));
    let client = hosted(BOUND, &Clock::default(), command, ear.clone());
    let session = client.session(start("s", 1e6));
    for _ in 0..2 {
        let given = session.context(&conversation(1));
        assert_eq!((given.messages, given.source), (conversation(1), Source::Own));
    }
    assert_eq!(ear.heard(), ["trouble"]);
    assert!(session.request::<TurnEnd>(&turn("one")).is_err()); // the session is known, and then it is not
    assert_eq!(session.context(&conversation(1)).fault, None);
    assert_eq!(ear.heard(), ["trouble", "asked", "recovered"]);
    let told: Vec<_> = lines(&log).into_iter().skip(5).collect();
    assert_eq!(
        told[..4],
        ["turn_end 0+0one", "session_start 0+0", "turn_end 0+0one", "session_compact_failed 0+0"]
    );
}

#[test]
fn only_new_messages_travel_until_the_base_is_stale() {
    let (clock, (log, command)) = (Clock::default(), child("travel", &["ok ok ok ok stale"]));
    let client = client(BOUND, &clock, command);
    let session = client.session(start("s", 1e6));
    let mut other = conversation(5);
    other[0] = talk::user(77);
    for list in [conversation(2), conversation(3), conversation(4), other.clone()] {
        let given = session.context(&list);
        assert_eq!((given.messages.last(), given.fault), (list.last(), None));
    }
    talk::kill(client.pid().unwrap());
    assert!(session.request::<GetStatus>(&status_of("s")).is_err());
    clock.set(1); // another process knows no base
    assert_eq!(session.context(&other).fault, None);
    let contexts: Vec<_> = lines(&log).into_iter().filter(|line| line.starts_with("context")).collect();
    let wanted = ["context 0+5", "context 5+2", "context 7+2", "context 0+9", "context 0+11", "context 0+11"];
    assert_eq!(contexts, wanted);
}

#[test]
fn pauses_between_starts_double_and_end_with_a_run_that_lasts() {
    let clock = Clock::default();
    let (log, command) = child("pauses", &["exit", "exit", "exit", "ok exit", "ok exit", "ok", "exit"]);
    let client = client(BOUND, &clock, command);
    let status = || client.request::<GetStatus>(&status_of("s"));
    let starts = || lines(&log).iter().filter(|line| line.starts_with("initialize ")).count();
    // at which second, how many starts there have been after a call
    for (second, wanted) in [(0, 1), (0, 1), (1, 2), (2, 2), (3, 3), (6, 3), (7, 4), (14, 4), (15, 5), (30, 5)] {
        clock.set(second);
        assert!(status().is_err());
        assert_eq!(starts(), wanted, "at {second} s");
    }
    clock.set(31); // the fifth lived for no time: 16 s
    let session = client.session(start("s", 1e6));
    assert_eq!(session.context(&conversation(1)).fault, None);
    clock.set(1_000); // the sixth lasted: 1 s
    talk::kill(client.pid().unwrap());
    let _ = session.context(&conversation(1)); // finds out, or is the one that fails
    let _ = session.context(&conversation(1));
    assert_eq!(starts(), 6);
    clock.set(1_001);
    assert!(matches!(session.context(&conversation(1)).fault, Some(Fault::Gone(_))));
    assert_eq!(starts(), 7);
}

#[test]
fn shutdown_is_bounded() {
    for (runs, exits) in [(&["ok ok stay"][..], false), (&["ok ok exit"], true)] {
        let (_, command) = child(if exits { "leaves" } else { "stays" }, runs);
        let client = client(BOUND, &Clock::default(), command);
        let session = client.session(start("s", 1e6));
        assert!(!session.start().unwrap().restored);
        let pid = client.pid().unwrap();
        let status = client.shutdown(if exits { BOUND } else { SHORT });
        assert_eq!(status.and_then(|status| status.code()), exits.then_some(3));
        assert!(!alive(pid));
        assert_eq!(session.context(&conversation(1)).fault, Some(Fault::Ended));
    }
}

/// Whether there is a process of this id, be it one that nobody has waited for.
fn alive(pid: u32) -> bool {
    Command::new("kill").args(["-0", &pid.to_string()]).output().unwrap().status.success()
}

#[test]
fn child_that_closes_its_output_and_stays_is_gone_before_anybody_hears_of_it() {
    for _ in 0..20 {
        let (_, command) = child("orphan", &["ok ok close"]);
        let client = client(BOUND, &Clock::default(), command);
        let session = client.session(start("s", 1e6));
        session.start().unwrap();
        let pid = client.pid().unwrap();
        assert!(matches!(session.context(&conversation(1)).fault, Some(Fault::Gone(_))));
        assert!(!alive(pid)); // a host that ends now leaves no orphan
        let _ = session.context(&conversation(1)); // finds out that it is gone
        assert_eq!(client.shutdown(BOUND), None);
    }
}

#[test]
fn shutdown_ends_a_child_that_is_being_started() {
    for _ in 0..5 {
        let (pid_file, clock) = (folder("starting").join("pid"), Clock::default());
        let path = pid_file.clone();
        let client = client(BOUND, &clock, move || {
            let mut command = Command::new("sh");
            command.args(["-c", "echo $$ >\"$0.new\"; mv \"$0.new\" \"$0\"; exec sleep 600"]).arg(&path);
            command
        });
        let session = client.session(start("s", 1e6));
        std::thread::scope(|scope| {
            let call = scope.spawn(|| session.context(&conversation(1)).fault);
            while !pid_file.exists() {
                std::thread::yield_now();
            }
            assert_eq!(client.shutdown(BOUND), None);
            let pid = std::fs::read_to_string(&pid_file).unwrap().trim().parse().unwrap();
            assert!(!alive(pid));
            assert!(call.join().unwrap().is_some());
        });
    }
}

#[test]
fn waiting_threads_share_one_start() {
    let (log, command) = child("shared", &[]);
    let client = client(BOUND, &Clock::default(), command);
    std::thread::scope(|scope| {
        for n in 0..8 {
            let session = client.session(start(&format!("s{n}"), 1e6));
            scope.spawn(move || assert_eq!(session.context(&conversation(1)).fault, None));
        }
    });
    assert_eq!(lines(&log).iter().filter(|line| line.starts_with("initialize ")).count(), 1);
}

#[test]
fn no_conversation_text_stands_in_faults_or_debug_output() {
    let (_, command) = child("private", &["ok ok shape"]);
    let client = client(BOUND, &Clock::default(), command);
    let own = vec![Raw::of("the-owl-flies-at-nine").unwrap()];
    let given = client.session(start("s", 1e6)).context(&own);
    assert!(given.fault.is_some());
    assert!(!format!("{given:?}").contains("owl"));
}

/// What the host was told first.
#[derive(Clone, Default)]
struct First(Arc<Mutex<Option<String>>>);

impl Host for First {
    fn trouble(&self, fault: &Fault) {
        self.0.lock().unwrap().get_or_insert(fault.to_string());
    }
}

#[test]
fn fault_of_the_process_names_the_program_and_the_cause() {
    let nowhere = || Command::new("/nowhere/ctxmgr");
    let elsewhere = || {
        let mut command = Command::new("sh");
        command.current_dir("/nowhere");
        command
    };
    type Making = Box<dyn Fn() -> Command + Send + Sync>;
    let cases: [(Making, &str); 6] = [
        (Box::new(nowhere), "/nowhere/ctxmgr cannot be started: no such program"),
        (Box::new(elsewhere), "sh cannot be started: no folder /nowhere"),
        (Box::new(shell("exit 3")), "sh exited with code 3"),
        (Box::new(shell("printf 'one\nno module\n\n' >&2; exit 1")), "sh exited with code 1: no module"),
        (Box::new(shell("echo '{\"role\":\"user\"}' >&2; exit 1")), "sh exited with code 1"),
        (Box::new(shell("kill -KILL $$")), "sh was killed: signal: 9 (SIGKILL)"),
    ];
    for (command, wanted) in cases {
        let first = First::default();
        let client = hosted(BOUND, &Clock::default(), command, first.clone());
        client.session(start("s", 1_000.0)).context(&conversation(1));
        assert_eq!(first.0.lock().unwrap().as_deref(), Some(format!("ctxmgr is not running: {wanted}").as_str()));
    }
}
