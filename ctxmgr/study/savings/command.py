"""The command `savings`: finds sessions, has them measured, and reports what they cost and would have cost.

Sessions are measured on all cores, as many as time allows:

1. They are taken in a random order with a fixed seed, so those measured in time are a sample. The same sessions
   have the same order in every run.
2. When the time is up, no new session starts, and running ones are finished. At least one is measured.
3. If a worker is killed (perhaps out of memory), the sessions in progress are lost, and others continue.

Exit codes: 0 on success; 1 if no session could be measured; 2 for wrong usage. Writes only the page, readable by
its owner alone, and sends nothing over a network.
"""

import json
import os
import random
import signal
import sys
import time
from argparse import Namespace
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from multiprocessing import active_children, get_context
from pathlib import Path

import msgspec

from ctxmgr import isolation
from ctxmgr.devices import private_file
from ctxmgr.plain_text import complain, safe, unwritable_text
from ctxmgr.settings import SettingsFault, models_file
from ctxmgr.study.console import console, plain, progress_bar
from ctxmgr.study.savings import agents, showing
from ctxmgr.study.savings.agents import KeptSession
from ctxmgr.study.savings.measuring import MeasuredSession, Policies, measured
from ctxmgr.study.savings.showing import Scope, sentence, summed

INTERRUPTED = 130  # the exit code that shells report for a command ended by Ctrl-C
DAY_MS = 24 * 60 * 60 * 1000
# the policies are the points of this preset by this key; the sentence reports the last
PRESET, KEY, TOLD = "balanced", "keep", "balanced"


def run(parsed: Namespace, clock: Callable[[], float] = time.monotonic) -> int:
    """`clock` returns seconds."""
    if wrong := _wrong_usage(parsed):
        return complain("savings", wrong, 2)
    policies: Policies = {point: (PRESET, {KEY: point}) for point in parsed.policies}
    kept = _kept(parsed, os.environ, Path.home(), time.time_ns() // 1_000_000)
    try:
        done = _measured(parsed, kept, policies, clock)
    except KeyboardInterrupt:
        text = "interrupted; nothing was kept, the same command starts again (--seconds N measures for N seconds)"
        return complain("savings", text, INTERRUPTED)
    findings = _findings(parsed, kept, done, list(policies))
    if parsed.report is not None:
        with os.fdopen(private_file(parsed.report), "w", encoding="utf-8", newline="\n") as file:
            file.write(showing.html(findings))
    _show(parsed, findings, kept)
    return 0 if findings.rows[-1].sessions else 1


def _wrong_usage(parsed: Namespace) -> str | None:
    missing = [path for path in parsed.paths if not Path(path).exists()]
    if missing:
        return f"no such file or folder: {', '.join(missing)}"
    try:
        models_file(parsed.models)
    except SettingsFault as fault:
        return str(fault)
    return unwritable_text(parsed.report) if parsed.report is not None else None


def _kept(parsed: Namespace, environ: Mapping[str, str], home: Path, now_ms: int) -> agents.Kept:
    if parsed.paths:
        return agents.named(parsed.paths)
    return agents.kept(environ, home, now_ms - parsed.days * DAY_MS, parsed.agent or tuple(agents.AGENTS))


def _measured(
    parsed: Namespace, kept: agents.Kept, policies: Policies, clock: Callable[[], float]
) -> list[MeasuredSession]:
    until = clock() + parsed.seconds if parsed.seconds else float("inf")
    measure = partial(measured, policies=policies, models=parsed.models and os.path.abspath(parsed.models))
    with progress_bar("sessions", len(kept.sessions)) as advanced:

        def counted(done: Iterator[MeasuredSession]) -> Iterator[MeasuredSession]:
            for one in done:
                advanced(1)
                yield one

        workers = parsed.workers or os.cpu_count() or 1
        return list(counted(measured_in_time(kept.sessions, measure, workers, lambda: clock() < until)))


def _findings(
    parsed: Namespace, kept: agents.Kept, done: Sequence[MeasuredSession], policies: Sequence[str]
) -> showing.Findings:
    good = [one for one in done if not one.fault]
    rows = summed(good, policies)
    is_exact = all(one.is_counted and one.is_known for one in good if one.dollars is not None)
    found = len(kept.sessions) - sum(one.is_empty for one in done)
    scope = Scope(found, "" if parsed.paths else f"of the last {parsed.days} days", is_exact)
    said = sentence(rows, TOLD if TOLD in policies else policies[0], scope)
    return showing.Findings(said, rows, done, len(kept.sessions), len(kept.unreadable), parsed.seconds)


def _show(parsed: Namespace, findings: showing.Findings, kept: agents.Kept) -> None:
    notes = list(showing.notes(findings))
    if parsed.json:
        whole = {
            "said": findings.said,
            "notes": notes,
            "found": findings.found,
            "lengths": msgspec.to_builtins(findings.rows),
            "sessions": msgspec.to_builtins(sorted(findings.measured, key=lambda one: one.session.path)),
            "unreadable": msgspec.to_builtins(kept.unreadable),
        }
        print(json.dumps(whole, indent=1, ensure_ascii=True))
        return
    out = console()
    out.print(plain(findings.said, "bold"))
    if findings.rows[-1].sessions:
        out.print(showing.table(findings).rendered())
    for note in notes:
        out.print(plain(note))
    if not findings.found:
        looked = ", ".join(agents.AGENTS.values())
        print(safe(f"Looked for those of {looked}; name files or folders to measure others."), file=sys.stderr)


SEED = 7
KILLED = "its worker was killed: of memory, perhaps"

Measure = Callable[[KeptSession], MeasuredSession]


def drawn(sessions: Sequence[KeptSession]) -> list[KeptSession]:
    """Rule 1."""
    ordered = list(sessions)
    random.Random(SEED).shuffle(ordered)
    return ordered


def measured_in_time(
    sessions: Sequence[KeptSession],
    measure: Measure,
    workers: int,
    has_time: Callable[[], bool],
    pool: Callable[[int], Executor] | None = None,
) -> Iterator[MeasuredSession]:
    """Yields each session when it is done. A single worker is this process. `measure` is pickled for other
    workers.
    """
    waiting = iter(drawn(sessions))
    begun = (session for number, session in enumerate(waiting) if not number or has_time())
    if min(workers, len(sessions)) <= 1:
        yield from map(measure, begun)
        return
    with isolation.environment_in_force():  # multiprocessing starts the workers
        yield from _in_workers(begun, measure, workers, pool or _processes)


def _processes(count: int) -> Executor:
    """Workers ignore interrupts, and end with this process."""
    ignoring = (signal.SIGINT, signal.SIG_IGN)
    return ProcessPoolExecutor(count, get_context("spawn"), initializer=signal.signal, initargs=ignoring)


def _in_workers(
    begun: Iterator[KeptSession], measure: Measure, workers: int, pool: Callable[[int], Executor]
) -> Iterator[MeasuredSession]:
    under_way: dict[Future[MeasuredSession], KeptSession] = {}
    running = pool(workers)
    try:
        while True:
            while len(under_way) < workers and (session := next(begun, None)) is not None:
                under_way[running.submit(measure, session)] = session
            if not under_way:
                return
            done, _ = wait(under_way, return_when=FIRST_COMPLETED)
            is_broken = any(isinstance(future.exception(), BrokenProcessPool) for future in done)
            if is_broken:
                done, _ = wait(under_way)
                running = pool(workers)
            for future in done:
                session = under_way.pop(future)
                yield MeasuredSession(session, KILLED) if future.exception() else future.result()
    except BaseException:  # an interrupt does not wait for sessions in progress
        for worker in active_children():
            worker.terminate()
        raise
    finally:
        running.shutdown(cancel_futures=True)
