"""Which step comes next depends on the end of a list."""

from tests.provider.playing import Came, Request, Stage
from tests.provider.scripts import Read, Run, script, step
from tests.provider.tools import Tool

TOOLS = (Tool("Bash", {"properties": {"command": {}}}), Tool("Read", {"properties": {"file_path": {}}}))
LOOK = script("Look", step(Read("a")), step(Run("b")), final="Done.")
LONGER = script("Look closely", step(Run("c")))
RESULT = Came("toolu_p0s0n0", "found")


def begun() -> Stage:
    """One on which LOOK has begun, as play 0."""
    stage = Stage([LOOK, LONGER], "/tree")
    assert placed(stage, Came("", "Look, please.")) == "p0s0"
    return stage


def placed(stage: Stage, *news: Came) -> str:
    return stage.answer(Request(news, (), TOOLS)).place


NEWS: list[tuple[list[Came], str]] = [
    ([Came("", "Look again")], "p1s0"),
    ([RESULT], "p0s1"),
    ([RESULT, Came("", "<system-reminder>Look</system-reminder>")], "p0s1"),
    ([RESULT, Came("", "Look again")], "p1s0"),
    ([Came("", "Look"), Came("toolu_p0s0r2n0", "found")], "p0s1"),
    ([Came("call_p0s1n0", "found")], "p0s2"),
    ([Came("", "Look"), Came("", "In short: [play 0 step 0]")], "p0s1"),
    ([Came("toolu_p1s0n0", "found")], "idle"),
    ([Came("", "What else?")], "idle"),
    ([], "idle"),
]


def test_what_came_last_decides() -> None:
    for news, place in NEWS:
        assert placed(begun(), *news) == place, news


def test_of_two_scripts_that_fit_the_one_with_more_words_is_played() -> None:
    stage = begun()
    assert placed(stage, Came("", "Look closely.")) == "p1s0"
    assert stage.plays == [LOOK, LONGER]


def test_what_is_answered_again_has_other_ids() -> None:
    stage = begun()
    assert [placed(stage, RESULT) for _ in range(3)] == ["p0s1", "p0s1r1", "p0s1r2"]
