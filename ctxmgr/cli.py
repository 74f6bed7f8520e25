"""The command line: what a user types, and which module carries it out."""

import argparse
import importlib
import os
import sys
from collections.abc import Callable, Sequence

from ctxmgr import __version__

# written out: starting the server waits for no import it does not need
PRESETS = ("off", "tools", "turns", "balanced")
WITH_MODEL = ("single-shot", "parallel-stitch", "sequential-accumulated", "sequential-rolling", "incremental")
STRATEGIES = (*WITH_MODEL, "extractive")
TIMEOUT_HELP = "how long each wait may take (default: %(default)g)"
MAX_PRICE = 1_000_000.0  # dollars a million tokens: more than that, or not a number, is a mistake
MAX_SECONDS = 86_400.0  # a day: longer is a mistake, and no wait is endless
FORMATS = ("structured", "nine-section", "handoff", "continue")


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command; the exit code: 0 done, 1 it found something wrong, 2 wrong usage."""
    parsed = _parser().parse_args(arguments)
    try:
        code: int = parsed.run(parsed)
        sys.stdout.flush()
    except BrokenPipeError:  # who read the output wanted no more of it
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return 1
    return code


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="ctxmgr",
        description="A sidecar that keeps a coding agent's context window small, correct and cheap. "
        "A host spawns `ctxmgr serve` and speaks JSON-RPC 2.0 with it on standard input and output.",
    )
    parser.add_argument("--version", action="version", version=f"ctxmgr {__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    _serve(commands)
    _replay(commands)
    _compare(commands)
    _drive(commands)
    _conform(commands)
    _inspect(commands)
    _forget(commands)
    _describe(commands)
    return parser


def _serve(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    command = commands.add_parser(
        "serve",
        help="serve one host on standard input and output",
        description="Serves one host until it closes standard input, sends `exit`, or ends. Both framings of "
        "JSON-RPC are understood: Content-Length headers, and one message a line.",
    )
    command.add_argument("--state-dir", metavar="DIR", help="where snapshots go when the host names no stateDir")
    command.add_argument(
        "--record", metavar="FILE", help="write a transcript of everything said; it holds the conversation"
    )
    command.add_argument(
        "--preload",
        metavar="NAME",
        nargs="?",
        const="o200k_base",
        help="load this vocabulary before the first message is read, so that all weights come from it",
    )
    command.add_argument(
        "--max-message",
        metavar="MIB",
        type=int,
        default=64,
        help="largest message taken, in MiB (default: 64)",
    )
    command.set_defaults(run=_run_serve)


def _run_serve(parsed: argparse.Namespace) -> int:
    from ctxmgr.server.runtime import Setup
    from ctxmgr.server.stdio_server import serve

    if parsed.max_message < 1:
        print("ctxmgr serve: --max-message must be at least 1", file=sys.stderr)
        return 2
    setup = Setup(parsed.state_dir, parsed.record, parsed.preload, parsed.max_message << 20)
    return serve(setup)


def _replay(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    command = commands.add_parser(
        "replay",
        help="try ctxmgr on a recorded session, or compare it with a transcript",
        description="What happens depends on the file. A recorded session (of pi, Claude Code, Codex, OpenCode, "
        "OpenHands, SWE-agent or mini-swe-agent, or a stream of pi's extension events) is driven through a freshly "
        "spawned ctxmgr as its host would have done, each answer is checked, and tables show what became of the "
        "context. A transcript (written by `ctxmgr serve --record FILE`) is fed to this version, and its answers "
        "are compared with the recorded ones. The exit code is 1 if a check failed or an answer differs.",
    )
    command.add_argument("files", metavar="FILE", nargs="+", help="a recorded session or a transcript")
    sessions = command.add_argument_group("for recorded sessions")
    sessions.add_argument(
        "--preset",
        metavar="NAME",
        action="append",
        choices=PRESETS,
        help=f"drive it with this preset ({', '.join(PRESETS)}); several times: side by side",
    )
    sessions.add_argument(
        "--window",
        metavar="TOKENS",
        type=_positive,
        help="the model's context window, instead of the recorded one (200000 where none is recorded)",
    )
    sessions.add_argument(
        "--append", action="store_true", help="send only what is new with each call, and take edits back"
    )
    sessions.add_argument(
        "--recorded-compactions",
        action="store_true",
        help="compact where the recording did, instead of when ctxmgr asks for it",
    )
    sessions.add_argument(
        "--record", metavar="DIR", help="write a transcript of each drive; it holds the conversation"
    )
    _measures(command)
    command.add_argument("--json", action="store_true", help="print the figures as JSON")
    transcripts = command.add_argument_group("for transcripts")
    transcripts.add_argument(
        "--update", action="store_true", help="write ctxmgr's lines anew from the host's, instead of comparing"
    )
    command.set_defaults(run=_study("replay.command"))


def _measures(command: argparse.ArgumentParser) -> None:
    measures = command.add_argument_group("for measures of recorded sessions")
    measures.add_argument(
        "--no-measures",
        action="store_true",
        help="do not work out what the input costs and what the model could still see; without it preset off is "
        "driven as well, for comparison",
    )
    measures.add_argument(
        "--prices",
        metavar="INPUT,READ,WRITE",
        type=_prices,
        help="of input, in dollars a million tokens, and what reading and writing the cache costs, as shares of it "
        "(default: 3,0.1,1.25)",
    )
    measures.add_argument("--cache-ttl", metavar="SECONDS", type=_seconds, help="life of the cache (300)")
    measures.add_argument(
        "--control", action="store_true", help="beside them, a plain rule: the newest 20000 tokens"
    )
    hindsight = "beside them, the cheapest cuts that hindsight finds, and how far off the presets are"
    measures.add_argument("--optimum", action="store_true", help=hindsight)
    knob = "preset balanced with this costVersusRecall as well; several times: its curve"
    measures.add_argument("--knob", metavar="SHARE", type=_share, action="append", help=knob)
    measures.add_argument("--report", metavar="FILE.html", help="write a page with plots of all of this")


def _compare(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    command = commands.add_parser(
        "compare",
        help="compare ways to summarise recorded sessions",
        description="Runs summarising strategies on the same cut of each recorded session (a pi session file or "
        "export, or a stream of pi's extension events), and shows what each took and how much its summary still "
        "holds of what it replaces: paths, identifiers, constraints, decisions, tasks, errors, requests. Without a "
        "model, `extractive` alone. Each summary becomes a Markdown file, readable by you alone (it holds "
        "conversation); a run that was interrupted, or is done again with the same settings, starts from what is "
        "there. The exit code is 1 if a recording can not be read or a summary failed.",
    )
    command.add_argument("recordings", metavar="RECORDING", nargs="+", help="a recorded session")
    command.add_argument(
        "--strategy",
        metavar="NAME",
        action="append",
        choices=STRATEGIES,
        help=f"{', '.join(STRATEGIES)}; several times: side by side (default: all with a model, else extractive)",
    )
    command.add_argument(
        "--format",
        metavar="NAME",
        action="append",
        choices=FORMATS,
        help=f"{', '.join(FORMATS)}; several times: each (default: structured)",
    )
    command.add_argument(
        "--keep",
        metavar="TOKENS",
        type=_positive,
        default=20_000,
        help="how much of a session's end stays as it is (default: 20000)",
    )
    command.add_argument(
        "--out",
        metavar="DIR",
        help="where summaries and the table go (default: ctxmgr-compare in the current directory)",
    )
    command.add_argument("--json", action="store_true", help="print the figures as JSON")
    command.add_argument(
        "--jobs", metavar="N", type=_positive, default=2, help="recordings side by side (default: 2)"
    )
    _compare_models(command)
    chain = command.add_argument_group("for chains of compactions")
    chain.add_argument(
        "--chain",
        action="store_true",
        help="walk each session from its start and compact whenever it outgrows the window, the next compaction "
        "on top of the last; shows what the last summary still holds of everything (default strategy: extractive)",
    )
    chain.add_argument(
        "--window", metavar="TOKENS", type=_positive, help="the context window of that walk (default: 200000)"
    )
    command.set_defaults(run=_study("compare.command"))


def _compare_models(command: argparse.ArgumentParser) -> None:
    models = command.add_argument_group("the summarising model")
    models.add_argument(
        "--endpoint", metavar="URL", help="a chat-completions server, such as http://localhost:8000/v1"
    )
    models.add_argument("--model", metavar="NAME", help="the model's name there")
    models.add_argument(
        "--api-key-env", metavar="VAR", help="the environment variable that holds the key; none is sent without it"
    )
    models.add_argument(
        "--context-window", metavar="TOKENS", type=_positive, help="of that model (default: 128000)"
    )
    models.add_argument(
        "--scripted",
        action="store_true",
        help="a scripted model inside the process: tests the plumbing, says nothing of how good a summary is",
    )


def _drive(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    command = commands.add_parser(
        "drive",
        help="play a script of a host against a sidecar",
        description="Spawns a sidecar, sends it the host's lines of a transcript, and compares what comes with the "
        "lines of ctxmgr, in which placeholders may stand for what differs from run to run. The exit code is 1 "
        "where something is not as expected, 2 where the script or the command is none.",
        add_help=False,
    )
    command.add_argument("-h", "--help", action=_HelpWithFormat, help="show this, and the format of scripts")
    command.add_argument("scripts", metavar="SCRIPT", nargs="+", help="a script; - reads it from standard input")
    _peer(command)
    command.add_argument(
        "--record", metavar="FILE", help="write a transcript; FILE-2 and so on for the next processes"
    )
    command.add_argument("--show", action="store_true", help="print each message as it goes or comes")
    command.set_defaults(run=_study("hostscript"))


class _HelpWithFormat(argparse.Action):
    """Loads the format's page when it is asked for: no other command waits for that."""

    def __init__(self, option_strings: Sequence[str], dest: str, help: str | None = None) -> None:
        super().__init__(option_strings, argparse.SUPPRESS, nargs=0, help=help)

    def __call__(self, parser: argparse.ArgumentParser, *rest: object) -> None:
        from ctxmgr.study.hostscript import FORMAT

        parser.print_help()
        print(f"\n{FORMAT}")
        parser.exit()


def _conform(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    command = commands.add_parser(
        "conform",
        help="check a sidecar, or a host, against the golden transcripts",
        description="Plays one side of transcripts against a program that plays the other, and compares what it "
        "says with what is recorded.",
    )
    sides = command.add_subparsers(required=True, metavar="SIDE")
    host = sides.add_parser(
        "host-side",
        help="play the host against a sidecar",
        description="Spawns the command once a transcript, says the host's lines, each after what is recorded "
        "before it has come, and compares: answers by id, requests and notifications in order, as JSON values; "
        "kept messages byte for byte. What a program may choose is not compared: the server's name, ids and "
        "bases, the wording of errors. The exit code is 1 where something differs or nothing could be played.",
    )
    host.add_argument(
        "transcripts", metavar="TRANSCRIPT", nargs="*", help="a file or a folder (default: protocol/transcripts)"
    )
    _peer(host)
    host.add_argument("--exact", action="store_true", help="compare all of it byte for byte, as `replay` does")
    host.add_argument(
        "--snapshots",
        action="store_true",
        help="the command reads this ctxmgr's snapshots: also play what starts from one (sure without --command)",
    )
    host.add_argument(
        "--deadlines", action="store_true", help="also play what waits for a deadline to pass: seconds each"
    )
    host.add_argument("--jobs", metavar="N", type=_positive, default=2, help="transcripts at a time (default: 2)")
    host.set_defaults(run=_run_host_side)
    server = sides.add_parser(
        "server-side",
        help="play ctxmgr against a host, which spawns this command",
        description="Stands in for `ctxmgr serve` on standard input and output: takes the host's messages as long "
        "as they are what the transcript says, and answers what is recorded. Compared are kind, method and params "
        "as JSON values; ids, session ids, clientInfo and stateDir are the host's own. The exit code is 1 where "
        "something differs or is missing.",
    )
    server.add_argument("transcript", metavar="TRANSCRIPT", help="the conversation to play")
    server.add_argument("--verdict", metavar="FILE", help="write what was found, as JSON")
    server.add_argument(
        "--any",
        metavar="PATH",
        action="append",
        default=[],
        help="what the host may choose, such as $.params.messages[*].timestamp; a transcript's header marks more "
        "under `any`",
    )
    server.add_argument("--timeout", metavar="SECONDS", type=_seconds, default=60.0, help=TIMEOUT_HELP)
    server.set_defaults(run=_run_server_side)


def _peer(command: argparse.ArgumentParser) -> None:
    """What is spawned, and how it is spoken to."""
    command.add_argument(
        "--command",
        metavar="CMD",
        nargs=argparse.REMAINDER,
        help="the sidecar to spawn (default: this ctxmgr); the last option: all that follows it is the command",
    )
    command.add_argument(
        "--framing", choices=("content-length", "ndjson"), default="content-length", help="how messages are framed"
    )
    command.add_argument("--timeout", metavar="SECONDS", type=_seconds, default=10.0, help=TIMEOUT_HELP)


def _inspect(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    command = commands.add_parser(
        "inspect",
        help="show what a session's snapshot holds",
        description="Shows a snapshot file of the state directory: what ctxmgr knows of the session, the facts "
        "it has learned and the summaries it has heard. The file is only read. The exit code is 1 if it is "
        "broken or its end is torn.",
    )
    command.add_argument("file", metavar="FILE", help="a snapshot, NAME.jsonl in the state directory")
    command.add_argument("--full", action="store_true", help="show long texts whole")
    command.set_defaults(run=_study("inspection.inspecting"))


def _forget(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    command = commands.add_parser(
        "forget",
        help="delete what is kept of a session",
        description="Deletes a session's snapshot, what lies beside it, and its originals in the archive. The exit "
        "code is 1 if the session is open or the disk refuses, 2 if nothing is kept of it.",
    )
    command.add_argument("session", metavar="SESSION", help="the session's id, as the host names it")
    command.add_argument("--state-dir", metavar="DIR", help="the state directory (default: the user's)")
    command.set_defaults(run=_study("inspection.forgetting"))


def _describe(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    command = commands.add_parser(
        "describe",
        help="print all methods and their shapes as OpenRPC JSON",
        description="Prints every method, either way, with params, answers and errors, as an OpenRPC document.",
    )
    command.set_defaults(run=_run_describe)


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise ValueError(text)
    return number


def _prices(text: str) -> tuple[float, float, float]:
    input, read, write = map(float, text.split(","))
    if not all(0 <= price < MAX_PRICE for price in (input, read, write)):
        raise ValueError(text)
    return input, read, write


def _share(text: str) -> float:
    return _checked(float(text), 0 <= float(text) <= 1)


def _seconds(text: str) -> float:
    return _checked(float(text), 0 < float(text) < MAX_SECONDS)


def _checked(number: float, fits: bool) -> float:
    if fits:
        return number
    raise ValueError(number)


def _study(name: str) -> Callable[[argparse.Namespace], int]:
    """What runs a command: a module of `study`, loaded when it is its turn."""

    def run(parsed: argparse.Namespace) -> int:
        code: int = importlib.import_module(f"ctxmgr.study.{name}").run(parsed)
        return code

    return run


def _run_host_side(parsed: argparse.Namespace) -> int:
    from ctxmgr.study.conformance import command as conformance_command

    return conformance_command.host_side(parsed)


def _run_server_side(parsed: argparse.Namespace) -> int:
    from ctxmgr.study.conformance import stdio

    return stdio.server_side(parsed)


def _run_describe(parsed: argparse.Namespace) -> int:
    import json

    from ctxmgr.wire.spec import openrpc

    print(json.dumps(openrpc.document(__version__), indent=2, ensure_ascii=False))
    return 0
