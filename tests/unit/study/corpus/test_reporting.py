"""What a report tells of results: the means of `ctxmgr replay`, intervals, and what became worse."""

import json
import sys
from pathlib import Path
from statistics import fmean
from typing import Any

import pyarrow.parquet as pq
import pytest
from rich.console import Console

from ctxmgr.cli import main
from ctxmgr.study.corpus import reporting
from ctxmgr.study.corpus.reporting import CorpusReport, Queries, changes
from ctxmgr.study.corpus.results import Results
from ctxmgr.study.corpus.tasks import policies
from tests.unit.study.corpus.made import WINDOW, asked, begun, corpus, digests, invented, last, worked_out


def test_the_figures_equal_replay_s_on_the_same_recordings(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    some = tmp_path / "some"
    files = [str(begun(name, some)) for name in ("greenhouse", "ledger")]
    worked_out(some, tmp_path / "out")
    arguments = ["--preset", "balanced", "--window", str(WINDOW), "--probes", "--json"]
    assert main(["replay", *files, *arguments]) == 0
    parts = json.loads(capsys.readouterr().out)
    sums = next(part["totals"] for part in parts if "totals" in part)
    mine = {row["policy"]: row for row in report(tmp_path / "out").all}
    for policy, row in mine.items():
        some = [part["measures"] for part in parts if part.get("preset") == policy]
        assert row["recordings"] == len(some) == 2
        for name in ("closedOfOff", "billedOfOff", "fetchesIn100"):
            assert row[name] == pytest.approx(fmean(each["closedLoop"][name] for each in some), abs=2e-5), name
        for name in ("inPlace", "far"):
            assert row[name] == pytest.approx(fmean(each["recall"][name]["share"] for each in some), abs=2e-5), name
    floors = [part["floor"]["billedOfOff"] for part in parts if "floor" in part]
    assert len(floors) == 2
    assert mine["off"]["floorOfOff"] == pytest.approx(fmean(floors), abs=2e-5)
    for row in (sum_row for sum_row in sums if "kept" in sum_row):
        names = (mine[row["preset"]][name] for name in ("kept", "keptMean", "keptWorst"))
        assert tuple(names) == pytest.approx((row["kept"], row["mean"]["kept"], row["worstKept"]), abs=2e-5)
    scores = next(part["probes"] for part in parts if set(part) == {"probes", "failures"})["policies"]["balanced"]
    used = {row["kind"]: row for row in report(tmp_path / "out").probes if row["policy"] == "balanced"}
    assert used
    for kind, row in used.items():
        assert row["used"] == (
            pytest.approx(scores["kinds"][kind]["used"]["share"], abs=2e-5) if row["used"] else None
        )


def report(folder: Path) -> CorpusReport:
    with Queries(folder) as queries:
        return reporting.report(queries)


def probe(kind: str, used: float, used_count: int, every: float, every_count: int) -> dict[str, Any]:
    shares = {"used_share": used, "used_count": used_count}
    return {"kind": kind, **shares, "every_share": every, "every_count": every_count}


CLOSED = {"off": 1.0, "balanced": 0.5, "turns": 0.75}


def planted(folder: Path, out: Path, closed: dict[str, float] = CLOSED, **figures: Any) -> Path:
    """Twelve recordings, the later the dearer; one of them is bad."""
    texts = [name for name in closed if name != "off"]
    tasks = asked(folder, texts)
    known = digests(tasks)
    with Results(out) as results:
        results.record_run(last(policies(texts)), known)
        for task in tasks:
            number = known.index(task.recording.digest)
            cost = closed[task.policy.name] * 10 + (number / 10 if task.policy.name != "off" else 0)
            probes = (probe("errors", 0.5, 2, 0.4, 5), probe("goal", 1.0, 1, 1.0, 1))
            given = {"closed_dollars": cost, "billed_dollars": 9.0, "call_count": 50, "recall_share": 0.9}
            given |= {"kept_share": 0.8, "kept_bytes": 8 * number, "repeated_bytes": 10 * number}
            given |= {"host": "pi" if number % 2 else "Codex", "raw_tokens": 10_000 * number, "probes": probes}
            bad = {"status": "bad", "reason": "planted", "call_count": 0, "probes": ()} if number == 11 else {}
            results.add(invented(task, **{**given, **figures, **bad}))
    return out


@pytest.fixture(autouse=True)
def few_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    """How narrow an interval is, the tests of figures ask."""
    monkeypatch.setattr(sys.modules["ctxmgr.study.figures.metric"], "DRAWS", 40)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return corpus(tmp_path_factory.mktemp("corpus"), 12)


@pytest.fixture
def planned(folder: Path, tmp_path: Path) -> Path:
    return planted(folder, tmp_path / "out")


def test_a_report_tells_means_groups_pairs_and_the_worst(planned: Path) -> None:
    made: CorpusReport = report(planned)
    assert [row["policy"] for row in made.all] == ["balanced", "turns", "off"]
    assert [row["closedOfOff"] for row in made.all] == [0.55, 0.8, 1.0]
    assert [(row["recordings"], row["bad"]) for row in made.all] == [(11, 1)] * 3
    assert {row["name"] for row in made.groups["host"]} == {"pi", "Codex"}
    assert [row["name"] for row in made.groups["length"]][::3] == ["below 20k", "20k to 60k", "60k to 150k"]
    assert [row["closedOfOff"] for row in made.worst] == sorted(
        (row["closedOfOff"] for row in made.worst), reverse=True
    )
    assert len(made.worst) == 10
    assert [(row["status"], row["reason"], row["policies"]) for row in made.bad] == [("bad", "planted", 3)]
    (errors,) = (row for row in made.probes if (row["policy"], row["kind"]) == ("turns", "errors"))
    assert (errors["used"], errors["usedProbes"], errors["all"]) == (0.5, 22, 0.4)
    (pair,) = (
        pair_row for pair_row in made.pairs if (pair_row["second"], pair_row["figure"]) == ("turns", "closedOfOff")
    )
    assert (pair["first"], pair["mean"], pair["low"], pair["high"]) == ("balanced", -0.25, -0.25, -0.25)


def test_the_worst_are_recordings_each_under_the_policy_that_paid_least(folder: Path, tmp_path: Path) -> None:
    made = report(planted(folder, tmp_path, {"off": 1.0, "balanced": 0.74, "turns": 0.75}))
    assert [row["closedOfOff"] for row in made.worst] == [0.85, 0.84, 0.83, 0.82, 0.81, 0.8, 0.79, 0.78, 0.77, 0.76]
    assert {row["policy"] for row in made.worst} == {"turns"}
    assert len({row["digest"] for row in made.worst}) == 10


def test_only_what_the_last_run_asked_for_is_reported(planned: Path, folder: Path) -> None:
    """Its policies and its recordings, whatever else the folder holds."""
    some = digests(asked(folder))[:8]
    with Results(planned) as results:
        results.record_run(last(policies(["turns"])), some)
    assert [(row["policy"], row["recordings"]) for row in report(planned).all] == [("turns", 8), ("off", 8)]
    assert {row["digest"] for row in report(planned).worst} == set(some)
    with Queries(planned) as queries:
        rows = changes(queries, planned, 0.01)
    assert {row["recording_count"] for row in rows} == {8}


def test_a_result_that_was_lost_and_came_later_counts_once(folder: Path, tmp_path: Path) -> None:
    (task, *_) = asked(folder, ["off"])
    for status in ("lost", "ok"):
        with Results(tmp_path) as results:
            results.record_run(last(policies(["off"])), [task.recording.digest])
            results.add(invented(task, status=status, closed_dollars=1.0))
    assert [(row["recordings"], row["bad"]) for row in report(tmp_path).all] == [(1, 0)]


@pytest.mark.parametrize(
    ("closed", "figures", "moved"),
    [
        ({**CLOSED, "balanced": 0.505}, {}, []),
        ({**CLOSED, "balanced": 0.6}, {}, ["balanced closedOfOff"]),
        (CLOSED, {"kept_share": 0.7}, ["balanced kept", "turns kept", "off kept"]),
        (CLOSED, {"fault_count": 1}, ["balanced faults", "turns faults", "off faults"]),
    ],
    ids=["within", "dearer", "kept", "faults"],
)
def test_what_moved_is_worse_beyond_a_threshold(
    planned: Path, folder: Path, tmp_path: Path, closed: dict[str, float], figures: dict[str, Any], moved: list[str]
) -> None:
    now = planted(folder, tmp_path / "now", closed, **figures)
    assert worse(now, planned) == moved
    assert bool(worse(now, planned, 0.7)) == ("fault_count" in figures)


def test_against_exits_1_where_something_is_worse(
    planned: Path, folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["corpus", "report", str(planted(folder, tmp_path / "now", fault_count=1)), "--against"]
    assert main([*arguments, str(planned), "--json"]) == 1
    changes = json.loads(capsys.readouterr().out)["against"]
    assert [change["figure"] for change in changes if change["is_worse"]] == ["faults"] * 3
    assert main(["corpus", "report", str(planned), "--against", str(planned), "--threshold", "0.7"]) == 0


def worse(now: Path, before: Path, threshold: float = 0.01) -> list[str]:
    with Queries(now) as queries:
        rows = changes(queries, before, threshold)
    return [f"{row['policy']} {row['figure']}" for row in rows if row["is_worse"]]


@pytest.mark.parametrize(
    ("here", "there", "said"),
    [
        (["turns"], ["turns"], []),
        (["balanced:keep=500"], ["turns"], ["balanced:keep=500 policy", "turns policy"]),
    ],
    ids=["same", "neither"],
)
def test_a_policy_without_a_counterpart_is_worse(
    folder: Path, tmp_path: Path, here: list[str], there: list[str], said: list[str]
) -> None:
    for name, texts in (("now", here), ("before", there)):
        with Results(tmp_path / name) as results:
            todo = asked(folder, texts)
            results.record_run(last(policies(texts)), digests(todo))
            for task in todo:
                results.add(invented(task, closed_dollars=1.0))
    assert worse(tmp_path / "now", tmp_path / "before") == said
    code = main(["corpus", "report", str(tmp_path / "now"), "--against", str(tmp_path / "before")])
    assert code == (1 if said else 0)


def test_where_no_recording_is_compared_it_is_worse(planned: Path, folder: Path, tmp_path: Path) -> None:
    bad = planted(folder, tmp_path / "now", status="bad", reason="it broke")
    of_all = [f"{policy} recordings in common" for policy in ("balanced", "turns", "off")]
    assert worse(bad, planned) == worse(planned, bad) == of_all


def test_a_figure_that_is_not_there_any_more_is_worse(planned: Path, folder: Path, tmp_path: Path) -> None:
    now = planted(folder, tmp_path / "now", probes=())
    assert worse(now, planned) == ["balanced probes", "turns probes", "off probes"]
    assert worse(planned, now) == []


def test_the_page_has_the_tables(planned: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = tmp_path / "corpus.html"
    assert main(["corpus", "report", str(planned), "--html", str(tmp_path / "none" / "x.html")]) == 2
    assert "cannot be written: No such file or directory" in capsys.readouterr().err
    assert main(["corpus", "report", str(planned), "--html", str(page)]) == 0
    assert "where it paid least" in capsys.readouterr().out
    assert "<h2>Where it paid least</h2>" in page.read_text()
    assert [file.name for file in tmp_path.glob("corpus*")] == ["corpus.html"]


def test_results_of_before_a_column_are_still_read(planned: Path) -> None:
    for path in (planned / "recordings").glob("part-*.parquet"):
        rows = pq.read_table(path, partitioning=None)
        pq.write_table(rows.drop_columns(["kept_share", "kept_bytes", "repeated_bytes"]), path)
    made = report(planned)
    assert [row["closedOfOff"] for row in made.all] == [0.55, 0.8, 1.0]
    assert [row["kept"] for row in made.all] == [None] * 3


def test_the_report_fits_the_terminal_and_names_what_it_leaves_out(
    planned: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made = report(planned)
    for width in (80, 120, 160):
        Console(width=width, no_color=True).print(reporting.text(made, [], width))
        lines = capsys.readouterr().out.splitlines()
        assert max(map(len, lines)) <= width
        heads = next(line for line in lines if "policy" in line).strip("\u2503").split("\u2503")
        assert {"closed", "re-fetches", "kept", "worst", "faults"} <= {head.strip() for head in heads}
        named = any(line.startswith(f"Not shown at {width} columns: ") for line in lines)
        assert (named, width) not in ((True, 160), (False, 80))
        assert ("mean" in str(heads)) == (width > 80)


def test_the_page_begins_with_cost_against_kept_with_floor_and_the_line_of_keep(
    tmp_path: Path, folder: Path
) -> None:
    closed = {"off": 1.0, "balanced:keep=lean": 0.4, "balanced": 0.5, "masking-5": 0.6}
    out = planted(folder, tmp_path / "out", closed, floor_dollars=3.0)
    reporting.write(tmp_path / "page.html", report(out))
    text = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert text.index("<b>Cost against kept</b>") < text.index("<table>")
    assert "balanced by keep</title>" in text
    assert "dashed: the floor" in text
    for policy in closed:
        assert f"<title>{policy}: kept 0.800, billed 1.000 of the host alone, 11 recordings</title>" in text


def test_points_of_keep_are_known_by_their_names() -> None:
    known = {"balanced": 1700, "balanced:keep=lean": 330, "balanced:keep=600": 600}
    for policy, knob in {**known, "balanced:maxImages=3": None, "masking-5": None}.items():
        assert reporting._knob(policy) == knob, policy
