"""Turns messages that leave the context into a summary, without a model: the packet's parts in a larger budget,
under the headings of a format.

Rules:
1. The user's words stand first and word for word, by number. Nothing is classified by its wording.
2. What the previous summary says is carried on. With nothing new, a summary of ours is written again as it is.
3. Never over the budget; where it is short, what has the least right to stay goes.
4. Same messages, same bytes.

File lists are not here: who calls this appends them.
"""

from collections.abc import Callable, Sequence

import msgspec

from ctxmgr.engine.conversation import digest
from ctxmgr.engine.extractive.previous import LATEST, carried_facts, last_number
from ctxmgr.engine.ledger import Stamp, extract, fold, kind_of_run, task_ids, users_text
from ctxmgr.engine.packet import (
    PacketPart,
    Record,
    answers,
    commits,
    fitted,
    part_of,
    record_of,
    runs,
    user_line,
)
from ctxmgr.engine.text import CONTINUE_LEAD, both_ends, one_line, one_spaced, said, shorten
from ctxmgr.model import Block, Weigh
from ctxmgr.model.compaction import BranchMessage, Format
from ctxmgr.model.saved import Fact, Ledger

SPLIT = "\n\n---\n\n**Turn Context (split turn):**\n\n"
PREFIX_SHARE = 0.3  # of the budget, for a split turn's part beside a history
USER_CHARACTERS = (4_000, 1_200, 400, 160)  # of one message: the first that all fit with, in half of the budget
USER_SHARE = 0.5
GOAL_CHARACTERS, ITEM_CHARACTERS, END_CHARACTERS = 2_000, 1_200, 400
REQUEST_CHARACTERS = 40  # of what was asked, by which it is known again
SHORT_CHARACTERS = 240  # of each of two sentences
DIGEST_CHARACTERS, DIGEST_LINES = 160, 12
HANDOFF_TOKENS = 2_000

_Lines = Callable[["_Draft"], list[str]]


class _Section(msgspec.Struct, frozen=True):
    """A heading, and the kinds of lines under it. `share` of the budget; `right` to stay, 0 the best."""

    heading: str
    lines: tuple[_Lines, ...]
    share: float
    right: int


def facts_of(messages: Sequence[BranchMessage]) -> list[Fact]:
    """The facts of these messages, dated by their places."""
    calls: dict[str, Block] = {}
    found: list[Fact] = []
    opened, turn = False, ""
    for at, message in enumerate(messages):
        origin = f"{at} {digest(message.view)}"
        calls |= {block.call_id: block for block in message.view.blocks if block.kind == "call"}
        if users_text(message.view):
            turn = origin
        opening = bool(message.opens_turn or message.view.opens_turn) and not opened
        facts = extract.from_message(message.view, stamp=Stamp(origin, at), calls=calls, opening=opening, turn=turn)
        opened = opened or any(fact.slot == "goal" for fact in facts)
        found += facts
    return found


class _Draft:
    """What one summary is made of."""

    def __init__(self, messages: Sequence[BranchMessage], previous: str | None, budget: int, weigh: Weigh) -> None:
        self.carried = carried_facts(previous)
        self.record: Record = record_of(fold(Ledger(), [*self.carried, *facts_of(messages)]), ())
        self.first = last_number(self.carried)
        self.budget, self.weigh = budget, weigh

    def users(self) -> list[str]:
        """The user's words, by number."""
        lines: list[str] = []
        for characters in USER_CHARACTERS:
            told = enumerate(self.record.requests, self.first + 1)
            lines = [user_line(number, fact, characters).removeprefix("- ") for number, fact in told]
            if self.weigh("\n".join(lines)) <= USER_SHARE * self.budget:
                break
        return lines


def _goal(draft: _Draft) -> list[str]:
    told = [fact.text for fact in draft.record.of("goal", "summary")]
    asked = [fact.text for fact in draft.record.requests]
    lines = [both_ends(told[0] if told else asked[0], GOAL_CHARACTERS)] if told or asked else []
    if asked and (told or len(asked) > 1):
        lines.append(f"{LATEST}{said(asked[-1], ITEM_CHARACTERS)}")
    return lines


def _constraints(draft: _Draft) -> list[str]:
    return [*_carried(draft, "constraint"), *(f"- {line}" for line in draft.users())]


def _asked(draft: _Draft) -> list[str]:
    return [*_carried(draft, "request"), *(f"- {line}" for line in draft.users())]


def _decisions(draft: _Draft) -> list[str]:
    return [*_carried(draft, "decision"), *answers(draft.record)]


def _tasks(mark: str, *statuses: str) -> _Lines:
    def lines(draft: _Draft) -> list[str]:
        facts = [fact for fact in draft.record.of("task", "summary", "assistant") if fact.status in statuses]
        return [f"{mark}{task_ids.with_id(one_line(fact.text, ITEM_CHARACTERS), fact.key)}" for fact in facts]

    return lines


def _failed(draft: _Draft) -> list[str]:
    return [line for fact, line in _runs(draft) if fact.status == "failed"]


def _ran(draft: _Draft) -> list[str]:
    return [line for fact, line in _runs(draft) if fact.status != "failed"]


def _runs(draft: _Draft) -> list[tuple[Fact, str]]:
    return list(zip(draft.record.of("command", "tool"), runs(draft.record), strict=True))


def _made(draft: _Draft) -> list[str]:
    return commits(draft.record)


def _notes(draft: _Draft) -> list[str]:
    """Of the previous summary; what it said of a kind of check that ran since is over."""
    kinds = tuple(f"{kind_of_run(fact)}: `" for fact in draft.record.of("command", "tool"))
    told = _carried(draft, "context")
    return [line for line in told if not (kinds and line.removeprefix("- ").startswith(kinds))]


def _ends(draft: _Draft) -> list[str]:
    ends = [*draft.record.ends, *([draft.record.said] if draft.record.said is not None else [])]
    return [f"- Said at the end of a turn: {said(fact.text, END_CHARACTERS)}" for fact in ends]


def _carried(draft: _Draft, slot: str) -> list[str]:
    return [f"- {_told(fact.text)}" for fact in draft.record.of(slot, "summary")]


def _told(text: str) -> str:
    return text if "\n" in text or text.startswith("#") else one_line(text, 2 * ITEM_CHARACTERS)


_DONE = _tasks("- [x] ", "done")
_ACTIVE = _tasks("- [ ] ", "active")
_OPEN = _tasks("1. ", "open")
_BLOCKED = _tasks("- ", "blocked")
_LEFT = (_notes, _ran, _made, _ends)

STRUCTURED = (
    _Section("## Goal", (_goal,), 0.2, 0),
    _Section("## Constraints & Preferences", (_constraints,), 0.5, 1),
    _Section("### Done", (_DONE,), 0.15, 7),
    _Section("### In Progress", (_ACTIVE,), 0.1, 3),
    _Section("### Blocked", (_BLOCKED, _failed), 0.1, 4),
    _Section("## Key Decisions", (_decisions,), 0.15, 5),
    _Section("## Next Steps", (_OPEN,), 0.1, 2),
    _Section("## Critical Context", _LEFT, 0.3, 6),
)
NINE = (
    _Section("1. Primary Request and Intent:", (_goal, lambda draft: _carried(draft, "constraint")), 0.3, 0),
    _Section("2. Key Technical Concepts:", (_decisions,), 0.15, 4),
    _Section("4. Errors and fixes:", (_BLOCKED, _failed), 0.1, 3),
    _Section("5. Problem Solving:", (_DONE, *_LEFT), 0.3, 5),
    _Section("6. All user messages:", (_asked,), 0.5, 1),
    _Section("7. Pending Tasks:", (_tasks("- ", "open"),), 0.1, 2),
    _Section("8. Current Work:", (_tasks("- ", "active"),), 0.1, 2),
)
TURN = (
    _Section("## Original Request", (_goal,), 0.3, 0),
    _Section("## Progress So Far", (_DONE, _ACTIVE, _decisions, _failed, _ran, _made), 0.4, 1),
    _Section("## Context Needed to Continue", (_constraints, _OPEN, _notes, _ends), 0.5, 2),
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
    turn = turn_context(prefix, int(budget * PREFIX_SHARE), weigh) if prefix else ""
    rest = budget - weigh(SPLIT + turn) if turn else budget
    if format == "handoff":
        rest = min(rest, HANDOFF_TOKENS)
    lead = f"{CONTINUE_LEAD}\n\n" if format == "continue" else ""
    room = rest - (weigh(lead) if lead else 0)
    history = _written(_Draft(messages, previous, room, weigh), _FORMATS[format])
    history = f"{lead}{history}" if history else ""
    if not turn:
        return history
    if not history:
        turn = turn_context(prefix, max(budget - weigh(SPLIT), 0), weigh)
    text = (history + SPLIT if history else SPLIT.lstrip("\n-")) + turn
    return text if weigh(text) <= budget else history


def turn_context(prefix: Sequence[BranchMessage], budget: int, weigh: Weigh) -> str:
    """What a split turn's part before the cut says."""
    return _written(_Draft(prefix, None, budget, weigh), TURN)


def branch(messages: Sequence[BranchMessage], *, budget: int, weigh: Weigh) -> str:
    """A branch summary, at most `budget` tokens."""
    return _written(_Draft(messages, None, budget, weigh), STRUCTURED)


def short(messages: Sequence[BranchMessage], previous: str | None = None) -> str:
    """Two sentences: what was asked last, and what was said last; "" where neither is known."""
    record = _Draft(messages, previous, 0, len).record
    asked = [fact.text for fact in (*record.of("goal", "summary"), *record.requests)]
    told = [("Asked", asked[-1] if asked else ""), ("State", record.said.text if record.said is not None else "")]
    return " ".join(_sentence(label, text) for label, text in told if text.strip())


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
    record = _Draft(messages, None, budget, weigh).record
    asked = [f"- asked: {shorten(one_line(fact.text), DIGEST_CHARACTERS)}" for fact in reversed(record.requests)]
    count = f"Left out: {len(messages)} message{'s' if len(messages) != 1 else ''}."
    lines, text = [count, *asked[:DIGEST_LINES], *runs(record), *commits(record)], ""
    for line in lines:
        longer = f"{text}\n{line}" if text else line
        if weigh(longer) > budget:
            break
        text = longer
    return text


def _written(draft: _Draft, sections: Sequence[_Section]) -> str:
    parts = [_part(section, draft) for section in sections]
    rights = sorted(range(len(parts)), key=lambda at: sections[at].right)
    text = fitted(parts, max(draft.budget - draft.weigh("## Progress\n"), 0), draft.weigh, rights)
    return text.replace("### ", "## Progress\n### ", 1) if sections is STRUCTURED and "### " in text else text


def _part(section: _Section, draft: _Draft) -> PacketPart:
    """The first line and the newest have the best right to stay."""
    lines = [line for of in section.lines for line in of(draft)]
    ranked = dict.fromkeys([*range(len(lines))[:1], *reversed(range(len(lines)))])
    return part_of(section.heading, lines, section.share, ranked)
