"""A transcript says by which rules it came about; who replays others is named, and nobody else tries."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from ctxmgr import __version__
from ctxmgr.cli import main
from ctxmgr.study.conformance import replay
from ctxmgr.study.recordings.recording import UnreadableRecording
from ctxmgr.wire import transcript
from tests.inprocess import InProcess

OURS = ", ".join(map(str, transcript.REPLAYED))
LATER = f"the transcript has rules 7, which ctxmgr 9.9.9 replays; this is ctxmgr {__version__} (rules {OURS})"


def recorded() -> bytes:
    host = InProcess()
    host.request("getStatus", sessionId="s")
    return b"".join(line + b"\n" for line in host.recorded)


def header_of(content: bytes) -> dict[str, Any]:
    return next(line.fields for line in transcript.read(content) if line.kind == "header")


def with_header(content: bytes, **fields: Any) -> bytes:
    """The same with other members in its first line."""
    first, rest = content.split(b"\n", 1)
    header = json.loads(first)["ctxmgr"] | fields
    return json.dumps({"ctxmgr": header}).encode() + b"\n" + rest


@pytest.fixture
def later(tmp_path: Path) -> Path:
    """A transcript that release 9.9.9 wrote under rules 7."""
    path = tmp_path / "later.jsonl"
    path.write_bytes(with_header(recorded(), rules=7, serverVersion="9.9.9"))
    return path


# what this release of planted rules 2 and 3 says of a header
HEADERS: list[tuple[Mapping[str, Any], str | None]] = [
    ({"rules": 2}, None),
    ({}, "the transcript has rules 1, which ctxmgr 0.1 replays; this is ctxmgr 0.3.1 (rules 2, 3)"),
    (
        {"rules": 4, "serverVersion": "0.5.0"},
        "the transcript has rules 4, which ctxmgr 0.5.0 replays; this is ctxmgr 0.3.1 (rules 2, 3)",
    ),
    (
        {"rules": 4, "serverVersion": "0.3.1"},
        "the transcript has rules 4, which a later ctxmgr replays; this is ctxmgr 0.3.1 (rules 2, 3)",
    ),
    ({"rules": True}, "its header names no rules: True"),
]


def test_the_release_that_replays_it_is_named() -> None:
    for header, sentence in HEADERS:
        with mock.patch.multiple(transcript, REPLAYED=(2, 3), RELEASES={1: "0.1", 2: "0.3", 3: "0.3"}):
            assert transcript.refusal(header, "0.3.1") == sentence, header


def test_every_rule_so_far_has_a_release() -> None:
    assert set(transcript.RELEASES) == set(range(1, transcript.RULES + 1)) >= set(transcript.REPLAYED)
    assert transcript.RULES in transcript.REPLAYED


def test_a_record_says_its_rules_and_1_goes_unsaid() -> None:
    assert header_of(recorded()).get("rules", 1) == transcript.RULES
    with mock.patch.object(transcript, "RULES", 1):
        assert "rules" not in header_of(recorded())
    with mock.patch.object(transcript, "RULES", 2):
        assert header_of(recorded())["rules"] == 2


def test_replay_refuses_other_rules(later: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(UnreadableRecording, match="the transcript has rules 7"):
        replay("later", later.read_bytes())
    assert main(["replay", str(later), "--json"]) == 1
    assert json.loads(capsys.readouterr().out)[0]["failures"] == [f"{later.name}: {LATER}"]


def test_drive_refuses_other_rules(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for number in [7, "x"]:
        for more in [{}, {"match": "subset"}]:
            path = tmp_path / "later.jsonl"
            path.write_bytes(with_header(recorded(), rules=number, serverVersion="9.9.9", **more))
            says = LATER if number == 7 else "its header names no rules: 'x'"
            assert main(["drive", str(path)]) == 2, more
            assert capsys.readouterr().err == f"ctxmgr drive: {path}, line 1: {says}\n", more
