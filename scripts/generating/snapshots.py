"""Turns sessions played here into snapshots for tests/contract/snapshots: what this version writes to disk.

    python -m scripts.generating.snapshots NAME [SESSION...]

Writes these sessions of `CUTS`, or all of them, to tests/contract/snapshots/NAME, which must not exist.

A snapshot records what a release wrote, so it is written once and never again: a later release that adds to the
state adds its own folder, with what the older ones lack. Beside each `X.snapshot` is `X.json`, the state that it
restores to, with the names on disk and without default values.
"""

import importlib
import json
import sys
from collections.abc import Callable
from pathlib import Path

import msgspec

from ctxmgr.devices.snapshots import to_line
from ctxmgr.session import journal
from tests.contract import scenarios
from tests.contract.behaviours import MANIFEST
from tests.contract.running import Run
from tests.contract.talk import Talk

SNAPSHOTS = Path(__file__).parents[2] / "tests" / "contract" / "snapshots"
PRICED = {
    "id": "model-2",
    "contextWindow": 16_000,
    "provider": "a-provider",
    "maxOutputTokens": 4_000,
    "prices": {"input": 3.5, "output": 15.5, "cacheRead": 0.3, "cacheWrite": 3.75},
    "cacheTtlMs": 3_600_000,
}


def priced() -> Talk:
    """A model with prices, usage that gives a ratio, and an epoch by price that was postponed once."""
    run = Run(form="openai")
    run.talk.call("model_select", sessionId="s", model=PRICED)
    run.user("Port the order tables.")
    for number in range(9):
        lines = [f"line {line} of {number} order_{line}_{number}" for line in range(120)]
        run.step("\n".join(["Error: the build stopped", *lines]), "bash", True, command=f"make {number}")
        run.read(f"part{number}")
        if number % 2:
            run.say("Decision: keep the tables sorted, because lookups bisect them.")
            run.user(f"Next {number}.")
        run.ask()
        if number < 6:
            run.talk.turn_end(run.held[-1], tokens=1_000 + 900 * number)
    return run.talk


def failing() -> Talk:
    """Long errors of edited files, in a window that they exceed."""
    run = Run(window=12_000)
    run.user("Port the order tables.")
    for number in range(12):
        lines = [f"src/part{number}.py:{line}: order_{line}_{number} is unknown" for line in range(80)]
        run.step("\n".join(["Error: stopped", *lines]), "bash", True, command=f"make {number}")
        run.step("ok", tool="edit", path=f"src/part{number}.py", oldText="a", newText="b")
        run.ask(1)
    return run.talk


def rewritten() -> Talk:
    """A list whose beginning has changed without notice."""
    run = Run()
    run.user("Port the order tables.")
    run.read(*(f"part{number}" for number in range(12)))
    run.ask()
    run.epoch()
    run.read("more")
    run.ask()
    run.messages = [run.make.user("Something else entirely."), *run.messages[5:]]
    run.shown = []
    run.ask(whole=True)
    return run.talk


def crowded() -> Talk:
    """More removals at once than a receipt lists."""
    run = Run(window=12_000)
    run.user("Look at all of them.")
    for number in range(175):
        run.step(f"number {number} is in order and was looked at" * 3, tool="look", n=number)
    run.talk.call("context", sessionId="s", messages=run.messages, overheadTokens=900, at=run.at)
    return run.talk


def stated() -> Talk:
    """What an assistant found, asked and announced, and a compaction."""
    run = Run()
    run.user("Port the order tables.")
    run.say("Root cause: `src/orders.py` never clears its cache.\n\nShall I drop it, or clear it after each write?")
    run.user("Clear it, please.")
    run.say("Next I will add a test of `clear_cache` in `tests/test_orders.py`.")
    run.ask()
    run.talk.call("session_compact", sessionId="s", compactionEntry={"id": "c", "summary": "## Goal\nPort them"})
    return run.talk


def committed() -> Talk:
    """A commit, its output, and what the assistant says about it."""
    run = Run()
    run.user("Port the order tables.")
    run.step("[main 1a2b3c4] Port the order tables\n 2 files changed", "bash", command="git commit -qam 'Port'")
    run.step("https://forge.example/a/b/pull/12", "bash", command="gh pr create --fill")
    run.say("Opened #12.")
    run.ask()
    return run.talk


def taken_back() -> Talk:
    """Commits in two directories, one of them amended and one reset, and a switch of branches."""
    run = Run()
    run.user("Port the order tables.")
    run.step("[main 1a2b3c4] Port\n 2 files changed", "bash", command="cd /w/a && git commit -am Port")
    run.step("[main 2b3c4d5] Port\n 2 files changed", "bash", command="cd /w/a && git commit --amend --no-edit")
    run.step("[main 3c4d5e6] Try\n 1 file changed", "bash", command="git -C /w/b commit -am Try")
    run.step("HEAD is now at 4d5e6f7 Before", "bash", command="git -C /w/b reset --hard HEAD~1")
    run.step("Switched to a new branch 'next'", "bash", command="cd /w/a && git switch -c next")
    run.ask()
    return run.talk


def named() -> Talk:
    """A run of tests whose output names the file that failed."""
    run = Run()
    run.user("Run the tests.")
    output = "FAIL src/a.test.ts\n  ● sums › adds\n\nTest Suites: 1 failed, 1 total\nTests:       1 failed, 1 total"
    run.step(output, "bash", True, command="npm test")
    run.ask()
    return run.talk


def too_long() -> Talk:
    """A list that fits by ctxmgr's count, and was refused as too long."""
    run = Run()
    run.user("Port the order tables.")
    run.read(*(f"part{number}" for number in range(9)))
    run.ask()
    error = {"stopReason": "error", "errorMessage": "context_length_exceeded"}
    run.talk.turn_end(run.make.reply("", **error))
    return run.talk


def strict() -> Talk:
    """A chat template that requires alternating roles, as declared by the host, and as shown by a refusal."""
    run = Run(form="openai")
    run.talk.call(
        "model_select", sessionId="s", model={"id": "local", "contextWindow": 16_000, "strictRoles": True}
    )
    run.user("Port the order tables.")
    run.ask()
    error = {"code": 500, "message": "Conversation roles must alternate user/assistant/user/assistant/..."}
    run.talk.call("turn_end", sessionId="s", message={"error": error})
    return run.talk


def in_a_folder() -> Talk:
    """A host that names the working directory."""
    run = Run()
    run.talk.call("session_start", sessionId="s", model={"id": "m", "contextWindow": 16_000}, cwd="/work/shop")
    run.user("Port the order tables.")
    run.ask()
    return run.talk


OWN: dict[str, Callable[[], Talk]] = {
    "own/priced": priced,
    "own/failing": failing,
    "own/rewritten": rewritten,
    "own/crowded": crowded,
    "own/stated": stated,
    "own/committed": committed,
    "own/taken-back": taken_back,
    "own/named": named,
    "own/too-long": too_long,
    "own/strict": strict,
    "own/in-a-folder": in_a_folder,
}
CUTS = {
    "branches/left-as-history": 3,
    "caching/a-lifetime-is-learned": 15,
    "caching/a-lifetime-is-learned while a call is out": 6,
    "caching/an-early-change-is-told": 10,
    "caching/what-is-read-is-known-of-each-model": 8,
    "caching/what-is-read-shows-a-cache": 6,
    "compaction/instructions-stay": 5,
    "compaction/not-requested-again-on-stale-usage": 4,
    "compaction/the-resume-packet-comes-once": 4,
    "epochs/after-a-compaction": 6,
    "epochs/after-a-tree-move": 5,
    "epochs/an-autonomous-run": 5,
    "epochs/another-model": 4,
    "epochs/anthropic": 3,
    "epochs/arguments-of-an-old-write": 3,
    "epochs/by-price": 7,
    "epochs/explained-in-words": 18,
    "epochs/keep-set-anew": 10,
    "epochs/forced": 7,
    "epochs/pin-keeps": 6,
    "epochs/keep-says-what-text-is-worth": 4,
    "epochs/responses": 3,
    "epochs/undo-brings-back": 5,
    "epochs/where-marks-belong": 6,
    "fit/a-cut-opens-an-epoch": 3,
    "fit/old-pictures-become-a-text": 3,
    "fit/old-steps-of-one-long-turn-leave": 3,
    "latch/a-refusal-starts-a-cooldown": 3,
    "latch/a-refusal-starts-a-cooldown at rest": 17,
    "latch/a-refusal-teaches-the-window": 3,
    "latch/overflow-asks-at-once": 4,
    "memory/a-blocker-until-it-succeeds": 3,
    "notes/scratchpad-kept": 3,
    "own/committed": 2,
    "own/crowded": 2,
    "own/failing": 8,
    "own/in-a-folder": 2,
    "own/named": 2,
    "own/priced": 11,
    "own/rewritten": 5,
    "own/stated": 3,
    "own/strict": 4,
    "own/taken-back": 2,
    "own/too-long": 3,
    "recovery/pages-of-an-original": 2,
    "recovery/pins": 7,
    "recovery/undo": 4,
    "safety/a-fault-inside-answers-a-list-that-fits": 3,
    "settings/a-host-says-batch": 3,
    "settings/a-host-tells-tiers": 2,
    "settings/another-model": 4,
    "tools/declared": 3,
    "tools/force-and-toggle": 3,
    "tools/force-and-toggle switched off": 5,
}
"""The session, a behaviour's or an own one, and how many lines of its snapshot: where a field is set that is
not always."""


def main(name: str, *sessions: str) -> int:
    folder = SNAPSHOTS / name
    folder.mkdir(parents=True)
    for room in scenarios.__all__:
        importlib.import_module(f"tests.contract.scenarios.{room}")
    for title in sessions or CUTS:
        count = CUTS[title]
        session = title.partition(" ")[0]
        talk = OWN[session]() if session in OWN else MANIFEST[session].scenario()
        lines = talk.saved[:count]
        assert len(lines) == count, f"{title} has {len(lines)} lines"
        state, _ = journal.restore(lines)
        stem = folder / title.replace("/", ".").replace(" ", "-")
        stem.with_name(f"{stem.name}.snapshot").write_bytes(b"".join(map(to_line, lines)))
        expected = json.loads(msgspec.json.encode(state))
        text = json.dumps(expected, ensure_ascii=False, indent=1, sort_keys=True)
        stem.with_name(f"{stem.name}.json").write_text(f"{text}\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
