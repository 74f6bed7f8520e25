"""The commands of the command line, and the function that runs one."""

import importlib
import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ctxmgr import __version__

if TYPE_CHECKING:
    import argparse  # not loaded by a plain `serve`

MODULES = {  # the commands of each, and what they are for; a module is loaded when one of its commands is named
    "started": {
        "serve": "serve one host on standard input and output",
        "mcp": "serve ctxmgr's tools to an agent's model; run starts it",
        "hook": "answer an event of an agent that calls it as a hook",
    },
    "agents": {
        "run": "run an agent, such as claude or codex, through ctxmgr",
        "ab": "run one prompt with and without ctxmgr, and compare the bills",
        "proxy": "serve a proxy between programs and their provider",
    },
    "study": {
        "demo": "replay a recorded session that ships with ctxmgr, and show what it does",
        "savings": "show what your agents' sessions cost, and would have cost",
        "replay": "try ctxmgr on a recorded session, or check a transcript",
        "corpus": "try policies on many recordings, and compare them",
        "compare": "compare ways to summarize recorded sessions",
        "drive": "play the host's side of a script against a sidecar",
        "conform": "check a sidecar or a host against the transcripts",
    },
    "local": {
        "doctor": "check the installation and say what to fix",
        "models": "show known models: context windows, prices, caches",
        "config": "show the settings of run and proxy, and where each comes from",
        "sessions": "list, show, export and delete saved sessions",
        "search": "search what was removed from the lists of saved sessions",
        "inspect": "show the snapshot of a session",
        "forget": "delete everything that is stored of a session",
        "describe": "print all methods as OpenRPC JSON",
    },
}
COMMANDS = {name: summary for commands in MODULES.values() for name, summary in commands.items()}

INTERRUPTED = 130  # 128 plus the number of SIGINT, as in any program


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command. Returns the exit code: 0 done, 1 it found something wrong, 2 wrong usage."""
    given = sys.argv[1:] if arguments is None else arguments
    try:
        return _run(given)
    except ModuleNotFoundError as missing:
        from ctxmgr.extras import BROUGHT_BY, needs

        name = missing.name or ""
        extra = BROUGHT_BY.get(name, BROUGHT_BY.get(name.partition(".")[0]))
        if extra is None:
            raise
        print(f"ctxmgr: this command {needs('corpus' if 'corpus' in given[:1] else extra)}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("ctxmgr: interrupted", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:  # the reader of the output wants no more of it
        _to_nowhere()
        return 1
    except OSError as fault:  # a full disk, for example
        _to_nowhere()
        where = f"{fault.filename}: " if fault.filename else ""
        print(f"ctxmgr: {where}{fault.strerror or type(fault).__name__}", file=sys.stderr)
        return 1


def _to_nowhere() -> None:
    """Redirects the rest of the output, which the interpreter writes at its end, to nowhere."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


def _run(given: Sequence[str]) -> int:
    """Runs the command and flushes its output, also after SystemExit: help is printed before any command runs."""
    try:
        if given and given[0] == "serve":
            from ctxmgr.cli import serve

            if (plain := serve.plain(given[1:])) is not None:
                return serve.run(plain)
        if given and given[0] == "hook" and not {"-h", "--help"} & set(given):
            from ctxmgr import hooks  # wrong usage must not fail the agent that calls it either

            return hooks.run(hooks.plain(given[1:]))
        import pkgutil

        if not given:
            parser(None).print_help(sys.stderr)
            return 2
        parsed = parser(next((word for word in given if word in COMMANDS), None)).parse_args(given)
        code: int = pkgutil.resolve_name(parsed.run)(parsed)
        return code
    finally:
        if sys.stdout is not None:
            sys.stdout.flush()


def parser(named: str | None) -> "argparse.ArgumentParser":
    """The parser of the named command. Of the others it has only the summaries."""
    from ctxmgr.cli.arguments import OneLineParser, add_command

    top = OneLineParser(
        prog="ctxmgr",
        epilog="for example: ctxmgr run --help",
        description="A sidecar that keeps a coding agent's context window small, correct and cheap. "
        "A host spawns `ctxmgr serve` and speaks JSON-RPC 2.0 with it on standard input and output.",
    )
    top.add_argument("--version", action="version", version=f"ctxmgr {__version__}")
    commands = top.add_subparsers(required=True, metavar="COMMAND")
    for module, names in MODULES.items():
        rows = importlib.import_module(f"ctxmgr.cli.{module}").COMMANDS if named in names else {}
        for name, summary in names.items():
            if name == named:
                add_command(commands, name, summary, rows[name])
            else:
                commands.add_parser(name, help=summary)
    return top
