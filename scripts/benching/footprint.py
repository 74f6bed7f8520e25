"""Measures the cost of spawning for a host: time to the first answer, and memory."""

import subprocess
import sys
from time import perf_counter

from benching.host import Host
from benching.pair import (
    FLOOR,
    KEEP_ALL_MODEL,
    MODEL,
    PIN_ALL,
    Options,
    Pair,
    checked,
    environment,
    initialize,
    serve_command,
)
from benching.prepared import context, growing, request
from benching.table import Figure, Goal, figure

FIRST_CONTEXTS, FIRST_BYTES = 5, 20_000
SPAWNS = 15  # the smallest number with a stable median
MEGABYTE = 1 << 20
IMPORTS_ALONE = "import asyncio, msgspec; print('ready', flush=True)"


def measure(options: Options) -> list[Figure]:
    return [_spawn(options), *_memory(options)]


def _spawn(options: Options) -> Figure:
    ours, floor = [], []
    for number in range(max(SPAWNS, options.rounds) + 1):
        first = _first_answer(options)
        bare = _first_line(options)
        if number:  # each program's first spawn may write or read caches
            ours.append(first * 1_000)
            floor.append(bare * 1_000)
    goal = Goal("ratio", "at most", 1.3)
    note = "floor: python importing asyncio and msgspec"
    return figure("spawn to the answer of initialize", "ms", ours, floor, goal, note)


def first_contexts(options: Options) -> list[Figure]:
    """CPU time from the spawn to the answer of the first `context`, without waiting for a busy machine."""
    ours, floor = [], []
    for number in range(FIRST_CONTEXTS + 1):
        mine = _cpu_of_first_context(options, serve_command(options.state_dir), f"spawned-{number}")
        theirs = _cpu_of_first_context(options, [sys.executable, str(FLOOR)], "floor")
        if number:  # each program's first spawn writes compiled modules
            ours.append(mine * 1_000)
            floor.append(theirs * 1_000)
    note = "floor: the same of the bare loop"
    return [figure("spawn to the first context, CPU", "ms", ours, floor, note=note)]


def _cpu_of_first_context(options: Options, command: list[str], session: str) -> float:
    """Returns seconds."""
    host = Host(command, options.transport, environment(options), small=True)
    checked(host.ask(initialize()))
    checked(host.ask(request(1, "session_start", {"sessionId": session, "model": MODEL})))
    checked(host.ask(context(2, session, growing(FIRST_BYTES, 0).joined)))
    seconds = host.cpu_seconds()
    host.close()
    return seconds


def _first_answer(options: Options) -> float:
    start = perf_counter()
    host = Host(serve_command(options.state_dir), options.transport, environment(options), small=True)
    checked(host.ask(initialize()))
    seconds = perf_counter() - start
    host.close()
    return seconds


def _first_line(options: Options) -> float:
    start = perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-c", IMPORTS_ALONE],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=environment(options),
    )
    assert process.stdout is not None
    process.stdout.readline()
    seconds = perf_counter() - start
    process.communicate()
    return seconds


def _memory(options: Options) -> list[Figure]:
    host = Host(serve_command(options.state_dir), options.transport, environment(options))
    floor = Host([sys.executable, str(FLOOR)], options.transport, environment(options))
    checked(host.ask(initialize()))
    floor.ask(initialize())
    idle, bare = host.memory() / MEGABYTE, floor.memory() / MEGABYTE
    host.close()
    floor.close()
    figures = [
        figure("memory, idle after initialize", "MB", [idle], [bare], Goal("ours", "at most", 35)),
    ]
    pair = Pair(options)
    figures.append(figure("memory, vocabulary loaded", "MB", [pair.ours.memory() / MEGABYTE]))
    for label, size in (("1 MB", 1_000_000), ("8 MB", 8_000_000)):
        grown = growing(size, 5)
        session = pair.session(KEEP_ALL_MODEL, pin=PIN_ALL)
        for number in range(grown.first_of(size), len(grown.ends)):
            parts = context(number, session, grown.upto(number), "messages")
            checked(pair.ours.ask(parts))
            pair.floor.ask(parts)
        after = [host.memory() / MEGABYTE for host in (pair.ours, pair.floor)]
        figures.append(figure(f"memory, with a session of {label}", "MB", after[:1], after[1:]))
    pair.close()
    return figures
