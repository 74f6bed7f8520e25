"""Commands that a host or an agent starts and waits for. Only what their options need is imported."""

from ctxmgr.cli.arguments import CommandRow, option
from ctxmgr.cli.serve import MAX_MESSAGE_MIB

SERVE = CommandRow(
    "Serves one host until it closes standard input, sends `exit`, or ends. It reads both framings of JSON-RPC: "
    "Content-Length headers, and one message a line.",
    "ctxmgr serve --state-dir /tmp/ctxmgr",
    "ctxmgr.cli.serve:run",
    (
        option("--state-dir", metavar="DIR", help="where sessions are saved when the host names no stateDir"),
        option("--record", metavar="FILE", help="write a transcript of all messages; it contains the conversation"),
        option(
            "--preload",
            metavar="NAME",
            nargs="?",
            const="o200k_base",
            help="load this vocabulary at the start; it counts tokens until the host reports usage",
        ),
        option(
            "--models",
            metavar="FILE",
            help="a JSON file of models; its rows override the built-in ones, and the host overrides both",
        ),
        option(
            "--max-message",
            metavar="MIB",
            type=int,
            default=MAX_MESSAGE_MIB,
            help=f"the largest message that is accepted, in MiB (default: {MAX_MESSAGE_MIB})",
        ),
        option(
            "--store",
            metavar="URL",
            help="also keep sessions in this store, so that they can continue on another machine: file:///DIR, "
            "s3://BUCKET/DIR and the like (needs the extra store; credentials come from the environment)",
        ),
        option(
            "--store-delay-ms",
            metavar="MS",
            type=int,
            help="how long a change may wait before it is uploaded, in milliseconds (default: 1000)",
        ),
        option(
            "--store-lease-ms",
            metavar="MS",
            type=int,
            help="how long a session stays locked for a machine that no longer responds, in milliseconds "
            "(default: 30000)",
        ),
    ),
)

MCP = CommandRow(
    "An MCP server on standard input and output. With it the model of an agent searches and retrieves what was "
    "removed from its conversation, pins text, and keeps notes. Agents that `ctxmgr run` started start it; it only "
    "talks to the proxy of that run.",
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
