"""Turns a list at the moment an epoch begins into what of it does not compete to stay, and why.

1. The newest steps are lossless: so many tokens of them, and the last two in any case.
2. A protected tool's calls and results stay as they are.
3. User messages stay while all of them fit their share; beyond it the longest leave, of equally long ones the
   oldest first. The newest stays, and what holds more than text.
4. Arguments that a later read or write covers are shortened where their step stays, but in no message that holds
   anything signed.
"""

from collections.abc import Container, Iterable, Sequence

from ctxmgr.engine.balanced.apply_decisions import Shorten
from ctxmgr.engine.balanced.budget import STEPS_LOSSLESS
from ctxmgr.engine.balanced.select import Place
from ctxmgr.engine.conversation.steps import Atom
from ctxmgr.engine.conversation.turns import Index
from ctxmgr.engine.rewriting.prune import call_of, named
from ctxmgr.engine.rewriting.shorten import may_shorten_at
from ctxmgr.model.messages import Message


def first_lossless(messages: Sequence[Message], atoms: Sequence[Atom], tokens: int) -> int:
    """The number of the first atom of rule 1."""
    number, weight = len(atoms), 0
    while number > 0:
        atom = atoms[number - 1]
        more = sum(messages[at].weight for at in atom.positions)
        if len(atoms) - number >= STEPS_LOSSLESS and weight + more > tokens:
            break
        number -= 1
        weight += more
    return number


def protecting(messages: Sequence[Message], index: Index, tools: Sequence[str]) -> frozenset[int]:
    """The indices of messages that call a protected tool (rule 2)."""
    asked_at = set(index.pairs.values()) if tools else ()
    return frozenset(at for at in asked_at if any(named(unit.tool, tools) for unit in messages[at].view.units))


def protected(messages: Sequence[Message], index: Index, tools: Sequence[str]) -> frozenset[Place]:
    """The results of protected tools."""
    return frozenset(
        (at, number)
        for at, number in (index.pairs if tools else ())
        if named(call_of(messages, index, at, number).tool, tools)
    )


def over_share(
    messages: Sequence[Message], users: Sequence[int], share: float, held: Container[int]
) -> frozenset[int]:
    """The user messages that leave (rule 3). `users`: the indices of all; `share` in tokens."""
    over = sum(messages[at].weight for at in users) - share
    leaving: set[int] = set()
    for at in sorted(users[:-1], key=lambda at: (-messages[at].weight, at)):
        if over <= 0:
            break
        units = messages[at].view.units
        if at not in held and all(unit.kind == "text" and not unit.images for unit in units):
            leaving.add(at)
            over -= messages[at].weight
    return frozenset(leaving)


def shortened(
    messages: Sequence[Message], stale: Iterable[Place], spoken_for: Container[int], shorten: Shorten
) -> dict[Place, int]:
    """The calls of rule 4, and what they weigh then, in tokens. `spoken_for`: messages that stay as they are."""
    found: dict[Place, int] = {}
    for at, number in stale:
        unit = messages[at].view.units[number]
        if unit.kind != "call" or not unit.can_edit or at in spoken_for or not may_shorten_at(messages, at):
            continue
        if (told := shorten(at, number)) is not None:
            found[at, number] = told[1]
    return found
