"""The worth of files' last states, by the token."""

import pytest

from ctxmgr.engine.balanced.lasting import A_TOKEN, LOOK, MOST, lasting
from ctxmgr.engine.balanced.reuse_value import HALF_STEPS
from ctxmgr.engine.invariants import STEPS
from ctxmgr.engine.staleness.staleness import latest
from tests.notation import Said, a, call, indexed, r, talk, u

READ = [a(call("read", path="a.py")), r("def one(): pass\n" * 9)]
WRITE = [a(call("write", path="a.py", content="def one(): pass\n" * 9)), r("ok")]
EDIT = [a(call("edit", path="a.py", oldText="one", newText="two")), r("ok")]
OTHER = [a(call("read", path="b.py")), r("def other(): pass\n")]


def found(*said: Said) -> dict[tuple[int, int], float]:
    messages = talk(*said)
    index = indexed(messages)
    last = lasting(index, STEPS.steps(index).atoms, latest(index, {}))
    return {(ref.message_index, ref.block_index): worth for ref, worth in last.items()}


def half(steps: int) -> float:
    return float(0.5 ** (steps / HALF_STEPS))


# name, conversation, use of each unit that holds a last state
TABLE: list[tuple[str, list[Said], dict[tuple[int, int], float]]] = [
    ("nothing", [u("go"), a("ok")], {}),
    ("a file that was read", READ, {(1, 0): LOOK * half(1)}),
    ("a file that was written", WRITE, {(0, 0): half(1)}),
    ("read again: the newer read holds it", [*READ, *READ], {(3, 0): LOOK * half(1)}),
    ("written later", [*READ, *WRITE], {(2, 0): half(1)}),
    (
        "an edit rests on the read before it",
        [*READ, *EDIT],
        dict.fromkeys([(1, 0), (2, 0)], LOOK * half(2) + half(1)),
    ),
    ("each file by itself", [*READ, *OTHER], {(1, 0): LOOK * half(2), (3, 0): LOOK * half(1)}),
    ("it fades", [*READ, *[a("ok")] * 60], {(1, 0): LOOK * half(61)}),
    ("and has a limit", [*READ, *EDIT * 8], dict.fromkeys([(1, 0), *((at, 0) for at in range(2, 18, 2))], MOST)),
]


@pytest.mark.parametrize(("name", "said", "use"), TABLE, ids=[row[0] for row in TABLE])
def test_what_a_last_state_is_worth(name: str, said: list[Said], use: dict[tuple[int, int], float]) -> None:
    assert found(*said) == pytest.approx({place: A_TOKEN * value for place, value in use.items()})


def test_a_long_forgotten_file_has_next_to_nothing() -> None:
    ((_, worth),) = found(*READ, *[a("ok")] * (10 * HALF_STEPS)).items()
    assert 0 < worth < A_TOKEN / 1_000
