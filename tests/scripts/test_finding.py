"""What leaves a recording's lists is found again through a real archive; what cannot be is told."""

import json
from typing import Any

import msgspec
import pytest

from ctxmgr.study.recordings.recording import Recording
from scripts import finding as measuring
from scripts.finding import failed_line, finding
from tests.notation import Json, a, call, r, u
from tests.unit.study.probes.asked import recording

FILLER = "".join(f"line {number} of what was read there, which says nothing\n" for number in range(120))


PIN = "pinned_server_version = 2"


def edited(old: str, new: str) -> Json:
    return call("edit", path="src/pins.py", oldText=old, newText=new)


def made() -> Recording:
    """What an edit put there leaves long before it is edited again; some 45,000 tokens."""
    said = [u("Release the server."), a(edited("pin = 1", PIN)), r("ok")]
    for number in range(24):
        said += [a(call("read", path=f"src/f{number}.py")), r(f"{FILLER}{number}"), a("I read it."), u("Go on.")]
    said += [a("The pin goes up.", edited(PIN, "pin = 3")), r("ok"), u("Thanks."), a("done")]
    return recording(*said)


@pytest.fixture(scope="module")
def found() -> measuring.Finding:
    return finding(made(), 24_000, {"packetTokens": 300})


def test_what_an_edit_put_there_and_left_is_found(found: measuring.Finding) -> None:
    states = found.counts["file.state"]
    assert found.failures == ()
    assert states.missed_count > 0, "it must have left, or nothing is measured"
    assert (states.archived_count, states.recovered_count, states.share) == (
        states.missed_count,
        states.missed_count,
        1.0,
    )
    assert found.failed == ()


def test_what_no_original_holds_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """With an archive that holds nothing: the measure can fail."""
    drive = measuring.drive

    def without(recorded: Any, options: Any, step: Any) -> Any:
        return drive(recorded, msgspec.structs.replace(options, retrieves=False), step)

    monkeypatch.setattr(measuring, "drive", without)
    one = finding(made(), 24_000, {"packetTokens": 300})
    states = one.counts["file.state"]
    assert (states.archived_count, states.recovered_count, states.share) == (0, 0, 0.0)
    assert len(one.failed) == states.missed_count > 0
    line = json.loads(failed_line("made", one.failed[0]))
    assert (line["recording"], line["kind"], line["answer"]) == ("made", "file.state", PIN)
    assert PIN not in "".join(line["hints"])
