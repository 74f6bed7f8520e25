"""Commands for data on this machine: sessions, settings, model facts, the installation."""

import argparse
import json

from ctxmgr.cli.arguments import JSON, MODELS, CommandRow, option, positive

DIRECTORY = option("--state-dir", metavar="DIR", help="the state directory (default: yours)")
SET_DIRECTORY = option(
    "--state-dir", metavar="DIR", help="the state directory (default: that of your settings, else yours)"
)
FULL = option("--full", action="store_true", help="do not shorten long texts")
SESSION = option("session", metavar="SESSION", help="the id of the session, or how it begins")

SESSIONS = CommandRow(
    "Lists the sessions in the state directory, shows one, exports it to a file, or deletes sessions with their "
    "originals, by id or by age and size. A session is named by its id or by any beginning of it that means one "
    "session; to delete it, give its whole id. A session that is open is not deleted. The exit code is 1 if a "
    "session is open or cannot be read or deleted, and 2 if there is no such session.",
    "ctxmgr sessions list",
    "ctxmgr.inspection:sessions.run",
    part="ACTION",
    parts={
        "list": CommandRow(
            "",
            "ctxmgr sessions list --json",
            summary="list all sessions, the newest first",
            options=(
                SET_DIRECTORY,
                option(
                    "--store",
                    metavar="URL",
                    help="list the sessions in this store, from all machines: file:///DIR, s3://BUCKET/DIR",
                ),
                option("--json", action="store_true", help="print the sessions as JSON"),
            ),
        ),
        "show": CommandRow(
            "",
            "ctxmgr sessions show SESSION --full",
            summary="show what ctxmgr knows about a session",
            options=(SET_DIRECTORY, SESSION, FULL, MODELS),
        ),
        "export": CommandRow(
            "",
            "ctxmgr sessions export SESSION s.jsonl",
            summary="write a session, with its originals, to a file",
            options=(
                SET_DIRECTORY,
                SESSION,
                option(
                    "file", metavar="FILE", help="the file to write, which must not exist; only you can read it"
                ),
            ),
        ),
        "delete": CommandRow(
            "",
            "ctxmgr sessions delete SESSION",
            summary="delete sessions, with their originals",
            options=(
                SET_DIRECTORY,
                option(
                    "--store",
                    metavar="URL",
                    help="also delete them in this store, unless they are open on another machine",
                ),
                option("session", metavar="SESSION", nargs="+", help="whole ids of sessions"),
            ),
        ),
        "purge": CommandRow(
            "",
            "ctxmgr sessions purge --days 30",
            summary="delete old sessions, or the oldest until the rest fits; none that is open",
            options=(
                SET_DIRECTORY,
                option(
                    "--store",
                    metavar="URL",
                    help="purge this store instead of this machine; sessions that changed within a day stay, and "
                    "ages are by the store's clock",
                ),
                option(
                    "--days",
                    metavar="N",
                    type=positive,
                    help="delete sessions saved longer ago than this (default: archive.maxAgeDays)",
                ),
                option(
                    "--megabytes",
                    metavar="N",
                    type=positive,
                    help="delete the oldest until this much is left (default: archive.maxMegabytes; none with "
                    "--store)",
                ),
                option("--dry-run", action="store_true", help="delete nothing; list what would be deleted"),
            ),
        ),
    },
)

SEARCH = CommandRow(
    'Searches what was removed from the lists of saved sessions: words, "a phrase", path:src/a.py, tool:bash. '
    "Identifiers and paths are found whole and by their parts. Keys and passwords of known formats are neither "
    "found "
    "nor shown. The exit code is 1 if nothing was found or the archive cannot be read, and 2 if --session means no "
    "session or more than one.",
    "ctxmgr search ENOSPC path:src/disk.py --limit 5",
    "ctxmgr.inspection:searching.run",
    (
        option("query", metavar="WORD", nargs="*", help="the words to look for"),
        option(
            "--session",
            metavar="SESSION",
            help="search only this session: its id, or how it begins (default: all)",
        ),
        option(
            "--limit", metavar="N", type=int, default=10, help="the most results to show (default: %(default)s)"
        ),
        option(
            "--original",
            metavar="HANDLE",
            help="print the whole original of a result instead; secrets are masked unless archive.keepSecrets is "
            "set",
        ),
        option("--json", action="store_true", help="print the results as JSON"),
        SET_DIRECTORY,
    ),
)

INSPECT = CommandRow(
    "Shows the snapshot of a session: its figures, the facts that ctxmgr learned from it, and its summaries. The "
    "file is only read. The exit code is 1 if it is damaged or incomplete.",
    "ctxmgr inspect ~/.local/state/ctxmgr/NAME.jsonl --full",
    "ctxmgr.inspection:inspecting.run",
    (
        option("file", metavar="FILE|SESSION", help="a snapshot file, or the id of a session or how it begins"),
        FULL,
        MODELS,
    ),
)

FORGET = CommandRow(
    "Deletes the snapshot of a session, the files beside it, and its originals in the archive. The exit code is 1 "
    "if the session is open or cannot be deleted, and 2 if nothing is stored of it.",
    "ctxmgr forget SESSION --state-dir /tmp/ctxmgr",
    "ctxmgr.inspection:sessions.forget",
    (
        option("session", metavar="SESSION", help="the whole id of the session"),
        DIRECTORY,
        option(
            "--store",
            metavar="URL",
            help="also delete it in this store, unless it is open on another machine",
        ),
    ),
)

KNOWN_MODELS = CommandRow(
    "Shows what ctxmgr knows about models: context windows, output limits, prices, how their providers cache, and "
    "the "
    "source of each fact. For an id it also shows which row was used, and why. The exit code is 1 if nothing is "
    "known "
    "or if FILE cannot be used.",
    "ctxmgr models 'claude-*'",
    "ctxmgr.inspection:models.run",
    (
        option(
            "model",
            metavar="ID|PATTERN",
            nargs="?",
            help="the id of a model, or a pattern with * and ? (default: all models)",
        ),
        JSON,
        MODELS,
    ),
)

CONFIG = CommandRow(
    "Shows the settings of `ctxmgr run` and `ctxmgr proxy`, and where each value comes from: the default, your "
    "file, "
    "the file of the project (.ctxmgr.toml), or the environment; later ones override earlier ones. Nothing is "
    "changed. The exit code is 1 if a file or a variable cannot be used.",
    "ctxmgr config --program claude --model claude-opus-5-5",
    "ctxmgr.settings:show",
    (
        option("--program", metavar="NAME", help="the settings for this program, such as claude or codex"),
        option("--model", metavar="ID", help="the settings for this model, by the id in requests"),
        option("--subagent", action="store_true", help="the settings for a sub-agent"),
        option("--all", action="store_true", help="show all keys, not only the main ones and those that are set"),
        option("--json", action="store_true", help="print all keys as JSON"),
    ),
)

DOCTOR = CommandRow(
    "Checks the installation, a sidecar that it starts, the state directory, your settings and the agents on this "
    "machine, and a recording if you name one. It says what is wrong and what to do, and changes nothing. The exit "
    "code is 1 if something does not work.",
    "ctxmgr doctor ~/.claude/projects/NAME/SESSION.jsonl",
    "ctxmgr.doctor:run",
    (
        option("recording", metavar="FILE", nargs="?", help="a recorded session to read"),
        DIRECTORY,
        option(
            "--compare",
            action="store_true",
            help="start the agents on this machine without a key, and show what a base URL changes in their first "
            "call",
        ),
        option("--json", action="store_true", help="print the result as JSON"),
    ),
)


def describe(parsed: argparse.Namespace) -> int:
    from ctxmgr.wire import openrpc_document

    print(json.dumps(json.loads(bytes(openrpc_document())), indent=2, ensure_ascii=False))
    return 0


DESCRIBE = CommandRow(
    "Prints all methods, with their parameters, results and errors, as an OpenRPC document.",
    "ctxmgr describe > openrpc.json",
    "ctxmgr.cli.local:describe",
)

COMMANDS = {
    "sessions": SESSIONS,
    "search": SEARCH,
    "inspect": INSPECT,
    "forget": FORGET,
    "models": KNOWN_MODELS,
    "config": CONFIG,
    "doctor": DOCTOR,
    "describe": DESCRIBE,
}
