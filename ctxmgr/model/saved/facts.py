"""Facts, and the ledger into which they are folded."""

from collections.abc import Iterator
from typing import Literal

import msgspec

Slot = Literal[
    "goal",
    "constraint",
    "decision",
    "finding",
    "question",
    "next",
    "task",
    "current",
    "file",
    "command",
    "context",
    "request",
    "listing",
    "value",
    "said",
]


class FactKind(msgspec.Struct, frozen=True):
    """How facts of one kind are kept and shown.

    `lasts`: "holds": until a listing closes it; "history": it is over, but known; "standing": as long as later
    facts of its kind allow it (a check until it runs again, a commit until it is undone); "ignored": never shown.
    `from_result`: only a result states it, so it is repeated if that result is shortened. `title`: its heading
    among a summary's statements. `heading` and `share` (a fraction of the budget): of its own part of a packet, ""
    without one.
    """

    lasts: Literal["holds", "history", "standing", "ignored"] = "holds"
    from_result: bool = False
    title: str = ""
    heading: str = ""
    share: float = 0.0


KINDS: dict[Slot, FactKind] = {
    "goal": FactKind(title="Goal"),
    "current": FactKind(title="Current Work"),
    "constraint": FactKind(title="Constraints & Preferences"),
    "decision": FactKind(title="Key Decisions"),
    "task": FactKind(title="Tasks"),
    "context": FactKind(title="Critical Context"),
    "request": FactKind("history", title="Asked Before"),
    "said": FactKind("history"),
    "question": FactKind(from_result=True, heading="## Asked and answered", share=0.2),
    "command": FactKind("standing", from_result=True),
    "value": FactKind("standing", from_result=True),
    "file": FactKind(),
    "listing": FactKind("ignored"),
    "finding": FactKind("ignored"),
    "next": FactKind("ignored"),
}
"""In order of priority. Snapshots of release 0.2 contain "finding" and "next", which are never shown."""
STATE = "state"
"""The listing of a fact with a task's state but not its text, which another fact with its key has."""
RENAMED = "text"
"""The listing of a fact with a task's new text but not its state."""
GOES_ON = "goes on as "
"""The start of a command's detail if its run continues in the background; followed by the run's id."""
END_OF = "end of\n"
"""The start of the key of the fact that says how such a run ended; followed by that id."""
APPROVED, REJECTED = "approved", "rejected"
"""The status of a question: a plan that the user approved; a call or a plan that the user rejected."""
BROUGHT_BACK = "brought back"
"""In old snapshots, the status of a file that git restored to its committed state, and the start of its key."""
GOING_ON = "calls"
"""The status of what an assistant said before calls in the same message."""

Source = Literal["summary", "branch", "user", "assistant", "tool"]


class Fact(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """One statement with its source and time.

    `key` names what the statement is about within its kind. goal, current: "". A summary's constraint, decision,
    task, context and request: the words of the text. A task with an id from a tool: "task", a newline and the id.
    said: the message's digest. request: that, and its time. question: the message's digest, and what was asked.
    file: "read", "changed" or `BROUGHT_BACK`, a newline and the path. command: the kind of check, a newline and the
    line. listing: the listing's name. value: "committed", a newline and the hash ("moved": earlier ones may be
    gone).

    `status`: task "open" | "active" | "done" | "blocked" | "dropped" (it no longer counts); file "read" | "written"
    | "edited" | "deleted" | `BROUGHT_BACK`; command "ok" | "failed" | "unknown" (nothing says how it ended);
    question "" | `APPROVED` (its text is a plan) | `REJECTED` (a call or a plan that the user rejected; with source
    "tool" if a tool may have printed that); said "" | `GOING_ON`; otherwise "".

    `detail`: command: the counts in its output ("3 failed, 41 passed"), or its first line that names a failure;
    value: "amended" if it replaced the previous commit; question: the answer, or the text of an approved plan;
    said: what identifies the user's message that began the turn: its digest, and its time if it has one; file: the
    tool that changed it; in a summary: the heading above it, if that says more than the kind.

    `runs`: for a command, the kind of check.

    `listing`: the list that contained the statement ("summary", "tool:todowrite"). The statement is closed when
    that list is stated again without it. A fact of kind "listing" says when the list was last stated.

    `time_ms`: milliseconds since the epoch: the host's time, or for an event without one, the newest host time
    known then. `seq`: 0 if the host dated the event, otherwise the event's number, so that undated facts have an
    order. `order`: the statement's position in its message, so that a list keeps its order.

    `entry`: the id of the session entry it came from, or None while unknown. `origin`: the message's digest. When
    the ledger is read, a task that one message names and another one changes has both, one on each line.
    """

    kind: Slot = msgspec.field(name="slot")
    key: str
    text: str
    source: Source
    time_ms: int = msgspec.field(default=0, name="at")
    seq: int = 0
    status: str = ""
    detail: str = ""
    entry: str | None = None
    origin: str = ""
    listing: str = ""
    order: int = msgspec.field(default=0, name="place")
    runs: str = ""


class Ledger(msgspec.Struct, frozen=True, dict=True):
    """The newest fact for each kind, source, listing and key, and the stamp of the newest cumulative summary.

    Sources are kept separate, so that when one statement is closed, an older one from another source holds again.
    `facts` is keyed by the first three, and then by the key (only `ctxmgr.engine.memory.fold` reads it).
    `summary_stamp` is the (at, seq) of the newest compaction summary; facts listed by an older compaction summary
    are closed.
    """

    facts: dict[tuple[Slot, Source, str], dict[str, Fact]] = {}
    summary_stamp: tuple[int, int] = (-1, -1)

    def __iter__(self) -> Iterator[Fact]:
        for some in self.facts.values():
            yield from some.values()
