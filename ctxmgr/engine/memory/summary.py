"""Writes a summary of messages that leave the context, without a model: the packet's parts in a larger budget,
under the headings of a format.

Rules:
1. The user's words come first and word for word, by number. Nothing is classified by its wording.
2. The statements of the previous summary are carried over, and its numbering continues. Without anything new, a
   summary that ctxmgr wrote is reproduced unchanged.
3. A summary is never over the budget. If there is too little room, the lowest priority is omitted.
4. Equal messages give equal bytes.

File lists are not included: the caller appends them.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import chain

import msgspec

from ctxmgr.engine.conversation import digest
from ctxmgr.engine.memory.command_log import commit_line, run_line
from ctxmgr.engine.memory.extract import from_message, speaker
from ctxmgr.engine.memory.facts import Stamp, with_id
from ctxmgr.engine.memory.fill import FlexiblePart, Part, fill, part_of
from ctxmgr.engine.memory.from_summary import ENDED, LATEST, carried_facts, last_number
from ctxmgr.engine.memory.ledger import LedgerView, fold, record_of
from ctxmgr.engine.memory.markdown import CONTINUE_LEAD
from ctxmgr.engine.memory.packet import approved_plan_text, commits, own_lines, runs
from ctxmgr.engine.memory.user_words import user_lines, users_text
from ctxmgr.engine.memory.wording import FENCE, both_ends, one_line, one_spaced, quotation, shorten
from ctxmgr.model import Block, View, Weigh, expression
from ctxmgr.model.compaction import BranchMessage, Format
from ctxmgr.model.saved import Fact, Ledger

USER_CHARACTERS, LEAST_CHARACTERS = 4_200, 160  # of one message: the most with which all fit
USER_SHARE = 0.5  # of the budget; also gets what the other sections leave
CARRIED_CHARACTERS = 4_000  # of one statement of the previous summary
GOAL_CHARACTERS, ITEM_CHARACTERS, END_CHARACTERS = 2_000, 1_200, 400
SPLIT = "\n\n---\n\n**Turn Context (split turn):**\n\n"
PREFIX_SHARE = 0.3  # of the budget, for a split turn's part beside a history
REQUEST_CHARACTERS = 40  # of a request, enough to recognise it
SHORT_CHARACTERS = 240  # of each of two sentences
APPROVED_PLAN = "The plan that the user approved, word for word:"
PLAN_FENCE = "``````"  # longer than any fence within
DIGEST_CHARACTERS, DIGEST_LINES = 160, 12
HANDOFF_TOKENS = 2_000

_PROGRESS = "## Progress\n"
_BELOW_PROGRESS = expression(r"^### (?:Done|In Progress|Blocked)\b", re.MULTILINE)


class SummaryMaterial:
    """What one summary is made from. `earlier`: how many of the user's messages came before it."""

    def __init__(self, messages: Sequence[BranchMessage], previous: str | None = None, earlier: int = 0) -> None:
        carried = carried_facts(previous)
        facts = [fact for fact in facts_of(messages) if fact.kind != "goal"]  # the first message states the goal
        self.earlier = max(earlier, last_number(carried))
        ledger = fold(Ledger(), [*carried, *facts])
        self.record: LedgerView = record_of(ledger, (), earlier=self.earlier)

    @property
    def numbered_requests(self) -> list[tuple[int, Fact]]:
        """The user's messages by number, those of the previous summary first."""
        carried = [(fact.seq, fact) for fact in self.record.of("request", "summary") if fact.seq]
        return [*carried, *enumerate(self.record.requests, self.earlier + 1)]

    def carried(self, slot: str) -> list[str]:
        """The statements of the previous summary."""
        return [_carried(fact.text) for fact in self.record.of(slot, "summary")]

    def runs(self, *, failed: bool) -> list[str]:
        """The lines of checks that failed, or of the others. Facts from a summary have the number of the user's
        message in `seq`.
        """
        facts = self.record.of("command", "tool", "summary")
        return [
            run_line(fact, fact.seq if fact.source == "summary" else self.record.after(fact))
            for fact in facts
            if (fact.status == "failed") == failed
        ]


def facts_of(messages: Sequence[BranchMessage]) -> list[Fact]:
    """The facts of these messages, with their indexes as times."""
    calls: dict[str, Block] = {}
    all_facts: list[Fact] = []
    opened, turn = False, ""
    before: View | None = None
    for index, message in enumerate(messages):
        origin = f"{index} {digest(message.view)}"
        calls |= {block.call_id: block for block in message.view.blocks if block.kind == "call"}
        if users_text(message.view, before):
            turn = origin
        opening = bool(message.opens_turn or message.view.opens_turn) and not opened
        stamp = Stamp(origin, index)
        facts = from_message(message.view, stamp=stamp, calls=calls, opening=opening, turn=turn, before=before)
        before = speaker(before, message.view)
        opened = opened or any(fact.kind == "goal" for fact in facts)
        all_facts += facts
    return all_facts


def _carried(text: str) -> str:
    """The lines of a carried statement. Code stays as written, between blank lines: a fence after a bullet does not
    work.
    """
    fenced = any(map(FENCE.match, text.splitlines()))
    return f"\n{text}\n" if fenced else f"- {one_line(text, CARRIED_CHARACTERS)}"


Lines = Callable[[SummaryMaterial], list[str]]
"""The lines of one kind in a section."""


def _goal(draft: SummaryMaterial) -> list[str]:
    goals = [fact.text for fact in draft.record.of("goal", "summary")]
    asked = [fact for _, fact in draft.numbered_requests]
    goal, _, latest = goals[0].partition(f"\n{LATEST}") if goals else ("", "", "")
    new = draft.record.requests
    if not goal and asked:
        goal, new = quotation(asked[0].text, GOAL_CHARACTERS), draft.record.requests[1:]
    latest = quotation(new[-1].text, ITEM_CHARACTERS) if new else latest
    return [both_ends(goal, GOAL_CHARACTERS), *([f"{LATEST}{latest}"] if latest else [])] if goal else []


def _asked_before(draft: SummaryMaterial) -> list[str]:
    """Requests from a summary of another writer, without numbers."""
    return [_carried(fact.text) for fact in draft.record.of("request", "summary") if not fact.seq]


def _constraints(draft: SummaryMaterial) -> list[str]:
    return draft.carried("constraint")


def _decisions(draft: SummaryMaterial) -> list[str]:
    """Decisions, and facts that have a part of their own in a packet, such as answers. The newest approved plan is
    whole.
    """
    plan = approved_plan_text(draft.record)
    whole = [f"\n- {APPROVED_PLAN}\n{PLAN_FENCE}\n{plan}\n{PLAN_FENCE}\n"] if plan else []
    return [*whole, *draft.carried("decision"), *chain.from_iterable(own_lines(draft.record).values())]


def _tasks(mark: str, status: str) -> Lines:
    def lines(draft: SummaryMaterial) -> list[str]:
        facts = [fact for fact in draft.record.of("task", "summary", "assistant") if fact.status == status]
        texts = (with_id(one_line(fact.text, ITEM_CHARACTERS), fact.key) for fact in facts)
        return [f"{mark.format(number)}{text}" for number, text in enumerate(texts, 1)]

    return lines


def _failed(draft: SummaryMaterial) -> list[str]:
    return draft.runs(failed=True)


def _ran(draft: SummaryMaterial) -> list[str]:
    return draft.runs(failed=False)


def _commits(draft: SummaryMaterial) -> list[str]:
    return [commit_line(fact) for fact in draft.record.of("value", "tool", "summary")]


def _notes(draft: SummaryMaterial) -> list[str]:
    """The notes of the previous summary."""
    return [line for line in draft.carried("context") if not line.startswith(f"- {ENDED}")]


def _ends(draft: SummaryMaterial) -> list[str]:
    record = draft.record
    ends = [*record.ends, *([record.last_words] if record.last_words is not None else [])]
    lines = [(f"- {ENDED}{record.after(fact)}: ", quotation(fact.text, END_CHARACTERS)) for fact in ends]
    since = tuple(start for start, _ in lines)  # a turn that continued has a newer end
    carried = [line for line in draft.carried("context") if line.startswith(f"- {ENDED}")]
    return [*(line for line in carried if not line.startswith(since)), *map("".join, lines)]


class _Section(msgspec.Struct, frozen=True):
    """A heading, and the kinds of lines under it. `share`: a fraction of the budget. `right`: its priority, 0 the
    highest. `users`: the user's messages come first.
    """

    heading: str
    kinds: tuple[Lines, ...]
    share: float
    right: int
    users: bool = False


_DONE = _tasks("- [x] ", "done")
_ACTIVE = _tasks("- [ ] ", "active")
_OPEN = _tasks("{}. ", "open")
_BLOCKED = _tasks("- ", "blocked")
_LEFT = (_ran, _commits, _notes, _ends)

STRUCTURED = (
    _Section("## Goal", (_goal,), 0.2, 0),
    _Section("## Constraints & Preferences", (_constraints, _asked_before), 0.5, 1, users=True),
    _Section("### Done", (_DONE,), 0.15, 7),
    _Section("### In Progress", (_ACTIVE,), 0.1, 3),
    _Section("### Blocked", (_failed, _BLOCKED), 0.1, 4),
    _Section("## Key Decisions", (_decisions,), 0.15, 5),
    _Section("## Next Steps", (_OPEN,), 0.1, 2),
    _Section("## Critical Context", _LEFT, 0.3, 6),
)
NINE = (
    _Section("1. Primary Request and Intent:", (_goal,), 0.3, 0),
    _Section("4. Errors and fixes:", (_failed, _BLOCKED), 0.1, 3),
    _Section("5. Problem Solving:", (_DONE, *_LEFT), 0.3, 6),
    _Section("6. All user messages:", (_asked_before,), 0.5, 1, users=True),
    _Section("7. Pending Tasks:", (_tasks("- ", "open"),), 0.1, 2),
    _Section("8. Current Work:", (_tasks("- ", "active"),), 0.1, 2),
    _Section("## Constraints & Preferences", (_constraints,), 0.2, 4),
    _Section("## Key Decisions", (_decisions,), 0.15, 5),
)
TURN = (
    _Section("## Original Request", (_goal,), 0.3, 0),
    _Section("## Progress So Far", (_DONE, _ACTIVE, _failed, _ran, _commits), 0.4, 1),
    _Section(
        "## Context Needed to Continue",
        (_constraints, _OPEN, _decisions, _notes, _ends),
        0.5,
        2,
        users=True,
    ),
)
_FORMATS = {"structured": STRUCTURED, "nine-section": NINE, "handoff": STRUCTURED, "continue": STRUCTURED}


def compaction(
    messages: Sequence[BranchMessage],
    previous: str | None,
    *,
    budget: int,
    weigh: Weigh,
    format: Format = "structured",
    prefix: Sequence[BranchMessage] = (),
) -> str:
    """The summary in at most `budget` tokens, or "" if there is nothing to say or nothing fits.

    `messages`: what is removed, oldest first. `previous`: the summary of what came before them. `prefix`: a split
    turn's part before the cut.
    """
    earlier = numbered(previous, messages)
    turn = turn_context(prefix, int(budget * PREFIX_SHARE), weigh, earlier) if prefix else ""
    rest = budget - weigh(SPLIT + turn) if turn else budget
    if format == "handoff":
        rest = min(rest, HANDOFF_TOKENS)
    lead = f"{CONTINUE_LEAD}\n\n" if format == "continue" else ""
    room = rest - (weigh(lead) if lead else 0)
    history = _written(SummaryMaterial(messages, previous), _FORMATS[format], room, weigh)
    history = f"{lead}{history}" if history else ""
    if not turn:
        return history
    if not history:
        turn = turn_context(prefix, max(budget - weigh(SPLIT), 0), weigh, earlier)
    text = (history + SPLIT if history else SPLIT.lstrip("\n-")) + turn
    return text if weigh(text) <= budget else history


def turn_context(prefix: Sequence[BranchMessage], budget: int, weigh: Weigh, earlier: int = 0) -> str:
    """The summary of a split turn's part before the cut. `earlier`: how many of the user's messages came
    before it.
    """
    return _written(SummaryMaterial(prefix, earlier=earlier), TURN, budget, weigh)


def numbered(previous: str | None, messages: Sequence[BranchMessage]) -> int:
    """The number of the user's last message, counting a summary and the messages after it."""
    return last_number(carried_facts(previous)) + sum(map(bool, _asked(messages)))


def _asked(messages: Sequence[BranchMessage]) -> Iterator[str]:
    """What the user said in each message, or ""."""
    views = [message.view for message in messages]
    return map(users_text, views, [None, *views])


def branch(messages: Sequence[BranchMessage], *, budget: int, weigh: Weigh) -> str:
    """A branch summary of at most `budget` tokens."""
    return _written(SummaryMaterial(messages), STRUCTURED, budget, weigh)


def short(messages: Sequence[BranchMessage], previous: str | None = None) -> str:
    """Two sentences: what was asked last, and what was said last. Returns "" if neither is known."""
    record = SummaryMaterial(messages, previous).record
    latest_requests = [fact.text.rpartition(LATEST)[2].strip('"') for fact in record.of("goal", "summary")]
    asked = [*latest_requests, *(fact.text for fact in record.requests)]
    ends = [fact.text for fact in (*record.ends, record.last_words) if fact is not None]
    parts = [("Asked", asked[-1] if asked else ""), ("State", ends[-1] if ends else "")]
    return " ".join(_sentence(label, text) for label, text in parts if text.strip())


def _sentence(label: str, text: str) -> str:
    text = one_line(text, SHORT_CHARACTERS)
    return f"{label}: {text}{'' if text[-1:] in '.!?…' else '.'}"


def untold(messages: Sequence[BranchMessage], text: str) -> int:
    """How many of the user's messages this summary does not contain, not even their beginning."""
    flat = one_spaced(text)
    asked = map(one_spaced, _asked(messages))
    return sum(bool(words) and words[:REQUEST_CHARACTERS] not in flat for words in asked)


def left_out(messages: Sequence[BranchMessage], budget: int, weigh: Weigh) -> str:
    """A few lines about omitted messages: how many, requests, checks, commits. At most `budget` tokens."""
    record = SummaryMaterial(messages).record
    asked = [f"- asked: {shorten(one_line(fact.text), DIGEST_CHARACTERS)}" for fact in reversed(record.requests)]
    count = f"Left out: {len(messages)} message{'s' if len(messages) != 1 else ''}."
    text = ""
    for line in (count, *asked[:DIGEST_LINES], *runs(record), *commits(record)):
        longer = f"{text}\n{line}" if text else line
        if weigh(longer) > budget:
            break
        text = longer
    return text


def _written(draft: SummaryMaterial, sections: Sequence[_Section], budget: int, weigh: Weigh) -> str:
    progress = weigh(_PROGRESS)

    def with_users(section: _Section, room: int) -> Part:
        most = max(int(USER_SHARE * budget), room + progress)
        users = user_lines(draft.numbered_requests, USER_CHARACTERS, LEAST_CHARACTERS, most, weigh)
        return _part(section, draft, users)

    parts: list[Part | FlexiblePart] = [
        partial(with_users, section) if section.users else _part(section, draft) for section in sections
    ]
    text = fill(parts, max(budget - progress, 0), weigh)
    return _BELOW_PROGRESS.sub(f"{_PROGRESS}\\g<0>", text, count=1) if sections is STRUCTURED else text


def _part(section: _Section, draft: SummaryMaterial, users: Sequence[str] = ()) -> Part:
    """The lines of a section. In each kind of lines, the first and the newest have the highest priority; earlier
    kinds have priority over later ones.
    """
    lines: list[str] = []
    ranked: list[int] = []
    for more in (users, *(kind(draft) for kind in section.kinds)):
        start = len(lines)
        lines += more
        ranked += dict.fromkeys([*range(start, len(lines))[:1], *reversed(range(start, len(lines)))])
    return part_of(section.heading, lines, section.share, ranked, section.right)
