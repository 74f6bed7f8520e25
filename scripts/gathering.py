"""How much memory the client and the scheduler of `ctxmgr corpus run` need, by the number of recordings.

    python -m scripts.gathering 10000 100000     a process each, one after the other

A Parquet file of so many tiny recordings is made, listed, and run on two workers. Each worker replays the first of
its recordings and gives that one's rows for all others, so that 100,000 take minutes: the client and the scheduler,
which are one process, see the same tasks and the same rows as of a run that replays them all.
"""

import argparse
import importlib
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq

from ctxmgr.study.corpus import progress, running, sources, synthetic
from ctxmgr.study.corpus.evaluating import decode, evaluated
from ctxmgr.study.corpus.listing import Listing
from ctxmgr.study.corpus.results import INDEX, Results
from ctxmgr.study.corpus.rows import Evaluation
from ctxmgr.study.corpus.tasks import CorpusSettings, CorpusTask, policies

COUNTS = (10_000, 100_000)
WORKERS = 2
GROUP_ROWS = 500
TOLD = 20  # times a run says where it is
NAME = "scripts.gathering"  # by which workers import it: not as the program that they do not run
STATUS = Path("/proc/self/status")


def written(path: Path, count: int) -> None:
    """A file of `count` recordings, all of them different."""
    with tempfile.TemporaryDirectory() as folder:
        synthetic.generate(Path(folder), 1, seed=1, steps=1)
        (one,) = (found for found in Path(folder).rglob("*") if found.is_file())
        content = one.read_bytes()
    schema = pa.schema([("name", pa.string()), ("content", pa.binary())])
    with pq.ParquetWriter(path, schema) as writer:
        for start in range(0, count, GROUP_ROWS):
            numbers = range(start, min(start + GROUP_ROWS, count))
            rows = [content + b'{"type":"custom","copy":%d}\n' % number for number in numbers]
            writer.write_table(pa.table([[f"{number}.jsonl" for number in numbers], rows], schema=schema))


FIRST: list[Evaluation] = []  # of a worker


def gathered(task: CorpusTask) -> bytes:
    """What a worker gives: the rows of its first recording, under this task's names."""
    if not FIRST:
        FIRST.append(decode(evaluated(task)))
    replace, found, one = msgspec.structs.replace, FIRST[0], task.recording
    names = {"digest": one.digest, "name": one.name, "address": one.address, "size_bytes": one.size_bytes}
    calls = tuple(replace(call, key=task.key) for call in found.calls)
    return msgspec.msgpack.encode(Evaluation(replace(found.recording, key=task.key, **names), calls))


def memory() -> dict[str, int]:
    """`VmRSS` and `VmHWM` of this process, in kB."""
    lines = (line.split() for line in STATUS.read_text("ascii").splitlines() if line.startswith("Vm"))
    return {name.rstrip(":"): int(value) for name, value, *_ in lines}


def run(source: Path, out: Path) -> Iterator[str]:
    """A line now and then, and one at the end."""
    settings = CorpusSettings(with_probes=False)
    with Results(out) as results, Listing(out / INDEX) as listing:
        listing.add(sources.listed([str(source)]))
        count = listing.ask(policies(["off"]), settings, results.done(), None)
        yield _line(0, 0.0)
        done, began, told = 0, time.monotonic(), max(1, count // TOLD)
        with running.local_client(WORKERS) as client, progress.reported(count) as advanced:

            def took(evaluation: bytes) -> None:
                nonlocal done
                results.add(evaluation)
                advanced(decode(evaluation).recording.status == "ok")
                done += 1
                if done % told == 0:
                    print(_line(done, time.monotonic() - began), flush=True)

            running.run(client, listing.tasks(), took, importlib.import_module(NAME).gathered)
    yield _line(done, time.monotonic() - began)


def _line(done: int, seconds: float) -> str:
    now = memory()
    return f"{done:>9,} done: {now['VmRSS'] / 1000:.1f} MB, at most {now['VmHWM'] / 1000:.1f} MB; {seconds:.0f} s"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("counts", nargs="*", type=int, default=COUNTS)
    parser.add_argument("--here", action="store_true", help="in this process: one count alone")
    parsed = parser.parse_args()
    for count in parsed.counts:
        if not parsed.here:
            subprocess.run([sys.executable, "-m", NAME, str(count), "--here"], check=True)
            continue
        with tempfile.TemporaryDirectory(prefix="ctxmgr-gathering-") as folder:
            source = Path(folder, "recordings.parquet")
            written(source, count)
            for line in run(source, Path(folder, "out")):
                print(line, flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
