"""Measures the memory of sessions: resident memory of the sidecar with many of them, after they have ended, and at
the peak of many first lists at once.

The baseline is a sidecar with its vocabulary loaded whose first session has ended, so that it has everything that
sessions need, including what it loads in a host's first silence (`ctxmgr/server/loading.py`).
"""

import random
import time
from typing import Any

from scripts.benching.figures import Figure, figure
from scripts.benching.host import Host
from scripts.benching.pair import MODEL, Options, checked, environment, initialize, serve_command
from scripts.benching.prepared import context, growing, prose, request

MEGABYTE = 1 << 20
SESSIONS = 10
EVENTS = 1_000  # in each session
EVENT_CHARACTERS = 1_000  # of a tool's result, which makes an event of 1.5 kB
FIRST_LISTS, FIRST_BYTES = 12, 8_000_000  # all are written before one is read
ENDLESS_TOKENS = 1_000_000_000  # with every result pinned, all of each list is returned
SILENCE_SECONDS = 2.0  # in which everything is loaded, even on a busy machine


def measure(options: Options) -> list[Figure]:
    return [*_many_sessions(options), _first_lists(options)]


def _many_sessions(options: Options) -> list[Figure]:
    host = _started(options)
    start = host.memory() / MEGABYTE
    names = [f"memory-{number}" for number in range(SESSIONS)]
    for name in names:
        checked(host.ask(request(1, "session_start", {"sessionId": name, "model": MODEL})))
    for number in range(EVENTS):
        for name in names:
            checked(host.ask(request(2, "turn_end", _turn_end(name, number))))
    grown = host.memory() / MEGABYTE
    for name in names:
        checked(host.ask(request(3, "session_shutdown", {"sessionId": name})))
    host.ask(request(4, "getStatus", {"sessionId": names[0]}))  # what follows an answer is done before the next one
    after = host.memory() / MEGABYTE
    host.close()
    return [
        figure("memory a session", "MB", [(grown - start) / SESSIONS]),
        figure("memory after all have ended", "MB", [after], [start]),
    ]


def _first_lists(options: Options) -> Figure:
    host = _started(options)
    grown = growing(FIRST_BYTES, 1)
    messages = grown.upto(grown.first_of(FIRST_BYTES))
    names = [f"first-{number}" for number in range(FIRST_LISTS)]
    model = {**MODEL, "contextWindow": ENDLESS_TOKENS}
    for name in names:
        checked(host.ask(request(1, "session_start", {"sessionId": name, "model": model})))
        checked(host.ask(request(2, "pin", {"sessionId": name, "tool": "read"})))
    for number, name in enumerate(names):
        host.write(context(10 + number, name, messages))
    for _ in names:
        checked(host.read())
    peak = host.memory("VmHWM") / MEGABYTE
    host.close()
    return figure("memory at its height, first lists", "MB", [peak])


def _started(options: Options) -> Host:
    host = Host(serve_command(options.state_dir, "--preload"), environment(options))
    checked(host.ask(initialize()))
    checked(host.ask(request(1, "session_start", {"sessionId": "memory", "model": MODEL})))
    checked(host.ask(request(2, "turn_end", _turn_end("memory", 0))))
    checked(host.ask(request(3, "session_shutdown", {"sessionId": "memory"})))
    time.sleep(SILENCE_SECONDS)
    return host


def _turn_end(session: str, number: int) -> dict[str, Any]:
    """A step: a tool call and its result, where each file is read several times."""
    chance = random.Random(f"{session}/{number}")
    arguments = {"path": f"src/a{number % 40}.py"}
    call = {"type": "toolCall", "id": f"call_{number}", "name": "read", "arguments": arguments}
    message = {
        "role": "assistant",
        "content": [{"type": "text", "text": prose(chance, 100)}, call],
        "stopReason": "toolUse",
        "timestamp": number,
    }
    result = {
        "role": "toolResult",
        "toolCallId": call["id"],
        "toolName": "read",
        "content": [{"type": "text", "text": prose(chance, EVENT_CHARACTERS)}],
        "isError": False,
        "timestamp": number,
    }
    return {
        "sessionId": session,
        "message": message,
        "toolResults": [result],
        "usage": {"input": 10, "output": 90, "cacheRead": 9_000 + number, "cacheWrite": 500},
        "at": 1_700_000_000_000 + number,
        "entryIds": {"message": f"entry-{number}", "toolResults": [f"result-{number}"]},
    }
