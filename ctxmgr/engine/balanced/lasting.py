"""Turns the last known states of files into a worth by the token: what an edit is made from must be there.

1. A file counts by how it was worked on: each read, write and edit that its state still rests on adds, a change
   twice as much as a look, and each fades with the steps since.
2. That worth goes to the units that together hold the file's last state (`superseded`), so that an edit can be made
   without reading again.
3. A file that was looked at long ago has next to none: it competes by its names alone.
"""

from collections.abc import Mapping, Sequence

from ctxmgr.engine.balanced.reuse_value import HALF_STEPS
from ctxmgr.engine.conversation import BlockRef, ConversationIndex
from ctxmgr.engine.conversation.steps import Atom
from ctxmgr.engine.staleness.staleness import Latest

A_TOKEN = 0.02  # worth a token of a file in use: 400 tokens of it are worth one name that is likely to be said
LOOK = 0.5  # a change adds 1
MOST = 2.0  # what many touches come to


def lasting(
    conversation: ConversationIndex, atoms: Sequence[Atom], files: Sequence[Latest]
) -> Mapping[BlockRef, float]:
    """The worth a token of each unit that holds a file's last state."""
    number = {at: place for place, atom in enumerate(atoms) for at in atom.positions}
    found: dict[BlockRef, float] = {}
    for file in files:
        use = 0.0
        for ref in file.units:
            faded: float = 0.5 ** ((len(atoms) - number.get(ref.message_index, 0)) / HALF_STEPS)
            use += faded * (1.0 if conversation.block(ref).kind == "call" else LOOK)
        for place in file.units:
            found[place] = max(found.get(place, 0.0), A_TOKEN * min(MOST, use))
    return found
