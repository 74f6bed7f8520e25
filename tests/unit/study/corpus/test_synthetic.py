"""Made-up sessions are recordings like others: read, driven without a fault, and asked about."""

from pathlib import Path

from ctxmgr.study.corpus import synthetic
from ctxmgr.study.corpus.evaluating import decode, evaluated
from ctxmgr.study.recordings import readers
from tests.unit.study.corpus.made import asked
from tests.unit.study.recorded import messages, pairs_are_right

SIZES = range(250_000, 400_000)
MADE = (synthetic.session(3, number, 100) for number in range(99))
LONG = next(made for made in MADE if len(made) in SIZES and made.count(b'"isError":true') > 3)


def test_the_same_seed_gives_the_same_bytes_and_another_others(tmp_path: Path) -> None:
    assert synthetic.session(1, 2) == synthetic.session(1, 2)
    assert synthetic.session(1, 2) not in (synthetic.session(2, 2), synthetic.session(1, 3))


def test_a_session_is_a_recording_whose_calls_and_results_belong_together() -> None:
    for number in range(20):
        found = readers.read(readers.source_of("s.jsonl", synthetic.session(1, number)))
        pairs_are_right(found)  # type: ignore[arg-type]


def test_sessions_are_driven_without_a_fault_and_asked_about(tmp_path: Path) -> None:
    (tmp_path / "long.jsonl").write_bytes(LONG)
    rows = [decode(evaluated(task)).recording for task in asked(tmp_path)]
    assert [(row.status, row.fault_count) for row in rows] == [("ok", 0)] * 2
    assert {one.kind for one in rows[0].probes} >= {"goal", "files.read", "files.modified", "file.state", "errors"}
    assert min(row.call_count for row in rows) > 50


def test_the_shape_is_that_of_recorded_sessions() -> None:
    """The median of results a session and of a result's characters, and errors in a hundred."""
    results = []
    counts = []
    for number in range(60):
        found = readers.read(readers.source_of("s.jsonl", synthetic.session(5, number)))
        some = [one for one in messages(found) if one["role"] == "toolResult"]  # type: ignore[arg-type]
        counts.append(len(some))
        results += some
    texts = sorted(len(one["content"][0]["text"]) for one in results)
    assert 25 < sorted(counts)[30] < 80
    assert 200 < texts[len(texts) // 2] < 1_500
    assert 0.02 < sum(one["isError"] for one in results) / len(results) < 0.06


def test_many_sessions_lie_in_folders_of_a_thousand(tmp_path: Path) -> None:
    synthetic.generate(tmp_path, 1_001, seed=1, steps=1)
    assert sorted(len(list(one.iterdir())) for one in tmp_path.iterdir()) == [1, 1_000]
