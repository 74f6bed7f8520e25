"""What a result depends on is in its key, and nothing else."""

import pytest

from ctxmgr.study.corpus import tasks as making
from ctxmgr.study.corpus.sources import RecordingAddress
from ctxmgr.study.corpus.tasks import CorpusSettings, WrongPolicy, key, policies, tasks

SETTINGS = CorpusSettings()
SHORT = RecordingAddress("/a", "a", 10, "d1")


def test_a_recording_is_a_task_a_policy_and_off_always() -> None:
    made = list(tasks(SHORT, policies(["balanced"]), SETTINGS))
    assert [one.policy.name for one in made] == ["balanced", "off"]
    assert {one.recording for one in made} == {SHORT}


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
        key("d1", plain, CorpusSettings(with_probes=False)),
    ]
    monkeypatch.setattr(making, "__version__", "9.9.9")
    keys.append(key("d1", plain, SETTINGS))
    monkeypatch.setattr(making, "SCHEMA_VERSION", 99)
    keys.append(key("d1", plain, SETTINGS))
    assert len(set(keys)) == len(keys)


def test_the_order_of_keys_and_the_name_of_a_recording_move_nothing() -> None:
    one, _ = policies(["balanced:keep=500,maxResultTokens=900"])
    other, _ = policies(["balanced:maxResultTokens=900,keep=500"])
    assert one.digest == other.digest


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("swift", "no preset or peer is called 'swift'"),
        ("masking-5:keep=5", "no preset or peer is called 'masking-5'"),
        ("balanced:keep", "is no KEY=VALUE"),
        ("balanced:keep=many", "balanced:keep=many: "),
        ("balanced:noSuchKey=1", "balanced:noSuchKey=1: "),
    ],
)
def test_a_wrong_policy_is_said(text: str, said: str) -> None:
    with pytest.raises(WrongPolicy, match=said):
        policies([text])
