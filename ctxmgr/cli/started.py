"""Commands that a host or an agent starts and waits for: nothing is imported that their options do not need."""

from ctxmgr.cli.arguments import CommandRow, option
from ctxmgr.cli.serve import MAX_MESSAGE_MIB

SERVE = CommandRow(
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

MCP = CommandRow(
    "An MCP server on standard input and output with which the model of a program searches and retrieves what left "
    "its conversation, pins, and keeps notes. A program that `ctxmgr run` started starts it; it asks the proxy of "
    "that run, and knows of no other.",
    "ctxmgr mcp",
    "ctxmgr.mcp_server:run",
)

HOOK = CommandRow(
    "Reads an event of Claude Code or Codex on standard input and prints the answer, for a program that runs "
    "without ctxmgr's proxy. PreCompact prepares what SessionStart adds after a compaction: what the user said, "
    "rules, and the state of the work. PostToolUse cuts a long result, and archives all of it. The exit code is "
    "always 0. Errors are written to hooks.log in the user's state directory.",
    "ctxmgr hook PreCompact --program codex",
    "ctxmgr.hooks:run",
    (
        option("event", metavar="EVENT", help="PreCompact, SessionStart or PostToolUse"),
        option(
            "--program",
            choices=("claude", "codex"),
            default="claude",
            help="the program that calls (default: %(default)s)",
        ),
    ),
)

COMMANDS = {"serve": SERVE, "mcp": MCP, "hook": HOOK}
