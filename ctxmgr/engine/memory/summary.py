"""Turns messages that leave the context into a summary, without a model: the packet's parts in a larger budget,
under the headings of a format.

Rules:
1. The user's words stand first and word for word, by number. Nothing is classified by its wording.
2. What the previous summary says is carried on, and its numbers go on. With nothing new, a summary of ours is
   written again as it is.
3. Never over the budget; where it is short, what has the least right to stay goes.
4. Same messages, same bytes.

File lists are not here: who calls this appends them.
"""

import re
from collections.abc import Sequence

import msgspec

from ctxmgr.engine.memory import summary_lines as lines
from ctxmgr.engine.memory.from_user import users_text
from ctxmgr.engine.memory.one_line import one_line
from ctxmgr.engine.memory.part import PacketPart, fitted, part_of
from ctxmgr.engine.memory.parts import commits, runs
from ctxmgr.engine.memory.previous import LATEST, carried_facts, last_number
from ctxmgr.engine.memory.sections import CONTINUE_LEAD
from ctxmgr.engine.memory.summary_lines import Draft
from ctxmgr.engine.memory.wording import one_spaced, shorten
from ctxmgr.model import Weigh
from ctxmgr.model.compaction import BranchMessage, Format

SPLIT = "\n\n---\n\n**Turn Context (split turn):**\n\n"
PREFIX_SHARE = 0.3  # of the budget, for a split turn's part beside a history
REQUEST_CHARACTERS = 40  # of what was asked, by which it is known again
SHORT_CHARACTERS = 240  # of each of two sentences
DIGEST_CHARACTERS, DIGEST_LINES = 160, 12
HANDOFF_TOKENS = 2_000

_PROGRESS = "## Progress\n"
_BELOW_PROGRESS = re.compile(r"^### (?:Done|In Progress|Blocked)\b", re.MULTILINE)


class _Section(msgspec.Struct, frozen=True):
    """A heading, and the kinds of lines under it. `share` of the budget; `right` to stay, 0 the best."""

    heading: str
    kinds: tuple[lines.Lines, ...]
    share: float
    right: int


_DONE = lines.tasks("- [x] ", "done")
_ACTIVE = lines.tasks("- [ ] ", "active")
_OPEN = lines.tasks("{}. ", "open")
_BLOCKED = lines.tasks("- ", "blocked")
_LEFT = (lines.ran, lines.made, lines.notes, lines.ends)

STRUCTURED = (
    _Section("## Goal", (lines.goal,), 0.2, 0),
    _Section("## Constraints & Preferences", (lines.users, lines.constraints, lines.asked_before), 0.5, 1),
    _Section("### Done", (_DONE,), 0.15, 7),
    _Section("### In Progress", (_ACTIVE,), 0.1, 3),
    _Section("### Blocked", (lines.failed, _BLOCKED), 0.1, 4),
    _Section("## Key Decisions", (lines.decisions,), 0.15, 5),
    _Section("## Next Steps", (_OPEN,), 0.1, 2),
    _Section("## Critical Context", _LEFT, 0.3, 6),
)
NINE = (
    _Section("1. Primary Request and Intent:", (lines.goal,), 0.3, 0),
    _Section("4. Errors and fixes:", (lines.failed, _BLOCKED), 0.1, 3),
    _Section("5. Problem Solving:", (_DONE, *_LEFT), 0.3, 6),
    _Section("6. All user messages:", (lines.users, lines.asked_before), 0.5, 1),
    _Section("7. Pending Tasks:", (lines.tasks("- ", "open"),), 0.1, 2),
    _Section("8. Current Work:", (lines.tasks("- ", "active"),), 0.1, 2),
    _Section("## Constraints & Preferences", (lines.constraints,), 0.2, 4),
    _Section("## Key Decisions", (lines.decisions,), 0.15, 5),
)
TURN = (
    _Section("## Original Request", (lines.goal,), 0.3, 0),
    _Section("## Progress So Far", (_DONE, _ACTIVE, lines.failed, lines.ran, lines.made), 0.4, 1),
    _Section(
        "## Context Needed to Continue",
        (lines.users, lines.constraints, _OPEN, lines.decisions, lines.notes, lines.ends),
        0.5,
        2,
    ),
)
_FORMATS = {"structured": STRUCTURED, "nine-section": NINE, "handoff": STRUCTURED, "continue": STRUCTURED}


def summary(
    messages: Sequence[BranchMessage],
    previous: str | None,
    *,
    budget: int,
    weigh: Weigh,
    format: Format = "structured",
    prefix: Sequence[BranchMessage] = (),
) -> str:
    """The summary, at most `budget` tokens; "" where there is nothing to say or no room to say it.

    `messages` are what is removed, oldest first; `previous` stands for what was before them; `prefix` is a split
    turn's part before the cut.
    """
    earlier = numbered(previous, messages)
    turn = turn_context(prefix, int(budget * PREFIX_SHARE), weigh, earlier) if prefix else ""
    rest = budget - weigh(SPLIT + turn) if turn else budget
    if format == "handoff":
        rest = min(rest, HANDOFF_TOKENS)
    lead = f"{CONTINUE_LEAD}\n\n" if format == "continue" else ""
    room = rest - (weigh(lead) if lead else 0)
    history = _written(Draft(messages, previous, room, weigh), _FORMATS[format])
    history = f"{lead}{history}" if history else ""
    if not turn:
        return history
    if not history:
        turn = turn_context(prefix, max(budget - weigh(SPLIT), 0), weigh, earlier)
    text = (history + SPLIT if history else SPLIT.lstrip("\n-")) + turn
    return text if weigh(text) <= budget else history


def turn_context(prefix: Sequence[BranchMessage], budget: int, weigh: Weigh, earlier: int = 0) -> str:
    """What a split turn's part before the cut says. `earlier`: so many of the user's messages came before it."""
    return _written(Draft(prefix, None, budget, weigh, earlier), TURN)


def numbered(previous: str | None, messages: Sequence[BranchMessage]) -> int:
    """The number of the user's last message in a summary, and in what came after it."""
    return last_number(carried_facts(previous)) + sum(bool(users_text(message.view)) for message in messages)


def branch(messages: Sequence[BranchMessage], *, budget: int, weigh: Weigh) -> str:
    """A branch summary, at most `budget` tokens."""
    return _written(Draft(messages, None, budget, weigh), STRUCTURED)


def short(messages: Sequence[BranchMessage], previous: str | None = None) -> str:
    """Two sentences: what was asked last, and what was said last; "" where neither is known."""
    record = Draft(messages, previous, 0, len).record
    told = [fact.text.rpartition(LATEST)[2].strip('"') for fact in record.of("goal", "summary")]
    asked = [*told, *(fact.text for fact in record.requests)]
    ends = [fact.text for fact in (*record.ends, record.said) if fact is not None]
    parts = [("Asked", asked[-1] if asked else ""), ("State", ends[-1] if ends else "")]
    return " ".join(_sentence(label, text) for label, text in parts if text.strip())


def _sentence(label: str, text: str) -> str:
    text = one_line(text, SHORT_CHARACTERS)
    return f"{label}: {text}{'' if text[-1:] in '.!?…' else '.'}"


def untold(messages: Sequence[BranchMessage], text: str) -> int:
    """How many of the user's messages this summary says nothing of: not even how one begins."""
    flat = one_spaced(text)
    asked = (one_spaced(users_text(message.view)) for message in messages)
    return sum(bool(words) and words[:REQUEST_CHARACTERS] not in flat for words in asked)


def left_out(messages: Sequence[BranchMessage], budget: int, weigh: Weigh) -> str:
    """A few lines on messages that had to be left out: how many, requests, failures. At most `budget` tokens."""
    record = Draft(messages, None, budget, weigh).record
    asked = [f"- asked: {shorten(one_line(fact.text), DIGEST_CHARACTERS)}" for fact in reversed(record.requests)]
    count = f"Left out: {len(messages)} message{'s' if len(messages) != 1 else ''}."
    text = ""
    for line in (count, *asked[:DIGEST_LINES], *runs(record), *commits(record)):
        longer = f"{text}\n{line}" if text else line
        if weigh(longer) > budget:
            break
        text = longer
    return text


def _written(draft: Draft, sections: Sequence[_Section]) -> str:
    others = {section.heading: _part(section, draft) for section in sections if lines.users not in section.kinds}
    draft.left = draft.budget - sum(draft.weigh(part.whole) for part in others.values())
    parts = [others.get(section.heading) or _part(section, draft) for section in sections]
    rights = sorted(range(len(parts)), key=lambda at: sections[at].right)
    text = fitted(parts, max(draft.budget - draft.weigh(_PROGRESS), 0), draft.weigh, rights)
    return _BELOW_PROGRESS.sub(f"{_PROGRESS}\\g<0>", text, count=1) if sections is STRUCTURED else text


def _part(section: _Section, draft: Draft) -> PacketPart:
    """Of each kind of lines the first and the newest have the best right to stay, and of the kinds the first."""
    told: list[str] = []
    ranked: list[int] = []
    for of in section.kinds:
        start, more = len(told), of(draft)
        told += more
        ranked += dict.fromkeys([*range(start, len(told))[:1], *reversed(range(start, len(told)))])
    return part_of(section.heading, told, section.share, ranked)
