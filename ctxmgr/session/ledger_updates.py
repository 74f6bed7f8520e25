"""Turns what a session hears, and its host's tree, into facts of its state.

A fact whose session entry is not known yet is pending; the next entry id binds it. Facts on the active path of the
tree hold. After a move, facts of other branches are set aside. They return when their entry or their message is on
the path again.
"""

from collections.abc import Container, Iterable, Mapping, Sequence
from itertools import chain
from types import MappingProxyType

import msgspec

from ctxmgr.engine.conversation import ConversationIndex, digest
from ctxmgr.engine.instructions import remembered
from ctxmgr.engine.memory import Stamp, fold, from_message, now_and_past, speaker, users_text
from ctxmgr.engine.memory import from_summary as facts_of_summary
from ctxmgr.engine.presets import Inputs
from ctxmgr.formats import MessageFormat
from ctxmgr.model import Block, Message, SummaryKind, View
from ctxmgr.model.saved import Fact, Ledger, RawSummary, State
from ctxmgr.session.reading import Reader

FACTS_AT_MOST = 4_000  # above it only current facts are kept; recorded sessions reach about 2,500
FACTS_KEPT = 3_000  # after trimming, which is expensive and must not happen with each event
FACTS_BETWEEN_LOOKS = 500  # between searches for outdated versions
NONE_NAMED: Mapping[str, str] = MappingProxyType({})
PENDING_AT_MOST = 500  # above it no entry id will come: this host sends none
UNDATED = -1
POSITIONS = 1_000_000  # undated facts are ordered by event number, then by their position in the event's list


Times = int | frozenset[int]


def stamp(state: State, given: int | None, position: int) -> tuple[int, int]:
    """(at, seq) of something that happened now: the host's time, or the newest known one, and a sequence number."""
    if given is not None:
        return given, 0
    return state.clock, (state.seq + 1) * POSITIONS + position


def with_instructions(state: State, conversation: ConversationIndex, first: int, inputs: Inputs) -> State:
    """Adds instructions in the messages from `first` on, in case the host removes them."""
    named, usable = inputs.policy.protected_instructions, inputs.gauge.usable_weight
    after = remembered(state.instructions, conversation, first, named, usable, state.newest_summary)
    return state if after is state.instructions else msgspec.structs.replace(state, instructions=after)


def from_messages(
    state: State,
    messages: Iterable[tuple[int, Message]],
    calls: Mapping[str, Block],
    time_ms: int | None,
    entries: Mapping[int, str | None],
    heard: "SourceMessages",
    before: View | None = None,
) -> tuple[State, tuple[Fact, ...]]:
    """The facts of these messages, (position, message) each. `heard`: messages that add nothing. `before`: what
    precedes the first.

    The first message that asks for something states the goal, and so does every message with the same time. The
    ledger chooses among them by content, not by order.
    """
    learned: list[Fact] = []
    goals: list[Fact] = []  # among them
    opened, clock, turn = state.opened, state.clock, state.turn  # opened: a goal was heard, or a summary of one
    for position, message in messages:
        view = message.view
        moment = view.time_ms if view.time_ms is not None else time_ms
        clock = max(clock, moment or 0)
        own = _own_words(view, state.summaries)
        previous, before = before, speaker(before, view)
        if own.role == "user" and users_text(own, previous):
            turn = mark(message)
        if message in heard:
            continue
        when, order = stamp(state, moment, position)
        known = chain(state.facts, state.pending, goals)
        facts = from_message(
            own,
            stamp=Stamp(message.digest, when, order, entries.get(position)),
            calls=calls,
            opening=view.opens_turn and (not opened or _is_of_goals_time(view, known)),
            turn=turn,
            before=previous,
        )
        goals += [fact for fact in facts if fact.kind == "goal"]
        opened = opened or bool(goals)
        learned += facts
    if (opened, clock, turn) != (state.opened, state.clock, state.turn):
        state = msgspec.structs.replace(state, opened=opened, clock=clock, turn=turn)
    return state, tuple(learned)


def _is_of_goals_time(view: View, facts: Iterable[Fact]) -> bool:
    """Whether a message has the time at which the user stated the goal."""
    if view.time_ms is None:
        return False
    goals = (fact for fact in facts if fact.kind == "goal" and fact.source == "user")
    return any(not goal.seq and goal.time_ms == view.time_ms for goal in goals)


def _own_words(view: View, summaries: Iterable[RawSummary]) -> View:
    """A user's message without the summary that its host put into it, and without the text that introduces that."""
    if view.role != "user":
        return view
    heard = [text for summary in summaries if (text := summary.text.strip())]
    blocks = tuple(
        msgspec.structs.replace(block, text=block.text.rpartition(text)[2])
        if block.is_text and (text := next((words for words in heard if words in block.text), ""))
        else block
        for block in view.blocks
    )
    return view if blocks == view.blocks else msgspec.structs.replace(view, blocks=blocks)


def summary_digest(text: str) -> str:
    """The digest of a message with this summary, whichever form is heard first."""
    return digest(View("summary", (Block("summary", text=text),)))


def from_summary(
    state: State, text: str, kind: SummaryKind, given: int | None, entry: str | None, origin: str = ""
) -> tuple[State, tuple[Fact, ...]]:
    """The facts of a summary, which is also kept whole. A repeated one adds nothing. `origin`: its identity, if not
    its text.
    """
    origin = origin or summary_digest(text)
    if not kind or not text or any(summary.digest == origin for summary in state.summaries):
        return state, ()
    when, order = stamp(state, given, POSITIONS - 1)
    facts = facts_of_summary(text, kind=kind, stamp=Stamp(origin, when, order, entry))
    kept = RawSummary(kind, text, origin, when, entry)
    clock = max(state.clock, when)
    summaries, opened = (*state.summaries, kept), state.opened or kind == "compaction"
    return msgspec.structs.replace(state, summaries=summaries, clock=clock, opened=opened), facts


def learn(state: State, facts: Sequence[Fact], bound: bool) -> State:
    """Adds facts. `bound`: their entries are known or never will be."""
    if not facts:
        return state
    if not bound:
        state = msgspec.structs.replace(state, pending=(*state.pending, *facts))
        return state if len(state.pending) <= PENDING_AT_MOST else bind(state, None)[0]
    merged = state.facts + tuple(facts)
    if len(merged) // FACTS_BETWEEN_LOOKS != len(state.facts) // FACTS_BETWEEN_LOOKS:
        merged = _without_older(merged)
    if len(merged) > FACTS_AT_MOST:
        merged = _trimmed(merged)
    return msgspec.structs.replace(state, facts=merged)


def bind(state: State, entry: str | None, named: Mapping[str, str] = NONE_NAMED) -> tuple[State, tuple[Fact, ...]]:
    """Binds pending facts to the entry of their message (`named`, by its digest), or else to the next entry id;
    without one they stay unbound. Also returns the current facts, for the ledger.
    """
    if not state.pending:
        return state, ()
    bound = state.pending
    if named or entry is not None:
        bound = tuple(
            msgspec.structs.replace(fact, entry=named.get(fact.origin, entry)) if fact.entry is None else fact
            for fact in state.pending
        )
    return learn(msgspec.structs.replace(state, pending=()), bound, bound=True), bound


def _without_older(facts: tuple[Fact, ...]) -> tuple[Fact, ...]:
    """Drops facts without an entry that a newer one replaces, if they are at least half of all. Older versions are
    only needed after a move to another branch, and these are on none.
    """
    unnamed = fold(Ledger(), [fact for fact in facts if fact.entry is None])
    newest = {id(fact) for fact in unnamed}
    kept = tuple(fact for fact in facts if fact.entry is not None or id(fact) in newest)
    return kept if 2 * len(kept) <= len(facts) else facts


def _trimmed(facts: Sequence[Fact]) -> tuple[Fact, ...]:
    """What holds, in order of arrival: first what people and summaries said, then the newest of the rest.

    Dropped versions are never needed: older ones matter only after a move to another branch.
    """
    holds = {_as_stated(fact) for some in now_and_past(fold(Ledger(), facts)) for fact in some}
    places = [number for number, fact in enumerate(facts) if _as_stated(fact) in holds]
    kept = sorted(sorted(places, key=lambda number: (_right(facts[number]), -number))[:FACTS_KEPT])
    return tuple(facts[number] for number in kept)


def _as_stated(fact: Fact) -> tuple[str | int, ...]:
    """A fact's identity, whatever a later one changes."""
    return fact.kind, fact.source, fact.listing, fact.key, fact.text, fact.time_ms, fact.seq, fact.origin


def _right(fact: Fact) -> int:
    """0 for what a session must not forget; higher numbers are dropped first."""
    if fact.source == "user":
        return 0
    return 1 if fact.source == "summary" else 2


def merged(ledger_before: Ledger, before: State, after: State, facts: Sequence[Fact]) -> Ledger:
    """The ledger of the state after these facts: merged into the previous one, or rebuilt if facts were trimmed, so
    that a restart knows the same.
    """
    grown = len(after.facts) + len(after.pending) - len(before.facts) - len(before.pending)
    return ledger(after) if grown < 0 else fold(ledger_before, facts)


def moved(state: State, path: Sequence[str]) -> State:
    """The host moved to another path: facts of entries on it hold, all others are set aside."""
    on_path = frozenset(path)
    known = (*state.facts, *state.pending, *state.away)
    return msgspec.structs.replace(
        state,
        facts=tuple(fact for fact in known if fact.entry in on_path),
        pending=(),
        away=tuple(fact for fact in known if fact.entry not in on_path),
        trail=tuple(path),
    )


def returned(state: State, shown: Container[str]) -> tuple[State, tuple[Fact, ...]]:
    """Facts that were set aside hold again when the list shows their message."""
    back = tuple(fact for fact in state.away if fact.origin in shown)
    if not back:
        return state, ()
    away = tuple(fact for fact in state.away if fact.origin not in shown)
    return msgspec.structs.replace(state, facts=(*state.facts, *back), away=away), back


def ledger(state: State) -> Ledger:
    """Everything that holds on the active path."""
    return fold(Ledger(), (*state.facts, *state.pending))


def calls_of(messages: Iterable[Message]) -> dict[str, Block]:
    """The calls in these messages, by id."""
    return {block.call_id: block for message in messages for block in message.view.blocks if block.kind == "call"}


def calls_answered(among: Iterable[Message], conversation: ConversationIndex) -> dict[str, Block]:
    """The calls that results among these messages answer, and those in them; the others are in the conversation."""
    messages = tuple(among)
    calls = calls_of(messages)
    for block in (block for message in messages for block in message.view.blocks):
        if block.kind == "result" and block.call_id not in calls:
            position = conversation.calls.get(block.call_id)
            if position is not None:
                calls |= calls_of([conversation.messages[position]])
    return calls


def mark(message: Message) -> str:
    """A heard message's identity. The same text at another time is another message."""
    return message.digest if message.view.time_ms is None else f"{message.digest} {message.view.time_ms}"


class SourceMessages:
    """The messages that a session has learned from, by text and time. The same text at another time is another
    message; without a time it is the same. A session hears thousands, so each takes one dictionary entry and its
    digest, which its facts share.
    """

    def __init__(self, state: State | None = None) -> None:
        self._times: dict[str, Times] = {}  # milliseconds, by digest
        if state is not None:
            self.add_sources(state)

    def __contains__(self, message: Message) -> bool:
        times, time_ms = self._times.get(message.digest), message.view.time_ms
        if times is None or time_ms is None:
            return times is not None
        return time_ms in times if isinstance(times, frozenset) else time_ms == times

    def add(self, *messages: Message) -> None:
        for message in messages:
            time_ms = message.view.time_ms
            self._add(message.digest, UNDATED if time_ms is None else time_ms)

    def add_sources(self, state: State) -> None:
        """Adds the messages that its facts came from."""
        for facts in (state.facts, state.pending, state.away):
            for fact in facts:
                self._add(fact.origin, fact.time_ms)

    def having(self, message: Message) -> "SourceMessages":
        """These and one more."""
        more = SourceMessages()
        more._times = dict(self._times)
        more.add(message)
        return more

    def _add(self, digest: str, time_ms: int) -> None:
        times = self._times.setdefault(digest, time_ms)
        if times != time_ms:
            held = times if isinstance(times, frozenset) else frozenset((times,))
            self._times[digest] = held | {time_ms}


class EntryIds:
    """The session entries of messages, by text and time, as far as they are known. A session names thousands, so
    only a message that repeats an earlier text at another time gets a key of its own.
    """

    def __init__(self) -> None:
        self._ids: dict[str, str] = {}  # by digest, of the first message that has it
        self._times: dict[str, int | None] = {}  # milliseconds, of that message
        self._others: dict[str, str] = {}  # by mark

    def add(self, message: Message, id: str) -> None:
        if self._times.setdefault(message.digest, message.view.time_ms) == message.view.time_ms:
            self._ids[message.digest] = id
        else:
            self._others[mark(message)] = id

    def of(self, message: Message) -> str | None:
        if self._times.get(message.digest) == message.view.time_ms:
            return self._ids.get(message.digest)
        return self._others.get(mark(message))


def on_path(
    state: State, fmt: MessageFormat, raws: Sequence[bytes], leaf: str | None, heard: SourceMessages
) -> tuple[State, EntryIds]:
    """The state after hearing a whole tree whose active path ends at `leaf` (None: at its last entry), and the
    entry of each message on it.

    `heard`: messages whose facts are known; they return if the path shows their message.
    """
    from ctxmgr.formats.pi_tree import entries as tree

    entries = [entry for entry in map(tree.entry, raws) if entry is not None]
    path = tree.path(entries, leaf)
    state = moved(state, [entry.id for entry in path])
    unweighed = Reader(fmt, lambda text: 0, tools=state.tools)
    messages: list[tuple[int, Message]] = []
    ids: dict[int, str | None] = {}
    for position, entry in enumerate(path):
        if entry.kind == "message":
            messages.append((position, unweighed.read([entry.message])[0]))
            ids[position] = entry.id
        elif entry.kind:
            state, facts = from_summary(state, entry.summary, entry.kind, entry.time_ms, entry.id)
            state = learn(state, facts, bound=True)
    state, _ = returned(state, {message.digest for _, message in messages})
    calls = calls_of(message for _, message in messages)
    state, facts = from_messages(state, messages, calls, None, ids, heard)
    entry_of = EntryIds()
    for position, message in messages:
        entry_of.add(message, path[position].id)
    return learn(state, facts, bound=True), entry_of


def along_trail(state: State, leaf: str | None, parent: str | None) -> State:
    """The state at `leaf` if no tree was sent, as far as the known trail allows. `parent`: of the branch summary
    that is the new leaf, or None.
    """
    trail = state.trail
    end = leaf if leaf in trail else parent
    path: tuple[str, ...] = trail[: trail.index(end) + 1] if end in trail else ()
    return moved(state, path)


def summarised(state: State, text: str, given: int | None, entry: str | None) -> State:
    """The state after a branch summary was added at the end of the path."""
    state, facts = from_summary(state, text, "branch", given, entry)
    state = learn(state, facts, bound=True)
    if entry and entry not in state.trail:
        state = msgspec.structs.replace(state, trail=(*state.trail, entry))
    return state
