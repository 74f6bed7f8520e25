"""How much of the room each of several instructions takes in the packet."""

import pytest

from ctxmgr.engine.instructions.copies import LONGEST_PART, PART_TOKENS, Quoted, word_for_word
from ctxmgr.engine.instructions.remembered import remembered
from ctxmgr.model.saved import InstructionCopy
from tests.notation import a, call, indexed, r, talk, u


def weigh(text: str) -> int:
    return len(text) // 4


def told(room: float, *tokens: int) -> list[int]:
    """So many tokens of each text, oldest first."""
    copies = [
        InstructionCopy(f"- read {number}:", "\n".join(["abc"] * ((4 * size) // 6)), "")
        for number, size in enumerate(tokens)
    ]
    texts = word_for_word(copies, room, weigh).text.split("\n\n")[1:]
    return [weigh(text.partition("\n")[2]) for text in texts]


def test_none_takes_more_than_its_part_of_the_room() -> None:
    room = 3 * PART_TOKENS
    older, newer = told(room, int(1.2 * PART_TOKENS), 3 * PART_TOKENS)
    assert newer == pytest.approx(room / LONGEST_PART, rel=0.05)
    assert older == pytest.approx(1.2 * PART_TOKENS, rel=0.02)


def test_what_only_says_that_something_is_launched_is_not_told() -> None:
    launched = InstructionCopy('- Skill skill="review":', "Launching skill: review", "")
    rules = InstructionCopy('- Skill skill="style":', "Using style: tabs, 4 wide.", "")
    assert word_for_word([launched], 1_000, weigh).text == ""
    assert word_for_word([launched, rules], 1_000, weigh) == word_for_word([rules], 1_000, weigh) != Quoted()


def test_what_is_remembered_names_its_files() -> None:
    said = [u("go")]
    for asked in (
        call("read", path="./CLAUDE.md"),
        call("read", path="AGENTS.md", offset=3),
        call("ls", path="GEMINI.md"),
        call("bash", command="cat GEMINI.md && rm x"),
    ):
        said += [a("", asked), r("rules")]
    kept = remembered((), indexed(talk(*said, u("<rules>r</rules>"))), 0, True, 1_000.0)
    assert [copy.files for copy in kept] == [
        ("claude.md",),
        ("agents.md\n(('path', 'AGENTS.md'), ('offset', 3))",),
        ("gemini.md",),
        (),
    ]
