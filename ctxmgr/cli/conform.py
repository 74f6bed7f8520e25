"""The command `conform`: the arguments of its two sides, and what runs them."""

import argparse

from ctxmgr.cli.arguments import TIMEOUT_HELP, add_peer, positive, seconds

DESCRIPTION = (
    "Plays one side of transcripts against a program that plays the other, and compares what it "
    "says with what is recorded."
)
EXAMPLE = "ctxmgr conform host-side --command ./my-sidecar"


def add_arguments(command: argparse.ArgumentParser) -> None:
    sides = command.add_subparsers(required=True, metavar="SIDE")
    _host_side(sides)
    _server_side(sides)


def _host_side(sides: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    host = sides.add_parser(
        "host-side",
        help="play the host against a sidecar",
        epilog=f"for example: {EXAMPLE}",
        description="Spawns the command once a transcript, says the host's lines, each after what is recorded "
        "before it has come, and compares: answers by id, requests and notifications in order, as JSON values; "
        "kept messages byte for byte. What a program may choose is not compared: the server's name, ids and "
        "bases, the wording of errors. The exit code is 1 where something differs or nothing could be played.",
    )
    host.add_argument(
        "transcripts", metavar="TRANSCRIPT", nargs="*", help="a file or a folder (default: protocol/transcripts)"
    )
    add_peer(host)
    host.add_argument("--jobs", metavar="N", type=positive, default=2, help="transcripts at a time (default: 2)")
    host.set_defaults(run_side=_run_host_side)


def _server_side(sides: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    server = sides.add_parser(
        "server-side",
        help="play ctxmgr against a host, which spawns this command",
        epilog="for example: ctxmgr conform server-side transcript.jsonl --verdict found.json",
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
    server.add_argument("--timeout", metavar="SECONDS", type=seconds, default=60.0, help=TIMEOUT_HELP)
    server.set_defaults(run_side=_run_server_side)


def run(parsed: argparse.Namespace) -> int:
    """The side that was named."""
    code: int = parsed.run_side(parsed)
    return code


def _run_host_side(parsed: argparse.Namespace) -> int:
    from ctxmgr.study import conformance

    return conformance.host_side(parsed)


def _run_server_side(parsed: argparse.Namespace) -> int:
    from ctxmgr.study import conformance

    return conformance.server_side(parsed)
