"""The files that the calls named which left, for the packet."""

from ctxmgr.engine.retention.packet_writing import left_paths
from tests.notation import a, call, r, talk, u


def reads(*paths: str) -> list[object]:
    return [said for path in paths for said in (a("", call("read", path=path)), r("text"))]


def test_paths_stand_newest_first_and_once() -> None:
    messages = talk(u("go"), *reads("a.py", "b.py", "a.py"))
    assert left_paths(messages, set(range(7))) == ("a.py", "b.py")


def test_what_stays_is_not_told() -> None:
    messages = talk(u("go"), *reads("a.py", "b.py", "c.py"))
    assert left_paths(messages, {1, 2, 3, 4}) == ("b.py", "a.py")
    assert left_paths(messages, set()) == ()


def test_two_spellings_of_one_file_are_one() -> None:
    messages = talk(u("go"), *reads("/w/project/src/a.py", "/w/project/src/b.py", "src/a.py", "src/b.py"))
    assert left_paths(messages, set(range(9))) == ("/w/project/src/b.py", "/w/project/src/a.py")
