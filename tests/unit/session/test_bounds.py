"""What a session saves and holds does not grow with all that it ever heard: what nothing needs any more leaves."""

import pytest

from ctxmgr.devices.snapshots.file import grown_bytes
from ctxmgr.engine.memory import fold
from ctxmgr.model.saved import Fact
from ctxmgr.model.saved.state import ModelSpec, RawSummary, State
from ctxmgr.server.effects import SnapshotLoaded
from ctxmgr.session import ledger_updates
from ctxmgr.session.journal import base, restore
from ctxmgr.session.ledger_updates import learn, ledger
from tests.inprocess import InProcess

COMPACTIONS = 60  # of 16 kB each, and of what they state: far more than the bound
BYTES = 2_000_000
SECTIONS = "Goal", "Constraints & Preferences", "Progress", "Key Decisions", "Next Steps", "Critical Context"


def summary(number: int) -> str:
    """16 kB, no line of which another one has."""
    return "\n".join(
        f"## {name}\n" + "\n".join(f"- {name} {number}.{line}: the part {line} of it is done" for line in range(55))
        for name in SECTIONS
    )


def compacted(host: InProcess, number: int) -> None:
    entry = {"id": f"e{number}", "summary": summary(number), "timestamp": number}
    host.request("session_compact", sessionId="s", compactionEntry=entry)


def test_many_compactions_are_bounded_on_the_disk() -> None:
    host = InProcess(policy={"tokenizer": "estimate"})
    size = begun = 0
    for number in range(COMPACTIONS):
        compacted(host, number)
        lines = host.saved["s"]
        size += sum(len(line) for line in lines[-1:])
        if size > grown_bytes(begun):  # the file is written anew
            size = begun = sum(map(len, host.whole["s"]))
        assert size <= BYTES, number
        del lines[:-1]
    again = InProcess(policy={"tokenizer": "estimate"}, snapshots={"s": SnapshotLoaded(tuple(host.whole["s"]))})
    assert again.started["status"]["summaries"]["compaction"] == COMPACTIONS
    before = again.request("getLedger", sessionId="s")
    compacted(again, 5)  # heard before: it adds nothing
    assert again.request("getLedger", sessionId="s")["facts"] == before["facts"]


def test_the_newest_three_of_the_active_path_stay_whole() -> None:
    trail = ("e1", "e2", "e3", "e5", "e6")
    heard = tuple(RawSummary("compaction", f"text {at}", f"d{at}", at, f"e{at}") for at in range(1, 7))
    heard += (RawSummary("branch", "of none", "d7", 7),)
    state = State("s", ModelSpec("m", 200_000), summaries=heard, trail=trail)
    known, _ = restore([base(state)])
    assert [one.text for one in known.summaries] == ["", "", "", "", "text 5", "text 6", "of none"]
    assert [one.digest for one in known.summaries] == [f"d{at}" for at in range(1, 8)]


@pytest.fixture
def looks(monkeypatch: pytest.MonkeyPatch) -> int:
    """Facts between two searches for outdated versions: fewer than usual."""
    monkeypatch.setattr(ledger_updates, "FACTS_BETWEEN_LOOKS", 100)
    return 100


def read_of(path: int, at: int, entry: str | None = None) -> Fact:
    return Fact("file", f"read\n{path}.py", f"{path}.py", "tool", at, entry=entry)


def test_older_versions_of_what_is_known_leave_where_no_entries_are_named(looks: int) -> None:
    named = tuple(read_of(at, at, "e1") for at in range(3))
    state = State("s", ModelSpec("m", 200_000), facts=named)
    sizes = []
    for at in range(10 * looks):
        before = ledger(state)
        facts = (read_of(at % 40, at),)
        state = learn(state, facts, bound=True)
        sizes.append(len(state.facts))
        if at % 100 == 0:
            assert ledger(state) == fold(before, facts)
    assert max(sizes) < 2 * looks
    assert state.facts[:3] == named
    assert {fact.time_ms for fact in state.facts} > set(range(10 * looks - 40, 10 * looks))
