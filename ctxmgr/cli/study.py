"""Commands of the distribution ctxmgr-study: replay and compare recordings, drive and check sidecars."""

import argparse
from collections.abc import Sequence
from typing import get_args

from ctxmgr.cli.arguments import (
    MODEL_SERVER,
    MODELS,
    CommandRow,
    Group,
    Option,
    keep,
    option,
    points,
    policy_key,
    positive,
    prices,
    seconds,
    share,
    tokens,
    tokens_or_none,
    whole,
)
from ctxmgr.model import KeepPoint, Preset
from ctxmgr.model.compaction import Format, Strategy
from ctxmgr.plain_text import complain

PRESETS: tuple[str, ...] = get_args(Preset)
STRATEGIES: tuple[str, ...] = get_args(Strategy)
FORMATS: tuple[str, ...] = get_args(Format)
HOSTS = ("modelled", "recorded")
FETCHES = ("whole", "part")
CACHES = ("ideal", "marks", "host-marks", "implicit", "none")
OVERHEAD_TOKENS = 5_000
POINTS: tuple[str, ...] = get_args(KeepPoint)[::-1]
KEEPERS = ("claude", "codex", "opencode", "gemini", "pi", "cline")  # agents whose sessions are found

JSON = option("--json", action="store_true", help="print all figures as JSON")
BILL = (  # what closed-loop cost is worked out by
    option(
        "--prices",
        metavar="INPUT,READ,WRITE[,OUTPUT[,TIER...]]",
        type=prices,
        help="of input, in dollars a million tokens, and what reading and writing the cache costs, as shares of "
        "it; of output, in dollars; TOKENS:FACTOR[:FACTOR]: a request above so many tokens costs FACTOR times "
        "that, its output the second FACTOR times (default: 3,0.1,1.25,15)",
    ),
    option("--cache-ttl", metavar="SECONDS", type=seconds, help="life of the cache (300)"),
    option(
        "--cache",
        metavar="NAME",
        choices=CACHES,
        default=CACHES[0],
        help="how the provider caches: ideal (all that a list has in common with the one before is read), marks "
        "(20 blocks are looked back from marks where ctxmgr says), host-marks (from one on the newest message), "
        "implicit (in steps of 128 tokens, from 1024 on), none (default: ideal)",
    ),
    option(
        "--overhead",
        metavar="TOKENS",
        type=tokens_or_none,
        default=OVERHEAD_TOKENS,
        help="of system prompt and tools in each request (default: 5000)",
    ),
)
TIMEOUT_HELP = "how long each wait may take (default: %(default)g)"
PEER = (  # what is spawned, and how it is spoken to
    option(
        "--command",
        metavar="CMD",
        nargs=argparse.REMAINDER,
        help="the sidecar to spawn (default: this ctxmgr); the last option: all that follows it is the command",
    ),
    option(
        "--framing", choices=("content-length", "ndjson"), default="content-length", help="how messages are framed"
    ),
    option("--timeout", metavar="SECONDS", type=seconds, default=10.0, help=TIMEOUT_HELP),
)


def probes_failed(more: str = "") -> Option:
    """`more`: what is written beside the probes."""
    return option(
        "--probes-failed",
        metavar="FILE",
        help=f"write each probe that failed and where it was lost{more}, one JSON object a line; it holds "
        "conversation",
    )


REPLAY = CommandRow(
    "What happens depends on the file. A recorded session (of pi, Claude Code, Codex, OpenCode, "
    "OpenHands, SWE-agent, mini-swe-agent, Cline, Roo Code, Kilo Code, Gemini CLI or Copilot CLI, a stream of pi's "
    "events, or a plain list of chat completions or of Anthropic's messages) is driven through ctxmgr as its "
    "host would have done, each answer is checked, and tables show what became of the context. A transcript "
    "(written by `ctxmgr serve --record FILE`) is fed to this version, and its answers are compared with the "
    "recorded ones. The exit code is 1 if a check failed or an answer differs.",
    "ctxmgr replay session.jsonl --preset balanced --preset turns",
    "ctxmgr.study.replay:command.run",
    (
        option("files", metavar="FILE", nargs="+", help="a recorded session or a transcript"),
        Group(
            "for recorded sessions",
            (
                option(
                    "--preset",
                    metavar="NAME",
                    action="append",
                    choices=PRESETS,
                    help=f"drive it with this preset ({', '.join(PRESETS)}); several times: side by side",
                ),
                option(
                    "--policy",
                    metavar="KEY=VALUE",
                    type=policy_key,
                    action="append",
                    help="drive it with this key of the policy, such as keep=2500; several times",
                ),
                option(
                    "--window",
                    metavar="TOKENS",
                    type=tokens,
                    help="the model's context window, instead of the recorded one (200000 where none is recorded)",
                ),
                option(
                    "--append",
                    action="store_true",
                    help="send only what is new with each call, and take edits back",
                ),
                option(
                    "--host",
                    metavar="NAME",
                    choices=HOSTS,
                    default=HOSTS[0],
                    help="how the host that is stood in for counts and keeps time: modelled (its list as ctxmgr "
                    "weighs it and overhead, a summary that copies, a cache that is never cold: as closed-loop "
                    "cost is defined), or recorded (the usage and the pauses that were recorded) (default: "
                    "modelled)",
                ),
                option(
                    "--recorded-compactions",
                    action="store_true",
                    help="compact where the recording did, instead of when ctxmgr asks for it",
                ),
                option(
                    "--record", metavar="DIR", help="write a transcript of each drive; it holds the conversation"
                ),
                option(
                    "--spawn",
                    action="store_true",
                    help="through a spawned sidecar, as a host does, instead of in this process: the same answers, "
                    "with the times of a process (--record does so by itself)",
                ),
            ),
        ),
        Group(
            "for measures of recorded sessions",
            (
                option(
                    "--no-measures",
                    action="store_true",
                    help="do not work out what the input costs and what the model could still see; without it "
                    "preset off is driven as well, for comparison",
                ),
                *BILL,
                option(
                    "--fetch",
                    choices=FETCHES,
                    default=FETCHES[0],
                    help="what a re-fetch brings, for closed-loop cost: the whole original, or a part of it, 1000 "
                    "tokens around what was asked for, as a model gets it that asks by a range (default: whole)",
                ),
                option(
                    "--peers",
                    action="store_true",
                    help="beside them, what others do by their published rules: observation masking, clearing, "
                    "and pruning",
                ),
                option(
                    "--host-keep",
                    metavar="TOKENS",
                    type=tokens,
                    help="what the host's own compaction keeps (default: 20000, at most half of what is below "
                    "its reserve; recorded: at most a quarter of the window)",
                ),
                option(
                    "--own-summaries",
                    action="store_true",
                    help="the summaries of the host's compactions are written by ctxmgr, without a model",
                ),
                option(
                    "--knob",
                    metavar="KEEP",
                    type=keep,
                    action="append",
                    help="preset balanced with this keep as well (lean, balanced, careful or tokens); several "
                    "times: its curve",
                ),
                option(
                    "--front",
                    action="store_true",
                    help="every preset, what stands beside them, and the curve of keep through its points: the "
                    "picture of closed-loop cost against re-fetches, in --report and as figures",
                ),
                option(
                    "--probes",
                    action="store_true",
                    help="ask what the model could still answer from its list (goal, files, tasks, ...), and judge "
                    "its packets",
                ),
                probes_failed(", and each line of a packet that the recording does not bear out"),
                option("--report", metavar="FILE.html", help="write a page with plots of all of this"),
            ),
        ),
        MODELS,
        JSON,
        Group(
            "for transcripts",
            (
                option(
                    "--update",
                    action="store_true",
                    help="write ctxmgr's lines anew from the host's, instead of comparing",
                ),
            ),
        ),
    ),
)

COMPARE = CommandRow(
    "Runs summarising strategies on the same cut of each recorded session (any that `ctxmgr replay` reads), and "
    "shows what each took, how many of the memory probes of what it replaces its summary answers, and what a "
    "model's call for it costs, with a copy of the conversation and at the end of the host's list. Without a "
    "model, `extractive` alone. Each summary becomes a Markdown file, readable by you alone (it holds "
    "conversation); a run that was interrupted, or is done again with the same settings, starts from what is "
    "there. The exit code is 1 if a recording cannot be read or a summary failed.",
    "ctxmgr compare session.jsonl --strategy extractive",
    "ctxmgr.study.compare:command.run",
    (
        option("recordings", metavar="RECORDING", nargs="+", help="a recorded session"),
        option(
            "--strategy",
            metavar="NAME",
            action="append",
            choices=STRATEGIES,
            help=f"{', '.join(STRATEGIES)}; several times: side by side (default: all with a model, else "
            "extractive)",
        ),
        option(
            "--format",
            metavar="NAME",
            action="append",
            choices=FORMATS,
            help=f"{', '.join(FORMATS)}; several times: each (default: structured)",
        ),
        option(
            "--keep",
            metavar="TOKENS",
            type=tokens,
            default=20_000,
            help="how much of a session's end stays as it is (default: 20000)",
        ),
        option(
            "--out",
            metavar="DIR",
            help="where summaries and the table go (default: ctxmgr-compare in the current directory)",
        ),
        MODELS,
        option("--wide", action="store_true", help="show all figures, not those alone that count most"),
        JSON,
        option("--jobs", metavar="N", type=positive, default=2, help="recordings side by side (default: 2)"),
        probes_failed(),
        Group(
            "the summarising model",
            (
                *MODEL_SERVER,
                option("--context-window", metavar="TOKENS", type=tokens, help="of that model (default: 128000)"),
            ),
        ),
        Group(
            "for chains of compactions",
            (
                option(
                    "--chain",
                    action="store_true",
                    help="walk each session from its start and compact whenever it outgrows the window, the next "
                    "compaction on top of the last; shows what the last summary still answers of all (default "
                    "strategy: extractive)",
                ),
                option(
                    "--window",
                    metavar="TOKENS",
                    type=tokens,
                    help="the context window of that walk (default: 200000)",
                ),
            ),
        ),
        Group("the bill of a model's call for each summary, and of chains", BILL),
    ),
)

RESULTS = "the folder of results"
CORPUS = CommandRow(
    "Tries policies on many recordings, on all cores of this machine or on a Dask cluster that exists, and "
    "compares them. What was computed stays as Parquet in a folder: a second run computes only what is new.",
    "ctxmgr corpus run recordings --policies balanced turns --out results",
    part="ACTION",
    parts={
        "run": CommandRow(
            "Drives each recording through each policy as `ctxmgr replay` does, with its modelled host, "
            "measures and probes, and keeps a row a call and a row a recording and policy. What cannot be read is "
            "a row with a reason. Whoever is killed loses what was under way: the same command goes on from there.",
            "ctxmgr corpus run recordings --policies balanced turns --out results",
            "ctxmgr.study.corpus:command.run",
            summary="drive recordings through policies, and keep the figures",
            options=(
                option(
                    "source",
                    metavar="SOURCE",
                    nargs="+",
                    help="a folder, a glob, a file, a Parquet file with a column `content`, or a URL of an object "
                    "store, such as s3://bucket/prefix",
                ),
                option(
                    "--policies",
                    metavar="POLICY",
                    nargs="+",
                    default=["balanced"],
                    help="PRESET or PRESET:KEY=VALUE,KEY=VALUE, such as balanced:keep=500, or a peer of `ctxmgr "
                    "replay --peers`, such as masking-10; preset off always runs, costs are told as shares of it "
                    "(default: balanced)",
                ),
                option("--out", metavar="DIR", required=True, help=RESULTS),
                option(
                    "--scheduler",
                    metavar="URL",
                    help="a Dask cluster that exists, such as tcp://host:8786, whose workers have this ctxmgr and "
                    "reach the sources; without it a cluster on this machine",
                ),
                option(
                    "--workers", metavar="N", type=positive, help="processes on this machine (default: one a core)"
                ),
                option("--sample", metavar="N", type=positive, help="only so many recordings, the same each time"),
                option(
                    "--window",
                    metavar="TOKENS",
                    type=tokens,
                    help="the context window, instead of the recorded one",
                ),
                option("--no-probes", action="store_true", help="do not ask what the model could still answer"),
            ),
        ),
        "report": CommandRow(
            "Shows closed cost, recall, probes, epochs and faults of what the last run asked for: of all, "
            "by host, model and length, policies in pairs with 95 % intervals, and the ten recordings where it "
            "paid least. With --against the exit code is 1 where something became worse.",
            "ctxmgr corpus report results --html corpus.html",
            "ctxmgr.study.corpus:command.report",
            summary="show what a run came to, or whether it is worse than another",
            options=(
                option("results", metavar="DIR", help=RESULTS),
                option("--against", metavar="DIR", help="other results, that these are held against"),
                option(
                    "--threshold",
                    metavar="SHARE",
                    type=share,
                    default=0.01,
                    help="how much worse a mean may be: closed cost of off's, recall, probes (default: 0.01)",
                ),
                option("--html", metavar="FILE", help="write a page of it"),
                option("--json", action="store_true", help="print all figures as JSON"),
            ),
        ),
    },
)

CONFORM = CommandRow(
    "Plays one side of transcripts against a program that plays the other, and compares what it "
    "says with what is recorded.",
    "ctxmgr conform host-side --command ./my-sidecar",
    part="SIDE",
    parts={
        "host-side": CommandRow(
            "Spawns the command once a transcript, says the host's lines, each after what is recorded "
            "before it has come, and compares: answers by id, requests and notifications in order, as JSON values; "
            "kept messages byte for byte. What a program may choose is not compared: the server's name, ids and "
            "bases, the wording of errors. The exit code is 1 where something differs or nothing could be played.",
            "ctxmgr conform host-side --command ./my-sidecar",
            "ctxmgr.study.conformance:host_side",
            summary="play the host against a sidecar",
            options=(
                option(
                    "transcripts",
                    metavar="TRANSCRIPT",
                    nargs="*",
                    help="a file or a folder (default: protocol/transcripts)",
                ),
                *PEER,
                option("--jobs", metavar="N", type=positive, default=2, help="transcripts at a time (default: 2)"),
            ),
        ),
        "server-side": CommandRow(
            "Stands in for `ctxmgr serve` on standard input and output: takes the host's messages as long "
            "as they are what the transcript says, and answers what is recorded. Compared are kind, method and "
            "params as JSON values; ids, session ids, clientInfo and stateDir are the host's own. The exit code is "
            "1 where something differs or is missing.",
            "ctxmgr conform server-side transcript.jsonl --verdict found.json",
            "ctxmgr.study.conformance:server_side",
            summary="play ctxmgr against a host, which spawns this command",
            options=(
                option("transcript", metavar="TRANSCRIPT", help="the conversation to play"),
                option("--verdict", metavar="FILE", help="write what was found, as JSON"),
                option(
                    "--any",
                    metavar="PATH",
                    action="append",
                    default=[],
                    help="what the host may choose, such as $.params.messages[*].timestamp; a transcript's header "
                    "marks more under `any`",
                ),
                option("--timeout", metavar="SECONDS", type=seconds, default=60.0, help=TIMEOUT_HELP),
            ),
        ),
    },
)


class HelpWithFormat(argparse.Action):
    """Loads the format's page when it is asked for: no other command waits for that."""

    def __init__(self, option_strings: Sequence[str], dest: str, help: str | None = None) -> None:
        super().__init__(option_strings, argparse.SUPPRESS, nargs=0, help=help)

    def __call__(self, parser: argparse.ArgumentParser, *rest: object) -> None:
        from ctxmgr.study.conformance import FORMAT

        example, parser.epilog = parser.epilog, None
        parser.print_help()
        print(f"\n{FORMAT}\n{example}")
        parser.exit()


DRIVE = CommandRow(
    "Spawns a sidecar, sends it the host's lines of a transcript, and compares what comes with the "
    "lines of ctxmgr, in which placeholders may stand for what differs from run to run. The exit code is 1 "
    "where something is not as expected, or a recording was skipped because it cannot be followed, 2 where the "
    "script or the command is none.",
    "ctxmgr drive protocol/examples/first-session.jsonl --show",
    "ctxmgr.study.conformance:drive",
    (
        option("-h", "--help", action=HelpWithFormat, help="show this, and the format of scripts"),
        option("scripts", metavar="SCRIPT", nargs="+", help="a script; - reads it from standard input"),
        *PEER,
        option("--show", action="store_true", help="print each message as it goes or comes"),
    ),
)

SAVINGS = CommandRow(
    "Reads the sessions that the agents on this machine have kept (or the files and folders that are named), and "
    "says what their input cost at list prices, what each point of `keep` would have made of it, and how much of "
    "what replies repeat the lists would still have held, by length of session. With --live: what the sessions "
    "that `--holdout` let pass untouched were billed, against those with ctxmgr, by the provider's own counts, and "
    "how many sessions are missing until a difference is shown. Nothing leaves this machine, and "
    "nothing is written but the page. The exit code is 1 if no session could be measured.",
    "ctxmgr savings --days 30 --report savings.html",
    "ctxmgr.cli.study:savings",
    (
        option("paths", metavar="PATH", nargs="*", help="a recorded session, or a folder of them, instead"),
        option("--days", metavar="N", type=positive, default=30, help="sessions changed within N days (30)"),
        option(
            "--agent",
            metavar="NAME",
            action="append",
            choices=KEEPERS,
            help=f"only this agent's sessions ({', '.join(KEEPERS)}); several times",
        ),
        option(
            "--policies",
            metavar="POINT,...",
            type=points,
            default=list(POINTS),
            help=f"the points of keep ({','.join(POINTS)})",
        ),
        option("--workers", metavar="N", type=positive, help="processes (default: one a core)"),
        option(
            "--seconds",
            metavar="N",
            type=whole,
            default=40,
            help="begin no session after N seconds: those measured by then are a random sample (40; 0: all)",
        ),
        option("--report", metavar="FILE.html", help="write it as a page, which only you can read"),
        MODELS,
        JSON,
        Group(
            "for sessions of a holdout",
            (
                option("--live", action="store_true", help="compare these instead"),
                option(
                    "--state-dir", metavar="DIR", help="where the proxy keeps its sessions (default: the user's)"
                ),
            ),
        ),
    ),
)


def savings(parsed: argparse.Namespace) -> int:
    """A holdout is compared without the distribution of the study."""
    if wrong := _not_together(parsed):
        return complain("savings", wrong, 2)
    if parsed.live:
        from ctxmgr import holdout

        return holdout.run(parsed)
    from ctxmgr.study.savings import command

    return command.run(parsed)


def _not_together(parsed: argparse.Namespace) -> str | None:
    """What was asked for that the other kind of `savings` would pass over; None where there is nothing."""
    if not parsed.live:
        return "--state-dir goes with --live" if parsed.state_dir else None
    others = [name for name in ("agent", "workers", "report", "models") if getattr(parsed, name) is not None]
    given = ["PATH"] * bool(parsed.paths) + [f"--{name}" for name in others]
    return f"--live compares what a holdout was billed, and takes no {' and no '.join(given)}" if given else None


DEMO = CommandRow(
    "Replays a recorded session that ships with ctxmgr, without pruning and with it, and shows one list before and "
    "after, the packet in it, and the bill. Nothing leaves this machine. The exit code is 1 if a check failed.",
    "ctxmgr demo --window 100k",
    "ctxmgr.study.demo:command.run",
    (
        option(
            "--window",
            metavar="TOKENS",
            type=tokens,
            default=64_000,
            help="the model's context window (default: 64000)",
        ),
    ),
)

COMMANDS = {
    "demo": DEMO,
    "savings": SAVINGS,
    "replay": REPLAY,
    "corpus": CORPUS,
    "compare": COMPARE,
    "drive": DRIVE,
    "conform": CONFORM,
}
