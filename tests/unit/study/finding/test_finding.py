"""What leaves a recording's lists is found again through a real archive; what can not be is told."""

import json
from typing import Any

import msgspec
import pytest

from ctxmgr.study.finding import FindingCount, failed_lines, finding, finding_table, measuring
from ctxmgr.study.recordings.recording import Recording
from tests.notation import a, call, r, u
from tests.unit.study.probes.asked import recording

FILLER = "".join(f"line {number} of what was read there, which says nothing\n" for number in range(120))


def made() -> Recording:
    """A value in a short result that leaves long before it is needed; some 45,000 tokens."""
    said = [u("Release the server."), a(call("bash", command="./pinned server")), r("the server is at v2.7.13")]
    for number in range(24):
        said += [a(call("read", path=f"src/f{number}.py")), r(f"{FILLER}{number}"), a("I read it."), u("Go on.")]
    said += [a("The pinned server goes out with v2.7.13."), u("Thanks."), a("done")]
    return recording(*said)


@pytest.fixture(scope="module")
def found() -> measuring.Finding:
    return finding(made(), 24_000, {"packetTokens": 300})


def test_a_value_that_left_is_found(found: measuring.Finding) -> None:
    values = found.counts["values"]
    assert found.failures == ()
    assert values.missed_count > 0, "it must have left, or nothing is measured"
    assert (values.archived_count, values.recovered_count, values.share) == (
        values.missed_count,
        values.missed_count,
        1.0,
    )
    assert found.failed == ()


def test_what_no_original_holds_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """With an archive that holds nothing: the measure can fail."""
    drive = measuring.drive

    def without(recorded: Any, options: Any, step: Any) -> Any:
        return drive(recorded, msgspec.structs.replace(options, retrieves=False), step)

    monkeypatch.setattr(measuring, "drive", without)
    one = finding(made(), 24_000, {"packetTokens": 300})
    values = one.counts["values"]
    assert (values.archived_count, values.recovered_count, values.share) == (0, 0, 0.0)
    assert len(one.failed) == values.missed_count > 0
    (line, *_) = map(json.loads, failed_lines("made", one.failed))
    assert (line["recording"], line["kind"], line["answer"]) == ("made", "values", "v2.7.13")
    assert "v2.7.13" not in "".join(line["hints"])


def test_counts_add_up_and_are_shown() -> None:
    both = FindingCount(5, 4, 4, 3, 1) + FindingCount(1, 0, 0, 0, 0)
    assert (both, both.share, FindingCount(1).share) == (FindingCount(6, 4, 4, 3, 1), 0.75, None)
    table = finding_table({"values": both, "errors": FindingCount(1)})
    cells = [list(column.cells) for column in table.columns]
    assert [row[0] for row in cells] == ["values", "6", "4", "4", "3", "0.750", "1"]
    assert cells[5][1] == "-"
