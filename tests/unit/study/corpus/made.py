"""Small corpora for tests, and runs over them without a cluster."""

import tempfile
from collections.abc import Sequence
from pathlib import Path

import msgspec

from ctxmgr import __version__
from ctxmgr.study.corpus import sources, synthetic
from ctxmgr.study.corpus.evaluating import decode, evaluated
from ctxmgr.study.corpus.listing import Listing
from ctxmgr.study.corpus.results import LastRun, Results
from ctxmgr.study.corpus.rows import CorpusCallRow, Evaluation, RecordingRow
from ctxmgr.study.corpus.tasks import CorpusPolicy, CorpusSettings, CorpusTask, policies

SETTINGS = CorpusSettings(window_tokens=64_000)


def corpus(folder: Path, count: int = 3, steps: int = 4) -> Path:
    synthetic.generate(folder, count, seed=1, steps=steps)
    return folder


def asked(
    folder: Path,
    texts: Sequence[str] = ("balanced",),
    done: Sequence[str] = (),
    settings: CorpusSettings = SETTINGS,
) -> list[CorpusTask]:
    with tempfile.TemporaryDirectory() as beside, Listing(Path(beside) / "listing") as listing:
        listing.add(sources.listed([str(folder)]))
        listing.ask(policies(texts), settings, done, None)
        return list(listing.tasks())


def last(wanted: Sequence[CorpusPolicy], settings: CorpusSettings = SETTINGS) -> LastRun:
    return LastRun(__version__, settings.digest, tuple((one.name, one.digest) for one in wanted))


def digests(tasks: Sequence[CorpusTask]) -> list[str]:
    return sorted({task.recording.digest for task in tasks})


def worked_out(folder: Path, out: Path, texts: Sequence[str] = ("balanced",)) -> list[RecordingRow]:
    """A run in this thread."""
    rows = []
    with Results(out) as results:
        todo = asked(folder, texts)
        results.asked(last(policies(texts)), digests(todo))
        for task in todo:
            evaluation = evaluated(task)
            results.add(evaluation)
            rows.append(decode(evaluation).recording)
    return rows


def plain(row: RecordingRow) -> RecordingRow:
    """Without what differs from run to run."""
    return msgspec.structs.replace(row, cpu_seconds=0.0, peak_bytes=0)


def invented(task: CorpusTask, **figures: object) -> bytes:
    """An evaluation that nothing was driven for."""
    row = RecordingRow(
        key=task.key,
        digest=task.recording.digest,
        name=task.recording.name,
        address=task.recording.address,
        size_bytes=task.recording.size_bytes,
        policy=task.policy.name,
        policy_digest=task.policy.digest,
        settings_digest=task.settings.digest,
        release=__version__,
        schema_version=1,
        status="ok",
    )
    call = CorpusCallRow(task.key, 0, None, 10, 0, 0.1, 0, False, False, False, 0, 0, 0)
    return msgspec.msgpack.encode(Evaluation(msgspec.structs.replace(row, **figures), (call,)))
