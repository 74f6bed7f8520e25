"""What a result depends on is in its key, and nothing else."""

import msgspec
import pytest

from ctxmgr.study.corpus import tasks as making
from ctxmgr.study.corpus.sources import RecordingAddress
from ctxmgr.study.corpus.tasks import CorpusSettings, WrongPolicy, key, policies, sampled, tasks

SETTINGS = CorpusSettings()
SHORT = RecordingAddress("/a", "a", 10, "d1")
LONG = RecordingAddress("/b", "b", 20, "d2")


def test_longest_first_and_off_always() -> None:
    made = tasks([SHORT, LONG], policies(["balanced"]), SETTINGS)
    assert [one.recording.name for one in made] == ["b", "b", "a", "a"]
    assert {one.policy.name for one in made} == {"balanced", "off"}


def test_the_same_content_at_two_addresses_is_one_task() -> None:
    copy = msgspec.structs.replace(SHORT, address="/c", name="c")
    assert len(tasks([SHORT, copy], policies(["off"]), SETTINGS)) == 1


def test_only_what_is_not_done_is_a_task() -> None:
    made = tasks([SHORT, LONG], policies(["balanced"]), SETTINGS)
    rest = tasks([SHORT, LONG], policies(["balanced"]), SETTINGS, {made[0].key, made[2].key})
    assert rest == [made[1], made[3]]


def test_a_key_is_another_one_for_each_thing_that_moves_a_figure(monkeypatch: pytest.MonkeyPatch) -> None:
    (plain, other, off) = policies(["balanced", "balanced:oldTokens=500"])
    keys = [
        key("d1", plain, SETTINGS),
        key("d2", plain, SETTINGS),
        key("d1", other, SETTINGS),
        key("d1", off, SETTINGS),
        key("d1", plain, CorpusSettings(window_tokens=64_000)),
        key("d1", plain, CorpusSettings(with_probes=False)),
    ]
    monkeypatch.setattr(making, "__version__", "9.9.9")
    keys.append(key("d1", plain, SETTINGS))
    monkeypatch.setattr(making, "SCHEMA_VERSION", 99)
    keys.append(key("d1", plain, SETTINGS))
    assert len(set(keys)) == len(keys)


def test_the_order_of_keys_and_the_name_of_a_recording_move_nothing() -> None:
    one, _ = policies(["balanced:oldTokens=500,indexTokens=900"])
    other, _ = policies(["balanced:indexTokens=900,oldTokens=500"])
    assert one.digest == other.digest


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("swift", "no preset is called 'swift'"),
        ("balanced:oldTokens", "is no KEY=VALUE"),
        ("balanced:oldTokens=many", "balanced:oldTokens=many: "),
        ("balanced:noSuchKey=1", "balanced:noSuchKey=1: "),
    ],
)
def test_a_wrong_policy_is_said(text: str, said: str) -> None:
    with pytest.raises(WrongPolicy, match=said):
        policies([text])


def test_a_sample_is_the_same_each_time_and_a_part_of_a_larger_one() -> None:
    some = [RecordingAddress(f"/{number}", "r", number, f"d{number}") for number in range(50)]
    ten, twenty = sampled(some, 10), sampled(some[::-1], 20)
    assert len(ten) == 10
    assert set(ten) < set(twenty)
    assert sampled(some, None) == some
