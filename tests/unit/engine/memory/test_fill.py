"""What a budget is filled with: each part's share, then what has the better right. A word weighs one token here."""

from collections.abc import Sequence

from ctxmgr.engine.memory.fill import FlexiblePart, Part, fill, newest_first, part_of
from tests.notation import words

FIRST = part_of("A", [f"a{number}" for number in range(6)], 0.5)
NEWEST = part_of("B", [f"b{number}" for number in range(6)], 0.3, newest_first(6), 1)
WHOLE = "A\na0\na1\na2\na3\na4\na5"

# parts, budget, what is written: a heading weighs one and eight beside it
FILLED: list[tuple[Sequence[Part | FlexiblePart], int, str]] = [
    ([FIRST, NEWEST], 0, ""),
    ([FIRST, NEWEST], 9, ""),
    ([FIRST, NEWEST], 10, "A (5 more not shown)\na0"),
    ([FIRST, NEWEST], 30, f"{WHOLE}\n\nB\nb0\nb1\nb2\nb3\nb4\nb5"),
    ([part_of("E", [], 1.0), FIRST], 30, WHOLE),
]


def test_what_fills_a_budget() -> None:
    for parts, budget, expected in FILLED:
        assert fill(parts, budget, words) == expected.replace("{B}", NEWEST.whole), expected


def test_where_the_lines_together_weigh_more_than_each_by_itself_the_last_chosen_goes() -> None:
    def weigh(text: str) -> int:
        return words(text) + 20 * (text.count("\n") > 3)

    assert fill([part_of("A", "abcde", 1.0)], 20, weigh) == "A (2 more not shown)\na\nb\nc"
