"""The command `corpus`: run and report. Exit codes: 0 all is well; 1 something got worse, or the cluster was lost;
2 wrong usage; 130 interrupted.

Workers import this package too, so modules that only the client needs are imported inside functions.
"""

import json
import sys
import time
from argparse import Namespace
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from ctxmgr import __version__
from ctxmgr.plain_text import complain, safe, unwritable_text
from ctxmgr.study.console import console, progress_bar
from ctxmgr.study.corpus.evaluating import decode
from ctxmgr.study.corpus.sources import CorpusFault, listed
from ctxmgr.study.corpus.tasks import CorpusSettings, policies, recordings, tasks

INTERRUPTED = 130  # the exit code that shells report for a command ended by Ctrl-C
LINE_SECONDS = 60  # between two progress lines, if stderr is no terminal
LONG_SECONDS = 90 * 60  # longer times are shown in hours
MEGABYTE = 1_000_000

Done = Callable[[bool], None]  # called after each task with whether it has figures


def run(parsed: Namespace) -> int:
    from ctxmgr.study.corpus.running import SchedulerLost

    try:
        return _run(parsed)
    except CorpusFault as fault:
        return complain("corpus", str(fault), 2)
    except SchedulerLost as fault:
        return complain("corpus", f"{fault}; {_resumes(parsed.out)}", 1)
    except KeyboardInterrupt:
        return complain("corpus", f"interrupted; {_resumes(parsed.out)}", INTERRUPTED)


def _resumes(folder: str) -> str:
    return f"finished tasks are in {folder}, and the same command goes on from there"


def report(parsed: Namespace) -> int:
    from ctxmgr.study.corpus import reporting

    if parsed.html and (why := unwritable_text(parsed.html)):
        return complain("corpus", why, 2)
    try:
        with reporting.Queries(Path(parsed.results)) as queries:
            results = reporting.report(queries)
            changes = reporting.changes(queries, Path(parsed.against), parsed.threshold) if parsed.against else []
            if parsed.html:
                reporting.write(Path(parsed.html), results)
    except CorpusFault as fault:
        return complain("corpus", str(fault), 2)
    if parsed.json:
        whole = {**msgspec.to_builtins(results), "against": changes}
        print(json.dumps(whole, indent=1, ensure_ascii=True))
    else:
        out = console()
        out.print(reporting.text(results, changes, out.width))
    return 1 if any(change["is_worse"] for change in changes) else 0


def _run(parsed: Namespace) -> int:
    from ctxmgr.study.corpus import running
    from ctxmgr.study.corpus.results import SOURCES, LastRun, Results

    wanted = policies(parsed.policies)
    settings = CorpusSettings(parsed.window)
    with Results(Path(parsed.out)) as results:
        if results.dropped_bytes:
            complain(
                "corpus",
                f"the last {results.dropped_bytes:,} bytes of the journal cannot be read and are computed again",
                0,
            )
        files = listed(parsed.source, without=results.folder)
        known = recordings(files, results.folder / SOURCES, parsed.sample)
        names = tuple((policy.name, policy.digest) for policy in wanted)
        results.record_run(LastRun(__version__, settings.digest, names), (recording.digest for recording in known))
        todo = tasks(known, wanted, settings, results.done())
        print(
            safe(f"{len(known):,} recordings, {len(wanted)} policies; results go to {parsed.out}"), file=sys.stderr
        )
        if not todo:
            print("all of it is done already", file=sys.stderr)
            return 0
        there, workers = parsed.scheduler, parsed.workers
        cluster = running.remote_client(there) if there else running.local_client(workers)
        with progress(len(todo)) as advanced, cluster as client:
            threads = running.thread_count(client)
            megabytes = sum(task.recording.size_bytes for task in todo) / MEGABYTE
            print(
                f"{len(todo):,} tasks, {megabytes:,.0f} MB, on {threads} {'thread' if threads == 1 else 'threads'}",
                file=sys.stderr,
            )
            good: list[bool] = []

            def took(evaluation: bytes) -> None:
                results.add(evaluation)
                good.append(decode(evaluation).recording["status"] == "ok")
                advanced(good[-1])

            running.run(client, todo, took)
    done = f"done: {sum(good):,} of {len(todo):,} tasks have figures; see ctxmgr corpus report {parsed.out}"
    print(safe(done), file=sys.stderr)
    return 0


@contextmanager
def progress(count: int, clock: Callable[[], float] = time.monotonic) -> Iterator[Done]:
    """Reports the progress of `count` tasks: a bar if stderr is a terminal, otherwise a line a minute. `clock`
    returns seconds.
    """
    began = last_line = clock()
    has_bar = console(sys.stderr).is_terminal
    good: list[bool] = []

    def took(is_ok: bool) -> None:
        nonlocal last_line
        good.append(is_ok)
        advanced(1)
        done, now = len(good), clock()
        if not has_bar and now - last_line >= LINE_SECONDS and done < count:
            last_line = now
            seconds = (now - began) / done * (count - done)
            left = f"{max(1, round(seconds / 60))} min" if seconds < LONG_SECONDS else f"{seconds / 3600:.1f} h"
            line = f"{done:,} of {count:,} tasks, {good.count(False):,} without figures, about {left} left"
            print(line, file=sys.stderr, flush=True)

    with progress_bar("tasks", count) as advanced:
        yield took
