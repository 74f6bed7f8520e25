"""Commands that work beside an agent: `serve` its host, stand between it and its provider, give its model tools."""

import argparse

from ctxmgr.cli.arguments import JSON, MODELS, Command, Group, option, whole
from ctxmgr.cli.serve import MAX_MESSAGE_MIB

SETTINGS = (  # what goes before the settings' files, of commands that run a proxy
    option("--observe", action="store_true", help="change nothing; tell at the end what would have been saved"),
    option("--preset", metavar="NAME", help="what is done to lists: off, tools, turns, balanced"),
    option("--window", metavar="TOKENS", type=whole, help="the model's context window"),
    option("--state-dir", metavar="DIR", help="where snapshots go"),
    option(
        "--keep-originals",
        action=argparse.BooleanOptionalAction,
        help="archive what leaves, for ctxmgr search (default of run: yes)",
    ),
    option(
        "--model-tools",
        action=argparse.BooleanOptionalAction,
        help="of run: give the model tools to search and retrieve what left (default: yes, with the extra mcp)",
    ),
    MODELS,
)
SPEAKS = {
    "anthropic": "Anthropic's messages, at ANTHROPIC_BASE_URL",
    "openai": "OpenAI's chat completions, at OPENAI_BASE_URL",
    "responses": "OpenAI's responses, at OPENAI_BASE_URL",
    "gemini": "Gemini's contents, at GOOGLE_GEMINI_BASE_URL",
}
UPSTREAM = option("--upstream", metavar="URL", help="the provider (default: where the program would go)")

SERVE = Command(
    "Serves one host until it closes standard input, sends `exit`, or ends. Both framings of "
    "JSON-RPC are understood: Content-Length headers, and one message a line.",
    "ctxmgr serve --state-dir /tmp/ctxmgr",
    "ctxmgr.cli.serve:run",
    (
        option("--state-dir", metavar="DIR", help="where snapshots go when the host names no stateDir"),
        option("--record", metavar="FILE", help="write a transcript of everything said; it holds the conversation"),
        option(
            "--preload",
            metavar="NAME",
            nargs="?",
            const="o200k_base",
            help="load this vocabulary before the first message is read; pressure goes by it while no usage is "
            "known",
        ),
        option(
            "--models",
            metavar="FILE",
            help="facts of models as JSON; its rows go before those that are known, a host's own word before both",
        ),
        option(
            "--max-message",
            metavar="MIB",
            type=int,
            default=MAX_MESSAGE_MIB,
            help=f"largest message taken, in MiB (default: {MAX_MESSAGE_MIB})",
        ),
        option(
            "--store",
            metavar="URL",
            help="where sessions go as well, so that they go on elsewhere: file:///DIR, or s3://BUCKET/DIR and its "
            "like (the store extra; credentials come from the environment)",
        ),
        option(
            "--store-delay-ms",
            metavar="MS",
            type=int,
            help="how far the store may be behind, in milliseconds (default: 1000)",
        ),
        option(
            "--store-lease-ms",
            metavar="MS",
            type=int,
            help="how long a session is held for a machine that is not heard of, in milliseconds (default: 30000)",
        ),
    ),
)

RUN = Command(
    "Runs an agent program in this terminal with ctxmgr between it and its provider, and says at the end what was "
    "saved. Claude Code, Codex, opencode and Gemini CLI are known; any other program is pointed here by what it "
    "speaks: --anthropic, --openai, --responses or --gemini. The program's own files are not changed; its exit "
    "code is the command's.",
    "ctxmgr run -- claude",
    "ctxmgr.programs:running.run",
    (
        Group(
            "",
            tuple(
                option(f"--{api}", dest="api", action="store_const", const=api, help=f"the program speaks {what}")
                for api, what in SPEAKS.items()
            ),
        ),
        UPSTREAM,
        *SETTINGS,
        option("program", metavar="-- PROGRAM", nargs=argparse.REMAINDER, help="what to run"),
    ),
)

AB = Command(
    "Runs one prompt twice, in two copies of the work tree: as the program sends it, and with ctxmgr. Shows the "
    "provider's own counts of both, how long each took, and what each changed in its copy. Both are real runs and "
    "both are billed. The work tree itself is not changed.",
    "ctxmgr ab --arg=--permission-mode --arg=acceptEdits -- Mend the failing test",
    "ctxmgr.programs:receipt.run",
    (
        option(
            "--program",
            choices=("claude", "codex", "opencode", "gemini"),
            default="claude",
            help="what to run (default: claude)",
        ),
        option("--arg", metavar="ARGUMENT", action="append", default=[], help="one more argument of the program's"),
        UPSTREAM,
        option("--keep", action="store_true", help="leave the two copies, and say where they are"),
        JSON,
        *SETTINGS,
        option("prompt", metavar="-- PROMPT", nargs=argparse.REMAINDER, help="what to ask of the program"),
    ),
)

PROXY = Command(
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
        *SETTINGS,
    ),
)

MCP = Command(
    "An MCP server on standard input and output with which the model of a program searches and retrieves what left "
    "its conversation, pins, and keeps notes. A program that `ctxmgr run` started starts it; it asks the proxy of "
    "that run, and knows of no other.",
    "ctxmgr mcp",
    "ctxmgr.mcp_server:run",
)

COMMANDS = {"serve": SERVE, "run": RUN, "ab": AB, "proxy": PROXY, "mcp": MCP}
