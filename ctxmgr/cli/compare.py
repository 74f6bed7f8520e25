"""The command `compare`: its arguments, and what runs it."""

import argparse
from typing import get_args

from ctxmgr.cli.arguments import add_bill, add_models, add_probes_failed, positive
from ctxmgr.model import EndpointApi
from ctxmgr.model.compaction import Format, Strategy

STRATEGIES: tuple[str, ...] = get_args(Strategy)
FORMATS: tuple[str, ...] = get_args(Format)
APIS: tuple[str, ...] = get_args(EndpointApi)
DESCRIPTION = (
    "Runs summarising strategies on the same cut of each recorded session (any that "
    "`ctxmgr replay` reads), and shows what each took and how much its summary still "
    "holds of what it replaces: paths, identifiers, constraints, decisions, tasks, errors, requests; and what a "
    "model's call for it costs, with a copy of the conversation and at the end of the host's list. Without a "
    "model, `extractive` alone. Each summary becomes a Markdown file, readable by you alone (it holds "
    "conversation); a run that was interrupted, or is done again with the same settings, starts from what is "
    "there. The exit code is 1 if a recording can not be read or a summary failed."
)
EXAMPLE = "ctxmgr compare session.jsonl --strategy extractive"


def add_arguments(command: argparse.ArgumentParser) -> None:
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
        type=positive,
        default=20_000,
        help="how much of a session's end stays as it is (default: 20000)",
    )
    command.add_argument(
        "--out",
        metavar="DIR",
        help="where summaries and the table go (default: ctxmgr-compare in the current directory)",
    )
    add_models(command)
    command.add_argument("--wide", action="store_true", help="show all figures, not the six that count most")
    command.add_argument("--json", action="store_true", help="print all figures as JSON")
    command.add_argument(
        "--jobs", metavar="N", type=positive, default=2, help="recordings side by side (default: 2)"
    )
    add_probes_failed(command)
    _models(command)
    chain = command.add_argument_group("for chains of compactions")
    chain.add_argument(
        "--chain",
        action="store_true",
        help="walk each session from its start and compact whenever it outgrows the window, the next compaction "
        "on top of the last; shows what the last summary still holds of everything (default strategy: extractive)",
    )
    chain.add_argument(
        "--window", metavar="TOKENS", type=positive, help="the context window of that walk (default: 200000)"
    )
    add_bill(command.add_argument_group("the bill of a model's call for each summary, and of chains"))


def _models(command: argparse.ArgumentParser) -> None:
    models = command.add_argument_group("the summarising model")
    models.add_argument(
        "--endpoint",
        metavar="URL",
        help="a model server, such as http://localhost:8000/v1 or https://api.anthropic.com",
    )
    models.add_argument(
        "--api",
        metavar="NAME",
        choices=APIS,
        help="what it speaks: chat (chat completions) or anthropic (Anthropic's messages) (default: chat)",
    )
    models.add_argument("--model", metavar="NAME", help="the model's name there")
    models.add_argument(
        "--api-key-env", metavar="VAR", help="the environment variable that holds the key; none is sent without it"
    )
    models.add_argument("--context-window", metavar="TOKENS", type=positive, help="of that model (default: 128000)")
    models.add_argument(
        "--scripted",
        action="store_true",
        help="a scripted model inside the process: tests the plumbing, says nothing of how good a summary is",
    )


def run(parsed: argparse.Namespace) -> int:
    from ctxmgr.study.compare import command as comparing

    return comparing.run(parsed)
