"""Turns a host's session tree into the state of a session on one of its paths.

What lies on the path holds, what lies beside it is put away. Knows entries and facts; no wire, no weights.
"""

from collections.abc import Sequence

import msgspec

from ctxmgr.formats import MessageFormat
from ctxmgr.formats.pi_tree import entries as tree
from ctxmgr.model import Message
from ctxmgr.model.saved import State
from ctxmgr.session import ledger_updates
from ctxmgr.session.reading import Reader


def on_path(
    state: State, fmt: MessageFormat, raws: Sequence[bytes], leaf: str | None, heard: ledger_updates.SourceMessages
) -> tuple[State, dict[str, str]]:
    """The state after hearing a whole tree whose active path ends at `leaf` (None: at its last entry), and the
    entry of each message on it, by the message's mark.

    `heard`: messages whose facts are known; they come back where the path shows their message.
    """
    found = [one for one in map(tree.entry, raws) if one is not None]
    path = tree.path(found, leaf)
    state = ledger_updates.moved(state, [one.id for one in path])
    unweighed = Reader(fmt, lambda text: 0, tools=state.tools)
    messages: list[tuple[int, Message]] = []
    ids: dict[int, str | None] = {}
    for position, one in enumerate(path):
        if one.kind == "message":
            messages.append((position, unweighed.read([one.message])[0]))
            ids[position] = one.id
        elif one.kind:
            state, facts = ledger_updates.from_summary(state, one.summary, one.kind, one.time_ms, one.id)
            state = ledger_updates.learn(state, facts, bound=True)
    state, _ = ledger_updates.returned(state, {message.digest for _, message in messages})
    calls = ledger_updates.calls_of(message for _, message in messages)
    state, facts = ledger_updates.from_messages(state, messages, calls, None, ids, heard)
    entry_of = {ledger_updates.mark(message): path[position].id for position, message in messages}
    return ledger_updates.learn(state, facts, bound=True), entry_of


def along_trail(state: State, leaf: str | None, parent: str | None) -> State:
    """The state at `leaf` where no tree was sent, as far as the known trail tells. `parent`: of the branch
    summary that is the new leaf, None without one."""
    trail = state.trail
    at = leaf if leaf in trail else parent
    path: tuple[str, ...] = trail[: trail.index(at) + 1] if at in trail else ()
    return ledger_updates.moved(state, path)


def summarised(state: State, text: str, given: int | None, entry: str | None) -> State:
    """The state after a branch summary hung at the end of the path."""
    state, facts = ledger_updates.from_summary(state, text, "branch", given, entry)
    state = ledger_updates.learn(state, facts, bound=True)
    if entry and entry not in state.trail:
        state = msgspec.structs.replace(state, trail=(*state.trail, entry))
    return state
