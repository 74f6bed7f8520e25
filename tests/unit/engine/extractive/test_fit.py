"""Lines into a budget: what is told in full, what in brief, and what goes first. A character weighs one token."""

import re

import pytest

from ctxmgr.engine.extractive.fit import fit
from ctxmgr.engine.extractive.layout import CONTINUE, STRUCTURED, LineStyle, SectionLayout, SummaryLayout
from ctxmgr.engine.extractive.lines import Kind, SummaryLine


def lines(kind: str, count: int, full: int = 100, brief: int = 20) -> list[SummaryLine]:
    return [
        SummaryLine(f"{kind}{number} ".ljust(full, "f"), f"{kind}{number} ".ljust(brief, "b"))
        for number in range(count)
    ]


def told(text: str, kind: str) -> str:
    """A letter for each line that is told, oldest first: f in full, b in brief."""
    return "".join(found[1] for found in re.findall(rf"({kind}\d+ (f|b))", text))


def shown(text: str, kind: str) -> list[int]:
    return [int(number) for number in re.findall(rf"{kind}(\d+) ", text)]


def test_what_fits_whole_is_told_whole() -> None:
    kinds: dict[Kind, list[SummaryLine]] = {"goal": lines("g", 1), "done": lines("d", 3)}
    whole = fit(kinds, STRUCTURED, 10_000, len)
    bare = "\n".join(f"- [x] {line.text}" for line in kinds["done"])
    assert f"## Progress\n\n### Done\n{bare}\n\n### In Progress\n(none)" in whole
    assert fit(kinds, STRUCTURED, len(whole), len) == whole
    without = fit(kinds, STRUCTURED, len(whole) - 1, len)
    assert without == f"## Goal\n{kinds['goal'][0].text}\n\n## Progress\n\n### Done\n{bare}"


@pytest.mark.parametrize(("budget", "named"), [(300, True), (299, False)])
def test_empty_sections_are_named_from_300_tokens_on(budget: int, named: bool) -> None:
    text = fit({"goal": lines("g", 1, 10)}, STRUCTURED, budget, lambda text: 0)
    assert ("(none)" in text) is named


def test_newest_in_full_then_in_brief_then_what_is_left_over() -> None:
    """Of 1,000: .26 for this kind, .6 of that in full, which is one line; five more in brief. What is left over
    holds the other four in full, and then three of the brief ones, newest first."""
    assert told(fit({"done": lines("d", 10)}, STRUCTURED, 1_000, len), "d") == "ffffbbffff"


def test_one_line_alone_has_all_of_its_share() -> None:
    """Of two, the newest is over .6 of the share of 100; one alone is not."""
    both: dict[Kind, list[SummaryLine]] = {"decision": lines("k", 1, 80), "note": lines("n", 40, 60)}
    assert told(fit(both, STRUCTURED, 1_000, len), "k") == "f"
    two: dict[Kind, list[SummaryLine]] = {"decision": lines("k", 2, 80), "note": lines("n", 40, 60)}
    assert told(fit(two, STRUCTURED, 1_000, len), "k") == "bb"


def test_a_goal_is_told_beyond_its_share_where_others_would_wait() -> None:
    """In brief, at once: what is left over after all shares would hold it in full."""
    kinds: dict[Kind, list[SummaryLine]] = {"goal": lines("g", 1, 400, 300), "note": lines("n", 40)}
    assert told(fit(kinds, STRUCTURED, 1_000, len), "g") == "b"
    kinds = {"latest": lines("g", 1, 400, 300), "note": lines("n", 40)}
    assert told(fit(kinds, STRUCTURED, 1_000, len), "g") == "f"


def test_each_kind_has_its_share_before_any_has_more() -> None:
    kinds: dict[Kind, list[SummaryLine]] = {
        "constraint": lines("c", 100, 50, 50),
        "decision": lines("k", 100, 50, 50),
        "next": lines("x", 100, 50, 50),
        "note": lines("n", 100, 50, 50),
    }
    text = fit(kinds, STRUCTURED, 3_000, len)
    counts = {kind: len(shown(text, kind)) for kind in "cnkx"}
    assert len(text) <= 3_000
    assert counts["k"] >= 300 // 55
    assert counts["x"] >= 240 // 56
    assert counts["n"] >= 360 // 55
    assert counts["c"] > 600 // 53  # the best right to stay has what is left over
    assert shown(text, "k") == list(range(100 - counts["k"], 100))


def test_never_over_the_budget_and_nothing_where_nothing_fits() -> None:
    kinds: dict[Kind, list[SummaryLine]] = {"goal": lines("g", 1), "done": lines("d", 20), "note": lines("n", 20)}
    for budget in range(0, 3_000, 7):
        assert len(fit(kinds, STRUCTURED, budget, len)) <= max(budget, 0)
    assert fit(kinds, STRUCTURED, 20, len) == ""
    assert fit({}, STRUCTURED, 1_000, len) == ""
    assert fit({"outcome": lines("o", 3)}, STRUCTURED, 1_000, len) == ""


def test_what_no_layout_shows_takes_no_room() -> None:
    done = lines("d", 10)
    assert fit({"done": done, "outcome": lines("o", 9)}, STRUCTURED, 1_000, len) == fit(
        {"done": done}, STRUCTURED, 1_000, len
    )


def test_two_lines_with_one_brief_form_are_told_once() -> None:
    same = [SummaryLine(f"{number}".ljust(200, "f"), "the same") for number in range(4)]
    assert fit({"done": same}, STRUCTURED, 120, len).count("the same") == 1


def test_an_opening_stands_first_and_is_weighed() -> None:
    kinds: dict[Kind, list[SummaryLine]] = {"done": lines("d", 20)}
    text = fit(kinds, CONTINUE, 800, len)
    assert text.startswith(f"{CONTINUE.opening}\n\n## Done\n- [x] ")
    assert 600 < len(text) <= 800


def test_a_numbered_list_counts_up_and_a_line_is_no_heading() -> None:
    text = fit({"next": lines("x", 2, 10)}, STRUCTURED, 1_000, len)
    assert "## Next Steps\n1. x0 fffffff\n2. x1 fffffff" in text
    plain = SummaryLayout((SectionLayout("## Goal", (LineStyle("goal", ""),)),))
    assert fit({"goal": [SummaryLine("## Next Steps")]}, plain, 1_000, len) == "## Goal\n- ## Next Steps"
    assert fit({"goal": [SummaryLine("Code:\n```\nx\n\n```")]}, plain, 1_000, len) == (
        "## Goal\nCode:\n    ```\n    x\n\n    ```"
    )


def test_a_heading_over_others_stands_only_with_one_of_them() -> None:
    text = fit({"next": lines("x", 1, 10)}, STRUCTURED, 200, len)
    assert "## Progress" not in text
    blocked = fit({"blocked": lines("x", 1, 10)}, STRUCTURED, 200, len)
    assert blocked.startswith("## Progress\n\n### Blocked\n- x0")
