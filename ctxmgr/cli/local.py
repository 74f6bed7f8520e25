"""Commands about what lies on this machine: sessions, settings, facts of models, the installation."""

import argparse
import json

from ctxmgr.cli.arguments import JSON, MODELS, CommandRow, option, positive

DIRECTORY = option("--state-dir", metavar="DIR", help="the state directory (default: the user's)")
SET_DIRECTORY = option("--state-dir", metavar="DIR", help="the state directory (default: the settings' or yours)")
FULL = option("--full", action="store_true", help="show long texts whole")
SESSION = option("session", metavar="SESSION", help="the id of the session, or how it begins")

SESSIONS = CommandRow(
    "What the state directory holds: its sessions listed, one of them shown, exported into a file of its own, or "
    "deleted with its originals, by name or by age and size. One that is open is not "
    "deleted. The exit code is 1 if a session is open, if it "
    "cannot be read whole, or if the disk refuses, 2 if there is no such session.",
    "ctxmgr sessions list",
    "ctxmgr.inspection:sessions.run",
    part="ACTION",
    parts={
        "list": CommandRow(
            "",
            "ctxmgr sessions list --json",
            summary="all of them, the one saved last first",
            options=(
                SET_DIRECTORY,
                option(
                    "--store",
                    metavar="URL",
                    help="list those in this store, of whatever machine: file:///DIR, s3://BUCKET/DIR",
                ),
                option("--json", action="store_true", help="print them as JSON"),
            ),
        ),
        "show": CommandRow(
            "",
            "ctxmgr sessions show SESSION --full",
            summary="what ctxmgr knows of one",
            options=(SET_DIRECTORY, SESSION, FULL, MODELS),
        ),
        "export": CommandRow(
            "",
            "ctxmgr sessions export SESSION s.jsonl",
            summary="one in a file of its own, with its originals",
            options=(
                SET_DIRECTORY,
                SESSION,
                option("file", metavar="FILE", help="a file that is not there yet; it is made for you alone"),
            ),
        ),
        "delete": CommandRow(
            "",
            "ctxmgr sessions delete SESSION",
            summary="some, with their originals",
            options=(
                SET_DIRECTORY,
                option(
                    "--store",
                    metavar="URL",
                    help="delete them in this store as well; one that is open on another machine is not deleted",
                ),
                option("session", metavar="SESSION", nargs="+", help="ids of sessions, or how they begin"),
            ),
        ),
        "purge": CommandRow(
            "",
            "ctxmgr sessions purge --days 30",
            summary="those that are old, or have no room; none that is open",
            options=(
                SET_DIRECTORY,
                option(
                    "--store",
                    metavar="URL",
                    help="delete them in this store, and not here, but none that was changed within a day; ages "
                    "are by the store's clock",
                ),
                option(
                    "--days",
                    metavar="N",
                    type=positive,
                    help="saved longer ago (default: archive.maxAgeDays)",
                ),
                option(
                    "--megabytes",
                    metavar="N",
                    type=positive,
                    help="the oldest, until so much is left (default: archive.maxMegabytes; with --store no limit)",
                ),
                option("--dry-run", action="store_true", help="delete nothing; tell what would be"),
            ),
        ),
    },
)

SEARCH = CommandRow(
    'Searches what left the lists of saved sessions, by its words: plain words, "a phrase", path:src/a.py, '
    "tool:bash. Identifiers and paths are found whole and by their parts; keys and passwords of known shapes are "
    "neither found nor shown. The exit code is 1 if nothing was found or the archive cannot be read, 2 if no "
    "session, or more than one, is meant.",
    "ctxmgr search ENOSPC path:src/disk.py --limit 5",
    "ctxmgr.inspection:searching.run",
    (
        option("query", metavar="WORD", nargs="*", help="what to look for"),
        option(
            "--session",
            metavar="SESSION",
            help="search only this session: its id, or how it begins (default: all)",
        ),
        option("--limit", metavar="N", type=int, default=10, help="hits at most (default: %(default)s)"),
        option(
            "--original",
            metavar="HANDLE",
            help="print the whole original of a hit instead; with secrets only where archive.keepSecrets is set",
        ),
        option("--json", action="store_true", help="print hits as JSON"),
        SET_DIRECTORY,
    ),
)

INSPECT = CommandRow(
    "Shows a snapshot file of the state directory: what ctxmgr knows of the session, the facts "
    "it has learned and the summaries it has heard. The file is only read. The exit code is 1 if it is "
    "broken or its end is torn.",
    "ctxmgr inspect ~/.local/state/ctxmgr/NAME.jsonl --full",
    "ctxmgr.inspection:inspecting.run",
    (
        option("file", metavar="FILE|SESSION", help="a snapshot file, or the id of a session or how it begins"),
        FULL,
        MODELS,
    ),
)

FORGET = CommandRow(
    "Deletes a session's snapshot, what lies beside it, and its originals in the archive. The exit "
    "code is 1 if the session is open or the disk refuses, 2 if nothing is kept of it.",
    "ctxmgr forget SESSION --state-dir /tmp/ctxmgr",
    "ctxmgr.inspection:sessions.forget",
    (
        option("session", metavar="SESSION", help="the id of the session, or how it begins"),
        DIRECTORY,
        option(
            "--store",
            metavar="URL",
            help="delete it in this store as well; not where it is open on another machine",
        ),
    ),
)

KNOWN_MODELS = CommandRow(
    "Shows what is known of models where no host says it: windows, limits of output, prices, how their providers "
    "cache, and where each fact is from. Of an id it is told what was found for it, and how. The exit code is 1 "
    "where nothing is known, or where FILE cannot be used.",
    "ctxmgr models 'claude-*'",
    "ctxmgr.inspection:models.run",
    (
        option(
            "model",
            metavar="ID|PATTERN",
            nargs="?",
            help="a model's id, or a pattern with * and ? (default: all rows)",
        ),
        JSON,
        MODELS,
    ),
)

CONFIG = CommandRow(
    "Shows what holds for `ctxmgr run` and `ctxmgr proxy`, and where each value comes from: default, the user's "
    "file, the project's (.ctxmgr.toml), the environment, in this order. Nothing is changed. The exit code is 1 if "
    "a file or a variable cannot be used.",
    "ctxmgr config --program claude --model claude-opus-5-5",
    "ctxmgr.settings:show",
    (
        option("--program", metavar="NAME", help="for this program, such as claude or codex"),
        option("--model", metavar="ID", help="for this model, as requests name it"),
        option("--subagent", action="store_true", help="for a sub-agent"),
        option("--all", action="store_true", help="show every key, and not the main ones and what is set"),
        option("--json", action="store_true", help="print all keys as JSON"),
    ),
)

DOCTOR = CommandRow(
    "Looks at the installation, a spawned sidecar, the state directory, settings and the agents on this machine, "
    "and at a recording if one is named; says what is there and what to do. Changes nothing. The exit code is 1 if "
    "something is bad.",
    "ctxmgr doctor ~/.claude/projects/NAME/SESSION.jsonl",
    "ctxmgr.doctor:run",
    (
        option("recording", metavar="FILE", nargs="?", help="a recorded session, to see what is in it"),
        DIRECTORY,
        option(
            "--compare",
            action="store_true",
            help="start the agents that are here without a key, and tell what their first call lacks behind a base "
            "URL",
        ),
        option("--json", action="store_true", help="print what was found as JSON"),
    ),
)


def describe(parsed: argparse.Namespace) -> int:
    from ctxmgr.wire import openrpc

    print(json.dumps(json.loads(bytes(openrpc.document())), indent=2, ensure_ascii=False))
    return 0


DESCRIBE = CommandRow(
    "Prints every method, either way, with params, answers and errors, as an OpenRPC document.",
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
