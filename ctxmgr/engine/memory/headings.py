"""Turns one line of a summary into a heading: how deep it stands, its name, and the kind of section it opens.

Which names mean what is a table, gathered from summaries that models wrote (pi, Claude Code) and not from
prompts alone: "Key Decisions Made", "Completed Work (WP1-WP16)", "Current Task: File Reorganization".
Only the name decides; a heading with no known name is still a heading where it carries a `#`.
"""

import re
from typing import Literal

import msgspec

SectionKind = Literal[
    "goal",
    "constraint",
    "decision",
    "done",
    "active",
    "blocked",
    "next",
    "step",
    "current",
    "progress",
    "messages",
    "context",
]
HeadingKind = SectionKind | Literal["", "split"]

NUMBERED_LEVEL = 2  # `1. Primary Request and Intent:` stands like `##`
MOST_CHARACTERS = 200  # a longer line is prose
MOST_LEVEL = 7  # bold and plain headings are deeper than any `#`

_NAMES: tuple[tuple[HeadingKind, str], ...] = (
    ("split", r"turn context \(split turn\)"),
    (
        "goal",
        r"(?:(?:overall|main|primary|user'?s?|project|session|current|ultimate) )?(?:goals?|objectives?)",
    ),
    ("goal", r"primary request.*|(?:original|initial|user'?s?) request|mission"),
    (
        "constraint",
        r"(?:(?:key|user'?s?|technical|project|hard) )*(?:constraints?|preferences?|requirements|rules)"
        r"(?: ?(?:&|and|/|,) .*)?",
    ),
    (
        "decision",
        r"(?:(?:key|important|major|design|technical|architectural|architecture) )*decisions?(?: .*)?",
    ),
    ("done", r"done|completed?(?: .*)?|(?:work|tasks?|steps?|changes) (?:completed|done|made)(?: .*)?"),
    (
        "done",
        r"accomplished|accomplishments|finished(?: .*)?|committed|what (?:was|has been|we) (?:done|did)",
    ),
    ("done", r"early progress|progress so far|work so far"),
    ("active", r"in[ -]progress(?: .*)?|ongoing(?: .*)?|(?:currently )?working on"),
    ("blocked", r"blocked(?: .*)?|blockers?|blocking issues?"),
    ("step", r"(?:optional |immediate |suggested |the )*next step"),
    ("next", r"(?:(?:immediate|suggested|recommended|planned) )?next (?:steps|actions|tasks)(?: .*)?"),
    ("next", r"(?:remaining|pending|outstanding|open|upcoming) (?:work|tasks?|items?|steps?|todos?)(?: .*)?"),
    ("next", r"to-?do'?s?(?: list)?|what(?:'s| is) (?:left|next)(?: to do)?|still to do|task list"),
    ("current", r"current (?:task|work|focus|activity|state|situation|step|request)(?: .*)?"),
    ("progress", r"(?:current |overall )?progress(?: summary)?|(?:current )?status"),
    ("messages", r"(?:all )?user messages(?: .*)?|the user said(?: .*)?"),
    (
        "context",
        r"(?:critical|key|important|additional|essential|relevant|background) (?:context|details)",
    ),
    ("context", r"context (?:for suffix|needed to continue)"),
)
_KINDS = tuple((kind, re.compile(pattern)) for kind, pattern in _NAMES)

# Headings without a `#` must be one of these exactly: prose has colons and bold words of its own.
_BARE = frozenset(
    [
        "goal",
        "goals",
        "objective",
        "constraints",
        "constraints & preferences",
        "constraints and preferences",
        "user preferences",
        "preferences",
        "progress",
        "done",
        "completed",
        "in progress",
        "blocked",
        "key decisions",
        "decisions",
        "next steps",
        "next step",
        "remaining work",
        "pending tasks",
        "critical context",
        "original request",
        "early progress",
        "progress so far",
        "current work",
        "current task",
        "current state",
        "context for suffix",
        "context needed to continue",
        "turn context (split turn)",
    ]
)
_NINE = frozenset(
    [
        "primary request and intent",
        "primary request",
        "key technical concepts",
        "files and code sections",
        "errors and fixes",
        "problem solving",
        "all user messages",
        "pending tasks",
        "current work",
        "optional next step",
        "next step",
        "key decisions",
        "user messages",
        "files and code",
        "errors and solutions",
        "work completed",
        "context for continuing work",
    ]
)

_HASHED = re.compile(r"^ {0,3}(#{1,6})\s+(\S.*?)\s*#*\s*$")
_BOLD = re.compile(r"^ {0,3}(?:\*\*|__)([^*\n]{3,60}?)(?::(?:\*\*|__)|(?:\*\*|__):?)\s*(.*)$")
_NUMBERED = re.compile(r"^ {0,3}(?:\*\*)?\d{1,2}[.)]\s+(?:\*\*)?([^:*\n]{3,60}?)(?::\*\*|\*\*:?|:)\s*(.*)$")
_COLON = re.compile(r"^([A-Z][A-Za-z &]{3,40}):\s*(.*)$")
_NUMBER = re.compile(r"^(?:\d{1,2}[.)]|[^\w\s(<\"'`*]+)\s+")
_ASIDE = re.compile(r"\s*\([^)]*\)?\s*$")


class Heading(msgspec.Struct, frozen=True):
    """`text` is the heading as written, `rest` what its line says after it. `kind` is "" when unknown."""

    level: int
    text: str
    rest: str
    kind: HeadingKind


def heading(line: str) -> Heading | None:
    """Read one line that stands outside code fences as a heading, or None."""
    if len(line) > MOST_CHARACTERS:
        return None
    match = _HASHED.match(line)
    if match:
        return _hashed(len(match[1]), match[2])
    for pattern, names, level in (
        (_NUMBERED, _NINE, NUMBERED_LEVEL),
        (_BOLD, _BARE, MOST_LEVEL),
        (_COLON, _BARE, MOST_LEVEL),
    ):
        match = pattern.match(line)
        name = match[1].strip().casefold() if match else ""
        if match and (name in names or _ASIDE.sub("", name) in names):
            return Heading(level, match[1].strip(), match[2].strip(), kind_of(name) or "context")
    return None


def _hashed(level: int, text: str) -> Heading:
    """A heading with `#`: `Current Task: File Reorganization` is a known name and the rest of a sentence."""
    text = _NUMBER.sub("", text.replace("**", "").strip()).rstrip(" :")
    kind = kind_of(text)
    if kind:
        return Heading(level, text, "", kind)
    name, colon, rest = text.partition(":")
    kind = kind_of(name) if colon else ""
    return Heading(level, name.strip(), rest.strip(), kind) if kind else Heading(level, text, "", "")


def kind_of(name: str) -> HeadingKind:
    """Return what kind of section a heading of this name opens, "" if the name is not known."""
    name = name.casefold().strip(" *:.").replace("’", "'")
    for candidate in (name, _ASIDE.sub("", name)):
        for kind, pattern in _KINDS:
            if pattern.fullmatch(candidate):
                return kind
    return ""
