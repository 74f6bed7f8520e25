"""What a result depends on is in its key, and nothing else; what is to run, in which order."""

import os
from pathlib import Path

import pytest

from ctxmgr.study.corpus import sources
from ctxmgr.study.corpus import tasks as making
from ctxmgr.study.corpus.sources import CorpusFault, RecordingAddress, SourceFile
from ctxmgr.study.corpus.tasks import CorpusSettings, key, policies, recordings, tasks

SETTINGS = CorpusSettings()
SHORT = RecordingAddress("/a", "a", 10, "d1")
LONG = RecordingAddress("/b", "b", 20, "d2")


def test_a_recording_is_a_task_a_policy_and_off_always_the_longest_first() -> None:
    made = tasks([SHORT, LONG], policies(["balanced"]), SETTINGS)
    assert [task.recording for task in made] == [LONG, LONG, SHORT, SHORT]
    assert {task.policy.name for task in made[:2]} == {task.policy.name for task in made[2:]} == {"balanced", "off"}
    assert [task.key for task in made[:2]] == sorted(task.key for task in made[:2])
    done = {made[0].key, made[2].key, "another"}
    assert tasks([SHORT, LONG], policies(["balanced"]), SETTINGS, done) == [made[1], made[3]]


def test_a_peer_is_a_policy_without_keys() -> None:
    (peer, _) = policies(["masking-5"])
    assert (peer.name, peer.preset, peer.keys) == ("masking-5", "masking-5", {})


def test_a_key_is_another_one_for_each_thing_that_moves_a_figure(monkeypatch: pytest.MonkeyPatch) -> None:
    (plain, other, off) = policies(["balanced", "balanced:keep=500"])
    keys = [
        key("d1", plain, SETTINGS),
        key("d2", plain, SETTINGS),
        key("d1", other, SETTINGS),
        key("d1", off, SETTINGS),
        key("d1", plain, CorpusSettings(window_tokens=64_000)),
    ]
    monkeypatch.setattr(making, "__version__", "9.9.9")
    keys.append(key("d1", plain, SETTINGS))
    monkeypatch.setattr(making, "SCHEMA_VERSION", 99)
    keys.append(key("d1", plain, SETTINGS))
    assert len(set(keys)) == len(keys)
    first, _ = policies(["balanced:keep=500,maxResultTokens=900"])
    second, _ = policies(["balanced:maxResultTokens=900,keep=500"])
    assert first.digest == second.digest


def test_a_wrong_policy_is_said() -> None:
    for text, said in (
        ("masking-5:keep=5", "there is no preset or peer 'masking-5'"),
        ("balancd", "did you mean `balanced`"),
        ("balanced:keep", "is not KEY=VALUE"),
        ("balanced:keep=many", "balanced:keep=many: "),
        ("balanced:noSuchKey=1", "balanced:noSuchKey=1: "),
    ):
        with pytest.raises(CorpusFault, match=said):
            policies([text])


def held(tmp_path: Path, sample: int | None = None) -> list[RecordingAddress]:
    return recordings(sources.listed([str(tmp_path / "some")]), tmp_path / "sources.json", sample)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "some").mkdir()
    for name in ("b.jsonl", "a.jsonl", os.fsdecode(b"caf\xe9.jsonl")):
        (tmp_path / "some" / name).write_bytes(os.fsencode(name))
    return tmp_path / "some"


def test_what_has_not_changed_is_read_once(tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = held(tmp_path)
    assert {recording.name for recording in first} == {"a.jsonl", "b.jsonl", os.fsdecode(b"caf\xe9.jsonl")}
    read: list[str] = []

    def counted(file: SourceFile) -> tuple[list[RecordingAddress], bool]:
        read.append(file.name)
        return sources.recordings_in(file)

    monkeypatch.setattr(making, "recordings_in", counted)
    assert held(tmp_path) == first
    os.utime(folder / "a.jsonl", ns=(1, 1))
    assert held(tmp_path) == first
    (folder / "b.jsonl").write_bytes(b"longer than before")
    assert len({recording.digest for recording in held(tmp_path)} & {recording.digest for recording in first}) == 2
    assert read == ["a.jsonl", "b.jsonl"]
    assert (tmp_path / "sources.json").stat().st_mode & 0o777 == 0o600
    (tmp_path / "sources.json").write_bytes(b'{"/a": 1}')
    assert len(held(tmp_path)) == 3


def test_what_can_not_be_read_is_read_again_by_the_next_run(tmp_path: Path) -> None:
    late = SourceFile(f"{tmp_path}/late", "late", 1, "")
    recordings([late], tmp_path / "sources.json")
    (tmp_path / "late").write_bytes(b"x")
    (there,) = recordings([late], tmp_path / "sources.json")
    assert there.digest == sources.digest(b"x")


def test_the_same_content_at_two_addresses_is_one_recording(tmp_path: Path, folder: Path) -> None:
    (folder / "c.jsonl").write_bytes(b"a.jsonl")
    assert [recording.name for recording in held(tmp_path)].count("a.jsonl") == 1
    assert len(held(tmp_path)) == 3


def test_a_sample_is_the_same_each_time_and_a_part_of_a_larger_one(tmp_path: Path, folder: Path) -> None:
    for number in range(50):
        (folder / f"{number}").write_bytes(b"%d" % number)
    ten, twenty = held(tmp_path, 10), held(tmp_path, 20)
    assert len(ten) == 10
    assert ten == twenty[:10] == held(tmp_path, 10)
    assert len(held(tmp_path, 99)) == 53
