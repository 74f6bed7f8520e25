"""The extension in real pi programs from npm, with a scripted model and a real sidecar."""

import contextlib
import json
import os
import re
import signal
from pathlib import Path
from typing import Any

import pytest

from tests.hosts.pi import scripted
from tests.hosts.pi.driver import Pi, Place
from tests.hosts.pi.installing import Installed, unit_tests
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
    place_of,
    requests_of,
)
from tests.model_server import ModelServer, Request

pytestmark = pytest.mark.real


def test_units() -> None:
    done = unit_tests()
    assert done.returncode == 0, done.stdout[-4000:]


@pytest.mark.parametrize("program", ["0.87"], indirect=True)
def test_held_flat_by_epochs(program: Installed, model: ModelServer, tmp_path: Path) -> None:
    """The default preset: but where an epoch begins, what the model is sent grows at its end alone, through a kill
    and in a resumed session too. pi never has to compact."""
    with contextlib.closing(Place(tmp_path, model.url)) as place:
        for number in range(1, 10):
            place.write(f"notes-{number}.txt", SMALL)
        with Pi(program.node, program.pi, place) as pi:
            sidecars = [place.sidecar()]
            file = pi.ask("get_state")["sessionFile"]
            for number in range(1, 8):
                _two_files(pi, program, model, number)
            assert pi.command("/ctx-status").startswith("Pruning on (balanced), zone ")
            os.kill(sidecars[0], signal.SIGKILL)
            _two_files(pi, program, model, 8)
            sidecars.append(place.sidecar())
            assert "The session was known from before." in pi.command("/ctx-status")
            _two_files(pi, program, model, 9)
            assert "so changing costs" in pi.command("/ctx-explain")
            lines = [one["statusText"] for one in pi.of("extension_ui_request") if one["method"] == "setStatus"]
            assert lines
            assert all(re.fullmatch(r"ctxmgr: \d+k -> \d+k tokens, saves \$0\.\d+ a call", one) for one in lines)
            assert pi.of("compaction_start") == []
            check_clean(pi)
        with Pi(program.node, program.pi, place, "--session", file) as pi:
            sidecars.append(place.sidecar())
            for number in range(10, 15):
                _two_files(pi, program, model, number)
            assert pi.of("compaction_start") == []
            check_clean(pi)
        epochs = [epoch for sidecar in sidecars for epoch in place.epochs(sidecar)]
    lists = [conversation(one) for one in model.requests]
    broken = [at for at in range(1, len(lists)) if lists[at][: len(lists[at - 1])] != lists[at - 1]]
    assert epochs == list(range(1, len(epochs) + 1))
    assert len(broken) == len(epochs) >= 2  # an epoch takes something away
    assert all(scripted.tokens(model.requests[at]) < scripted.tokens(model.requests[at - 1]) for at in broken)
    assert max(map(scripted.tokens, model.requests)) < HOST
    assert max(len(scripted.packets(one)) for one in model.requests) <= 1
    for request in model.requests:
        check_legal(request)


@pytest.mark.parametrize("program", ["0.87"], indirect=True)
def test_a_session_that_is_not_kept_leaves_no_file(program: Installed, model: ModelServer, places: Places) -> None:
    place = places()
    with Pi(program.node, program.pi, place, "--no-session") as pi:
        sidecar = place.sidecar()
        requests_of(pi, program, model, "Step 1: read notes-1.txt")
        assert pi.command("/prune-stats").endswith("0 turns left out")
        check_clean(pi)
    assert "context" in [one.get("method") for one in place.recorded(sidecar)]
    assert list(place.state.iterdir()) == []
    assert list(place.agent.parent.rglob("*ctxmgr*")) == []


def test_prompt_during_a_compaction(program: Installed, tmp_path: Path) -> None:
    """It is answered after the compaction, with the list that came of it. (Where a turn's end takes compactions
    too: ctxmgr takes no summary without sections, so pi writes this one when the run is over.)"""
    with (
        ModelServer.threaded(scripted.Model(summary="Notes were read.")) as model,
        contextlib.closing(place_of(tmp_path, model)) as place,
        Pi(program.node, program.pi, place) as pi,
    ):
        pi.send("prompt", message="Step 1: read big-1.txt big-2.txt big-3.txt")
        pi.until(lambda one: one.get("type") == "compaction_start")
        pi.send("prompt", message="Step 2: read notes-1.txt")
        pi.until(lambda one: one.get("type") == program.last)
        pi.until(lambda one: one.get("type") == program.last)
        seen = [one.get("type") for one in pi.records]
        assert [seen.count(one) for one in ("compaction_start", "compaction_end", "agent_start")] == [1, 1, 2]
        assert seen.index("compaction_end") < len(seen) - 1 - seen[::-1].index("agent_start")
        assert not any(one.get("success") is False for one in pi.records)
        assert asked(model.requests[-1])[-1] == "Step 2: read notes-1.txt"
        assert scripted.tokens(model.requests[-1]) < RED / 2
        check_clean(pi)


def test_compactions_by_ctxmgr(program: Installed, model: ModelServer, places: Places) -> None:
    """pi compacts and leaves a branch; ctxmgr writes both summaries, by pi's own model."""
    with Pi(program.node, program.pi, places(compaction="ctxmgr")) as pi:
        for number in range(1, 5):
            requests_of(pi, program, model, f"Step {number}: read notes-{number}.txt")
        before = len(model.requests)
        result = pi.ask("compact", customInstructions="Mind the seventh line.")
        assert result["details"]["ctxmgr"]["strategy"] == "single-shot"
        assert result["details"]["readFiles"][:3] == ["notes-1.txt", "notes-2.txt", "notes-3.txt"]
        agent, summary = (one.body for one in model.requests[before - 1 : before + 1])
        assert "Mind the seventh line." in scripted.text(summary["messages"][-1])
        sent = len(agent["messages"])  # what the provider has in its cache
        assert summary["messages"][:sent] == agent["messages"]
        assert [one["role"] for one in summary["messages"][sent:]] == ["assistant", "user"]
        own = {"messages": [], "max_completion_tokens": 0}
        assert summary | own == agent | own
        assert len(model.requests) == before + 1
        assert "Summaries: 1 compaction, 0 branches" in pi.command("/ctx-status")
        compacted = branch_of(pi)[-1]
        requests_of(pi, program, model, "Step 5: read notes-5.txt")
        assert pi.command(f"/leave {compacted['id']}") == "left"
        left = branch_of(pi)[-1]
        assert (left["type"], left["fromHook"]) == ("branch_summary", True)
        assert left["details"]["ctxmgr"]["strategy"] == "single-shot"
        assert "Summaries: 1 compaction, 1 branch" in pi.command("/ctx-status")
        check_clean(pi)


@pytest.mark.parametrize("program", ["0.87"], indirect=True)  # before, pi takes no usage of a compaction
def test_summaries_are_written_to_no_cache_and_are_paid_for(
    program: Installed, model: ModelServer, places: Places
) -> None:
    """What is sent for a summary is never read again, so nothing new has a mark; pi's totals count what it cost."""
    place = places(compaction="ctxmgr")
    models = place.agent / "models.json"
    told = json.loads(models.read_text())
    told["providers"]["scripted"]["compat"] = {"cacheControlFormat": "anthropic"}
    models.write_text(json.dumps(told))
    with Pi(program.node, program.pi, place) as pi:
        for number in range(1, 5):
            requests_of(pi, program, model, f"Step {number}: read notes-{number}.txt")
        pi.ask("compact")
        kinds = [scripted.is_summary(one) for one in model.requests]
        marked = [
            [json.dumps(message) for message in one.body["messages"] if "cache_control" in json.dumps(message)]
            for one in model.requests
        ]
        assert kinds.count(True) == 1
        assert all(marked)
        assert marked[kinds.index(True)] == marked[kinds.index(True) - 1]
        summaries = [scripted.tokens(one) for one in filter(scripted.is_summary, model.requests)]
        entry = branch_of(pi)[-1]
        assert (entry["type"], entry["fromHook"]) == ("compaction", True)
        asked_for, written = sum(summaries), 20 * len(summaries)
        assert (entry["usage"]["input"], entry["usage"]["output"]) == (asked_for, written)
        assert entry["usage"]["cost"]["total"] == pytest.approx((asked_for + 2 * written) / 1e6)
        check_clean(pi)


@pytest.mark.parametrize("program", ["0.87"], indirect=True)
def test_project_switches_pruning_off(program: Installed, model: ModelServer, places: Places) -> None:
    """The project's file stands over the user's; a key that ctxmgr does not know is said, and the rest holds."""
    place = places(enabled=True, colour="blue")
    (place.project / ".pi").mkdir()
    (place.project / ".pi" / "settings.json").write_text('{"contextPruning": {"enabled": false}}')
    with Pi(program.node, program.pi, place) as pi:
        assert "colour" in pi.told()
        assert pi.command("/ctx-status").startswith("Pruning off")
        assert '"hostReserve": 4000' in pi.command("/prune-config")
        for number in range(1, SMALL_STEPS + 1):
            requests = requests_of(pi, program, model, f"Step {number}: read notes-{number}.txt")
        assert len(asked(requests[-1])) == SMALL_STEPS
        assert scripted.packets(requests[-1]) == []
        check_clean(pi)


def _two_files(pi: Pi, program: Installed, model: ModelServer, number: int) -> None:
    words = f"Step {number}: read notes-{number % 9 + 1}.txt notes-{number * 2 % 9 + 1}.txt"
    requests = requests_of(pi, program, model, words)
    assert len(requests) == 3
    for request in requests:
        assert asked(request)[0].startswith("Step 1: ")  # what the user said stays
        assert asked(request)[-1] == words
    whole = [text for text in map(scripted.text, requests[-1].body["messages"]) if len(text) > SMALL * 0.9]
    assert len(whole) >= 2  # what was read last is there as it came


def conversation(request: Request) -> list[dict[str, Any]]:
    """All but pi's own prompt, which tells the day."""
    messages: list[dict[str, Any]] = request.body["messages"]
    return [one for one in messages if one["role"] not in ("system", "developer")]
