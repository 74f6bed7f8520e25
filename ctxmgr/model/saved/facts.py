"""Facts and the ledger they are folded into (words of the design, section 1 and 5)."""

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
]
EARLIER = "earlier"
"""The status of a decision, finding or rule that may be over: a newer one may take it back, and does not say so."""
ASIDE = "aside"
"""The detail of a decision or finding of the assistant that holds only where it takes back an older one."""
ALLOWED = "allowed"
"""The detail of a taking back by which the user allows something."""
STATE = "state"
"""The listing of a fact that says a task's state and not its text, which another fact of its key has."""
RENAMED = "text"
"""The listing of one that says its new text and not its state."""
ABOUT = "about"
"""The listing of one whose text is what its task is about, beside the text that another fact has."""
UNTOLD = "untold"
"""How the listing of a command's fact begins, before its line, that says that a run ended, and nobody knows how.
Another fact of its key says how the last one ended of which that is known."""
REJECTED = "rejected"
"""The status of a question that is a call, or a plan, which the user rejected."""
RESET_AWAY, REVERTED = "reset away", "reverted"
"""The status of a commit that its branch no longer has, and of one that a later commit undid."""
BROUGHT_BACK = "brought back"
"""The status of a file that git took back to what was committed; how its key begins, too."""
GOES_ON = "goes on as "
"""How the detail of a command begins whose run goes on, before the id that it goes on under."""
END_OF = "end of\n"
"""How the key of a command's fact begins that tells how a run ended which went on, before that id."""

Source = Literal["summary", "branch", "user", "assistant", "tool"]


class Fact(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """One statement with its source and time.

    `key` names what the statement is about inside its slot: "" for the single slots (goal, current task);
    the words of the text for constraint, decision, finding, task, context and request (a task that a tool gave an
    id: tool, a newline and the id); the digest of the message that asked for question, which a user's message
    answered (the result's, a newline and what it was there, where the result of a call did); "" for next, what was
    announced last; "read" or "changed", a newline and the path for file; tool, a newline and the telling argument
    for command (`END_OF` and an id for how a run ended that went on); a listing's name for listing; "committed",
    "printed" or "said", a newline and the exact value for value ("moved": the text is what a call of git did to a
    branch).
    `status`: task "open" | "active" | "done" | "blocked" | "dropped" (it no longer
    counts); file "read" | "written" | "edited" | "deleted" | `BROUGHT_BACK`;
    command "ok" | "failed" (a failed command is a blocker until the same thing is tried again and does not fail) |
    "unknown" (nothing tells how it ended: in listing `UNTOLD`, or it goes on); constraint "" |
    "retracted" (the user takes something back by it) | `EARLIER` (worked out when it is read);
    question "" | "rejected" (its text is a call or a plan
    that the user would not have, its detail what was said to that; of source "tool" by its result alone); decision
    and finding "" | `EARLIER` (worked out when it is read); value, of a commit the branch that git named, a newline
    and where it ran, when it is read "" | `RESET_AWAY` | `REVERTED`; else "".
    `detail`: command, what its output counted ("3 failed, 41 passed") where it says, and of a failed one behind a
    line end the line that says most, or that it goes on, and as what (`GOES_ON`); value, the command that printed
    it; question, the answer; of a summary, the heading it stood under where that says more than the slot;
    constraint of a user, "correction" or "allowed"; decision and finding of the assistant, "" or `ASIDE`.
    `runs`: command of a shell, what it runs by program and subcommand ("git merge"), one a line; none of a look.
    `failed_parts`: command of a shell that failed, what of it failed, where its output names all of that, one a
    line (`ctxmgr.engine.tools.outcome.failed_parts` says how).
    `listing` names the whole list a statement came in ("summary", "tool:todowrite"): the statement is closed
    when that list is stated again without it. A fact in slot "listing" says when the list was last stated.
    `time_ms` is milliseconds since the epoch: the host's time, or for an undated event the newest host time known
    then; `seq` is 0 where the host dated the event, else the event's number, so that undated facts order.
    `order` is the statement's position in its message, so that a list keeps its order.
    `entry` is the id of the session entry it came from, None while unknown; `origin` the message's digest.
    """

    slot: Slot
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
    failed_parts: str = msgspec.field(default="", name="failedParts")


class Ledger(msgspec.Struct, frozen=True, dict=True):
    """The newest fact per slot, source, listing and key, and the stamp of the newest cumulative summary.

    Sources are kept apart so that closing one statement lets an older one of another source hold again.
    `facts` is keyed by those four, one a line (`ctxmgr.engine.ledger.fold` alone reads the keys).
    `summary_stamp` is the (at, seq) of the newest compaction summary; facts listed by an older compaction summary
    are closed.
    """

    facts: dict[str, Fact] = {}
    summary_stamp: tuple[int, int] = (-1, -1)
