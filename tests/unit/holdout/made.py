"""Made rows of a holdout, whose truth is known: sessions that differ in length, model, price and habits."""

import random
from collections.abc import Iterator

from ctxmgr.holdout import HoldoutCall, digest
from ctxmgr.holdout.calls import arm_of

FULL_CALLS = 60  # from there on a list grows no more
PRICES = {"large": 0.05, "small": 0.01}  # dollars a call of a full list


def rows(
    count: int, seed: int, share: float = 0.5, effect: float = 1.0, longer: float = 1.0, longest: int = 80
) -> Iterator[HoldoutCall]:
    """Of so many sessions. `effect`: what a managed call costs of what it would have; `longer`: how many calls a
    managed session has of those that it would have had."""
    chance = random.Random(seed)
    for number in range(count):
        session = f"{seed}.{number}"
        arm = arm_of(session, share)
        is_managed = arm == "managed"
        calls = min(longest, 1 + int(chance.lognormvariate(2.5, 0.8) * (longer if is_managed else 1)))
        dear, careless = chance.lognormvariate(0, 0.4), chance.betavariate(1, 9)
        model = chance.choice([*PRICES])
        for call in range(1, calls + 1):
            dollars = PRICES[model] * dear * min(call + 20, FULL_CALLS) / FULL_CALLS * (effect if is_managed else 1)
            yield HoldoutCall(
                number * 1_000 + call,
                arm,
                digest(session),
                digest(session),
                "claude",
                model,
                call,
                dollars=dollars * chance.lognormvariate(0, 0.2),
                error=chance.random() < careless / 10,
                compaction=chance.random() < 0.005,
                rereads=int(chance.random() < careless),
                corrections=int(chance.random() < careless / 4),
            )
