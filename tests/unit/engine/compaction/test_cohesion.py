"""Where one subject ends and another begins, by words and by vectors."""

import pytest

from ctxmgr.engine.compaction.cohesion import (
    NAME_WEIGHT,
    PATH_WEIGHT,
    RESULT_UNITS,
    USER_DEPTH,
    WORD_WEIGHT,
    deepened,
    depths,
    depths_from_vectors,
    depths_of,
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


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Fix the parser", {"fix": WORD_WEIGHT, "parser": WORD_WEIGHT}),
        ("parseHeader and parse_header", {"parseheader": NAME_WEIGHT, "parse_header": NAME_WEIGHT}),
        ("./src/App.tsx", {"src/App.tsx": PATH_WEIGHT, "app": NAME_WEIGHT}),
        ("in src/index.ts.", {"src/index.ts": PATH_WEIGHT, "index": NAME_WEIGHT}),
        ("a b 12 34567 {}", {}),
        ("größe naïve", {"grösse": WORD_WEIGHT, "naïve": WORD_WEIGHT}),
        ("http2 http2", {"http2": NAME_WEIGHT}),
        ("--verbose -x a1 abcd1 x.py", {"verbose": 2, "abcd1": 2, "x.py": 2}),
        ("~/src/deep/file_name.test.ts", {"src/deep/file_name.test.ts": 3, "file_name": 2}),
        ("ABc XMLHttp the constant wordy", {"abc": 1, "xmlhttp": 2, "constant": 1, "wordy": 1}),
        ("foo/bar/ ./a.b", {"foo/bar": 3, "bar": 2, "a.b": 3}),
        ("../up/one.py @scope/pkg", {"up/one.py": 3, "@scope/pkg": 3, "pkg": 2}),
        ("", {}),
    ],
)
def test_terms(text: str, expected: dict[str, int]) -> None:
    assert terms(text) == expected


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


def deepest(said: list[Said], count: int) -> list[int]:
    deep = depths(steps(told(*said)))
    return sorted(sorted(range(len(deep)), key=lambda at: (-deep[at], at))[:count])


@pytest.mark.parametrize(
    ("name", "said", "expected"),
    [
        ("one change", CAKE * 12 + SHIP * 12, [12]),
        ("two", CAKE * 12 + SHIP * 14 + MOON * 12, [12, 26]),
        ("there and back", CAKE * 12 + SHIP * 12 + CAKE * 12, [12, 24]),
    ],
)
def test_the_deepest_breaks_are_where_the_subject_changes(name: str, said: list[Said], expected: list[int]) -> None:
    assert deepest(said, len(expected)) == expected


def test_one_subject_has_no_breaks() -> None:
    assert depths(steps(told(*CAKE * 30))) == pytest.approx([0.0] * 30)
    assert depths([]) == []
    assert depths(steps(told(u("alone")))) == [0.0]


def test_a_users_break_is_deeper_and_takes_what_is_in_reach() -> None:
    plain = CAKE * 12 + SHIP * 12
    asked = [*CAKE * 12, *SHIP, u("go on with the ship"), *SHIP * 11]  # one step after the change
    deep = depths(steps(told(*asked)))
    assert max(range(len(deep)), key=deep.__getitem__) == 13
    assert deep[13] > max(depths(steps(told(*plain))))
    tight = [*CAKE * 6, u("eggs whisked, sugar folded into the sponge"), *CAKE * 6]
    assert max(depths(steps(told(*tight)))) >= USER_DEPTH


def test_the_depth_before_each_step() -> None:
    """A break of a user's is half as deep again as what is in reach of it."""
    said = [*CAKE * 6, *SHIP, u("go on with the ship"), *SHIP * 5, *MOON * 3, u("crater, please"), *CAKE * 2]
    deep = [0, 0, 0.1823, 0.3711, 0.5369, 0.6575, 1.2861, 1.7363, 0.1472, 0, 0.0599, 0.2221, 0.7266]
    assert [round(one, 4) for one in depths(steps(told(*said)))] == [*deep, 0.0701, 0, 0.7629, 0]


def test_a_user_who_was_not_answered_goes_on() -> None:
    rows = steps(told(a("x"), u("one"), Said({"role": "assistant", "content": []}), u("two"), a("y")))
    assert len(rows) == 3
    assert deepened([0.0, 1.0, 1.0], rows) == [0.0, 1.5, 1.0]


def test_a_flat_bottom_is_as_deep_all_along() -> None:
    assert depths_of([1.0, 1.0, 0.5, 0.5, 1.0]) == [0.0, 0.0, 1.0, 1.0, 0.0]
    assert depths_of([1.0, 1.0, 0.5, 0.75, 0.25, 1.0]) == [0.0, 0.0, 0.75, 0.0, 1.25, 0.0]


def test_vectors_tell_the_same() -> None:
    cake, ship = [1.0, 0.1, 0.0], [0.0, 0.2, 2.0]
    deep = depths_from_vectors([cake] * 12 + [ship] * 12)
    assert max(range(24), key=deep.__getitem__) == 12
    assert deep[0] == 0.0
    assert depths_from_vectors([]) == []
    assert depths_from_vectors([cake]) == [0.0]
    assert depths_from_vectors([[0.0, 0.0]] * 5) == [0.0] * 5
