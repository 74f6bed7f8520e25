"""What left is found by its words: in its session alone, best first, without secrets, and gone when it is
deleted."""

import sqlite3
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxmgr.devices.archive import hits_among, searching
from ctxmgr.devices.archive.file import NAME
from ctxmgr.devices.archive.searching import SNIPPET_CHARACTERS
from ctxmgr.model.epochs import ArchiveRow
from ctxmgr.model.policy import Archive as Limits
from tests.unit.devices.archive.rows import DAY, SECRET, held, row

TOKEN = "ghp_" + "aB3" * 12


def handles(rows: list[ArchiveRow], query: str, limit: int = 10) -> list[str]:
    return [hit.handle for hit in hits_among(rows, query, limit)]


def made(name: str, call: str, text: str) -> ArchiveRow:
    return ArchiveRow(name, f"k{name}", call, text)


ROWS = [
    made("a", 'read path="src/http_server.py"', "def get_user_name(request):\n    return request.user\n"),
    made("b", 'bash command="npm test -- src/app.ts"', "FAIL: getUserName is not a function\n1 failed"),
    made("c", "user text", "Please keep the retries at 17, and never push to main."),
    made("d", 'grep pattern="TODO"', "src/http_server.py:12: TODO name it\n" * 3),
    made("e", "assistant text", "日本語の検索を直した"),
    made("f", 'read path="/srv/app/mod_3/HTTPServer.py"', "class AuthService:\n    pass\n"),
]

FOUND = [
    ("getUserName", ["a", "b"]),
    ("retries", ["c"]),
    ("retri", ["c"]),
    ("path:http_server.py", ["a"]),
    ("path:httpserver.py", ["f"]),
    ('"httpserver.py"', ["f"]),
    ("path:mod_4/httpserver.py", []),
    ("tool:grep name", ["d"]),
    ('"never push"', ["c"]),
    ('"push never"', []),
    ("検索", ["e"]),
    ("http_server.py", ["a", "d"]),
    ("http_server.py", ["a"]),  # a path that is named comes before a text that names it
    ("nothing of this", []),
    ("", []),
]


def test_what_a_query_finds() -> None:
    for query, expected in FOUND:
        hits = handles(ROWS, query)
        assert sorted(hits[: len(expected)]) == expected, query
        assert expected or not hits, query


def test_what_is_rare_counts_for_more_than_what_is_everywhere() -> None:
    rows = [made(f"x{number}", "bash", "the build of the app" + " passed" * number) for number in range(20)]
    assert handles([*rows, made("y", "bash", "the app threw EWOULDBLOCK")], "the app EWOULDBLOCK")[0] == "y"


def test_of_a_call_that_was_made_again_and_again_the_newest_result_comes_first() -> None:
    again = [made(f"x{number}", 'bash command="npm run check"', "error " * (9 - number)) for number in range(9)]
    other = [made("y", 'bash command="ls"', "npm")]
    assert handles([*again, *other], "npm run check", 3) == ["x8", "x7", "x6"]


def test_conversation_text_comes_best_first_and_not_newest_first() -> None:
    said = [made(f"x{number}", "assistant text", "owl " * (9 - number) + "other words") for number in range(9)]
    assert handles(said, "owl", 3) == ["x0", "x1", "x2"]


def test_a_statement_in_a_long_text_counts_as_one_alone() -> None:
    filler = "Nothing of it here, and so on.\n" * 400
    long = made("long", "assistant text", f"{filler}We take the queue instead of the timer.\n{filler}")
    scattered = made("wide", "assistant text", f"a queue\n{filler}instead\n{filler}a timer")
    short = [made(f"s{number}", "assistant text", "On to the queue.") for number in range(9)]
    assert handles([scattered, *short, long], "tool:assistant queue instead timer")[0] == "long"


def test_a_hit_says_what_it_was_and_where_to_read_on() -> None:
    text = "".join(f"line {number} says little\n" for number in range(1_000))
    text = text.replace("line 700 says little", "line 700 throws ENOSPC")
    (hit,) = hits_among([made("a", 'read path="log/out.txt" offset=3', text)], "ENOSPC", 10)
    assert (hit.handle, hit.tool, hit.path, hit.total) == ("a", "read", "log/out.txt", len(text))
    assert "line 700 throws ENOSPC" in hit.snippet
    assert len(hit.snippet) <= SNIPPET_CHARACTERS + 2
    assert text[hit.offset :].startswith(hit.snippet.strip("…"))
    (message,) = hits_among([made("b", "user text", "the word")], "word", 10)
    assert (message.tool, message.path) == (None, None)


def test_a_snippet_shows_the_most_of_what_was_asked() -> None:
    text = "alpha\n" + "nothing here\n" * 100 + "alpha with beta and gamma\n" + "nothing here\n" * 100 + "beta\n"
    (hit,) = hits_among([made("a", "bash", text)], "alpha beta gamma", 1)
    assert "alpha with beta and gamma" in hit.snippet


def test_secrets_are_neither_shown_nor_found() -> None:
    row = made("a", f'bash command="curl -H {TOKEN}"', f"password: '{SECRET}'\nthe token is {TOKEN}\n")
    assert handles([row], TOKEN) == handles([row], "owl") == handles([row], "flies") == []
    (hit,) = hits_among([row], "token", 1)
    assert TOKEN not in hit.snippet + hit.call_text
    assert "[masked]" in hit.snippet
    assert "[masked]" in hit.call_text


QUERIES = st.text(max_size=200) | st.text("\"*():^+-{}' ANDORNOTEAR.,pathtool:", max_size=60)


@settings(deadline=None)
@given(QUERIES)
def test_any_query_gives_hits_or_none(query: str) -> None:
    assert len(hits_among(ROWS, query, 3)) <= 3


@settings(max_examples=30, deadline=None)
@given(st.lists(st.text(), max_size=5), st.text())
def test_any_texts_can_be_searched(texts: list[str], query: str) -> None:
    rows = [made(f"x{at}", text, text) for at, text in enumerate(texts)]
    assert len(hits_among(rows, query, 3)) <= len(texts)


# on the disk


def found(archive: "object", query: str, session: str | None = "s") -> list[str]:
    return [one.hit.handle for one in archive.search(session, query, 10)]  # type: ignore[attr-defined]


def test_a_session_finds_its_own_alone_and_people_find_all(tmp_path: Path) -> None:
    with held(tmp_path) as archive:
        archive.put("s", [row("a", "the owl")])
        archive.put("t", [row("b", "the owl")])
        assert (found(archive, "owl"), found(archive, "owl", "t"), found(archive, "owl", "u")) == (
            ["ha"],
            ["hb"],
            [],
        )
        everywhere = archive.search(None, "owl", 10)
        assert [(one.session, one.time_ms, one.hit.handle) for one in everywhere] == [
            (b"s", 1_000_000, "ha"),
            (b"t", 1_000_000, "hb"),
        ]


def test_what_other_sessions_left_changes_no_order(tmp_path: Path) -> None:
    own = [row("a", "alpha filler words"), *(row(f"b{at}", "beta filler words") for at in range(5))]
    with held(tmp_path) as archive:
        archive.put("s", own)
        alone = {query: found(archive, query) for query in ("alpha beta", "alp bet", '"filler words" beta alpha')}
        assert alone["alpha beta"][0] == "ha"
        archive.put("t", [row(f"t{number}", "alpha " * 20 + "noise") for number in range(60)])
        assert archive.search("t", "noise", 1), "it is indexed now"
        assert {query: found(archive, query) for query in alone} == alone


def test_where_there_is_no_archive_none_is_made(tmp_path: Path) -> None:
    with held(tmp_path / "none") as archive:
        assert archive.search("s", "owl", 10) == []
    assert not (tmp_path / "none").exists()


def test_what_is_put_later_is_found_too_and_what_changed_as_it_is_now(tmp_path: Path) -> None:
    with held(tmp_path) as archive:
        archive.put("s", [row("a", "the owl")])
        assert found(archive, "owl") == ["ha"]
        archive.put("s", [row("a", "the fox"), row("b", "an owl")])
        assert (found(archive, "owl"), found(archive, "fox")) == (["hb"], ["ha"])


def test_an_archive_of_an_older_release_is_indexed_with_the_first_search(tmp_path: Path) -> None:
    with held(tmp_path) as archive:
        archive.put("s", [row(f"{number}", f"owl{number}") for number in range(120)])
    with held(tmp_path) as archive:
        assert found(archive, "owl7")[0] == "h7"


def test_what_is_deleted_is_found_no_more_and_leaves_no_word(tmp_path: Path) -> None:
    now = [1_000.0]
    with held(tmp_path, lambda: now[0]) as archive:
        archive.put("s", [row("a", SECRET), *(row(f"{number}", "other words") for number in range(50))])
        archive.put("t", [row("a", "stays")])
        assert found(archive, SECRET) == ["ha"]
        archive.forget("s")
        assert found(archive, SECRET) == found(archive, "words") == []
        assert found(archive, "stays", "t") == ["ha"]
    assert SECRET.encode() not in (tmp_path / NAME).read_bytes()
    assert b"owl-flies" not in (tmp_path / NAME).read_bytes()


def test_of_a_broken_index_only_the_index_is_lost(tmp_path: Path) -> None:
    with held(tmp_path) as archive:
        archive.put("s", [row("a", "the owl")])
        assert found(archive, "owl") == ["ha"]
    connection = sqlite3.connect(tmp_path / NAME)
    connection.execute("UPDATE found_data SET block = x'ffffffff' WHERE id > 10")
    connection.commit()
    connection.close()
    with held(tmp_path) as archive:
        assert found(archive, "owl") == ["ha"]
        assert archive.get("s", "ha") == row("a", "the owl")
        assert archive.notes == []


def test_of_large_originals_few_are_indexed_in_one_transaction(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who puts meanwhile waits for one transaction, whatever a tool printed."""
    rows = [made(f"h{number}", f'read path="{number}"', "owl " * 100) for number in range(8)]
    monkeypatch.setattr(searching, "BYTES_AT_ONCE", 1_000)
    steps, index_some = [], searching.index_some
    monkeypatch.setattr(searching, "index_some", lambda *asked: steps.append(index_some(*asked)) or steps[-1])
    with held(tmp_path) as archive:
        archive.put("s", rows)
        assert len(archive.search("s", "owl", 10)) == 8
    assert steps == [True, True, False], "1,200 characters a step, and the rest"


def test_what_grew_too_old_leaves_the_index_as_well(tmp_path: Path) -> None:
    now = [1_000.0]
    with held(tmp_path, lambda: now[0]) as archive:
        archive.put("s", [row("a", "the owl")])
        assert found(archive, "owl") == ["ha"]
        now[0] += 40 * DAY
        while archive.due:
            archive.tidy(Limits(), ())
        assert found(archive, "owl") == []


def test_equals_come_in_a_fixed_order_whatever_was_put_first() -> None:
    rows = [made(name, f"bash n={place}", "the same words") for place, name in enumerate("cabd")]
    assert handles(rows, "same") == handles(rows[::-1], "same") == ["a", "b", "c", "d"]
