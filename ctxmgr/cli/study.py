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
BILL = (  # options for calculating the closed-loop cost
    option(
        "--prices",
        metavar="INPUT,READ,WRITE[,OUTPUT[,TIER...]]",
        type=prices,
        help="the price of input in dollars per million tokens; of reading and of writing the cache, as shares of "
        "it; "
        "of output in dollars. TOKENS:FACTOR[:FACTOR]: requests above so many tokens cost FACTOR times as much, "
        "and "
        "their output the second FACTOR times (default: 3,0.1,1.25,15)",
    ),
    option("--cache-ttl", metavar="SECONDS", type=seconds, help="how long the cache lives (default: 300)"),
    option(
        "--cache",
        metavar="NAME",
        choices=CACHES,
        default=CACHES[0],
        help="how the provider caches: ideal (the whole prefix shared with the previous list is read), marks (at "
        "cache "
        "marks that ctxmgr places, looking back 20 blocks), host-marks (at one mark on the newest message), "
        "implicit "
        "(in steps of 128 tokens, from 1024 on), none (default: ideal)",
    ),
    option(
        "--overhead",
        metavar="TOKENS",
        type=tokens_or_none,
        default=OVERHEAD_TOKENS,
        help="the size of system prompt and tools in each request (default: 5000)",
    ),
)
TIMEOUT_HELP = "how long each wait may take (default: %(default)g)"
PEER = (  # options for the process to start, and for talking to it
    option(
        "--command",
        metavar="CMD",
        nargs=argparse.REMAINDER,
        help="the sidecar to start (default: this ctxmgr); must be the last option, the rest is the command",
    ),
    option(
        "--framing", choices=("content-length", "ndjson"), default="content-length", help="how messages are framed"
    ),
    option("--timeout", metavar="SECONDS", type=seconds, default=10.0, help=TIMEOUT_HELP),
)


def probes_failed(more: str = "") -> Option:
    """`more`: what else the file contains."""
    return option(
        "--probes-failed",
        metavar="FILE",
        help=f"write each probe that failed and where its answer was lost{more}, one JSON object per line; "
        "contains "
        "conversation",
    )


REPLAY = CommandRow(
    "Replays a recorded session through ctxmgr as its host would have done, checks each answer, and shows what the "
    "policy costs and keeps. It reads sessions of pi, Claude Code, Codex, OpenCode, "
    "OpenHands, SWE-agent, mini-swe-agent, Cline, Roo Code, Kilo Code, Gemini CLI and Copilot CLI, streams of pi's "
    "events, and plain lists of chat completions or of Anthropic's messages. A transcript of `ctxmgr serve "
    "--record "
    "FILE` is played again instead, and the answers are compared with the recorded ones. The exit code is 1 if a "
    "check failed or an answer differs.",
    "ctxmgr replay session.jsonl --preset balanced --preset turns",
    "ctxmgr.study.replay:command.run",
    (
        option("files", metavar="FILE", nargs="+", help="a recorded session or a transcript"),
        Group(
            "recorded sessions",
            (
                option(
                    "--preset",
                    metavar="NAME",
                    action="append",
                    choices=PRESETS,
                    help=f"the preset to use ({', '.join(PRESETS)}); repeat it to compare several",
                ),
                option(
                    "--policy",
                    metavar="KEY=VALUE",
                    type=policy_key,
                    action="append",
                    help="set this key of the policy, such as keep=2500; may be repeated",
                ),
                option(
                    "--window",
                    metavar="TOKENS",
                    type=tokens,
                    help="the context window, such as 200k (default: the recorded one, else 200000)",
                ),
                option(
                    "--append",
                    action="store_true",
                    help="send only new messages with each call, and receive edits",
                ),
                option(
                    "--host",
                    metavar="NAME",
                    choices=HOSTS,
                    default=HOSTS[0],
                    help="how the host counts and keeps time: modelled (ctxmgr's count of its list plus the "
                    "overhead, "
                    "summaries that copy, a cache that never expires, as closed-loop cost is defined) or recorded "
                    "(with the usage and pauses of the recording) (default: modelled)",
                ),
                option(
                    "--recorded-compactions",
                    action="store_true",
                    help="compact where the recording did, not when ctxmgr asks",
                ),
                option(
                    "--record",
                    metavar="DIR",
                    help="write a transcript of each replay; it contains the conversation",
                ),
            ),
        ),
        Group(
            "measures of recorded sessions",
            (
                option(
                    "--no-measures",
                    action="store_true",
                    help="do not measure cost and what the list still contains; otherwise preset off is replayed "
                    "too, "
                    "for comparison",
                ),
                *BILL,
                option(
                    "--fetch",
                    choices=FETCHES,
                    default=FETCHES[0],
                    help="what a re-fetch returns, for closed-loop cost: the whole original, or a part of 1000 "
                    "tokens "
                    "around what was asked for, as a read of a range would (default: whole)",
                ),
                option(
                    "--peers",
                    action="store_true",
                    help="also replay other tools' published rules: observation masking, clearing and pruning",
                ),
                option(
                    "--host-keep",
                    metavar="TOKENS",
                    type=tokens,
                    help="what the host's own compaction keeps (default: 20000, but at most half of the room "
                    "below its "
                    "reserve; with --host recorded at most a quarter of the window)",
                ),
                option(
                    "--own-summaries",
                    action="store_true",
                    help="let ctxmgr write the summaries of the host's compactions, without a model",
                ),
                option(
                    "--knob",
                    metavar="KEEP",
                    type=keep,
                    action="append",
                    help="also replay preset balanced with this keep (lean, balanced, careful or tokens); repeat "
                    "it for "
                    "a curve",
                ),
                option(
                    "--front",
                    action="store_true",
                    help="replay every preset, the peers, and the points of keep: the plot of cost against kept, "
                    "in "
                    "--report and as figures",
                ),
                option(
                    "--probes",
                    action="store_true",
                    help="test what the model could still answer from its list (goal, files, tasks, ...), and "
                    "check "
                    "each line of the packets",
                ),
                probes_failed(", and each packet line that the recording does not confirm"),
                option("--report", metavar="FILE.html", help="write a page with plots"),
            ),
        ),
        MODELS,
        JSON,
        Group(
            "transcripts",
            (
                option(
                    "--update",
                    action="store_true",
                    help="write ctxmgr's lines again from the host's, instead of comparing them",
                ),
            ),
        ),
    ),
)

COMPARE = CommandRow(
    "Writes summaries of recorded sessions (any that `ctxmgr replay` reads) with several strategies, and compares "
    "them: tokens and time, how many memory probes about the replaced part each summary answers, and what the "
    "model's call costs, with a copy of the conversation and at the end of the host's list. Without a model only "
    "`extractive` runs. Each summary is a Markdown file that only you can read (it contains conversation). A run "
    "that was interrupted continues where it stopped. The exit code is 1 if a recording cannot be read or a "
    "summary "
    "failed.",
    "ctxmgr compare session.jsonl --strategy extractive",
    "ctxmgr.study.compare:command.run",
    (
        option("recordings", metavar="RECORDING", nargs="+", help="a recorded session"),
        option(
            "--strategy",
            metavar="NAME",
            action="append",
            choices=STRATEGIES,
            help=f"{', '.join(STRATEGIES)}; may be repeated (default: all with a model, else extractive)",
        ),
        option(
            "--format",
            metavar="NAME",
            action="append",
            choices=FORMATS,
            help=f"{', '.join(FORMATS)}; may be repeated (default: structured)",
        ),
        option(
            "--keep",
            metavar="TOKENS",
            type=tokens,
            default=20_000,
            help="how much of the end of a session is kept unchanged (default: 20000)",
        ),
        option(
            "--out",
            metavar="DIR",
            help="the folder for summaries and the table (default: ./ctxmgr-compare)",
        ),
        MODELS,
        JSON,
        option("--jobs", metavar="N", type=positive, default=2, help="recordings at a time (default: 2)"),
        probes_failed(),
        Group(
            "the model that writes summaries",
            (
                *MODEL_SERVER,
                option(
                    "--context-window", metavar="TOKENS", type=tokens, help="its context window (default: 128000)"
                ),
            ),
        ),
        Group("the cost of model calls", BILL),
    ),
)

RESULTS = "the folder of results"
CORPUS = CommandRow(
    "Replays many recordings with several policies, on all cores of this machine or on a Dask cluster, and "
    "compares "
    "them. Results are kept as Parquet in a folder: a second run computes only what is new.",
    "ctxmgr corpus run recordings --policies balanced turns --out results",
    part="ACTION",
    parts={
        "run": CommandRow(
            "Replays each recording with each policy as `ctxmgr replay` does, with its modelled host, measures and "
            "probes. It writes one row per call and one row per recording and policy; a recording that cannot be "
            "read "
            "is a row with the reason. After an interruption the same command continues where it stopped.",
            "ctxmgr corpus run recordings --policies balanced turns --out results",
            "ctxmgr.study.corpus:command.run",
            summary="replay recordings with policies, and store the figures",
            options=(
                option(
                    "source",
                    metavar="SOURCE",
                    nargs="+",
                    help="a folder, a glob, a file, a Parquet file with a column `content`, or the URL of an "
                    "object "
                    "store, such as s3://bucket/prefix",
                ),
                option(
                    "--policies",
                    metavar="POLICY",
                    nargs="+",
                    default=["balanced"],
                    help="PRESET or PRESET:KEY=VALUE,KEY=VALUE, such as balanced:keep=5k, or a peer of `ctxmgr "
                    "replay "
                    "--peers`, such as masking-10; preset off always runs, because costs are shares of it "
                    "(default: "
                    "balanced)",
                ),
                option("--out", metavar="DIR", required=True, help=RESULTS),
                option(
                    "--scheduler",
                    metavar="URL",
                    help="the address of a Dask cluster, such as tcp://host:8786, whose workers have this version "
                    "of "
                    "ctxmgr and can reach the sources (default: this machine)",
                ),
                option(
                    "--workers",
                    metavar="N",
                    type=positive,
                    help="processes on this machine (default: one per core)",
                ),
                option(
                    "--sample",
                    metavar="N",
                    type=positive,
                    help="use only this many recordings, the same ones each time",
                ),
                option(
                    "--window",
                    metavar="TOKENS",
                    type=tokens,
                    help="the context window, such as 200k (default: the recorded one)",
                ),
            ),
        ),
        "report": CommandRow(
            "Shows closed-loop cost, kept, recall, probes, epochs and failed checks of the last run: over all "
            "recordings, by host, model and length, the policies in pairs with 95 % intervals, and the ten "
            "recordings "
            "with the smallest gain. With --against the exit code is 1 if something became worse.",
            "ctxmgr corpus report results --html corpus.html",
            "ctxmgr.study.corpus:command.report",
            summary="show the results of a run, or compare them with another run",
            options=(
                option("results", metavar="DIR", help=RESULTS),
                option("--against", metavar="DIR", help="compare with these results"),
                option(
                    "--threshold",
                    metavar="SHARE",
                    type=share,
                    default=0.01,
                    help="how much worse a mean may become before it counts (default: 0.01)",
                ),
                option("--html", metavar="FILE", help="also write a page"),
                option("--json", action="store_true", help="print all figures as JSON"),
            ),
        ),
    },
)

CONFORM = CommandRow(
    "Plays one side of transcripts against a program that plays the other side, and compares what the program "
    "sends "
    "with the transcript.",
    "ctxmgr conform host-side --command ./my-sidecar",
    part="SIDE",
    parts={
        "host-side": CommandRow(
            "Starts the command once per transcript and sends the host's lines, each after the lines before it "
            "have "
            "arrived. Compares answers by id, requests and notifications in order, as JSON values, and kept "
            "messages "
            "byte for byte. It does not compare what a program may choose: the name of the server, ids, and the "
            "words "
            "of errors. The exit code is 1 if something differs or nothing could be played.",
            "ctxmgr conform host-side --command ./my-sidecar",
            "ctxmgr.study.conformance:host_side",
            summary="play the host, to check a sidecar",
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
            "Acts as `ctxmgr serve` on standard input and output: accepts the host's messages while they match the "
            "transcript, and sends the recorded answers. It compares kind, method and params as JSON values; ids, "
            "session ids, clientInfo and stateDir are free. The exit code is 1 if something differs or is missing.",
            "ctxmgr conform server-side transcript.jsonl --verdict found.json",
            "ctxmgr.study.conformance:server_side",
            summary="play ctxmgr, to check a host that starts this command",
            options=(
                option("transcript", metavar="TRANSCRIPT", help="the transcript to play"),
                option("--verdict", metavar="FILE", help="write the result as JSON"),
                option("--timeout", metavar="SECONDS", type=seconds, default=60.0, help=TIMEOUT_HELP),
            ),
        ),
    },
)


class HelpWithFormat(argparse.Action):
    """Loads the format's page only when it is requested."""

    def __init__(self, option_strings: Sequence[str], dest: str, help: str | None = None) -> None:
        super().__init__(option_strings, argparse.SUPPRESS, nargs=0, help=help)

    def __call__(self, parser: argparse.ArgumentParser, *rest: object) -> None:
        from ctxmgr.study.conformance import FORMAT

        example, parser.epilog = parser.epilog, None
        parser.print_help()
        print(f"\n{FORMAT}\n{example}")
        parser.exit()


DRIVE = CommandRow(
    "Starts a sidecar, sends it the host's lines of a transcript, and compares what it sends with the lines of "
    "ctxmgr. Placeholders in these stand for values that differ between runs. The exit code is 1 if something is "
    "not "
    "as expected or a recording was skipped because it cannot be followed, and 2 if a script or the command is "
    "invalid.",
    "ctxmgr drive protocol/examples/first-session.jsonl --show",
    "ctxmgr.study.conformance:drive",
    (
        option("-h", "--help", action=HelpWithFormat, help="show this help and the format of scripts"),
        option("scripts", metavar="SCRIPT", nargs="+", help="a script; - reads standard input"),
        *PEER,
        option("--show", action="store_true", help="print each message that is sent or received"),
    ),
)

SAVINGS = CommandRow(
    "Reads the sessions that the agents on this machine have stored (or the files and folders that you name). By "
    "length of session, shows what their input cost at list prices, what it would have cost with each point of "
    "`keep`, and how much of what replies repeat the lists would still have contained. With --live, compares the "
    "bills of the sessions that `--holdout` left unchanged with those of the others, and says how many more "
    "sessions "
    "a result needs. Nothing leaves this machine, and nothing is written except the page. The exit code is 1 if no "
    "session could be measured.",
    "ctxmgr savings --days 30 --report savings.html",
    "ctxmgr.cli.study:savings",
    (
        option("paths", metavar="PATH", nargs="*", help="measure these recorded sessions or folders instead"),
        option(
            "--days",
            metavar="N",
            type=positive,
            default=30,
            help="only sessions that changed within N days (default: 30)",
        ),
        option(
            "--agent",
            metavar="NAME",
            action="append",
            choices=KEEPERS,
            help=f"only sessions of this agent ({', '.join(KEEPERS)}); may be repeated",
        ),
        option(
            "--policies",
            metavar="POINT,...",
            type=points,
            default=list(POINTS),
            help=f"the points of keep to compare (default: {','.join(POINTS)})",
        ),
        option("--workers", metavar="N", type=positive, help="processes (default: one per core)"),
        option(
            "--seconds",
            metavar="N",
            type=whole,
            default=40,
            help="start no session after N seconds; those measured by then are a random sample (default: 40; 0: "
            "all)",
        ),
        option("--report", metavar="FILE.html", help="also write a page, which only you can read"),
        MODELS,
        JSON,
        Group(
            "sessions of a holdout",
            (
                option("--live", action="store_true", help="compare the sessions of a holdout instead"),
                option("--state-dir", metavar="DIR", help="where the proxy saves its sessions (default: yours)"),
            ),
        ),
    ),
)


def savings(parsed: argparse.Namespace) -> int:
    """Compares a holdout without the study distribution."""
    if wrong := _not_together(parsed):
        return complain("savings", wrong, 2)
    if parsed.live:
        from ctxmgr import holdout

        return holdout.run(parsed)
    from ctxmgr.study.savings import command

    return command.run(parsed)


def _not_together(parsed: argparse.Namespace) -> str | None:
    """An error for options of the other kind of `savings`; None if there are none."""
    if not parsed.live:
        return "--state-dir goes with --live" if parsed.state_dir else None
    others = [name for name in ("agent", "workers", "report", "models") if getattr(parsed, name) is not None]
    given = ["PATH"] * bool(parsed.paths) + [f"--{name}" for name in others]
    return f"--live compares what a holdout was billed, and takes no {' and no '.join(given)}" if given else None


DEMO = CommandRow(
    "Replays a recorded session that ships with ctxmgr, without pruning and with it, and shows one list before and "
    "after, the packet in it, and the bill. Nothing leaves this machine. The exit code is 1 if a check failed.",
    "ctxmgr demo --window 100k",
    "ctxmgr.study.demo:run",
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
