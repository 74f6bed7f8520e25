"""What a probe misses in the model's list comes back to the model that asks by `search`, then by `retrieve`: from a
program over `ctxmgr mcp`, the proxy and its sidecar, before the scripted provider."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from ctxmgr import settings
from ctxmgr.client import Timing
from ctxmgr.proxy import Proxy, ProxySettings
from ctxmgr.study.observations import MessageCache, message_reader
from ctxmgr.study.observations.observation import Observation, ProjectedMessage
from ctxmgr.study.recordings import Recording, pi_host
from ctxmgr.study.recordings.recording import RecordedEntry
from scripts.missed import MissedProbe, missed
from tests.provider import Call, Found, Provider, Run, Script, looking, make_tree, script, step
from tests.translation import from_anthropic
from tests.unit.mcp_server.program import MCP, SmallProgram, small_program

WINDOW_TOKENS = 14_000
TOKEN = "one-time"
PINS = "pinned_server.py"
PIN, NEWEST = (f"pinned_server_version = {number}\n" for number in (2, 3))
WRITE = f"cat > {PINS} <<'END'\n"
DONE = "The pinned server goes out."
QUERY = PINS  # what the probe's hint is: the file that it is about
SEARCH = Call(f"{MCP}search", {"query": QUERY})
RETRIEVE = Call(f"{MCP}retrieve", {"handle": Found(r'retrieve handle="([^"]+)"')})


def releasing(*asks: Call) -> Script:
    """What was put into a file leaves long before it is written again."""
    first = step(Run(f"{WRITE}{PIN}END\ncat {PINS}"), say="I pin the server.")
    again = step(Run(f"{WRITE}{NEWEST}END"))
    asked = (step(one) for one in asks)
    return script("Release the server", first, *looking(30), *asked, again, final=DONE)


def raw(message: dict[str, Any]) -> bytes:
    return msgspec.json.encode({"timestamp": 0, **message})


def recorded(program: SmallProgram) -> Recording:
    """What was said, as the measures read it."""
    entries = [
        RecordedEntry("message", f"{place}", None, raw(one), one["role"])
        for place, one in enumerate(from_anthropic(program.messages))
    ]
    return Recording("made", "session", "model", tuple(entries))


def observed(of: Recording, provider: Provider) -> Iterator[Observation]:
    """What the model was sent at each of its calls."""
    items = tuple(pi_host.item(entry.id, entry.message) for entry in of.entries)
    replies = [place for place, one in enumerate(items) if one.role == "assistant"]
    for place, exchange in zip(replies, provider.record.answered, strict=True):
        shown = from_anthropic(exchange.json["messages"])
        projected = tuple(ProjectedMessage(raw(one), at, False) for at, one in enumerate(shown))
        yield Observation(None, items[:place], projected, items[place])


def missed_states(program: SmallProgram, provider: Provider) -> list[MissedProbe]:
    of = recorded(program)
    weigh = MessageCache(message_reader()).weight
    found = missed(of, WINDOW_TOKENS, list(observed(of, provider)), weigh, ("file.state",))
    last = found.missed[-1].reply if found.missed else ""
    return [one for one in found.missed if one.probe.subject == PINS and one.reply == last]


def results(program: SmallProgram, name: str) -> list[str]:
    """What calls of a tool gave."""
    blocks = [block for one in program.messages if isinstance(one["content"], list) for block in one["content"]]
    ids = {one["id"] for one in blocks if one["type"] == "tool_use" and one["name"] == name}
    return [one["content"][0]["text"] for one in blocks if one.get("tool_use_id") in ids]


async def released(place: Path, *asks: Call) -> tuple[SmallProgram, Provider]:
    """The session, in a work tree and a state of its own; at its end the model asks by these."""
    tree = make_tree(place / "tree")
    layers = settings.read({"window": WINDOW_TOKENS, "packetTokens": 300}, {}, place)
    async with Provider(releasing(*asks), root=tree) as provider:
        made = ProxySettings(
            provider.url, layers.settings_for, state_dir=str(place / "state"), say=print, tools_token=TOKEN
        )
        async with (
            Proxy(made, Timing(timeouts_ms={"context": 30_000, "session_start": 30_000})) as proxy,
            small_program(proxy.url, TOKEN, tree) as program,
        ):
            assert await program.prompt("Release the server, please.") == DONE
    assert provider.record.refused == []
    return program, provider


@pytest.mark.long
async def test_what_a_probe_misses_comes_back_to_the_model_that_asks(tmp_path: Path) -> None:
    """The same session twice: what the first model lacks before it writes again, the second asks for there."""
    place = tmp_path / "session"
    lacking, before = await released(place)
    missed = missed_states(lacking, before)
    assert missed, "it must have left, or nothing is asked for"
    assert not any(one.answered([]) for one in missed)
    assert all(one.hints[0] == QUERY for one in missed)
    shutil.rmtree(place)
    asking, provider = await released(place, SEARCH, RETRIEVE)
    same = len(before.record.answered) - 2  # then the one writes again, and the other asks
    first, second = (one.record.answered[same].json["messages"] for one in (before, provider))
    assert first == second
    found, (original,) = results(asking, SEARCH.name), results(asking, RETRIEVE.name)
    assert all(one.answered([*found, original]) for one in missed)
    assert original == PIN
