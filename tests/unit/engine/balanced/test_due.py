"""Why an epoch is to be opened over a plan of a weight."""

from typing import Any

import pytest

from ctxmgr.engine.balanced.budget import Budget, ListLimits, room
from ctxmgr.engine.balanced.cache_cost import PriceStep, PriceSteps
from ctxmgr.engine.balanced.project import FIRST_TIMES, GROWN, SLACK, due
from ctxmgr.model import Epoch, Opening, Policy, Rates
from tests.notation import raws, read, u
from tests.unit.engine.stepwise import ask

ROOM = Budget(300, 100, 60)
KEPT = 460  # tokens: what there is room for before the first choice
OVER = int(KEPT * GROWN) + 1


def step(above: float) -> PriceSteps:
    return PriceSteps((PriceStep(above, 2.0, 2.0),))


STEP = step(900)
SECOND = Epoch(1)
QUARTER = Rates(0.025, 1.25)
PAID = Epoch(regret=10_000.0)  # more than any change costs here, and no epoch yet
WAITS = int(FIRST_TIMES * KEPT)

# name, what differs in the ask, weight of what would be sent, why an epoch is due
DUE: list[tuple[str, dict[str, Any], int, Opening | None]] = [
    ("a short list", {}, KEPT, None),
    ("a little more is as good", {}, int(KEPT * SLACK), None),
    ("more, but it has cost nothing yet", {}, 470, None),
    ("a short list is not due in red", {"zone": "red"}, KEPT, None),
    ("nor where the cache is cold", {"cached_count": 0}, KEPT, None),
    ("a longer one is in red", {"zone": "red"}, OVER, "red"),
    ("not one that the last epoch could not leave either", {"zone": "red"}, OVER - 2, None),
    ("in compact too", {"zone": "compact"}, OVER, "red"),
    ("not in yellow", {"zone": "yellow"}, OVER, None),
    ("where the cache is cold", {"cached_count": 0}, 500, "cold"),
    ("cold goes before red", {"cached_count": 0, "zone": "red"}, 500, "cold"),
    (
        "the last choice counts, not the room",
        {"epoch": Epoch(1, remaining_tokens=9_000), "zone": "red"},
        8_000,
        None,
    ),
    # changing writes what is kept and saves reading all: 460 x 1.25 - 1 000 x 0.1 = 475; this call's regret is 54
    ("regret under the cost", {"epoch": Epoch(1, regret=420.0)}, 1_000, None),
    ("regret at the cost", {"epoch": Epoch(1, regret=421.0)}, 1_000, "price"),
    ("where writing is cheap it comes early", {"rates": Rates(0.1, 0.3), "epoch": SECOND}, 1_000, "price"),
    ("where reading costs as much as writing at once", {"rates": Rates(1.0, 1.0), "epoch": SECOND}, 1_000, "price"),
    (
        "under a step that doubles all: regret is 54 + 100",
        {"epoch": Epoch(1, regret=320.0), "steps": STEP},
        1_000,
        None,
    ),
    ("over it", {"epoch": Epoch(1, regret=322.0), "steps": STEP}, 1_000, "price"),
    ("not at it", {"epoch": Epoch(1, regret=322.0), "steps": step(1_000)}, 1_000, None),
    ("nor where no choice is under", {"epoch": Epoch(1, regret=322.0), "steps": step(459)}, 1_000, None),
    ("a first epoch leaves a short list alone, whatever it has cost", {"epoch": PAID}, WAITS - 1, None),
    ("not a longer one", {"epoch": PAID}, WAITS, "price"),
    ("a later one none", {"epoch": Epoch(1, regret=10_000.0)}, WAITS - 1, "price"),
    ("where reading costs a quarter it is twice as long", {"epoch": PAID, "rates": QUARTER}, 2 * WAITS - 1, None),
    ("and no more", {"epoch": PAID, "rates": QUARTER}, 2 * WAITS, "price"),
    ("where reading is free nothing is saved", {"rates": Rates(0.0, 1.0)}, 9 * WAITS, None),
    *(
        (
            f"but over a step what is new costs more, as {new} tokens of this call do",
            {"rates": Rates(0.0, 1.0), "steps": STEP, "epoch": Epoch(1, regret=400.0), "new_tokens": new},
            1_000,
            expected,
        )
        for new, expected in ((59, None), (60, "price"))
    ),
    ("but red is red", {"rates": Rates(0.0, 1.0), "zone": "red"}, OVER, "red"),
    ("in red a short list may be the first, too", {"epoch": PAID, "zone": "red"}, OVER, "red"),
    *(
        (f"whatever the price: {reason}", {"reopen": reason}, 10, reason)
        for reason in ("forced", "compaction", "tree", "model", "policy", "pin", "undo", "rewritten")
    ),
]


@pytest.mark.parametrize(("name", "keys", "weight", "expected"), DUE, ids=[row[0] for row in DUE])
def test_when_an_epoch_is_due(name: str, keys: dict[str, Any], weight: int, expected: Opening | None) -> None:
    messages = read(raws(u("go")))
    assert due(ask(messages, **{"budget": ROOM, "cached_count": 1, **keys}), weight) == expected


def test_by_default_a_list_of_less_than_28_000_tokens_is_left_alone() -> None:
    """A first epoch at 21,000 to 27,000 tokens made recorded sessions dearer than their host alone, so neither the
    default of a part nor the times may move this by themselves."""
    total = room(Policy(), ListLimits(184_000, 130_000), "green").total
    assert FIRST_TIMES * total == 28_000
