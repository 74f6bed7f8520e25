"""Turns a conversation, the client's timeouts and a page of prose into the guide for authors of hosts, README.md.

The prose is `guide.md`; this fills in its `{{name}}`. The examples are exchanges of one transcript.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ctxmgr.client import Timing, bound_ms
from ctxmgr.engine.tools import CATALOG
from ctxmgr.wire import TABLE
from scripts.generating import reference
from scripts.generating.excerpts import exchanges, shown

Json = dict[str, Any]
PROSE = Path(__file__).with_name("guide.md")
TRANSCRIPT = "transcripts/connection/five-messages.jsonl"
FIRST = ("initialize", "session_start", "context", "turn_end", "session_compact")
WAITS = Timing()
THEN = {
    "context": "send the last list and your new messages",
    "initialize": "start another process, after a growing pause",
    "session_start": "start another process, after a growing pause",
}


def page(schema: Json, transcripts: Mapping[str, str]) -> str:
    """`transcripts`: texts by path."""
    calls = list(exchanges(TRANSCRIPT, transcripts[TRANSCRIPT]))
    examples = {
        name.replace("_", " "): shown(next(call for call in calls if call.message["method"] == name))
        for name in FIRST
    }
    parts = {
        **examples,
        "asked": shown([call for call in calls if call.message["method"] == "turn_end"][-1]),
        "append": shown(next(call for call in calls if "append" in call.message["params"])),
        "version": schema["protocolVersion"],
        "errors": reference.errors(),
        "general": reference.ANY,
        "waits": "\n".join(_waits()),
        "hang": f"{WAITS.hang_ms:,.0f}",
        "listed": str(sum(len(row.names) for row in CATALOG.rows)),
    }
    return reference.filled(PROSE, parts)


def _waits() -> Iterator[str]:
    for name, then in THEN.items():
        yield f"| `{name}` | {bound_ms(WAITS, name):,} | {then} |"
    jobs = [row.name for row in TABLE if row.job]
    after = f"your `deadlineMs` plus {bound_ms(WAITS, jobs[0], 0):,}; {bound_ms(WAITS, jobs[0]):,} without one"
    yield f"| {', '.join(f'`{name}`' for name in jobs)} | {after} | do it yourself; a model writes the answer |"
    yield f"| all others | {bound_ms(WAITS, 'turn_end'):,} | send events to the next process |"
