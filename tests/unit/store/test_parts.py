"""What the store is made of, each alone: keys, heads, packs, tails and claims."""

import asyncio
from pathlib import Path

import pytest

from ctxmgr.devices.snapshots import to_line
from ctxmgr.store import beginning as claiming
from ctxmgr.store import parts
from ctxmgr.store.beginning import Claims
from ctxmgr.store.driving import side_by_side
from ctxmgr.store.head import UnreadableHead, escaped, from_bytes, head_key, object_name, objects_prefix, unescaped
from ctxmgr.store.uploading import Tail
from tests.unit.store.machines import BASE

IDS = ["s", "", "a/b", "../../etc", "Ä", "half \ud800", "x" * 5_000, "\0", "%2F", "a b"]


def test_an_id_never_becomes_part_of_a_key() -> None:
    for session_id in IDS:
        for key in (head_key(session_id), objects_prefix(session_id)):
            assert set(key) <= set("abcdefghijklmnopqrstuvwxyz0123456789/"), session_id
            assert len(key) < 50, session_id
        assert unescaped(escaped(session_id)) == session_id, session_id


def test_what_is_no_head_of_ours_is_refused() -> None:
    for content in [
        b"",
        b"[]",
        b"{}",
        b'{"version":2,"owner":"w"}',
        b'{"owner":"w","epoch":1,"count":1,"leaseMs":0}',
        b'{"owner":"w","epoch":1,"count":1,"leaseMs":99999999}',
        b'{"owner":"w","epoch":1,"count":1,"leaseMs":9,"contents":{"lines":["../../heads/x"]}}',
        b'{"owner":"w","epoch":1,"count":1,"leaseMs":9,"contents":{"packed":1}}',
    ]:
        with pytest.raises(UnreadableHead):
            from_bytes(content)


def test_what_is_no_whole_snapshot_is_not_put_in_the_place_of_one() -> None:
    for content in [b"x", b"\n", to_line(BASE)[:-1], b"00000000 {}\n"]:
        with pytest.raises(parts.Damaged):
            parts.records(content)


def test_a_tail_gives_what_is_new_and_only_whole_lines(tmp_path: Path) -> None:
    path = tmp_path / "f"
    tail = Tail(path)
    assert tail.new() is None
    path.write_bytes(b"one\ntw")
    first = tail.new()
    assert (first.content, first.whole, first.end) == (b"one\n", True, 4)
    tail.took(first)
    assert tail.new() is None
    path.write_bytes(b"one\ntwo\n")
    second = tail.new()
    assert (second.content, second.whole) == (b"two\n", False)
    again = tail.new()
    assert again == second  # it was not taken
    tail.close()


def test_a_tail_tells_a_file_that_was_written_anew(tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_bytes(b"one\n")
    tail = Tail(path)
    first = tail.new()
    assert first is not None
    tail.took(first)
    (tmp_path / "g").write_bytes(b"one\ntwo\n")
    (tmp_path / "g").replace(path)
    second = tail.new()
    assert (second.content, second.whole) == (b"one\ntwo\n", True)
    tail.close()


def test_claims_are_written_down_before_they_are_used_and_bounded(tmp_path: Path) -> None:
    claims = Claims(tmp_path / "s.jsonl")
    assert claims.ours() == frozenset()
    words = [claims.new() for _ in range(claiming.KEPT + 3)]
    assert len(set(words)) == len(words)
    assert claims.ours() == frozenset(words[3:])
    assert (tmp_path / "s.jsonl.claims").stat().st_mode & 0o077 == 0


def test_a_pack_that_is_not_what_its_name_says_is_damaged() -> None:
    with pytest.raises(parts.Damaged):
        parts.lines_of(object_name(1, 1, b"other"), parts.lines_pack(b"lines\n"))


async def test_no_more_requests_are_under_way_than_may_be() -> None:
    under_way = most = 0

    async def request(number: int) -> int:
        nonlocal under_way, most
        under_way += 1
        most = max(most, under_way)
        await asyncio.sleep(0)
        under_way -= 1
        return number

    assert await side_by_side(request, range(9), 4) == [*range(9)]
    assert most == 4
