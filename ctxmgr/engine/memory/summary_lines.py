"""Turns messages, and the summary of what came before them, into the lines of a summary without a model, kind by
kind. Knows no heading and no right to stay."""

from collections.abc import Callable, Sequence

from msgspec import structs

from ctxmgr.engine.conversation import digest
from ctxmgr.engine.memory import extract, task_ids
from ctxmgr.engine.memory.fold import fold
from ctxmgr.engine.memory.from_user import users_text
from ctxmgr.engine.memory.one_line import one_line, said
from ctxmgr.engine.memory.parts import answers, commit_line, run_line, user_lines
from ctxmgr.engine.memory.previous import ENDED, LATEST, carried_facts, last_number
from ctxmgr.engine.memory.record import Record, record_of
from ctxmgr.engine.memory.statements import Stamp
from ctxmgr.engine.memory.wording import FENCE, both_ends
from ctxmgr.model import Block, Weigh
from ctxmgr.model.compaction import BranchMessage
from ctxmgr.model.saved import Fact, Ledger

USER_CHARACTERS, LEAST_CHARACTERS = 4_200, 160  # of one message: as many as all fit with
USER_SHARE = 0.5
CARRIED_CHARACTERS = 4_000  # of one statement of the previous summary
GOAL_CHARACTERS, ITEM_CHARACTERS, END_CHARACTERS = 2_000, 1_200, 400

Lines = Callable[["Draft"], list[str]]


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


class Draft:
    """What one summary is made of. `earlier`: so many of the user's messages came before it. `left`: tokens that
    the sections without the user's words leave."""

    def __init__(
        self, messages: Sequence[BranchMessage], previous: str | None, budget: int, weigh: Weigh, earlier: int = 0
    ) -> None:
        carried = carried_facts(previous)
        found = [fact for fact in facts_of(messages) if fact.slot != "goal"]  # the first message tells it
        self.earlier = max(earlier, last_number(carried))
        facts = [*_placed(carried, found), *found]
        self.record: Record = record_of(fold(Ledger(), facts), (), earlier=self.earlier)
        self.budget, self.weigh, self.left = budget, weigh, 0

    @property
    def asked(self) -> list[tuple[int, Fact]]:
        """The user's messages by number, those of the previous summary first."""
        carried = [(fact.seq, fact) for fact in self.record.of("request", "summary") if fact.seq]
        return [*carried, *enumerate(self.record.requests, self.earlier + 1)]

    def after(self, fact: Fact) -> int:
        """The number of the user's message that a check came after."""
        return fact.seq if fact.source == "summary" else self.record.after(fact)


def _placed(carried: Sequence[Fact], found: Sequence[Fact]) -> list[Fact]:
    """With commits in the directory that git ran in since: a summary does not tell it."""
    places = {fact.status for fact in found if fact.slot == "value"}
    place = places.pop() if len(places) == 1 else ""
    return [structs.replace(fact, status=place) if fact.slot == "value" else fact for fact in carried]


def goal(draft: Draft) -> list[str]:
    told = [fact.text for fact in draft.record.of("goal", "summary")]
    asked = [fact for _, fact in draft.asked]
    goal, _, latest = told[0].partition(f"\n{LATEST}") if told else ("", "", "")
    new = draft.record.requests
    if not goal and asked:
        goal, new = said(asked[0].text, GOAL_CHARACTERS), draft.record.requests[1:]
    latest = said(new[-1].text, ITEM_CHARACTERS) if new else latest
    return [both_ends(goal, GOAL_CHARACTERS), *([f"{LATEST}{latest}"] if latest else [])] if goal else []


def users(draft: Draft) -> list[str]:
    """What the user said, by number, in half of the budget or all that is left of it."""
    room = max(int(USER_SHARE * draft.budget), draft.left)
    return user_lines(draft.asked, USER_CHARACTERS, LEAST_CHARACTERS, room, draft.weigh)


def asked_before(draft: Draft) -> list[str]:
    """As another's summary tells it, without numbers."""
    return [_told(fact.text) for fact in draft.record.of("request", "summary") if not fact.seq]


def constraints(draft: Draft) -> list[str]:
    return _carried(draft, "constraint")


def decisions(draft: Draft) -> list[str]:
    return [*_carried(draft, "decision"), *answers(draft.record)]


def tasks(mark: str, *statuses: str) -> Lines:
    def lines(draft: Draft) -> list[str]:
        facts = [fact for fact in draft.record.of("task", "summary", "assistant") if fact.status in statuses]
        told = (task_ids.with_id(one_line(fact.text, ITEM_CHARACTERS), fact.key) for fact in facts)
        return [f"{mark.format(at)}{text}" for at, text in enumerate(told, 1)]

    return lines


def failed(draft: Draft) -> list[str]:
    return [run_line(fact, draft.after(fact)) for fact in _runs(draft) if fact.status == "failed"]


def ran(draft: Draft) -> list[str]:
    return [run_line(fact, draft.after(fact)) for fact in _runs(draft) if fact.status != "failed"]


def _runs(draft: Draft) -> list[Fact]:
    return draft.record.of("command", "tool", "summary")


def made(draft: Draft) -> list[str]:
    return [commit_line(fact) for fact in draft.record.of("value", "tool", "summary")]


def notes(draft: Draft) -> list[str]:
    """Of the previous summary."""
    return [line for line in _carried(draft, "context") if not line.startswith(f"- {ENDED}")]


def ends(draft: Draft) -> list[str]:
    record = draft.record
    ends = [*record.ends, *([record.said] if record.said is not None else [])]
    told = [(f"- {ENDED}{record.after(fact)}: ", said(fact.text, END_CHARACTERS)) for fact in ends]
    since = tuple(start for start, _ in told)  # a turn that went on ends as it ended later
    carried = [line for line in _carried(draft, "context") if line.startswith(f"- {ENDED}")]
    return [*(line for line in carried if not line.startswith(since)), *map("".join, told)]


def _carried(draft: Draft, slot: str) -> list[str]:
    return [_told(fact.text) for fact in draft.record.of(slot, "summary")]


def _told(text: str) -> str:
    """Code stands as it was written, between blank lines: behind a bullet a fence is none."""
    fenced = any(map(FENCE.match, text.splitlines()))
    return f"\n{text}\n" if fenced else f"- {one_line(text, CARRIED_CHARACTERS)}"
