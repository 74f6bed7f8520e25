"""Every behaviour of the manifest: its scenario holds, and its transcript is the committed one, byte for byte."""

import sys
from pathlib import Path

import pytest

from ctxmgr.formats import FORMATS
from ctxmgr.study.conformance import golden, replay
from ctxmgr.wire import transcript as transcript_lines
from ctxmgr.wire.methods import TABLE
from tests.contract import scenarios
from tests.contract.behaviours import MANIFEST

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


REPLAYED = sorted(name for name, one in MANIFEST.items() if not one.planted)
STRIDE = 4  # of the transcripts that are replayed whenever tests run


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=[pytest.mark.long] * bool(at % STRIDE)) for at, name in enumerate(REPLAYED)],
)
def test_transcript_replays(name: str) -> None:
    replayed = replay(name, transcript(name).read_bytes())
    assert replayed.findings == ()
    assert replayed.compared_count > 0


def test_every_transcript_has_a_behaviour() -> None:
    files = {path.relative_to(TRANSCRIPTS).with_suffix("").as_posix() for path in TRANSCRIPTS.rglob("*.jsonl")}
    assert files == set(MANIFEST)


def test_every_format_is_lived_in() -> None:
    for form in sorted(FORMATS.keys() - {"pi"}):
        assert {f"formats/{form}", f"epochs/{form}"} <= set(MANIFEST), form


def test_every_method_is_said_somewhere() -> None:
    said = {name for path in TRANSCRIPTS.rglob("*.jsonl") for name in _said(path)}
    assert {row.name for row in TABLE} - said == set()


def _said(path: Path) -> set[str]:
    heads = (golden.head(line.body) for line in transcript_lines.read(path.read_bytes()))
    return {one.method for one in heads if one.method}


def test_every_room_of_scenarios_is_read() -> None:
    folder = Path(scenarios.__file__).parent
    rooms = {path.relative_to(folder).with_suffix("").parts for path in folder.rglob("*.py")}
    assert {first.removesuffix(".py") for first, *_ in rooms} - {"__init__"} == set(scenarios.__all__)
    loaded = {name.removeprefix(f"{scenarios.__name__}.").removesuffix(".__init__") for name in sys.modules}
    assert {".".join(room).removesuffix(".__init__") for room in rooms} - {"__init__"} <= loaded
