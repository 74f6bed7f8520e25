"""What a run is to do lies on disk, in its order, whatever the number of recordings."""

import os
import tracemalloc
from collections.abc import Iterator
from pathlib import Path

import pytest

from ctxmgr.study.corpus import listing as listings
from ctxmgr.study.corpus import sources
from ctxmgr.study.corpus.listing import Listing, TaskTotals
from ctxmgr.study.corpus.sources import ListedRecording
from ctxmgr.study.corpus.tasks import CorpusSettings, CorpusTask, policies

SHORT = ListedRecording("/a", "a", 10, "", "d1")
LONG = ListedRecording("/b", "b", 20, "", "d2")
BOTH = policies(["balanced"])  # and off


def todo(
    path: Path,
    *found: ListedRecording,
    done: tuple[str, ...] = (),
    sample: int | None = None,
) -> list[CorpusTask]:
    with Listing(path / "listing") as listing:
        listing.add(found)
        listing.ask(BOTH, CorpusSettings(), done, sample)
        return list(listing.tasks())


def test_longest_first(tmp_path: Path) -> None:
    made = todo(tmp_path, SHORT, LONG)
    assert [one.recording.name for one in made] == ["b", "b", "a", "a"]
    assert {one.policy.name for one in made} == {"balanced", "off"}
    assert [one.key for one in made[:2]] == sorted(one.key for one in made[:2])


def test_the_same_content_at_two_addresses_is_one_recording(tmp_path: Path) -> None:
    copy = ListedRecording("/c", "c", 10, "", "d1")
    made = todo(tmp_path, copy, SHORT)
    assert [one.recording.address for one in made] == ["/a", "/a"]


def test_what_two_sources_name_is_one_recording(tmp_path: Path) -> None:
    assert len(todo(tmp_path, SHORT, SHORT)) == 2


def test_only_what_is_not_done_is_to_do(tmp_path: Path) -> None:
    made = todo(tmp_path, SHORT, LONG)
    assert todo(tmp_path, SHORT, LONG, done=(made[0].key, made[2].key, "another")) == [made[1], made[3]]


def test_what_is_to_do_is_counted_without_being_held(tmp_path: Path) -> None:
    with Listing(tmp_path / "listing") as listing:
        listing.add([SHORT, LONG])
        assert listing.ask(BOTH, CorpusSettings(), (), None) == 2
        assert listing.totals() == TaskTotals(4, 60, 20, 60)


def test_of_nothing_the_totals_are_nothing(tmp_path: Path) -> None:
    with Listing(tmp_path / "listing") as listing:
        assert listing.ask(BOTH, CorpusSettings(), (), None) == 0
        assert listing.totals() == TaskTotals(0, 0, 0, 0)


def test_a_sample_is_the_same_each_time_and_a_part_of_a_larger_one(tmp_path: Path) -> None:
    some = [ListedRecording(f"/{number}", "r", number, "", f"d{number}") for number in range(50)]
    ten, twenty = todo(tmp_path, *some, sample=10), todo(tmp_path, *some[::-1], sample=20)
    names = {one.recording.digest for one in ten}
    assert len(names) == 10
    assert names < {one.recording.digest for one in twenty}
    assert ten == todo(tmp_path, *some, sample=10)
    assert len(todo(tmp_path, *some, sample=99)) == 100


def test_what_an_earlier_run_listed_is_no_part_of_this_one(tmp_path: Path) -> None:
    todo(tmp_path, SHORT, LONG)
    assert {one.recording.name for one in todo(tmp_path, SHORT)} == {"a"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    some = tmp_path / "some"
    some.mkdir()
    for name in ("a.jsonl", "b.jsonl"):
        (some / name).write_bytes(name.encode())
    return some


def test_a_digest_is_worked_out_once_for_what_has_not_changed(
    tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[str] = []

    def counted(one: ListedRecording) -> Iterator[ListedRecording]:
        read.append(one.address)
        return sources.read(one)

    monkeypatch.setattr(listings, "read", counted)
    first = todo(tmp_path, *sources.listed([str(folder)]))
    assert len(read) == 2
    os.utime(folder / "a.jsonl", ns=(1, 1))
    again = todo(tmp_path, *sources.listed([str(folder)]))
    assert read[2:] == [str(folder / "a.jsonl")]
    assert again == first


def test_what_changed_under_the_same_name_is_another_recording(tmp_path: Path, folder: Path) -> None:
    first = todo(tmp_path, *sources.listed([str(folder)]))
    (folder / "a.jsonl").write_bytes(b"longer than before")
    again = todo(tmp_path, *sources.listed([str(folder)]))
    assert len({one.key for one in first} & {one.key for one in again}) == 2


def test_what_can_not_be_read_is_a_task_and_is_read_again_by_the_next_run(tmp_path: Path) -> None:
    path = tmp_path / "late.jsonl"
    missing = ListedRecording(str(path), path.name, 1, "")
    (gone, _) = todo(tmp_path, missing)
    assert gone.recording.digest == sources.digest(str(path).encode())
    path.write_bytes(b"x")
    (there, _) = todo(tmp_path, missing)
    assert there.recording.digest == sources.digest(b"x")


def test_a_name_that_is_no_text_is_found_again(tmp_path: Path) -> None:
    name = b"r\xff.jsonl".decode("utf-8", "surrogateescape")
    made = todo(tmp_path, ListedRecording(f"/{name}", name, 1, "", "d1"))
    assert {one.recording.name for one in made} == {name}
    assert {one.recording.address for one in made} == {f"/{name}"}


def test_a_database_that_can_not_be_read_is_begun_anew(tmp_path: Path) -> None:
    (tmp_path / "listing").write_bytes(b"no database, and longer than the header of one is" * 90)
    assert len(todo(tmp_path, SHORT)) == 2


def test_it_is_readable_by_its_owner_alone(tmp_path: Path) -> None:
    todo(tmp_path, SHORT)
    assert (tmp_path / "listing").stat().st_mode & 0o777 == 0o600


def test_memory_does_not_grow_with_the_number_of_recordings(tmp_path: Path) -> None:
    def some(count: int) -> Iterator[ListedRecording]:
        names = (f"r{number:09d}" for number in range(count))
        return (ListedRecording(f"/folder/{name}", name, 1, "", f"digest of {name}") for name in names)

    def peak(count: int, name: str) -> int:
        tracemalloc.start()
        with Listing(tmp_path / name) as listing:
            listing.add(some(count))
            listing.ask(BOTH, CorpusSettings(), (f"no key {number}" for number in range(count)), None)
            assert sum(1 for _ in listing.tasks()) == 2 * count
        found = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return found

    few = listings.PAGE_ROWS * 2
    peak(few, "first")  # with what is loaded and cached for good
    assert peak(few * 4, "many") < peak(few, "few") * 1.1
