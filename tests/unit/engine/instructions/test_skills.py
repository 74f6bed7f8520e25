"""Of a skill its name, its path and how it begins are told; a file of rules word for word."""

from typing import Any

from ctxmgr.engine.instructions import absent, instructions, leaving, remembered
from ctxmgr.engine.instructions.copies import word_for_word
from tests.notation import Said, a, call, indexed, quarters, r, talk, u

MOST_TOKENS = 300
LINES = {
    "English": "Look at each file of the change, and say what is wrong with it.",
    "Chinese": "查看更改的每个文件，并说明其中有什么问题，不要遗漏任何一个。",
    "Russian": "Посмотри каждый файл изменения и скажи, что в нём не так.",
}
PATH = "/w/.claude/skills/review/SKILL.md"
ROOM = 20_000


def weigh(text: str) -> float:
    """Four characters of ASCII a token, three bytes of others: one of Chinese, one and a half of Russian."""
    beyond = "".join(one for one in text if not one.isascii())
    return (len(text) - len(beyond)) / 4 + len(beyond.encode()) / 3


def body(language: str, lines: int = 200) -> str:
    return "\n".join(
        [
            f"Base directory for this skill: {PATH.rpartition('/')[0]}",
            "",
            "# Review",
            "",
            *[LINES[language]] * lines,
        ]
    )


BROUGHT: dict[str, Any] = {
    "by a tool for skills": lambda text: [u("go"), a("", call("Skill", skill="review")), r(text), u("on")],
    "as a file": lambda text: [u("go"), a("", call("read", path=PATH)), r(text), u("on")],
    "by a shell": lambda text: [u("go"), a("", call("bash", command=f"cat {PATH}")), r(text), u("on")],
    "by its host": lambda text: [u("go"), u(text), u("on")],
}


def told(said: list[Said]) -> tuple[str, str]:
    """What stands in the packet of those that leave, and of those that a host took away."""
    conversation = indexed(talk(*said))
    left = leaving(conversation, instructions(conversation, True), range(conversation.size))
    kept = remembered((), conversation, 0, True, 100_000.0)
    away = absent(kept, indexed(talk(u("a summary"))), True).instructions
    return word_for_word(left, ROOM, quarters).text, word_for_word(away, ROOM, quarters).text


def test_a_skill_is_told_by_its_name_its_path_and_at_most_300_tokens() -> None:
    for how in BROUGHT:
        for language in LINES:
            for text in told(BROUGHT[how](body(language))):
                source, _, told_of_it = text.partition("\n")[2].partition("\n")
                assert "review" in source + told_of_it, (how, language)
                assert "/w/.claude/skills/review" in source + told_of_it, (how, language)
                assert LINES[language] in told_of_it, (how, language)
                assert weigh(told_of_it.replace("> ", "")) <= MOST_TOKENS, (how, language)
                assert told_of_it.endswith("\n> …"), (how, language)


def test_a_short_skill_is_told_whole() -> None:
    for how in BROUGHT:
        for text in told(BROUGHT[how](body("English", 2))):
            assert text.endswith(f"> # Review\n>\n> {LINES['English']}\n> {LINES['English']}"), how
