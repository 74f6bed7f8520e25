"""The command `corpus`: run, report, generate. Exit codes: 0 all well; 1 something is worse, or the cluster went;
2 wrong usage; 130 interrupted.

A worker loads this package too: what only a client needs is imported where it is used.
"""

import json
import sys
from argparse import Namespace
from collections.abc import Iterable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from ctxmgr import __version__
from ctxmgr.plain_text import safe
from ctxmgr.study.console import console
from ctxmgr.study.corpus import progress, running, sources, synthetic
from ctxmgr.study.corpus.evaluating import decode
from ctxmgr.study.corpus.tasks import CorpusSettings, CorpusTask, WrongPolicy, policies

if TYPE_CHECKING:
    from distributed import Client

    from ctxmgr.study.corpus.results import Results


def run(parsed: Namespace) -> int:
    from ctxmgr.study.corpus.results import ResultsFault

    try:
        return _run(parsed)
    except (WrongPolicy, sources.SourceFault, ResultsFault) as fault:
        return _refused(str(fault), 2)
    except running.SchedulerLost as fault:
        return _refused(f"{fault}; what was done is in {parsed.out}, and the same command goes on from there", 1)


def report(parsed: Namespace) -> int:
    from ctxmgr.study.corpus.reports import against, pages, reporting, views
    from ctxmgr.study.corpus.results import ResultsFault, broken

    try:
        folders = [Path(one) for one in (parsed.results, parsed.against) if one]
        _noted(f"{one} can not be read: left out" for folder in folders for one in broken(folder))
        found = reporting.report(Path(parsed.results))
        before = Path(parsed.against) if parsed.against else None
        changes = against.changes(Path(parsed.results), before, parsed.threshold) if before else []
        if parsed.html:
            with reporting.Queries(Path(parsed.results)) as queries:
                pages.write(Path(parsed.html), found, queries)
    except ResultsFault as fault:
        return _refused(str(fault), 2)
    if parsed.json:
        whole = {**msgspec.to_builtins(found), "against": msgspec.to_builtins(changes)}
        print(json.dumps(whole, indent=1, ensure_ascii=True))
    else:
        out = console()
        out.print(views.tables(found))
        if changes:
            out.print(views.changes_table(changes))
    return 1 if any(one.is_worse for one in changes) else 0


def generate(parsed: Namespace) -> int:
    synthetic.generate(Path(parsed.folder), parsed.sessions, parsed.seed, parsed.steps)
    return 0


def _noted(notes: Iterable[str]) -> None:
    for note in notes:
        print(f"ctxmgr corpus: {safe(note)}", file=sys.stderr)


def _refused(text: str, code: int) -> int:
    print(f"ctxmgr corpus: {safe(text)}", file=sys.stderr)
    return code


def _run(parsed: Namespace) -> int:
    from ctxmgr.study.corpus.estimates import estimate
    from ctxmgr.study.corpus.listing import Listing
    from ctxmgr.study.corpus.results import INDEX, LastRun, Results

    wanted = policies(parsed.policies)
    settings = CorpusSettings(parsed.window, with_probes=not parsed.no_probes)
    with Results(Path(parsed.out)) as results, Listing(results.folder / INDEX) as listing:
        listing.add(sources.listed(parsed.source, without=results.folder))
        count = listing.ask(wanted, settings, results.done(), parsed.sample)
        named = tuple((one.name, one.digest) for one in wanted)
        results.asked(LastRun(__version__, settings.digest, named), listing.digests())
        todo = listing.totals()
        _noted(results.notes)
        print(f"{count:,} recordings, {len(wanted)} policies", file=sys.stderr)
        if not todo.task_count:
            print("nothing is new", file=sys.stderr)
            return 0
        with _client(parsed) as client:
            threads = running.thread_count(client)
            told = estimate(todo, results.folder, threads, starts=not parsed.scheduler).text
            print(f"{told} on {threads} {'threads' if threads > 1 else 'thread'}", file=sys.stderr)
            bad = _through(client, listing.tasks(), todo.task_count, results)
    said = f"done: {todo.task_count - bad:,} of {todo.task_count:,} have figures; ctxmgr corpus report {parsed.out}"
    print(safe(said), file=sys.stderr)
    return 0


def _client(parsed: Namespace) -> "AbstractContextManager[Client]":
    if parsed.scheduler:
        return running.remote_client(parsed.scheduler)
    return running.local_client(parsed.workers)


def _through(client: "Client", todo: Iterable[CorpusTask], count: int, results: "Results") -> int:
    """How many came without figures."""
    bad = 0
    with progress.reported(count) as advanced:

        def took(evaluation: bytes) -> None:
            nonlocal bad
            results.add(evaluation)
            is_ok = decode(evaluation).recording.status == "ok"
            bad += not is_ok
            advanced(is_ok)

        running.run(client, todo, took)
    return bad
