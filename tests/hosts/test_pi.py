"""The extension in real pi programs from npm, with a scripted model and a real sidecar."""

import contextlib
import json
import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.hosts.pi import scripted
from tests.hosts.pi.driver import WINDOW, Pi, Place
from tests.hosts.pi.installing import Installed, installed, unit_tests
from tests.model_server import ModelServer, Request

pytestmark = pytest.mark.real

SMALL_STEPS = 7  # one more than the turns that green keeps
SMALL, BIG = 6_000, 24_000  # characters a file
RED = 16_800  # tokens: 0.7 of the window less a quarter of it
HOST = WINDOW - 4_000  # tokens: above, pi compacts by itself

Places = Callable[..., Place]


@pytest.fixture(params=["0.74", "0.87"])
def program(request: pytest.FixtureRequest) -> Installed:
    return installed(request.param)


@pytest.fixture
def model() -> Iterator[ModelServer]:
    with ModelServer.threaded(scripted.Model()) as server:
        yield server


@pytest.fixture
def places(model: ModelServer, tmp_path: Path) -> Iterator[Places]:
    with contextlib.ExitStack() as stack:
        yield lambda **pruning: stack.enter_context(contextlib.closing(_place(tmp_path, model, **pruning)))


def _place(root: Path, model: ModelServer, **pruning: Any) -> Place:
    place = Place(root, model.url, {"preset": "turns", **pruning})  # known packets, whatever the default is
    for number in range(1, 10):
        place.write(f"notes-{number}.txt", SMALL)
    for number in range(1, 4):
        place.write(f"big-{number}.txt", BIG)
    return place


def test_units() -> None:
    done = unit_tests()
    assert done.returncode == 0, done.stdout[-4000:]


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
        assert _asked(_run(pi, program, model, "And on: read notes-7.txt")[-1])[-1] == "And on: read notes-7.txt"
        _clean(pi)
    with Pi(program.node, program.pi, place, "--session", file) as pi:
        sidecars.append(place.sidecar())
        assert "The session was known from before." in pi.command("/ctx-status")
        requests = _run(pi, program, model, "Resumed: read notes-2.txt")
        assert [len(scripted.packets(one)) for one in requests] == [1, 1]
        assert "notes-1.txt" in scripted.packets(requests[0])[0]
        _clean(pi)
    for sidecar in sidecars:
        _gone(sidecar)
        _in_order(place.recorded(sidecar))


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
            assert pi.of("compaction_start") == []
            _clean(pi)
        with Pi(program.node, program.pi, place, "--session", file) as pi:
            sidecars.append(place.sidecar())
            for number in range(10, 15):
                _two_files(pi, program, model, number)
            assert pi.of("compaction_start") == []
            _clean(pi)
        epochs = [epoch for sidecar in sidecars for epoch in place.epochs(sidecar)]
    lists = [_conversation(one) for one in model.requests]
    broken = [at for at in range(1, len(lists)) if lists[at][: len(lists[at - 1])] != lists[at - 1]]
    assert epochs == list(range(1, len(epochs) + 1))
    assert len(broken) == len(epochs) >= 2  # an epoch takes something away
    assert all(scripted.tokens(model.requests[at]) < scripted.tokens(model.requests[at - 1]) for at in broken)
    assert max(map(scripted.tokens, model.requests)) < HOST
    assert {len(scripted.packets(model.requests[at])) for at in broken} == {1}
    for request in model.requests:
        _legal(request)


def test_prompt_during_a_compaction(program: Installed, tmp_path: Path) -> None:
    """It is answered after the compaction, with the list that came of it. (Where a turn's end takes compactions
    too: ctxmgr takes no summary without sections, so pi writes this one when the run is over.)"""
    with (
        ModelServer.threaded(scripted.Model(summary="Notes were read.")) as model,
        contextlib.closing(_place(tmp_path, model)) as place,
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
        assert _asked(model.requests[-1])[-1] == "Step 2: read notes-1.txt"
        assert scripted.tokens(model.requests[-1]) < RED / 2
        _clean(pi)


def test_compactions_by_ctxmgr(program: Installed, model: ModelServer, places: Places) -> None:
    """pi compacts and leaves a branch; ctxmgr writes both summaries, by pi's own model."""
    with Pi(program.node, program.pi, places(compaction="ctxmgr")) as pi:
        for number in range(1, 5):
            _run(pi, program, model, f"Step {number}: read notes-{number}.txt")
        before = len(model.requests)
        result = pi.ask("compact", customInstructions="Mind the seventh line.")
        assert result["details"]["ctxmgr"]["strategy"] == "single-shot"
        assert result["details"]["readFiles"][:3] == ["notes-1.txt", "notes-2.txt", "notes-3.txt"]
        assert "Mind the seventh line." in scripted.text(model.requests[before].body["messages"][-1])
        assert "Summaries: 1 compaction, 0 branches" in pi.command("/ctx-status")
        compacted = _branch(pi)[-1]
        _run(pi, program, model, "Step 5: read notes-5.txt")
        assert pi.command(f"/leave {compacted['id']}") == "left"
        left = _branch(pi)[-1]
        assert (left["type"], left["fromHook"]) == ("branch_summary", True)
        assert left["details"]["ctxmgr"]["strategy"] == "single-shot"
        assert "Summaries: 1 compaction, 1 branch" in pi.command("/ctx-status")
        _clean(pi)


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
            requests = _run(pi, program, model, f"Step {number}: read notes-{number}.txt")
        assert len(_asked(requests[-1])) == SMALL_STEPS
        assert scripted.packets(requests[-1]) == []
        _clean(pi)


def test_without_ctxmgr(program: Installed, model: ModelServer, places: Places) -> None:
    """pi goes on as if there were no extension, and the user is told once."""
    with Pi(program.node, program.pi, places(command=["./no-such-program"])) as pi:
        assert len(_run(pi, program, model, "Step 1: read notes-1.txt")) == 2
        told = [one["message"] for one in pi.of("extension_ui_request")]
        assert told == ["ctxmgr is not to be found: pi goes on without it. pip install ctxmgr"]
        assert pi.command("/ctx-status").startswith("ctxmgr: ")
        assert pi.close() == 0
        assert pi.of("extension_error") == []


def _run(pi: Pi, program: Installed, model: ModelServer, words: str) -> list[Request]:
    """One run of the agent; the requests the model got for it, without those for summaries."""
    before = len(model.requests)
    pi.prompt(words, program.last)
    return [one for one in model.requests[before:] if not scripted.is_summary(one)]


def _two_files(pi: Pi, program: Installed, model: ModelServer, number: int) -> None:
    words = f"Step {number}: read notes-{number % 9 + 1}.txt notes-{number * 2 % 9 + 1}.txt"
    requests = _run(pi, program, model, words)
    assert len(requests) == 3
    for request in requests:
        assert _asked(request)[0].startswith("Step 1: ")  # what the user said stays
        assert _asked(request)[-1] == words
    whole = [text for text in map(scripted.text, requests[-1].body["messages"]) if len(text) > SMALL * 0.9]
    assert len(whole) >= 2  # what was read last is there as it came


def _conversation(request: Request) -> list[dict[str, Any]]:
    """All but pi's own prompt, which tells the day."""
    messages: list[dict[str, Any]] = request.body["messages"]
    return [one for one in messages if one["role"] not in ("system", "developer")]


def _asked(request: Request) -> list[str]:
    """What the user's own messages say, as the model saw them."""
    said = [scripted.text(one) for one in request.body["messages"] if one["role"] == "user"]
    return [one for one in said if scripted.PACKET not in one]


def _small_steps(pi: Pi, program: Installed, model: ModelServer) -> None:
    """While all turns fit nothing is left out; then whole turns leave and one packet stands for them."""
    for number in range(1, SMALL_STEPS + 1):
        requests = _run(pi, program, model, f"Step {number}: read notes-{number}.txt")
        assert len(requests) == 2
        left_out = max(0, number - 6)
        expected = [f"Step {one}: read notes-{one}.txt" for one in range(1 + left_out, number + 1)]
        for request in requests:
            assert _asked(request) == expected
            packets = scripted.packets(request)
            assert len(packets) == (1 if left_out else 0)
            assert all("Step 1: read notes-1.txt" in packet for packet in packets)
        _legal(requests[-1])
        results = [scripted.text(one) for one in requests[-1].body["messages"] if one["role"] == "tool"]
        assert len(results[-1]) > SMALL * 0.9  # the newest turn is whole
        assert all(len(one) < SMALL * 0.5 for one in results[:-1])  # older ones are distilled
    assert pi.of("compaction_start") == []


def _legal(request: Request) -> None:
    """Each call has its result, each result its call."""
    messages = request.body["messages"]
    called = [call["id"] for one in messages for call in one.get("tool_calls") or ()]
    assert called == [one["tool_call_id"] for one in messages if one["role"] == "tool"]


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
    requests = _run(pi, program, model, "Step 8: read big-1.txt big-2.txt big-3.txt")
    assert len(requests) == 4  # the run was not broken off
    assert max(map(scripted.tokens, requests)) < HOST
    entries = [one for one in _branch(pi) if one["type"] == "compaction"]
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
    for request in _run(pi, program, model, "Step 9: read notes-9.txt"):
        told = scripted.packets(request) or [str(request)]  # a short summary stays, and needs no packet
        assert len(told) == 1
        assert scripted.tokens(request) < RED / 2
        assert "Work through the notes" in told[0]
    assert sum(one["type"] == "compaction" for one in _branch(pi)) == 1


def _branch(pi: Pi) -> list[dict[str, Any]]:
    branch: list[dict[str, Any]] = json.loads(pi.command("/entries"))
    return branch


def _move(pi: Pi, program: Installed, model: ModelServer) -> None:
    """Back to before step 4: what came later is not on the path, and no packet tells of it as done."""
    target = next(one for one in _branch(pi) if "Step 4" in json.dumps(one.get("message", {}).get("content")))
    assert pi.command(f"/go {target['id']}") == f"moved to {target['parentId']} false"
    requests = _run(pi, program, model, "Another way: read notes-5.txt")
    for request in requests:
        packets = scripted.packets(request)
        seen = "\n".join([*_asked(request), *packets])
        assert "Step 3" in seen
        assert "Step 8" not in seen
        assert len(packets) <= 1


def _after_the_kill(pi: Pi, program: Installed, model: ModelServer) -> None:
    """pi's own calls go on."""
    requests = _run(pi, program, model, "After the kill: read notes-6.txt")
    assert [_asked(one)[-1] for one in requests] == ["After the kill: read notes-6.txt"] * 2
    _legal(requests[-1])


def _clean(pi: Pi) -> None:
    """Nothing of the extension's was on stdout or stderr, no error reached pi, no status line was shown."""
    assert pi.close() == 0
    assert pi.stray == []
    assert "ctxmgr" not in pi.said
    assert pi.of("extension_error") == []
    shown = {one["method"] for one in pi.of("extension_ui_request")}
    assert shown <= {"notify"}


def _gone(pid: int) -> None:
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def _in_order(heard: list[dict[str, Any]]) -> None:
    """Each turn's end was told after the list it answers, with its entries' ids; lists travelled once."""
    turns = [one for one in heard if one.get("method") in ("context", "turn_end")]
    assert [one["method"] for one in turns] == ["context", "turn_end"] * (len(turns) // 2)
    for one in turns[1::2]:
        ids = one["params"]["entryIds"]
        assert all([ids["message"], *ids["toolResults"]])
        assert len(ids["toolResults"]) == len(one["params"]["toolResults"])
    whole = [one for one in turns[::2] if "append" not in one["params"]]
    assert len(whole) <= 3  # the first, and after the compaction and the move
