"""Commands between an agent and its provider.

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
    """Joins names as "a, b and c"."""
    return f"{', '.join(names[:-1])} {last} {names[-1]}"


SETTINGS = (  # override the settings' files, in commands that run a proxy
    option(
        "--observe", action="store_true", help="change no request; report at the end what would have been saved"
    ),
    option(
        "--preset", metavar="NAME", help=f"how lists are pruned: {', '.join(get_args(Preset))} (default: balanced)"
    ),
    option(
        "--window",
        metavar="TOKENS",
        type=tokens,
        help="the context window of the model, such as 200k (default: that of the model)",
    ),
    option("--state-dir", metavar="DIR", help="where sessions are saved"),
    option(
        "--keep-originals",
        action=argparse.BooleanOptionalAction,
        help="store what is removed, for ctxmgr search (default: yes for run, no for proxy)",
    ),
    option(
        "--model-tools",
        action=argparse.BooleanOptionalAction,
        help="run only: give the model tools that search and retrieve what was removed (default: yes)",
    ),
    option(
        "--compactions",
        choices=COMPACTIONS,
        help="who writes the summary when the program compacts: the provider, or ctxmgr without a model "
        "(default: provider)",
    ),
    MODELS,
)
HOLDOUT = option(
    "--holdout",
    metavar="SHARE",
    help="leave this share of sessions, such as 10%%, unchanged and record what each call was billed, so that "
    "`ctxmgr savings --live` can compare (default: none)",
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
            help=f"the program uses {row.title} and reads {row.variables[0]}",
        )
        for api, row in APIS.items()
    ),
)
UPSTREAM = option(
    "--upstream", metavar="URL", help="the address of the provider (default: the one that the program uses)"
)

RUN = CommandRow(
    "Runs an agent in this terminal with ctxmgr between it and its provider, and reports at the end what was "
    "saved. "
    f"It knows {_listed([program.title for program in PROGRAMS], 'and')}. For any other program, name its API with "
    f"{_listed([f'--{api}' for api in APIS], 'or')}. The program's own files are not changed, and its exit code is "
    "passed on.",
    "ctxmgr run -- claude",
    "ctxmgr.programs:proxying.run",
    (
        SPOKEN,
        UPSTREAM,
        PAGE,
        HOLDOUT,
        *SETTINGS,
        option("program", metavar="-- PROGRAM", nargs=argparse.REMAINDER, help="the program and its arguments"),
    ),
)

AB = CommandRow(
    "Runs one prompt twice, in two copies of the work tree: without ctxmgr and with it. Shows what the provider "
    "counted, how long each run took, and which files each changed in its copy. Both are real runs, and you pay "
    "for "
    "both. The work tree itself is not changed.",
    "ctxmgr ab --arg=--permission-mode --arg=acceptEdits -- Fix the failing test",
    "ctxmgr.programs:receipt.run",
    (
        option(
            "--program",
            choices=[program.command for program in PROGRAMS],
            default=PROGRAMS[0].command,
            help="the agent to run (default: %(default)s)",
        ),
        option(
            "--arg",
            metavar="ARGUMENT",
            action="append",
            default=[],
            help="an extra argument for the agent; may be repeated",
        ),
        UPSTREAM,
        option("--keep", action="store_true", help="keep the two copies, and print where they are"),
        JSON,
        *SETTINGS,
        Group(
            "comparing the next action in a recorded session instead",
            (
                option(
                    "--next-action",
                    metavar="SESSION",
                    action=RunsInstead,
                    const="ctxmgr.study.next_action:command.run",
                    help="send both lists of some of its calls to your model, twice each, and compare which tool "
                    "it calls next and on what; before anything is sent, it shows the highest cost and asks",
                ),
                option(
                    "--calls",
                    metavar="N",
                    type=positive,
                    default=20,
                    help="the number of calls to compare (default: %(default)s)",
                ),
                option("--yes", action="store_true", help="do not ask"),
                *MODEL_SERVER,
            ),
        ),
        option("prompt", metavar="-- PROMPT", nargs=argparse.REMAINDER, help="the prompt"),
    ),
)

PROXY = CommandRow(
    "Serves a proxy between programs and one provider until you stop it. It prunes message lists and passes all "
    "other bytes unchanged. Set the base URL of a program to the address that it prints.",
    "ctxmgr proxy --listen 127.0.0.1:8484 --upstream https://api.anthropic.com",
    "ctxmgr.programs:proxying.until_ended",
    (
        option("--upstream", metavar="URL", required=True, help="the address of the provider or of a gateway"),
        option(
            "--listen",
            metavar="HOST:PORT",
            default="127.0.0.1:0",
            help="the address to listen on; port 0 takes a free one (default: %(default)s)",
        ),
        option(
            "--name",
            metavar="HOST",
            action="append",
            default=[],
            help="also accept requests for this host name; may be repeated",
        ),
        PAGE,
        HOLDOUT,
        *SETTINGS,
    ),
)

COMMANDS = {"run": RUN, "ab": AB, "proxy": PROXY}
