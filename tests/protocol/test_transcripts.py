"""Every behaviour of the manifest: its scenario holds, and its transcript is the committed one, byte for byte."""

import sys
from pathlib import Path

import pytest

from tests.protocol import scenarios
from tests.protocol.behaviours import MANIFEST

TRANSCRIPTS = Path(__file__).parents[2] / "protocol" / "transcripts"
FIX = "run scripts/gen"


def transcript(name: str) -> Path:
    return TRANSCRIPTS / f"{name}.jsonl"


@pytest.mark.parametrize("name", sorted(MANIFEST))
def test_scenario(name: str) -> None:
    talk = MANIFEST[name].scenario()
    text = b"".join(line + b"\n" for line in talk.lines)
    assert transcript(name).exists(), f"{name} has no transcript: {FIX}"
    assert text == transcript(name).read_bytes(), f"{name} says something else now: if that is meant, {FIX}"


def test_every_transcript_has_a_behaviour() -> None:
    files = {path.relative_to(TRANSCRIPTS).with_suffix("").as_posix() for path in TRANSCRIPTS.rglob("*.jsonl")}
    assert files == set(MANIFEST)


def test_every_room_of_scenarios_is_read() -> None:
    rooms = {path.stem for path in Path(scenarios.__file__).parent.glob("*.py")} - {"__init__"}
    assert rooms == set(scenarios.__all__) <= {name.rpartition(".")[2] for name in sys.modules}
