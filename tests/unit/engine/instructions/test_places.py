"""Where instructions stand that still hold: files of rules that were read, skills, texts that a host put in."""

from typing import Any

import pytest

from ctxmgr.engine.instructions import globs, instructions, leaving
from ctxmgr.engine.instructions.copies import HEADING, word_for_word
from ctxmgr.engine.tools import files_named, is_instructing, is_skill
from tests.notation import Said, a, call, indexed, quarters, r, talk, u

RULES = "Use tabs. Never touch the schema."
CALLED = '<system-reminder>\nCalled the Read tool with the following input: {"file_path":"/p/%s"}'
RESULT = f"<system-reminder>\nResult of calling the Read tool:\n1\t{RULES}"


def read(path: str, text: str = RULES, tool: str = "read", **more: Any) -> list[Said]:
    """A call that names a path, and its result."""
    return [a("", call(tool, **({"path": path} | more))), r(text)]


def ran(command: str) -> list[Said]:
    return [a("", call("bash", command=command)), r(RULES)]


def reminder(path: str, text: str) -> str:
    return f"<system-reminder>\n# claudeMd\nContents of {path} (project instructions):\n{text}"


# name, list, indices of results and of texts that hold instructions
LISTS: list[tuple[str, list[Said], set[int], set[int]]] = [
    ("a file of rules", [u("go"), *read("/home/u/CLAUDE.md")], {2}, set()),
    ("in whatever case", [u("go"), *read("docs/agents.md")], {2}, set()),
    ("a shell's", [u("go"), *ran("cat GEMINI.md | head -50")], {2}, set()),
    ("a skill's file", [u("go"), *read(".claude/skills/pdf/SKILL.md")], {2}, set()),
    ("a directory of rules", [u("go"), *read(".cursor/rules/style.mdc")], {2}, set()),
    ("a memory", [u("go"), *read("/home/u/.claude/projects/x/memory/build.md")], {2}, set()),
    ("longer than any path", [u("go"), *read("a/" * 2_048 + "CLAUDE.md")], set(), set()),
    ("no such file", [u("go"), *read("README.md"), *read("src/claude.py")], set(), set()),
    ("a skill", [u("go"), a("", call("Skill", skill="pdf")), r(RULES)], {2}, set()),
    ("behind a server's name", [u("go"), a("", call("mcp__x__use_skill", name="pdf")), r(RULES)], {2}, set()),
    ("another tool", [u("go"), a("", call("Task", prompt="x")), r(RULES)], set(), set()),
    ("a failed call", [u("go"), a("", call("read", path="CLAUDE.md")), r("ENOENT", is_error=True)], set(), set()),
    (
        "of a dependency",
        [u("go"), *read("/w/Vendor/x/AGENTS.md"), *ran("cat node_modules/x/CLAUDE.md")],
        set(),
        set(),
    ),
    ("told of a dependency", [u(reminder("/w/node_modules/x/CLAUDE.md", RULES))], set(), set()),
    ("a newer reading", [u("go"), *read("CLAUDE.md"), *read("CLAUDE.md", RULES + " Use pytest.")], {4}, set()),
    ("of another file", [u("go"), *read("CLAUDE.md"), *read("AGENTS.md")], {2, 4}, set()),
    ("only a part again", [u("go"), *read("CLAUDE.md"), *read("CLAUDE.md", offset=5, limit=2)], {2, 4}, set()),
    (
        "written since",
        [u("go"), *read("CLAUDE.md"), a("", call("write", path="CLAUDE.md", content="Use spaces.")), r("ok")],
        {2},
        set(),
    ),
    ("Codex's", [u(f"# AGENTS.md instructions for /p\n\n<INSTRUCTIONS>\n{RULES}\n</INSTRUCTIONS>")], set(), {0}),
    ("told twice", [u(f"<rules>{RULES}</rules>"), a("ok"), u(f"<rules>{RULES}</rules>")], set(), {2}),
    ("a user who speaks of one", [u("Please read CLAUDE.md first."), a("ok")], set(), set()),
    ("a reminder of something else", [u("<system-reminder>\nToday is Monday.\n</system-reminder>")], set(), set()),
]


@pytest.mark.parametrize(("name", "said", "results", "texts"), LISTS, ids=[row[0] for row in LISTS])
def test_where_they_stand(name: str, said: list[Said], results: set[int], texts: set[int]) -> None:
    found = instructions(indexed(talk(*said)), True)
    assert {ref.message_index for ref in found.results} == results
    assert {ref.message_index for ref in found.texts} == texts


def test_a_policy_may_name_others_or_none() -> None:
    conversation = indexed(talk(u("go"), *read("CLAUDE.md"), *read("docs/style.txt")))
    for named, places in ((True, {2}), (("style.txt",), {4}), (False, set()), ((), set())):
        found = instructions(conversation, named)
        assert {ref.message_index for ref in found.results} == places


def test_a_policy_may_name_those_of_a_dependency() -> None:
    found = instructions(indexed(talk(u("go"), *read("vendor/x/AGENTS.md"))), ("vendor/*.md",))
    assert {ref.message_index for ref in found.results} == {2}


def test_within_a_budget_the_newest_stay_with_their_calls() -> None:
    conversation = indexed(talk(u("go"), *read("CLAUDE.md", "x" * 400), *read("AGENTS.md", "y" * 400)))
    found = instructions(conversation, True)
    assert found.messages(conversation) == {1, 2, 3, 4}
    assert found.within(conversation, 150).messages(conversation) == {3, 4}
    assert found.within(conversation, 50).messages(conversation) == frozenset()


def test_a_packet_tells_those_that_leave_word_for_word() -> None:
    conversation = indexed(talk(u("go"), *read("CLAUDE.md"), *read("AGENTS.md", "Be brief.")))
    found = instructions(conversation, True)
    both = word_for_word(leaving(conversation, found, range(5)), 1_000, quarters).text
    assert both == f'{HEADING}\n\n- read path="CLAUDE.md":\n> {RULES}\n\n- read path="AGENTS.md":\n> Be brief.'
    assert word_for_word(leaving(conversation, found, range(3)), 1_000, quarters).text.endswith(RULES)
    assert "CLAUDE" not in word_for_word(leaving(conversation, found, range(5)), 30, quarters).text
    assert word_for_word(leaving(conversation, found, range(1)), 1_000, quarters).text == ""


def test_a_reading_that_a_host_made_itself_is_told_in_two_texts() -> None:
    """As Claude Code does after its own compaction."""
    assert is_instructing(RESULT, CALLED % "CLAUDE.md")
    assert not is_instructing(RESULT, CALLED % "src/a.py")
    assert not is_instructing(RESULT)
    assert files_named(CALLED % "CLAUDE.md") == {"/p/claude.md"}


def test_what_the_catalog_says() -> None:
    assert is_skill("activate_skill", {"name": "x"})
    assert not is_skill("spawn_agent", {"prompt": "x"})
    assert is_instructing("<user_instructions>\nBe brief.\n</user_instructions>")
    assert not is_instructing("Contents of the basket: apples")


ZEDS = "<context>\nThe following items were attached by the user. They are up-to-date.\n\n"
FILES = "<files>\n```src/a.py\nx = 1\n```\n</files>\n" + "<fetched_urls>\n</fetched_urls>\n" * 40
SPECIFIED = "The user has specified the following rules that should be applied:\n"


@pytest.mark.parametrize(
    ("text", "instructs"),
    [
        (f"{ZEDS}<rules>\n{SPECIFIED}{RULES}</user_rules>\n</context>", True),
        (f"{ZEDS}{FILES}<rules>\n{SPECIFIED}{RULES}</user_rules>\n</context>", True),
        (f"{ZEDS}<user_rules>\n{SPECIFIED}{RULES}</user_rules>\n</context>", True),
        (f"{ZEDS}<skills>\nThe user has attached the following agent skills:\n{RULES}</skills>\n</context>", True),
        (f"{ZEDS}{FILES}</context>", False),
        (f"{ZEDS}{FILES}What of a line <rules>\n{SPECIFIED}?", False),
        (f"Read this: <rules>\n{SPECIFIED}{RULES}", False),
    ],
)
def test_rules_that_a_user_attaches_in_zed_are_instructions_and_files_are_not(text: str, instructs: bool) -> None:
    assert is_instructing(text) is instructs


@pytest.mark.parametrize(
    ("pattern", "path", "met"),
    [
        ("src/*.py", "/me/src/deep/a.py", True),
        ("?.md", "docs/a.md", True),
        ("[ab].py", "b.py", True),
        ("a*b*c", "a1b2b3c", True),
        ("a*b*c", "a1c2b3", False),
        ("b.py", "ab.py", False),
        ("[a.py", "[a.py", True),
    ],
)
def test_what_meets_a_glob(pattern: str, path: str, met: bool) -> None:
    assert bool(globs([pattern]).match(path)) == met
    assert bool(globs(["never", pattern]).match(path)) == met
    assert not globs([]).match(path)


@pytest.mark.parametrize("pattern", ["*a" * 500 + "b", "*" * 4_000 + "b", "*?" * 2_000 + "b", "[a]*" * 900 + "b"])
def test_no_pattern_takes_long(pattern: str) -> None:
    for path in ("a" * 4_096, "a/" * 2_048, "/" * 4_096):
        assert not globs([pattern]).match(path)
