"""What a summary retains, and what counts as a mention."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxmgr.closed_loop import error_codes, identifiers, paths
from ctxmgr.model.compaction.plans import BranchMessage
from ctxmgr.model.compaction.plans import MessageContent as Shown
from ctxmgr.study.compare.retention.retained import Retention, retention
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


@pytest.mark.parametrize(("text", "expected"), PATHS, ids=[row[0][:20] for row in PATHS])
def test_paths(text: str, expected: list[str]) -> None:
    assert paths(text) == expected


@pytest.mark.parametrize(("text", "expected"), IDENTIFIERS, ids=[row[0][:20] for row in IDENTIFIERS])
def test_identifiers(text: str, expected: list[str]) -> None:
    assert identifiers(text) == expected


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


def rows(summary: str, *said: Said) -> dict[str, Retention]:
    messages = tuple(BranchMessage(one.raw, one.view, Shown(""), 0) for one in talk(*said))
    return {row.what: row for row in retention(messages, summary)}


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


@pytest.mark.parametrize("line", ALL.splitlines())
def test_what_is_left_out_is_missed(line: str) -> None:
    found = rows(ALL.replace(line, ""), *WORK)
    assert any(row.share < 1 for row in found.values())


def test_weights_are_mentions() -> None:
    found = rows("load_config", *WORK)["identifiers"]
    assert (found.retained_count, found.total_count, found.weighted_retained, found.weighted_total) == (1, 2, 2, 3)
    assert found.share == 0.5


@pytest.mark.parametrize(
    ("summary", "held"),
    [
        ("core/load.ts", 2),
        ("/home/me/p/src/core/load.ts", 2),
        ("load.ts", 0),
        ("vendor/load.ts", 0),
        ("xsrc/core/load.ts", 0),
    ],
)
def test_a_path_is_held_by_whole_components(summary: str, held: int) -> None:
    assert rows(summary, *WORK)["paths"].retained_count == held


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
