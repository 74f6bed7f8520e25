"""Facts and the ledger they are folded into (words of the design, section 1 and 5)."""

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
    """How facts of one kind are kept and told.

    `lasts`: "holds" until a listing closes it; "history" is over, and known; "standing" while later facts of its
    kind leave it standing (a check until it runs again, a commit until it is taken back); "ignored" is never told.
    `from_result`: a result alone says it, so that it is told again where that result is shortened. `title`: its
    heading among what a summary says. `heading` and `share` of the room: of its own part of a packet, "" for none.
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
"""By right to stay. Old snapshots hold "finding" and "next", of release 0.2: nothing tells them."""
STATE = "state"
"""The listing of a fact that says a task's state and not its text, which another fact of its key has."""
RENAMED = "text"
"""The listing of one that says its new text and not its state."""
GOES_ON = "goes on as "
"""How the detail of a command begins whose run goes on, before the id that it goes on under."""
END_OF = "end of\n"
"""How the key of a command's fact begins that tells how such a run ended, before that id."""
APPROVED, REJECTED = "approved", "rejected"
"""The status of a question that is a call, or a plan, which the user rejected."""
BROUGHT_BACK = "brought back"
"""In old snapshots the status of a file that git took back to what was committed; how its key begins, too."""
GOING_ON = "calls"
"""The status of what an assistant said before calls of the same message."""

Source = Literal["summary", "branch", "user", "assistant", "tool"]


class Fact(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """One statement with its source and time.

    `key` names what the statement is about inside its kind: "" for the single kinds (goal, current task); the
    words of the text for a summary's constraint, decision, task, context and request (a task that a tool gave an
    id: tool, a newline and the id); the message's digest for said, and with its time for request; that and what was
    asked for question; "read", "changed" or `BROUGHT_BACK`, a newline and the path for file; the kind of check, a
    newline and the line for command; a listing's name for listing; "committed", a newline and the hash for value
    ("moved": earlier ones may be gone).
    `status`: task "open" | "active" | "done" | "blocked" | "dropped" (it no longer counts); file "read" |
    "written" | "edited" | "deleted" | `BROUGHT_BACK`; command "ok" | "failed" | "unknown" (nothing tells how it
    ended); question "" | `APPROVED` (its text is a plan) | `REJECTED` (a call or a plan that the user would not
    have; of source "tool" where a tool may have printed that); said "" |
    `GOING_ON`; else "".
    `detail`: command, what its output counted ("3 failed, 41 passed"), or its first telling line where it failed;
    value "amended", where it took the place of the commit before; question, the answer, of an approved plan its
    text; said, what the user's message is known by that the turn began with: its digest, and its time where it has
    one; file, the tool that changed it; of a summary, the heading it stood under where that says more than the
    kind.
    `runs`: command, the kind of check.
    `listing` names the whole list a statement came in ("summary", "tool:todowrite"): the statement is closed
    when that list is stated again without it. A fact of kind "listing" says when the list was last stated.
    `time_ms` is milliseconds since the epoch: the host's time, or for an undated event the newest host time known
    then; `seq` is 0 where the host dated the event, else the event's number, so that undated facts order.
    `order` is the statement's position in its message, so that a list keeps its order.
    `entry` is the id of the session entry it came from, None while unknown; `origin` the message's digest. Where
    the ledger is read, a task that one message names and another one sets has both, a line each.
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
    """The newest fact per kind, source, listing and key, and the stamp of the newest cumulative summary.

    Sources are kept apart so that closing one statement lets an older one of another source hold again.
    `facts` is keyed by the first three, and then by the key (`ctxmgr.engine.memory.fold` alone reads those).
    `summary_stamp` is the (at, seq) of the newest compaction summary; facts listed by an older compaction summary
    are closed.
    """

    facts: dict[tuple[Slot, Source, str], dict[str, Fact]] = {}
    summary_stamp: tuple[int, int] = (-1, -1)

    def __iter__(self) -> Iterator[Fact]:
        for some in self.facts.values():
            yield from some.values()
