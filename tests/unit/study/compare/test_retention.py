"""What a summary retains, and what counts as a mention."""

from hypothesis import given
from hypothesis import strategies as st

from ctxmgr.closed_loop import error_codes, identifiers, paths
from ctxmgr.model.compaction.plans import BranchMessage
from ctxmgr.model.compaction.plans import MessageContent as Shown
from ctxmgr.study.compare.retention.retained import Retention, retention
from ctxmgr.study.compare.retention.stated import open_tasks
from tests.notation import Said, a, call, err, r, talk, u

PATHS = [
    ("see src/app/main.ts:12:3 and ./lib/x.py, or @docs/a.md.", ["src/app/main.ts", "lib/x.py", "docs/a.md"]),
    ("and/or in package.json, not 1.5 or v2.0", ["package.json"]),
    ("https://example.com/a/b.html", []),
    ('"/Users/me/my.file.tsx" `~/.pi/agent/x.json`', ["/Users/me/my.file.tsx", "~/.pi/agent/x.json"]),
    ("src/ and src/app", []),
]
IDENTIFIERS = [
    ("call AgentSession.run() with max_tokens, then maxTokens", ["AgentSession.run", "max_tokens", "maxTokens"]),
    ("this.ui.render and self.loader_of", ["ui.render", "loader_of"]),
    ("plain words, Plain Words, e.g. this, and NASA", []),
    ("src/some_file.py is a path", []),
    ("a_b x.y", []),
    ("JSONLines HTTPServer", ["JSONLines", "HTTPServer"]),
]


def test_paths() -> None:
    for text, expected in PATHS:
        assert paths(text) == expected, text


def test_identifiers() -> None:
    for text, expected in IDENTIFIERS:
        assert identifiers(text) == expected, text


def test_error_codes() -> None:
    found = error_codes("error TS2345, E0308: TypeError (ENOENT), SIGKILL, ERR_CLOSED; not Every or E5")
    assert found == ["TS2345", "E0308", "TypeError", "ENOENT", "SIGKILL", "ERR_CLOSED"]


WORK = [
    u("please move the loader to src/core/load.ts. Never touch the vendor folder."),
    a("LoaderService is the loader. It needs load_config, and load_config.\n- [ ] write the tests"),
    a(call("edit", path="/home/me/p/src/core/load.ts")),
    r("ok"),
    a(call("bash", command="make all")),
    err("fatal: no rule to make target `all`, needed by nobody"),
    a(call("bash", command="grep x y")),
    err("Command exited with code 1"),
]
ALL = """move the loader to src/core/load.ts, never touch the vendor folder
- LoaderService, load_config; write the tests
- `make all`: "fatal: no rule to make target all needed by nobody\""""


def messages(*said: Said) -> tuple[BranchMessage, ...]:
    return tuple(BranchMessage(one.raw, one.view, Shown(""), 0) for one in talk(*said))


def rows(summary: str, *said: Said) -> dict[str, Retention]:
    return {row.what: row for row in retention(messages(*said), summary)}


def test_a_summary_that_holds_everything() -> None:
    found = rows(ALL, *WORK)
    assert {what: (row.retained_count, row.total_count) for what, row in found.items()} == {
        "paths": (2, 2),
        "identifiers": (2, 2),
        "tasks": (1, 1),
        "errors": (1, 1),
        "requests": (1, 1),
    }
    assert all(row.share == 1.0 for row in found.values())


def test_a_summary_that_holds_nothing() -> None:
    found = rows("something else", *WORK)
    assert all((row.retained_count, row.weighted_retained) == (0, 0) for row in found.values())
    assert found["identifiers"].lost == ("load_config", "LoaderService")
    assert (found["identifiers"].total_count, found["identifiers"].weighted_total) == (2, 3)


def test_what_is_left_out_is_missed() -> None:
    for line in ALL.splitlines():
        found = rows(ALL.replace(line, ""), *WORK)
        assert any(row.share < 1 for row in found.values()), line


def test_a_path_is_held_by_whole_components() -> None:
    for summary, held in (
        ("core/load.ts", 2),
        ("/home/me/p/src/core/load.ts", 2),
        ("load.ts", 0),
        ("vendor/load.ts", 0),
        ("xsrc/core/load.ts", 0),
    ):
        assert rows(summary, *WORK)["paths"].retained_count == held, summary


def test_words_scattered_over_lines_hold_no_statement() -> None:
    assert rows("move\nthe loader\nnever touch\nthe vendor\nfolder", *WORK)["requests"].retained_count == 0


def test_output_of_tools_is_not_counted() -> None:
    found = rows("", a(call("read", path="a.py")), r("see other/file.py and some_name"))
    assert (found["paths"].total_count, found["identifiers"].total_count) == (1, 0)


def test_nothing_to_hold_is_all_held() -> None:
    assert all(row.share == 1.0 for row in rows("").values())


@given(st.text(max_size=300))
def test_any_text_holds_itself(text: str) -> None:
    found = rows(text, a(text))
    assert found["paths"].share == 1
    assert found["identifiers"].share == 1


# open tasks

TASKS = [
    ([a("- [ ] write the schema\n- [x] choose it")], ["write the schema"]),
    ([a("- [ ] write the schema"), a("- [x] write the schema")], []),
    (
        [a("**Remaining:**\n- measure the loader\n- publish it all\n\nGo?")],
        ["measure the loader", "publish it all"],
    ),
    ([a("Remaining:\n- measure the loader"), a("I measured the loader.")], ["measure the loader"]),
    ([a("Remaining:\n- measure the loader"), a("The loader: measure taken.")], []),
    ([a("Next steps:\n- first plan"), a("Next steps:\n- second plan")], ["second plan"]),
    ([u("- [ ] of the user")], []),
]


def test_open_tasks() -> None:
    for said, expected in TASKS:
        assert open_tasks(messages(*said)) == expected, said


def test_a_task_that_a_summary_leaves_out_is_missed() -> None:
    said = a("Remaining:\n- measure the big files")
    lost, held = rows("nothing of it", said)["tasks"], rows("- measure the big files", said)["tasks"]
    assert (lost.retained_count, lost.total_count, held.share) == (0, 1, 1.0)
