"""Turns a list that is still too heavy into the old steps that leave it, and decisions that remember them into the
messages that are out.

1. The oldest leave first, a call with its thinking and its results. The newest stays, and so does what a user said.
2. A step stays whose leaving would bring a list that fits far below its limit.
3. Where a large one that had to leave did so, the newest of the smaller ones that left before it come back.
4. A step stays out as long as all of it was decided to leave and may. A late result brings its step back, and so
   does a host that took messages away, where the step is the newest then, or not all of it is known any more.
"""

from collections.abc import Mapping, Sequence

import msgspec

from ctxmgr.engine.conversation import ConversationIndex, Step
from ctxmgr.engine.invariants import Invariants
from ctxmgr.model import Decision


class FitBounds(msgspec.Struct, frozen=True):
    """Of a list that was cut, in tokens: what it is brought to, what it may weigh, and what it does not go under if
    it can."""

    least_weight: float
    target_weight: float
    most_weight: float


def may_leave(conversation: ConversationIndex, rules: Invariants) -> tuple[Step, ...]:
    """The steps that ever may, oldest first."""
    stays = {*rules.must_stay(conversation), conversation.newest_reply}
    steps = rules.steps(conversation).steps[:-1]
    return tuple(
        step for step in steps if stays.isdisjoint(step.message_indices) and rules.may_leave(conversation, step)
    )


def leaving(steps: Sequence[Step], weights: Sequence[int], weight: int, bounds: FitBounds) -> list[Step]:
    """Those of these `steps`, of these `weights`, that leave a list of so much `weight`, in tokens."""
    chosen: list[int] = []
    for number, light in enumerate(weights):
        if weight <= bounds.target_weight or (
            weight <= bounds.most_weight and weight - light < bounds.least_weight
        ):
            break
        chosen.append(number)
        weight -= light
    for number in reversed(tuple(chosen)):
        if weight < bounds.least_weight and weight + weights[number] <= bounds.target_weight:
            chosen.remove(number)
            weight += weights[number]
    return [steps[number] for number in chosen]


def unfit(conversation: ConversationIndex, decisions: Mapping[str, Decision], rules: Invariants) -> frozenset[int]:
    """The messages that are out, by index (rule 4)."""
    keys = {key for key, one in decisions.items() if one.to_fit}
    if not keys:
        return frozenset()
    out = (step.message_indices for step in may_leave(conversation, rules))
    return frozenset(at for step in out if all(conversation.key(at) in keys for at in step) for at in step)
