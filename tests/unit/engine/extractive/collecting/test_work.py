"""Stretches of work: what asks for something new, what came of it, and the files it worked with."""

import pytest

from ctxmgr.engine.extractive.collecting import work
from tests.notation import Said, a, call, err, packet, r, u
from tests.unit.engine.extractive.test_summary import conversation


def history(*said: Said, touched: dict[str, tuple[str, ...]] | None = None) -> work.WorkHistory:
    return work.of(conversation(*said), touched or {}, {})


@pytest.mark.parametrize(
    "text",
    ["", "ok", "continue", "go on please", "ok, thanks, keep going now", "do it", "/clear", "fix it", "继续"],
)
def test_what_asks_for_nothing_new(text: str) -> None:
    assert work.request_of(text) == ""


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("fix the footer", "fix the footer"),
        ("fix the\n\nfooter", "fix the footer"),
        ("fix the footer\nfix the footer", "fix the footer"),
        ("不要修改数据库模式。", "不要修改数据库模式。"),
        ("fix the footer\n   ^^^\n  run (a.js:1)", "fix the footer"),
    ],
)
def test_a_request_is_one_line(text: str, asked: str) -> None:
    assert work.request_of(text) == asked


def test_where_most_was_pasted_short_lines_were_as_well() -> None:
    pasted = "\n".join(f"> line {number} of it" for number in range(9))
    asked = work.request_of(f"fix the footer\n{pasted}\nnot that")
    assert asked.startswith(f"fix the footer{work.PASTED}line 0 of it")
    assert asked.endswith("not that)")
    assert work.request_of("fix the footer\nnot that") == "fix the footer not that"


def test_a_short_request_is_told_with_what_was_pasted_with_it_behind_the_users_own_words() -> None:
    trace = 'Error: no such "file"\n    at open (fs.js:12)\n  code: ENOENT'
    told = "Error: no such 'file' code: ENOENT"
    assert work.request_of(f"{trace}\n\nwhat is this then?") == f"what is this then?{work.PASTED}{told})"
    assert work.request_of(trace) == told
    assert work.request_of(f"ok, thanks\n\n{trace}") == f"ok, thanks {told}"  # a paste asks what it is about
    again = work.request_of(f"{trace}\n\nwhat is this then?")
    assert work.request_of(again) == again
    assert work.own_words(again) == "what is this then?"
    assert work.own_words(told) == told


def test_what_was_pasted_is_told_whole_or_not() -> None:
    for lines, whole in ((20, True), (90, False)):
        pasted = "> a line of it\n" * lines
        assert (work.PASTED in work.request_of(f"what is this then?\n\n{pasted}")) is whole
        assert (work.request_of(pasted) != "") is whole


def test_a_hosts_own_words_are_no_paste() -> None:
    told = "[Request interrupted by user for tool use]"
    assert work.request_of(told) == ""
    assert work.request_of(f"<command-name>/compact</command-name>\n{told}") == ""
    assert work.request_of("/compact now") == ""


def test_a_long_request_keeps_its_start_and_its_end() -> None:
    """Of 1,200 characters three fifths are of its start; its end begins with a sentence."""
    start, end = "First do this one. " * 40, "Then do that one. " * 40
    asked = work.request_of(f"{start}\n\n{end}")
    assert 1_100 < len(asked) <= 1_200
    head, _, tail = asked.partition("…")
    assert 600 < len(head) < 720
    assert tail.startswith(" Then do that one. Then")
    assert tail.endswith("Then do that one.")


def test_a_long_request_of_one_sentence_ends_with_whole_words() -> None:
    asked = work.request_of("\n\n".join(["word " * 150] * 2))
    assert len(asked) <= 1_200
    assert set(asked.replace("…", "").split()) == {"word"}


def test_an_opening_request_may_be_a_whole_issue() -> None:
    long = "please " + "fix it " * 250
    assert work.request_of(long) == ""
    assert work.request_of(long, long_too=True).startswith("please fix it")
    said = history(u(long), u("please " + "do it " * 250))
    assert [one.request[:10] for one in said.stretches] == ["please fix"]


def test_a_request_begins_a_stretch_and_what_asks_nothing_goes_on_with_it() -> None:
    found = history(
        u("fix the footer"), a("Let me see"), u("continue"), a("Fixed it all.", call("read", path="x")), r("t"),
        u("write the docs"), a("Wrote them."), packet("[ctxmgr packet]\nforge the goal of it"),
    )  # fmt: skip
    assert [(one.request, one.message_index, one.finished) for one in found.stretches] == [
        ("fix the footer", 0, False),
        ("write the docs", 5, True),
    ]
    assert found.stretches[0].texts == [(1, "Let me see"), (3, "Fixed it all.")]
    assert found.size == 8


def test_what_comes_before_the_first_request_is_a_stretch_without_one() -> None:
    assert [one.request for one in history(u("ok"), a("Hello"), u("fix the footer")).stretches] == [
        "",
        "fix the footer",
    ]
    assert [one.request for one in history(a("Hello"), u("fix the footer")).stretches] == ["", "fix the footer"]


def test_a_call_ends_nothing() -> None:
    assert not history(u("fix the footer"), a("Done.", call("ls"))).stretches[0].finished
    assert not history(u("fix the footer"), a()).stretches[0].finished
    assert history(u("fix the footer"), a("Done.")).stretches[0].finished


def test_files_are_counted_where_they_worked() -> None:
    touched = {"c1": ("read\na.py",), "c2": ("changed\na.py", "changed\nb.py"), "c3": ("changed\nc.py",)}
    found = history(
        u("fix the footer"), a(call("read"), call("edit"), call("edit")), r(""), r(""), err("no"), touched=touched
    )
    assert (dict(found.read), dict(found.changed)) == ({"a.py": 1}, {"a.py": 1, "b.py": 1})
    assert found.changed_at == {"a.py": 3, "b.py": 3}
    assert found.stretches[0].changed == {"a.py": 1, "b.py": 1}


def moved(*moves: tuple[str, str], files: tuple[str, ...] = ("src/a.py", "src/b.py")) -> work.WorkHistory:
    said = conversation(u("fix the footer"), a(call("edit"), call("mv")), r(""), r(""))
    return work.of(said, {"c1": tuple(f"changed\n{one}" for one in files)}, {"c2": moves})


@pytest.mark.parametrize(
    ("move", "changed"),
    [
        (("src/a.py", "lib/a.py"), {"src/b.py", "lib/a.py"}),
        (("a.py", "c.py"), {"src/b.py", "src/c.py"}),
        (("a.py", "/tmp/c.py"), {"src/b.py", "/tmp/c.py"}),
        (("src/a.py", ""), {"src/b.py"}),
        (("z.py", "y.py"), {"src/a.py", "src/b.py"}),
    ],
)
def test_a_file_that_was_moved_goes_on_under_its_new_name(move: tuple[str, str], changed: set[str]) -> None:
    found = moved(move)
    assert set(found.changed) == set(found.changed_at) == changed
    assert move[0] in found.removed_paths or f"src/{move[0]}" in found.removed_paths


def test_which_of_two_files_was_moved_is_not_guessed() -> None:
    assert set(moved(("a.py", "c.py"), files=("src/a.py", "lib/a.py")).changed) == {"src/a.py", "lib/a.py"}
    assert set(moved(("a.py", "c.py"), files=("a.py", "lib/a.py")).changed) == {"c.py", "lib/a.py"}
    assert set(moved(("lib/a.py", "c.py"), files=("lib/a.py", "x/lib/a.py", "y/lib/a.py")).changed) == {
        "c.py",
        "x/lib/a.py",
        "y/lib/a.py",
    }


@pytest.mark.parametrize(
    ("said", "asked"),
    [
        ((u("fix the footer"),), "fix the footer"),
        ((u("fix the footer"), u("ok")), "fix the footer"),
        ((u("fix the footer"), a("Done."), u("go on")), ""),
        ((u("fix the footer"), a(call("ls"))), ""),
        ((u("fix the footer"), a()), "fix the footer"),
        ((u("fix the footer"), a("Done."), u("write the docs")), "write the docs"),
    ],
)
def test_a_request_that_nobody_answered(said: tuple[Said, ...], asked: str) -> None:
    assert work.open_request(conversation(*said)) == asked
