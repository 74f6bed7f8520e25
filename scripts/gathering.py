"""How much memory the client and the scheduler of `ctxmgr corpus run` need, by the number of recordings.

    python -m scripts.gathering 10000 100000     a process each, one after the other

A Parquet file of so many tiny recordings is made, listed, and run on two workers. Each worker replays the first of
its recordings and gives that one's rows for all others, so that 100,000 take minutes: the client and the scheduler,
which are one process, see the same tasks and the same rows as of a run that replays them all.
"""

import argparse
import functools
import importlib
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq

from ctxmgr.study.corpus import command, rows

COUNTS = (10_000, 100_000)
WORKERS = 2
GROUP_ROWS = 500
EVERY_SECONDS = 30.0  # a run says how much it holds
NAME = "scripts.gathering"  # by which workers import it: not as the program that they do not run
STATUS = Path("/proc/self/status")


def written(path: Path, count: int) -> None:
    """A file of `count` recordings, all of them different."""
    content = command.synthetic.session(1, 0, steps=1)
    schema = pa.schema([("name", pa.string()), ("content", pa.binary())])
    with pq.ParquetWriter(path, schema) as writer:
        for start in range(0, count, GROUP_ROWS):
            numbers = range(start, min(start + GROUP_ROWS, count))
            contents = [content + b'{"type":"custom","copy":%d}\n' % number for number in numbers]
            writer.write_table(pa.table([[f"{number}.jsonl" for number in numbers], contents], schema=schema))


FIRST: list[rows.Evaluation] = []  # of a worker


def gathered(task: Any) -> bytes:
    """What a worker gives: the rows of its first recording, under this task's names."""
    if not FIRST:
        FIRST.append(command.decode(command.running.evaluated(task)))
    replace, found, one = msgspec.structs.replace, FIRST[0], task.recording
    names = {"digest": one.digest, "name": one.name, "address": one.address, "size_bytes": one.size_bytes}
    calls = tuple(replace(call, key=task.key) for call in found.calls)
    return msgspec.msgpack.encode(rows.Evaluation(replace(found.recording, key=task.key, **names), calls))


def memory() -> dict[str, int]:
    """`VmRSS` and `VmHWM` of this process, in kB."""
    lines = (line.split() for line in STATUS.read_text("ascii").splitlines() if line.startswith("Vm"))
    return {name.rstrip(":"): int(value) for name, value, *_ in lines}


def run(source: Path, out: Path) -> int:
    """The command, with the work of `gathered`. Its exit code."""
    work = importlib.import_module(NAME).gathered
    command.running.run = functools.partial(command.running.run, work=work)  # type: ignore[assignment]
    began, ended = time.monotonic(), threading.Event()

    def tell() -> None:
        while not ended.wait(EVERY_SECONDS):
            print(_line(time.monotonic() - began), flush=True)

    telling = threading.Thread(target=tell)
    telling.start()
    asked = {"policies": ["off"], "no_probes": True, "workers": WORKERS}
    rest = {"scheduler": None, "sample": None, "window": None}
    try:
        return command.run(argparse.Namespace(source=[str(source)], out=str(out), **asked, **rest))
    finally:
        ended.set()
        telling.join()
        print(_line(time.monotonic() - began), flush=True)


def _line(seconds: float) -> str:
    now = memory()
    return f"{seconds:.0f} s: {now['VmRSS'] / 1000:.1f} MB, at most {now['VmHWM'] / 1000:.1f} MB"


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
            run(source, Path(folder, "out"))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
