"""Values are chosen on one half of recordings and told on the other, each with its interval."""

import json
from pathlib import Path

import pytest

from scripts import tuning
from scripts.tuning import RecordingFigures, alike, chosen, combinations, halves, report, summed

SESSIONS = Path(__file__).parents[1] / "sessions"


def of(closed: float, seen: int = 9) -> RecordingFigures:
    """A recording whose host alone costs ten dollars, with ten names and ten calls."""
    return RecordingFigures(closed, 10.0, seen, 10, 1, 10)


def test_every_combination_is_tried_and_what_holds_without() -> None:
    assert combinations(["a=1,2", "b=3"]) == [(), ("a=1", "b=3"), ("a=2", "b=3")]
    assert combinations([]) == [()]


@pytest.mark.parametrize("wrong", ["a", "a=", "=1"])
def test_what_is_no_key_with_values_is_refused(wrong: str) -> None:
    with pytest.raises(ValueError, match="KEY=VALUE"):
        combinations([wrong])


def test_halves_go_by_content_alone() -> None:
    contents = [b"%d" % number for number in range(9)]
    one, other = halves(contents)
    assert sorted(one + other) == list(range(9))
    assert (len(one), len(other)) == (5, 4)
    again = halves(contents[::-1])
    assert ({contents[at] for at in one}, {contents[at] for at in other}) == tuple(
        {contents[::-1][at] for at in half} for half in again
    )


def test_a_half_is_summed_with_its_interval() -> None:
    sums = summed([of(2), RecordingFigures(6, 30.0, 5, 10, 3, 10)])
    assert sums.together.figure == pytest.approx(8 / 40)
    assert sums.mean.figure == pytest.approx(0.2)
    assert (sums.recall, sums.fetches_in_100) == (0.7, 20.0)
    spread = summed([of(2), of(4), of(6)])
    assert spread.mean.low == pytest.approx(0.2)
    assert spread.mean.high == pytest.approx(0.6)


def test_the_cheapest_with_recall_enough_is_chosen_on_the_tuned_half_alone() -> None:
    found = {(): [of(6), of(4)], ("a=1",): [of(5), of(9)], ("a=2",): [of(3, seen=5), of(1)]}
    there, back = report(found, ([0], [1]), least_recall=0.8)
    assert [row["policy"] for row in there["rows"] if row["chosen"]] == [["a=1"]]
    (row,) = (row for row in there["rows"] if row["chosen"])
    assert (row["tuned"]["together"]["figure"], row["confirmed"]["together"]["figure"]) == (0.5, 0.9)
    assert [row["policy"] for row in back["rows"] if row["chosen"]] == [["a=2"]]


def test_where_none_has_recall_enough_the_most_is_chosen() -> None:
    assert chosen({(): summed([of(6, 8)]), ("a=1",): summed([of(5, 7)])}, 0.95) == ()


def test_what_is_within_a_hundredth_counts_as_alike() -> None:
    sums = {(): summed([of(5.0)]), ("a=1",): summed([of(5.09)]), ("a=2",): summed([of(5.11)])}
    assert alike(sums, ()) == {(), ("a=1",)}


def test_it_drives_recordings_and_tells_both_halves(capsys: pytest.CaptureFixture[str]) -> None:
    recordings = [str(path) for path in sorted(SESSIONS.glob("*.jsonl"))[:2]]
    assert len(recordings) == 2
    assert tuning.main([*recordings, "--vary", "indexTokens=500", "--json", "--", "--window", "64000"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert sorted((one["tunedOn"], one["confirmedOn"]) for one in told) == [([0], [1]), ([1], [0])]
    as_it_is, small = told[0]["rows"]
    assert (as_it_is["policy"], small["policy"]) == ([], ["indexTokens=500"])
    assert as_it_is["tuned"] != small["tuned"], "the key must matter, or nothing is driven by it"


def test_one_recording_has_no_other_half(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        tuning.main([str(next(SESSIONS.glob("*.jsonl")))])
    assert "two recordings" in capsys.readouterr().err
