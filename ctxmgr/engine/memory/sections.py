"""The sections of summaries: a row for each kind, with the headings that open it and what its items become.

The headings come from summaries that models wrote. Rows are tried in order.
"""

from typing import Literal

import msgspec

from ctxmgr.model import expression
from ctxmgr.model.saved import Slot

SectionKind = Literal[
    "goal",
    "constraint",
    "decision",
    "done",
    "active",
    "blocked",
    "step",
    "next",
    "current",
    "progress",
    "messages",
    "context",
]
HeadingKind = SectionKind | Literal["", "split"]


class SectionRow(msgspec.Struct, frozen=True):
    """`names`: a pattern of the names that a heading with a `#` may have, in lower case.

    A heading without a `#` must match a name exactly, because prose has colons and bold words of its own. Bold
    headings and those with a colon: `titles` of our formats, and `bare` of others. Numbered headings:
    `numbered_titles` and `numbered`.

    `items`: the slot and status of the facts that its items become. None: its text is not a list of items.
    """

    kind: HeadingKind
    names: str
    titles: tuple[str, ...] = ()
    bare: tuple[str, ...] = ()
    numbered_titles: tuple[str, ...] = ()
    numbered: tuple[str, ...] = ()
    items: tuple[Slot, str] | None = None


SECTIONS = (
    SectionRow("split", r"turn context \(split turn\)", titles=("turn context (split turn)",)),
    SectionRow(
        "goal",
        r"(?:(?:overall|main|primary|user'?s?|project|session|current|ultimate) )?(?:goals?|objectives?)"
        r"|primary request.*|(?:original|initial|user'?s?) request|mission",
        titles=("goal", "original request"),
        bare=("goals", "objective"),
        numbered_titles=("primary request and intent",),
        numbered=("primary request",),
    ),
    SectionRow(
        "constraint",
        r"(?:(?:key|user'?s?|technical|project|hard) )*(?:constraints?|preferences?|requirements|rules)"
        r"(?: ?(?:&|and|/|,) .*)?",
        titles=("constraints & preferences",),
        bare=("constraints", "constraints and preferences", "user preferences", "preferences"),
        items=("constraint", ""),
    ),
    SectionRow(
        "decision",
        r"(?:(?:key|important|major|design|technical|architectural|architecture) )*decisions?(?: .*)?",
        titles=("key decisions",),
        bare=("decisions",),
        numbered=("key decisions",),
        items=("decision", ""),
    ),
    SectionRow(
        "done",
        r"done|completed?(?: .*)?|(?:work|tasks?|steps?|changes) (?:completed|done|made)(?: .*)?"
        r"|accomplished|accomplishments|finished(?: .*)?|committed|what (?:was|has been|we) (?:done|did)"
        r"|early progress|progress so far|work so far",
        titles=("done", "completed", "progress so far"),
        bare=("early progress",),
        numbered=("work completed",),
        items=("task", "done"),
    ),
    SectionRow(
        "active",
        r"in[ -]progress(?: .*)?|ongoing(?: .*)?|(?:currently )?working on",
        titles=("in progress",),
        items=("task", "active"),
    ),
    SectionRow(
        "blocked",
        r"blocked(?: .*)?|blockers?|blocking issues?",
        titles=("blocked",),
        items=("task", "blocked"),
    ),
    SectionRow(
        "step",
        r"(?:optional |immediate |suggested |the )*next step",
        bare=("next step",),
        numbered_titles=("optional next step",),
        numbered=("next step",),
        items=("task", "open"),
    ),
    SectionRow(
        "next",
        r"(?:(?:immediate|suggested|recommended|planned) )?next (?:steps|actions|tasks)(?: .*)?"
        r"|(?:remaining|pending|outstanding|open|upcoming) (?:work|tasks?|items?|steps?|todos?)(?: .*)?"
        r"|to-?do'?s?(?: list)?|what(?:'s| is) (?:left|next)(?: to do)?|still to do|task list",
        titles=("next steps",),
        bare=("remaining work", "pending tasks"),
        numbered_titles=("pending tasks",),
        items=("task", "open"),
    ),
    SectionRow(
        "current",
        r"current (?:task|work|focus|activity|state|situation|step|request)(?: .*)?",
        titles=("current state",),
        bare=("current work", "current task"),
        numbered_titles=("current work",),
    ),
    SectionRow(
        "progress",
        r"(?:current |overall )?progress(?: summary)?|(?:current )?status",
        titles=("progress",),
    ),
    SectionRow(
        "messages",
        r"(?:all )?user messages(?: .*)?|the user said(?: .*)?",
        numbered_titles=("all user messages",),
        numbered=("user messages",),
        items=("request", ""),
    ),
    SectionRow(
        "context",
        r"(?:critical|key|important|additional|essential|relevant|background) (?:context|details)"
        r"|context (?:for suffix|needed to continue)",
        titles=("critical context", "context needed to continue"),
        bare=("context for suffix",),
        numbered_titles=(
            "key technical concepts",
            "files and code sections",
            "errors and fixes",
            "problem solving",
        ),
        numbered=("files and code", "errors and solutions", "context for continuing work"),
    ),
)

TITLES = tuple(name for row in SECTIONS for name in (*row.titles, *row.numbered_titles))
"""All headings of our formats, in lower case."""
BARE = frozenset(name for row in SECTIONS for name in (*row.titles, *row.bare))
NUMBERED = frozenset(name for row in SECTIONS for name in (*row.numbered_titles, *row.numbered))
ITEMS: dict[str, tuple[Slot, str]] = {row.kind: row.items for row in SECTIONS if row.items}
"""The slot and status of items, for the kinds whose text is a list of items."""

_NAMES = tuple((row.kind, expression(row.names)) for row in SECTIONS)


def without_aside(name: str) -> str:
    """A heading's name without the text in brackets."""
    return name.partition("(")[0].rstrip()


def kind_of(name: str) -> HeadingKind:
    """The kind of section that a heading of this name opens, or "" if the name is not known."""
    name = name.casefold().strip(" *:.").replace("’", "'")
    for candidate in (name, without_aside(name)):
        for kind, pattern in _NAMES:
            if pattern.fullmatch(candidate):
                return kind
    return ""
