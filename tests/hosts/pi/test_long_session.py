"""A long session in a real pi: pruned, compacted, moved in its tree, killed and resumed."""

import itertools
import json
import os
import signal
from typing import Any

import pytest

from tests.hosts.pi import scripted
from tests.hosts.pi.driver import WINDOW, Pi
from tests.hosts.pi.installing import Installed
from tests.hosts.pi.runs import (
    HOST,
    RED,
    SMALL,
    SMALL_STEPS,
    Places,
    asked,
    branch_of,
    check_clean,
    check_legal,
    requests_of,
)
from tests.model_server import ModelServer

pytestmark = pytest.mark.real


def test_long_session(program: Installed, model: ModelServer, places: Places) -> None:
    """Pruned lists with one packet, one early compaction, a tree move, a killed sidecar, a resumed session."""
    place = places()
    with Pi(program.node, program.pi, place) as pi:
        sidecars = [place.sidecar()]
        file = pi.ask("get_state")["sessionFile"]
        _small_steps(pi, program, model)
        _commands(pi)
        _compaction(pi, program, model)
        _move(pi, program, model)
        os.kill(sidecars[-1], signal.SIGKILL)
        _after_the_kill(pi, program, model)
        sidecars.append(place.sidecar())
        assert "The session was known from before." in pi.command("/ctx-status")
        assert (
            asked(requests_of(pi, program, model, "And on: read notes-7.txt")[-1])[-1] == "And on: read notes-7.txt"
        )
        check_clean(pi)
    with Pi(program.node, program.pi, place, "--session", file) as pi:
        sidecars.append(place.sidecar())
        assert "The session was known from before." in pi.command("/ctx-status")
        requests = requests_of(pi, program, model, "Resumed: read notes-2.txt")
        assert [len(scripted.packets(one)) for one in requests] == [1, 1]
        assert "notes-1.txt" in scripted.packets(requests[0])[0]
        check_clean(pi)
    for sidecar in sidecars:
        check_gone(sidecar)
        check_in_order(place.recorded(sidecar))


def _small_steps(pi: Pi, program: Installed, model: ModelServer) -> None:
    """While all turns fit nothing is left out; then whole turns leave and one packet stands for them."""
    for number in range(1, SMALL_STEPS + 1):
        requests = requests_of(pi, program, model, f"Step {number}: read notes-{number}.txt")
        assert len(requests) == 2
        left_out = max(0, number - 6)
        expected = [f"Step {one}: read notes-{one}.txt" for one in range(1 + left_out, number + 1)]
        for request in requests:
            assert asked(request) == expected
            packets = scripted.packets(request)
            assert len(packets) == (1 if left_out else 0)
            assert all("Step 1: read notes-1.txt" in packet for packet in packets)
        check_legal(requests[-1])
        results = [scripted.text(one) for one in requests[-1].body["messages"] if one["role"] == "tool"]
        assert len(results[-1]) > SMALL * 0.9  # the newest turn is whole
        assert all(len(one) < SMALL * 0.5 for one in results[:-1])  # older ones are distilled
    assert pi.of("compaction_start") == []


def _commands(pi: Pi) -> None:
    names = {one["name"] for one in pi.ask("get_commands")["commands"]}
    wanted = {"ctx-status", "prune", "prune-toggle", "prune-stats", "prune-config", "ctx-explain"}
    assert wanted <= names
    status = pi.command("/ctx-status")
    assert status.startswith("Pruning on (turns), zone green")
    assert f"of {WINDOW:,} tokens" in status
    assert "distilled, 1 turn dropped" in pi.command("/prune-stats")
    explained = pi.command("/ctx-explain")
    assert "1 inserted: 0 -> " in explained
    assert "4 dropped" in explained
    assert '"hostReserve": 4000' in pi.command("/prune-config")
    assert pi.command("/prune") == "The next request is pruned."
    assert pi.command("/prune-toggle") == "Pruning is off."
    assert pi.command("/prune-toggle") == "Pruning is on."
    assert "no-such-key" in pi.command("/prune-config no-such-key 3")


def _compaction(pi: Pi, program: Installed, model: ModelServer) -> None:
    """A run that reaches red is followed by one compaction, long before pi would; then all is green."""
    before = len(model.requests)
    requests = requests_of(pi, program, model, "Step 8: read big-1.txt big-2.txt big-3.txt")
    assert len(requests) == 4  # the run was not broken off
    assert max(map(scripted.tokens, requests)) < HOST
    entries = [one for one in branch_of(pi) if one["type"] == "compaction"]
    assert len(entries) == 1
    assert RED <= entries[0]["tokensBefore"] < HOST
    assert len(pi.of("compaction_start")) == (0 if program.drafts else 1)
    if program.drafts:
        assert entries[0]["details"]["ctxmgr"]["strategy"] == "single-shot"
        assert scripted.tokens(requests[-1]) < RED / 2  # it took effect within the run
    summaries = [one for one in model.requests[before:] if scripted.is_summary(one)]
    assert summaries
    assert "Summaries: 1 compaction, 0 branches" in pi.command("/ctx-status")
    assert "Requests for a compaction: idle" in pi.command("/ctx-status")
    for request in requests_of(pi, program, model, "Step 9: read notes-9.txt"):
        told = scripted.packets(request) or [str(request)]  # a short summary stays, and needs no packet
        assert len(told) == 1
        assert scripted.tokens(request) < RED / 2
        assert "Work through the notes" in told[0]
    assert sum(one["type"] == "compaction" for one in branch_of(pi)) == 1


def _move(pi: Pi, program: Installed, model: ModelServer) -> None:
    """Back to before step 4: what came later is not on the path, and no packet tells of it as done."""
    target = next(one for one in branch_of(pi) if "Step 4" in json.dumps(one.get("message", {}).get("content")))
    assert pi.command(f"/go {target['id']}") == f"moved to {target['parentId']} false"
    requests = requests_of(pi, program, model, "Another way: read notes-5.txt")
    for request in requests:
        packets = scripted.packets(request)
        seen = "\n".join([*asked(request), *packets])
        assert "Step 3" in seen
        assert "Step 8" not in seen
        assert len(packets) <= 1


def _after_the_kill(pi: Pi, program: Installed, model: ModelServer) -> None:
    """pi's own calls go on."""
    requests = requests_of(pi, program, model, "After the kill: read notes-6.txt")
    assert [asked(one)[-1] for one in requests] == ["After the kill: read notes-6.txt"] * 2
    check_legal(requests[-1])


def check_gone(pid: int) -> None:
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def check_in_order(heard: list[dict[str, Any]]) -> None:
    """Each turn's end was told after the list it answers, with its entries' ids; lists travelled once. What one
    that was killed had not answered comes first."""
    turns = [one for one in heard if one.get("method") in ("context", "turn_end")]
    turns = list(itertools.dropwhile(lambda one: one["method"] == "turn_end", turns))
    assert [one["method"] for one in turns] == ["context", "turn_end"] * (len(turns) // 2)
    for one in turns[1::2]:
        ids = one["params"]["entryIds"]
        assert all([ids["message"], *ids["toolResults"]])
        assert len(ids["toolResults"]) == len(one["params"]["toolResults"])
    whole = [one for one in turns[::2] if "append" not in one["params"]]
    assert len(whole) <= 3  # the first, and after the compaction and the move
