"""Whatever becomes of the process that weighs: each request is answered, the estimate is kept, which status says,
other sessions go on, and nothing of it is left."""

import json
from pathlib import Path

import pytest

from ctxmgr.devices import weighing
from ctxmgr.study.conformance import replay
from tests.unit.devices import weighing_stand_in
from tests.unit.server.faults.conversation import BOUND, Host
from tests.unit.server.host import LONG, MODEL, a, u

COUNTS = "the process that counts tokens"
FAULTS = {  # by what it does when it is to load, and when it is to count
    ("is not there", ""): "could not be loaded: No such file or directory",
    ("says nonsense", "answers"): f"could not be loaded: {COUNTS} answered something else",
    ("hangs", "answers"): f"could not be loaded: {COUNTS} did not answer in time",
    ("answers", "dies in the middle"): f"stopped working: {COUNTS} has ended",
    ("answers", "hangs"): f"stopped working: {COUNTS} did not answer in time",
}


@pytest.mark.parametrize(("deeds", "why"), FAULTS.items(), ids=[" ".join(deeds) for deeds in FAULTS])
async def test_the_estimate_is_kept_and_said(
    deeds: tuple[str, str], why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    command = weighing_stand_in.command(*deeds) if deeds[1] else ("/no/such/program",)
    monkeypatch.setattr(weighing, "COMMAND", command)
    for name, deed in zip(("LOAD_SECONDS", "WEIGH_SECONDS"), deeds, strict=True):
        monkeypatch.setattr(weighing, name, 0.0 if deed == "hangs" else BOUND)
    host = Host(tmp_path / "state", tmp_path / "record")
    await host.ready()
    for session in ("s", "other"):
        await host.ask("session_start", sessionId=session, model=MODEL)
        await host.ask("context", sessionId=session, messages=[u(LONG)])
    await host.ask("turn_end", sessionId="s", message=a("done"))
    await host.vocabulary
    told = [await host.ask("getStatus", sessionId=session) for session in ("s", "other")]
    for status in (one["result"] for one in told):
        assert status["weigher"] == "estimate"
        assert status["notes"] == [f"token counts are estimated: o200k_base {why}"]
    assert sum("o200k_base" in line for line in host.said) == 1
    assert "result" in await host.ask("turn_end", sessionId="s", message=a("and again"))
    await host.ask("shutdown")
    host.tell("exit")
    assert await host.end() == 0
    assert not [child for child in host.runtime.vocabularies._children if child._process is not None]


async def test_a_transcript_tells_when_it_was_lost(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(weighing, "COMMAND", weighing_stand_in.command("answers", "dies"))
    host = Host(tmp_path / "state", tmp_path / "record")
    await host.ready()
    await host.ask("session_start", sessionId="s", model=MODEL)
    await host.ask("context", sessionId="s", messages=[u(LONG)])
    await host.ask("turn_end", sessionId="s", message=a("done"))
    await host.vocabulary
    await host.ask("getStatus", sessionId="s")
    await host.ask("session_start", sessionId="later", model=MODEL)
    await host.ask("shutdown")
    host.tell("exit")
    await host.end()
    recorded = (tmp_path / "record").read_bytes()
    lines = [json.loads(line) for line in recorded.splitlines()]
    assert [one.get("lost") for one in lines if "weigher" in one] == [
        None,
        "token counts are estimated: o200k_base stopped working: the process that counts tokens has ended",
    ]
    again = replay("recorded", recorded)
    assert (again.findings, again.text) == ((), recorded)
