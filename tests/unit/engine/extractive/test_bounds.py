"""How many lines of a kind each format tells, and how long what it tells may be."""

import pytest

from ctxmgr.engine.extractive import summary
from ctxmgr.engine.extractive.fit import fit
from ctxmgr.engine.extractive.layout import HANDOFF, RIGHTS
from ctxmgr.engine.extractive.lines import SummaryLine
from ctxmgr.model.compaction.plans import Format
from tests.notation import a, call, quarters, r, u
from tests.unit.engine.extractive.test_summary import ROOMY, conversation, told, under

MANY = 30
LINES = {
    "done": "- [x] finished part {} of the exporter",
    "note": "- port {} is open there",
    "found": "- Found: cache {} is cold there",
    "planned": "- Planned earlier (check before doing it): measure table {} again",
    "likely": "- Planned earlier, likely done since (check): move table {} away",
}


def previous(kind: str) -> str:
    title = "## Progress\n### Done" if kind == "done" else "## Critical Context"
    return f"{title}\n" + "\n".join(LINES[kind].format(f"n{number}") for number in range(MANY))


@pytest.mark.parametrize(
    ("format", "kind", "count"),
    [
        ("handoff", "done", 8),
        ("handoff", "note", 8),
        ("handoff", "found", 8),
        ("handoff", "planned", 4),
        ("handoff", "likely", 2),
        ("continue", "note", 24),
        ("continue", "found", 24),
        ("continue", "done", MANY),
        ("structured", "found", MANY),
    ],
)
def test_of_a_kind_the_newest_are_told(format: Format, kind: str, count: int) -> None:
    text = told(previous=previous(kind), format=format)
    lines = [line for number in range(MANY) for line in text.split("\n") if f" n{number} " in line]
    assert len(lines) == count
    assert f" n{MANY - 1} " in lines[-1]


@pytest.mark.parametrize(("characters", "whole"), [(2_000, True), (2_001, False)])
def test_a_handoff_has_2000_tokens_at_most(characters: int, whole: bool) -> None:
    goal = SummaryLine("g" * (characters - len("## Goal\n")), "brief")
    text = fit({"goal": [goal]}, HANDOFF, 10_000, len)
    assert text == f"## Goal\n{goal.text if whole else goal.brief}"


def test_no_kind_starves_the_ones_after_it() -> None:
    assert all(0 < share < 0.3 for _, share in RIGHTS)


@pytest.mark.parametrize(("characters", "whole"), [(1_200, True), (1_201, False)])
def test_a_request_beside_what_came_of_it_has_1200_characters(characters: int, whole: bool) -> None:
    asked = "please fix the parser of " + "d" * (characters - 25)
    done = "Fixed `parse_date` for leap years."
    text = told(u("please do the very first thing"), a("ok"), u(asked), a(done), u("and now another thing"))
    assert (f'"{asked}" → {done}' in text) is whole


@pytest.mark.parametrize(("characters", "whole"), [(1_200, True), (1_201, False)])
def test_the_newest_request_has_1200_characters(characters: int, whole: bool) -> None:
    start, end = "please fix the parser. " + "d" * 600 + ".", "And do it now."
    asked = f"{start}\n\n{'e' * (characters - len(start) - len(end) - 3)}. {end}"
    assert len(asked.replace("\n\n", " ")) == characters
    text = told(u("please do it now"), a("ok"), u(asked))
    assert (asked.replace("\n\n", " ") in text) is whole
    assert end in text


@pytest.mark.parametrize(("count", "line"), [(8, "e7.py"), (9, "e7.py and 1 more")])
def test_eight_changed_files_are_named(count: int, line: str) -> None:
    edits = [one for number in range(count) for one in (a(call("edit", path=f"src/e{number}.py")), r("ok"))]
    text = told(u("please do the first thing"), a("ok"), u("please fix the dates"), *edits, u("tell me a story"))
    (done,) = under(text, "### Done")
    assert done.startswith('- [x] "please fix the dates" → changed e0.py, e1.py')
    assert done.endswith(line)


def ended(text: str) -> list[str]:
    return [line.removeprefix("- Last run: ") for line in text.split("\n") if line.startswith("- Last run: ")]


def test_how_the_newest_eight_commands_ended_is_told() -> None:
    ran = [one for number in range(11) for one in (a(call("bash", command=f"./load part{number}")), r("ok"))]
    assert ended(told(u("please build all of it"), *ran)) == [f"`./load part{at}`: worked" for at in range(3, 11)]


def test_and_of_those_that_ended_before_as_many_as_there_is_room_for() -> None:
    before = "## Critical Context\n" + "\n".join(f"- Last run: `./load old{at}`: worked" for at in range(8))
    ran = [one for number in range(2) for one in (a(call("bash", command=f"./load part{number}")), r("ok"))]
    names = [*(f"old{at}" for at in range(2, 8)), "part0", "part1"]
    assert ended(told(u("please build all"), *ran, previous=before)) == [
        f"`./load {name}`: worked" for name in names
    ]


def test_a_command_that_was_run_again_is_told_by_its_newest_end() -> None:
    before = "## Critical Context\n- Last run: `pytest tests`: 7 passed\n- Last run: `./load`: worked"
    again = [a(call("bash", command="pytest tests")), r("8 passed in 0.1s")]
    text = told(u("please build all"), *again, previous=before)
    assert ended(text) == ["`./load`: worked", "`pytest tests`: 8 passed"]


def test_what_worked_by_a_summary_of_before_is_carried_on() -> None:
    before = "## Critical Context\n- Commands that worked: `make new`, `make old`"
    assert ended(told(previous=before)) == ["`make old`: worked", "`make new`: worked"]


def test_the_newest_twelve_failures_are_told() -> None:
    failed = "\n".join(f'- Failed: `make part{number}`: "x"' for number in range(20))
    text = told(previous=f"## Critical Context\n{failed}")
    assert [number for number in range(20) if f"part{number}`" in text] == list(range(8, 20))


@pytest.mark.parametrize(("characters", "whole"), [(56, True), (57, False)])
def test_a_request_that_is_a_constraint_is_referred_to_in_56_characters(characters: int, whole: bool) -> None:
    rule = "Never touch the vendor folder" + " there" * 3 + "s" * (characters - 48) + "."
    assert len(rule) == characters
    text = told(u("please do the very first thing"), a("ok"), u(rule))
    assert f'- "{rule}"' in text
    assert (f"Latest request: {rule}\n" in text) is whole


@pytest.mark.parametrize(("characters", "whole"), [(240, True), (241, False)])
def test_the_last_words_of_a_cut_turn_have_240_characters(characters: int, whole: bool) -> None:
    last = "Let me look at the loader of " + "x" * (characters - 29)
    prefix = conversation(u("please fix the loader of it"), a(last, call("ls")), r("ok"))
    text = summary.turn_context(prefix, ROOMY, quarters)
    assert (f"Last said: {last}\n" in f"{text}\n") is whole
    assert f"Last said: {last[:200]}" in text or not whole


@pytest.mark.parametrize(("characters", "both"), [(360, True), (361, False)])
def test_an_answer_has_360_characters(characters: int, both: bool) -> None:
    lead = "The loader reads `config.toml` once at the start of it."
    other = "The writer keeps `cache.db` open for " + "x" * (characters - len(lead) - 38) + "."
    text = told(u("how does the loader do all of that?"), a(f"{lead} {other}"), u("please tell me a story now"))
    (found,) = (line for line in text.split("\n") if line.startswith("- Found: The loader reads"))
    assert (other in found) is both


@pytest.mark.parametrize("end", ["", ".", "!", "?", "…"])
def test_each_of_two_sentences_ends_once(end: str) -> None:
    text = summary.short(conversation(u(f"please fix the dates of it{end}"), a("ok")))
    assert text == f"Asked: please fix the dates of it{end or '.'}"


def test_what_the_newest_request_came_to_is_told_as_such() -> None:
    said = (
        u("please do the very first thing"),
        a("ok"),
        u("fix the dates"),
        a("Fixed `parse_date` for leap years."),
    )
    assert under(told(*said), "### Done") == ["- [x] Latest request: Fixed `parse_date` for leap years."]
    assert under(told(*said, u("tell me a story")), "### Done") == [
        '- [x] "fix the dates" → Fixed `parse_date` for leap years.'
    ]
