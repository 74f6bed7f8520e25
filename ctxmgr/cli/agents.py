"""Commands that stand between an agent and its provider.

Programs, APIs and presets are named by their own tables.
"""

import argparse
from collections.abc import Sequence
from typing import get_args

from ctxmgr.cli.arguments import (
    JSON,
    MODEL_SERVER,
    MODELS,
    CommandRow,
    Group,
    RunsInstead,
    option,
    positive,
    tokens,
)
from ctxmgr.model import Preset
from ctxmgr.programs import PROGRAMS
from ctxmgr.settings import APIS, COMPACTIONS


def _listed(names: Sequence[str], last: str) -> str:
    """a, b and c."""
    return f"{', '.join(names[:-1])} {last} {names[-1]}"


SETTINGS = (  # what goes before the settings' files, of commands that run a proxy
    option("--observe", action="store_true", help="change nothing; tell at the end what would have been saved"),
    option("--preset", metavar="NAME", help=f"what is done to lists: {', '.join(get_args(Preset))}"),
    option("--window", metavar="TOKENS", type=tokens, help="the model's context window"),
    option("--state-dir", metavar="DIR", help="where snapshots go"),
    option(
        "--keep-originals",
        action=argparse.BooleanOptionalAction,
        help="archive what leaves, for ctxmgr search (default of run: yes)",
    ),
    option(
        "--model-tools",
        action=argparse.BooleanOptionalAction,
        help="of run: give the model tools to search and retrieve what left (default: yes)",
    ),
    option(
        "--compactions",
        choices=COMPACTIONS,
        help="who answers a program that asks for a summary of its list: the provider, or ctxmgr without a model "
        "(default: provider)",
    ),
    MODELS,
)
HOLDOUT = option(
    "--holdout",
    metavar="SHARE",
    help="let this share of sessions, such as 10%%, pass untouched, and keep what each call of all was billed: "
    "`ctxmgr savings --live` compares them (default: none)",
)
PAGE = option("--page", action="store_true", help="open the page that shows what ctxmgr does in a browser")
SPOKEN = Group(
    "",
    tuple(
        option(
            f"--{api}",
            dest="api",
            action="store_const",
            const=api,
            help=f"the program speaks {row.title}, at {row.variables[0]}",
        )
        for api, row in APIS.items()
    ),
)
UPSTREAM = option("--upstream", metavar="URL", help="the provider (default: where the program would go)")

RUN = CommandRow(
    "Runs an agent program in this terminal with ctxmgr between it and its provider, and says at the end what was "
    f"saved. {_listed([program.title for program in PROGRAMS], 'and')} are known; any other program is pointed "
    f"here by what it speaks: {_listed([f'--{api}' for api in APIS], 'or')}. The program's own files are not "
    "changed; its exit code is the command's.",
    "ctxmgr run -- claude",
    "ctxmgr.programs:proxying.run",
    (
        SPOKEN,
        UPSTREAM,
        PAGE,
        HOLDOUT,
        *SETTINGS,
        option("program", metavar="-- PROGRAM", nargs=argparse.REMAINDER, help="what to run"),
    ),
)

AB = CommandRow(
    "Runs one prompt twice, in two copies of the work tree: as the program sends it, and with ctxmgr. Shows the "
    "provider's own counts of both, how long each took, and what each changed in its copy. Both are real runs and "
    "both are billed. The work tree itself is not changed.",
    "ctxmgr ab --arg=--permission-mode --arg=acceptEdits -- Mend the failing test",
    "ctxmgr.programs:receipt.run",
    (
        option(
            "--program",
            choices=[program.command for program in PROGRAMS],
            default=PROGRAMS[0].command,
            help="what to run (default: %(default)s)",
        ),
        option("--arg", metavar="ARGUMENT", action="append", default=[], help="one more argument of the program's"),
        UPSTREAM,
        option("--keep", action="store_true", help="leave the two copies, and say where they are"),
        JSON,
        *SETTINGS,
        Group(
            "to compare the next action instead, in a recorded session",
            (
                option(
                    "--next-action",
                    metavar="SESSION",
                    action=RunsInstead,
                    const="ctxmgr.study.next_action:command.run",
                    help="send both lists of some of its calls to your model, twice each, and compare which tool "
                    "it calls next, and on what; says what that costs at most, and asks, before anything is sent",
                ),
                option("--calls", metavar="N", type=positive, default=20, help="of so many (default: %(default)s)"),
                option("--yes", action="store_true", help="do not ask"),
                *MODEL_SERVER,
            ),
        ),
        option("prompt", metavar="-- PROMPT", nargs=argparse.REMAINDER, help="what to ask of the program"),
    ),
)

PROXY = CommandRow(
    "Stands between programs and one provider until it is ended: message lists go on as ctxmgr makes them, all "
    "else passes as it comes. Point a program's base URL at the address that it prints.",
    "ctxmgr proxy --listen 127.0.0.1:8484 --upstream https://api.anthropic.com",
    "ctxmgr.programs:proxying.until_ended",
    (
        option("--upstream", metavar="URL", required=True, help="the provider, or a gateway before it"),
        option(
            "--listen",
            metavar="HOST:PORT",
            default="127.0.0.1:0",
            help="port 0: any free one (default: %(default)s)",
        ),
        option(
            "--name",
            metavar="HOST",
            action="append",
            default=[],
            help="answer to requests for this host too; for whom the machine is reached by a name",
        ),
        PAGE,
        HOLDOUT,
        *SETTINGS,
    ),
)

COMMANDS = {"run": RUN, "ab": AB, "proxy": PROXY}
