"""Memory probes as a user asks for them: `replay --probes`, its file of failures, the page, and `compare`."""

import json
import stat
from pathlib import Path
from typing import Any

import pytest

from ctxmgr.cli import main
from ctxmgr.study.driving.outcomes import ReplayOptions, ReplayResult
from ctxmgr.study.probes import Probing, Stub, figures, probes_table, timeline
from ctxmgr.study.probes.evidence import Exact, Probe, ProbePart
from ctxmgr.study.probes.figures import GradedProbe, Loss, PolicyGrades
from ctxmgr.study.probes.precision import LineCounts, Precision, UntrueLine
from ctxmgr.study.probes.probing import NEWEST, RemovedPart, lists_of
from ctxmgr.study.recordings import readers
from ctxmgr.study.recordings.recording import Recording, Stream
from tests.notation import a, call, r, raws, u
from tests.unit.study.replay.commands import begun
from tests.unit.study.sighted import sights


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> tuple[Any, list[Any]]:
    """The figures, and the failed probes."""
    folder = tmp_path_factory.mktemp("probes")
    replay = ["replay", str(begun(folder, 130)), "--preset", "turns", "--window", "24000"]
    with pytest.MonkeyPatch.context() as patch:
        printed: list[str] = []
        patch.setattr("builtins.print", lambda *texts, **rest: printed.append(" ".join(map(str, texts))))
        files = ["--probes-failed", str(folder / "failed.jsonl")]
        assert main([*replay, "--probes", "--json", *files]) == 0
    assert stat.S_IMODE((folder / "failed.jsonl").stat().st_mode) == 0o600
    failed = [json.loads(line) for line in (folder / "failed.jsonl").read_text().splitlines()]
    return json.loads(printed[-1]), failed


def test_each_policy_is_asked_and_the_newest_tokens_beside_them(asked: tuple[Any, list[Any]]) -> None:
    document = asked[0][0]["probes"]
    assert list(document["policies"]) == ["turns", "off", NEWEST]
    for policy in document["policies"].values():
        assert {"goal", "asks", "files.modified", "files.read", "tests", "next"} <= set(policy["kinds"])
        assert policy["points"] > 3
        assert policy["tokens"] > 0


def test_what_failed_is_written_with_where_it_was_lost(asked: tuple[Any, list[Any]]) -> None:
    _, failed = asked
    assert failed
    for probe in [probe for probe in failed if probe["kind"] == "untrue"]:
        assert {"recording", "policy", "call", "calls", "kind", "section", "statement"} == set(probe)
    failed = [probe for probe in failed if probe["kind"] != "untrue"]
    for probe in failed:
        assert {"recording", "policy", "call", "kind", "used", "grade", "question", "evidence", "lost"} == set(
            probe
        )
        assert probe["grade"] < 1
    newest = [probe for probe in failed if probe["policy"] == NEWEST and probe["kind"] == "goal"]
    assert all(0 < probe["lost"]["call"] <= probe["call"] and probe["lost"]["left"] for probe in newest)


def test_several_recordings_have_means(tmp_path: Path) -> None:
    recording = readers.read(readers.source(begun(tmp_path, 130)))
    assert isinstance(recording, Recording)
    probing = Probing(str(tmp_path / "failed.jsonl"))

    def ask() -> figures.Figures:
        shown = timeline.whole(timeline.of(recording))
        return probing.figures_of(recording, 60_000, {"off": shown})

    one = ask()["policies"]["off"]["kinds"]["goal"]["used"]
    assert probing.means() == {}
    ask()
    both = probing.means()["policies"]["off"]["kinds"]["goal"]["used"]
    assert one["share"] == both["share"] == 1  # it is the same session
    assert both["probes"] == 2 * one["probes"]
    probing.written()
    failed = [json.loads(line) for line in (tmp_path / "failed.jsonl").read_text().splitlines()]
    assert {probe["policy"] for probe in failed} == {NEWEST}


def test_a_stream_of_events_has_no_whole_list_to_ask_of() -> None:
    probing = Probing(None)
    assert probing.figures_of(Stream("live", "s", "m", ()), 60_000, {}) == {}
    assert probing.recordings == 0


# a host's own summaries


def outcome(compacted: int) -> ReplayResult:
    return ReplayResult("made", "off", 60_000, compacted=compacted, observations=sights(u("go"), a("ok")))


def test_a_host_that_compacted_is_driven_again_with_summaries_that_copy() -> None:
    driven: list[ReplayOptions] = []

    def drive(options: ReplayOptions) -> ReplayResult:
        driven.append(options)
        return ReplayResult("made", "off", 60_000, failures=["call 3: broken"])

    first = outcome(1)
    assert lists_of(first, ReplayOptions(record=Path("x"), state_dir=Path("state")), drive) == []
    (options,) = driven
    assert isinstance(options.write, Stub)
    assert (options.record, options.state_dir) == (None, Path("state/probes"))
    assert first.failures == ["probes: call 3: broken"]


def test_a_host_that_did_not_is_not() -> None:
    def drive(options: ReplayOptions) -> ReplayResult:
        raise AssertionError("nothing to drive again")

    first = outcome(0)
    assert lists_of(first, ReplayOptions(), drive) is first.observations
    assert lists_of(outcome(2), ReplayOptions(write=Stub()), drive)  # they copied already
    assert lists_of(
        outcome(2), ReplayOptions(recorded_compactions=True), drive
    )  # the recorded summaries are what counts


# figures


def test_a_kind_is_the_mean_of_points_then_of_recordings() -> None:
    def answer(call_number: int, share: float, used: bool = True) -> GradedProbe:
        return GradedProbe(call_number, Probe("goal", "?", "!", (ProbePart(1.0, (Exact("x"),)),), used), share)

    one = figures.scores(PolicyGrades((answer(1, 1), answer(1, 0), answer(2, 1), answer(2, 0, used=False)), 2))
    assert one.kinds["goal"].used.share == 0.75
    assert one.kinds["goal"].every.share == 0.5
    assert one.kinds["goal"].every.probe_count == 4
    other = figures.scores(PolicyGrades((answer(1, 0),), 1))
    both = figures.means([one, other])
    assert both.kinds["goal"].used.share == 0.375
    assert both.kinds["goal"].used.probe_count == 4


def test_failures_are_listed_used_ones_first_then_those_that_lack_most() -> None:
    def answer(used: bool, share: float) -> GradedProbe:
        return GradedProbe(1, Probe("goal", "?", "!", (ProbePart(1.0, (Exact("x"),)),), used), share, Loss(-1))

    some = (answer(False, 0), answer(True, 0.5), answer(True, 0), answer(True, 1))
    failures = figures.failures(PolicyGrades(some, 1))
    assert [(failure["used"], failure["grade"]) for failure in failures] == [(True, 0), (True, 0.5), (False, 0)]
    assert {failure["lost"] for failure in failures} == {None}


def test_a_summary_is_asked_by_itself_of_what_it_replaces() -> None:
    removed = raws(u("mend the parser"), a(call("edit", path="src/parse.ts", newText="limit = 25")), r("ok"))
    kept = raws(u("see parse.ts"), a("fine"))
    found = figures.scores(RemovedPart(removed, kept).grades("## Goal\nmend the parser\n\nchanged src/parse.ts"))
    assert found.kinds["goal"].used.share == 1
    assert found.kinds["files.modified"].used.share == 1
    assert found.kinds["file.state"].every.share == 0.5
    assert found.kinds["file.state"].used.share is None


def said(packet_count: int, packet_tokens: float | None, untrue_count: int) -> PolicyGrades:
    """Of a policy whose packets have this many lines that do not hold, of three that are judged and of four."""
    lines = LineCounts(4, 3, untrue_count, 1)
    untrue = (UntrueLine(9, 2, "now", "- [ ] x"),) * untrue_count
    made = Precision(packet_count, packet_tokens, 50.0, {"now": lines}, untrue)
    return PolicyGrades((), 2, precision=made)


def test_lines_of_packets_are_added_up_over_recordings_and_their_weights_are_means() -> None:
    some = [figures.scores(grades) for grades in (said(1, 100, 1), said(3, 200, 2), PolicyGrades((), 2))]
    packets = figures.values(figures.means(some))["packets"]
    counts = {"lines": 8, "judged": 6, "untrue": 3, "unjudged": 2}
    assert packets == {"packets": 4, "tokens": 150, "tokensACall": 50, **counts, "sections": {"now": counts}}
    assert figures.values(some[-1])["packets"] is None


def test_the_table_has_them_by_section() -> None:
    policies = {
        name: figures.values(figures.scores(grades))
        for name, grades in (("balanced", said(1, 100, 1)), ("off", PolicyGrades((), 2)))
    }
    cells = [list(column.cells) for column in probes_table("memory probes", policies).columns]
    rows = {row[0]: row[2:] for row in zip(*cells, strict=True)}
    assert rows["packet tokens"] == ("100", "-")
    assert (rows["packets"], rows["unjudged lines"]) == (("1", "-"), ("1/4", "-"))
    assert rows["untrue lines"] == rows["untrue: now"] == ("1/3", "-")
    assert not any("untrue" in row for row in probes_table("x", {"off": policies["off"]}).columns[0].cells)
