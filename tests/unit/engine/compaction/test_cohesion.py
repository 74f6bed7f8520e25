"""Where one subject ends and another begins, by words and by vectors."""

from ctxmgr.engine.compaction.cohesion import (
    NAME_WEIGHT,
    PATH_WEIGHT,
    RESULT_UNITS,
    WORD_WEIGHT,
    deepened,
    depths,
    depths_from_vectors,
    step_terms,
    step_text,
    terms,
)
from ctxmgr.engine.compaction.slices import steps
from tests.notation import Said, a, call, r, think, u
from tests.unit.engine.compaction.test_slices import told

CAKE = [a("eggs whisked, sugar folded into the sponge", call("read", path="cake/sponge.py")), r("oven")]
SHIP = [a("mainsail hoisted, jib trimmed to starboard", call("read", path="ship/mainsail.py")), r("deck")]
MOON = [a("crater mapped, lander orbit computed", call("read", path="moon/lander.py")), r("dust")]


def test_terms() -> None:
    for text, expected in (
        ("Fix the parser", {"fix": WORD_WEIGHT, "parser": WORD_WEIGHT}),
        ("./src/App.tsx", {"src/App.tsx": PATH_WEIGHT, "app": NAME_WEIGHT}),
        ("in src/index.ts.", {"src/index.ts": PATH_WEIGHT, "index": NAME_WEIGHT}),
        ("http2 http2", {"http2": NAME_WEIGHT}),
    ):
        assert terms(text) == expected, text


def test_what_is_looked_at_in_a_step() -> None:
    history = told(
        u("ask parser"),
        a(think("secretly"), "said lexer", call("bash", command="make grammar")),
        r("line " + "x" * RESULT_UNITS + " unseen"),
        Said({"role": "system", "content": "rules"}),
    )
    (step,) = steps(history)
    assert set(step_terms(step)) >= {"ask", "parser", "lexer", "grammar", "line"}
    assert not {"secretly", "unseen", "rules"} & set(step_terms(step))
    assert "make grammar" in step_text(step)
    assert len(step_text(told(r("y" * 99_999)))) == RESULT_UNITS == 400
    assert len(step_text(told(a("y" * 99_999)))) == 2_000


def test_the_depth_before_each_step() -> None:
    said = [*CAKE * 6, *SHIP, u("go on with the ship"), *SHIP * 5, *MOON * 3, u("crater, please"), *CAKE * 2]
    deep = [0, 0, 0.1823, 0.3711, 0.5369, 0.6575, 1.2861, 1.7363, 0.1472, 0, 0.0599, 0.2221, 0.7266]
    assert [round(one, 4) for one in depths(steps(told(*said)))] == [*deep, 0.0701, 0, 0.7629, 0]


def test_a_user_who_was_not_answered_goes_on() -> None:
    rows = steps(told(a("x"), u("one"), Said({"role": "assistant", "content": []}), u("two"), a("y")))
    assert len(rows) == 3
    assert deepened([0.0, 1.0, 1.0], rows) == [0.0, 1.5, 1.0]


def test_vectors_tell_the_same() -> None:
    cake, ship = [1.0, 0.1, 0.0], [0.0, 0.2, 2.0]
    deep = depths_from_vectors([cake] * 12 + [ship] * 12)
    assert max(range(24), key=deep.__getitem__) == 12
    assert deep[0] == 0.0
    assert depths_from_vectors([]) == []
    assert depths_from_vectors([cake]) == [0.0]
    assert depths_from_vectors([[0.0, 0.0]] * 5) == [0.0] * 5
