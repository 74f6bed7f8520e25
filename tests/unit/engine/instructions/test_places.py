"""Where instructions stand that still hold: files of rules that were read, skills, texts that a host put in."""

from typing import Any

from ctxmgr.engine.instructions import globs, instructions
from ctxmgr.engine.tools import files_named, is_instructing
from tests.notation import Said, a, call, indexed, r, talk, u

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
    ("of a dependency", [u("go"), *read("/w/Vendor/x/AGENTS.md")], set(), set()),
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
    ("told of a dependency", [u(reminder("/w/node_modules/x/CLAUDE.md", RULES))], set(), set()),
    ("a newer reading", [u("go"), *read("CLAUDE.md"), *read("CLAUDE.md", RULES + " Use pytest.")], {4}, set()),
    ("of another file", [u("go"), *read("CLAUDE.md"), *read("AGENTS.md")], {2, 4}, set()),
    ("only a part again", [u("go"), *read("CLAUDE.md"), *read("CLAUDE.md", offset=5, limit=2)], {2, 4}, set()),
    ("Codex's", [u(f"# AGENTS.md instructions for /p\n\n<INSTRUCTIONS>\n{RULES}\n</INSTRUCTIONS>")], set(), {0}),
    ("told twice", [u(f"<rules>{RULES}</rules>"), a("ok"), u(f"<rules>{RULES}</rules>")], set(), {2}),
    ("a user who speaks of one", [u("Please read CLAUDE.md first."), a("ok")], set(), set()),
    ("a reminder of something else", [u("<system-reminder>\nToday is Monday.\n</system-reminder>")], set(), set()),
]


def test_where_they_stand() -> None:
    for name, said, results, texts in LISTS:
        found = instructions(indexed(talk(*said)), True)
        assert {ref.message_index for ref in found.results} == results, name
        assert {ref.message_index for ref in found.texts} == texts, name


def test_a_policy_may_name_others_or_none() -> None:
    conversation = indexed(talk(u("go"), *read("CLAUDE.md"), *read("docs/style.txt")))
    for named, places in ((True, {2}), (("style.txt",), {4}), (False, set()), ((), set())):
        found = instructions(conversation, named)
        assert {ref.message_index for ref in found.results} == places


def test_within_a_budget_the_newest_stay_with_their_calls() -> None:
    conversation = indexed(talk(u("go"), *read("CLAUDE.md", "x" * 400), *read("AGENTS.md", "y" * 400)))
    found = instructions(conversation, True)
    assert found.messages(conversation) == {1, 2, 3, 4}
    assert found.within(conversation, 150).messages(conversation) == {3, 4}
    assert found.within(conversation, 50).messages(conversation) == frozenset()


def test_a_reading_that_a_host_made_itself_is_told_in_two_texts() -> None:
    assert is_instructing(RESULT, CALLED % "CLAUDE.md")
    assert not is_instructing(RESULT, CALLED % "src/a.py")
    assert not is_instructing(RESULT)
    assert files_named(CALLED % "CLAUDE.md") == {"/p/claude.md"}


ZEDS = "<context>\nThe following items were attached by the user. They are up-to-date.\n\n"
FILES = "<files>\n```src/a.py\nx = 1\n```\n</files>\n" + "<fetched_urls>\n</fetched_urls>\n" * 40
SPECIFIED = "The user has specified the following rules that should be applied:\n"


def test_rules_that_a_user_attaches_in_zed_are_instructions_and_files_are_not() -> None:
    for text, instructs in (
        (f"{ZEDS}<rules>\n{SPECIFIED}{RULES}</user_rules>\n</context>", True),
        (f"{ZEDS}{FILES}<rules>\n{SPECIFIED}{RULES}</user_rules>\n</context>", True),
        (f"{ZEDS}<user_rules>\n{SPECIFIED}{RULES}</user_rules>\n</context>", True),
        (f"{ZEDS}{FILES}</context>", False),
    ):
        assert is_instructing(text) is instructs, text


def test_no_pattern_takes_long() -> None:
    for pattern in (
        "*a" * 500 + "b",
        "*" * 4_000 + "b",
    ):
        for path in ("a" * 4_096, "a/" * 2_048, "/" * 4_096):
            assert not globs([pattern]).match(path), pattern
