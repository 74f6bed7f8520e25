"""Turns the summaries of a list into those that leave it and those that stay as they came.

A summary's text is in the ledger, and the packet is to say it in its place. But the packet never weighs more than
what it stands for: where that is little, it can not hold what a short summary says.

1. A summary leaves when the packet that would stand for it holds every fact of it that still holds.
2. One that does not stays, the newest first, as long as those that stay weigh together no more than the packet
   may: a long summary is what the packet is made to be leaner than.
3. A summary that left stays out, and one that stays does so until more turns leave: the prefix of the next call
   must not change for this alone. Only when the list is new to us is it decided anew.
4. One that stays stays when its turn leaves, too: it stands at its place, before the packet.

Knows neither packets nor ledgers: it is told what a packet would hold.
"""

from collections.abc import Callable, Container, Sequence

import msgspec

from ctxmgr.model import Message


class Carrying(msgspec.Struct, frozen=True):
    """What the packet can carry. `holds`: (message index of a summary, tokens that the packet stands for) ->
    does the packet hold its facts? `settled_count`: so many messages were shown before. `most_tokens`: tokens
    that all summaries that stay may weigh together."""

    holds: Callable[[int, int], bool]
    settled_count: int
    most_tokens: int


class Folding(msgspec.Struct, frozen=True):
    """What the packet takes over from messages.

    `packet_for`: (tokens that it stands for) -> its text and weight, ("", 0) when nothing fits; None where there is
    none. `folded`: is this summary, by index, in the ledger? `carrying`: what the packet can carry; None where
    summaries leave in any case.
    """

    packet_for: Callable[[int], tuple[str, int]] | None
    folded: Callable[[int], bool]
    carrying: Carrying | None = None

    def packet(self, stands_for: int) -> tuple[str, int]:
        """The packet for what weighs so many tokens."""
        return self.packet_for(stands_for) if self.packet_for is not None and stands_for else ("", 0)


def staying(
    messages: Sequence[Message],
    candidates: Sequence[int],
    left: Container[int],
    carrying: Carrying,
    more_leaves: bool,
    all_gone: int,
) -> frozenset[int]:
    """The candidates that stay. `left` did so before; `more_leaves`: do turns leave now that were kept before?
    `all_gone`: tokens the packet would stand for if every candidate left."""
    undecided = [at for at in candidates if at not in left]
    stay = set() if more_leaves else {at for at in undecided if at < carrying.settled_count}
    weight = sum(messages[at].weight for at in stay)
    judged = [at for at in reversed(undecided) if at not in stay]  # the newest first
    for at in list(judged):  # most often none can stay, and then no packet need be rendered
        if weight + messages[at].weight > carrying.most_tokens:
            judged.remove(at)
    while judged:
        lost = [at for at in judged if not carrying.holds(at, all_gone - weight)]
        if not lost:
            break
        for at in lost:  # the packet gets the smaller by each that stays: the others are looked at again
            judged.remove(at)
            if weight + messages[at].weight <= carrying.most_tokens:
                stay.add(at)
                weight += messages[at].weight
    return frozenset(stay)
