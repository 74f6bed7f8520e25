"""The files that the calls named which left, in the packet."""

from ctxmgr.engine.retention.left_paths import PATHS_TOKENS, left_paths
from tests.notation import a, call, quarters, r, talk, u


def reads(*paths: str) -> list[object]:
    return [said for path in paths for said in (a("", call("read", path=path)), r("text"))]


def test_paths_stand_newest_first_and_once() -> None:
    messages = talk(u("go"), *reads("a.py", "b.py", "a.py"))
    assert left_paths(messages, set(range(7)), quarters) == ("", ("- a.py", "- b.py"))


def test_what_stays_is_not_told() -> None:
    messages = talk(u("go"), *reads("a.py", "b.py", "c.py"))
    assert left_paths(messages, {1, 2, 3, 4}, quarters)[1] == ("- b.py", "- a.py")
    assert left_paths(messages, set(), quarters) == ("", ())


def test_a_directory_that_they_lie_under_is_said_once() -> None:
    messages = talk(u("go"), *reads("/w/project/src/a.py", "/w/project/src/b.py", "/w/project/c.py"))
    root, lines = left_paths(messages, set(range(7)), quarters)
    assert root == "/w/project/"
    assert lines == ("- c.py", "- src/b.py", "- src/a.py")


def test_the_list_never_weighs_more_than_its_room() -> None:
    messages = talk(u("go"), *reads(*(f"src/package/of/some/depth/module_{number}.py" for number in range(200))))
    _, lines = left_paths(messages, set(range(len(messages))), quarters)
    assert PATHS_TOKENS - 40 < quarters("\n".join(lines)) <= PATHS_TOKENS
    assert lines[0].endswith("module_199.py")
