"""`ctxmgr savings --live`: what is said of a holdout."""

import json
from pathlib import Path

import msgspec
import pytest

from ctxmgr.cli.commands import main
from ctxmgr.holdout import HoldoutCalls
from ctxmgr.holdout.comparison import Comparison, compared, lines, sentence
from tests.unit.holdout.made import rows

DRAWS = 200


def kept(tmp_path: Path, *given: object) -> Path:
    calls = HoldoutCalls(tmp_path)
    for row in rows(40, *given):  # type: ignore[arg-type]
        calls.note(row)
    return tmp_path


def test_what_is_saved_is_said_with_its_interval() -> None:
    assert sentence(compared(rows(400, 1, effect=0.8), DRAWS)) == (
        "With ctxmgr a call costs 17% fewer dollars (3% to 29%)."
    )


def test_what_became_worse_is_said_beside_what_was_saved() -> None:
    made = (
        msgspec.structs.replace(row, rereads=1) if row.arm == "managed" else row for row in rows(400, 1, effect=0.8)
    )
    assert sentence(compared(made, DRAWS)).endswith(
        "Significantly more with ctxmgr: files read again per 100 calls."
    )


def test_a_small_difference_that_many_sessions_do_not_show_is_called_small() -> None:
    found = compared(rows(40, 1), DRAWS)
    cost = msgspec.structs.replace(found.differences[0], needed=30)
    said = sentence(msgspec.structs.replace(found, differences=(cost, *found.differences[1:])))
    assert said.endswith("is small at most after 40 sessions.")


def test_where_no_session_was_held_out_it_says_how() -> None:
    (line,) = lines(compared([]))
    assert "--holdout 10%" in line
    said = "\n".join(lines(compared(rows(20, 1, share=0.0), DRAWS)))
    assert "20 sessions with ctxmgr, 0 held out" in said
    assert "(nothing to compare)" in said


def test_what_is_left_out_is_noted() -> None:
    made = [*rows(20, 1)]
    made[0] = msgspec.structs.replace(made[0], dollars=None, error=False)
    other = msgspec.structs.replace(made[-1], arm="managed" if made[-1].arm == "heldOut" else "heldOut")
    made[1] = msgspec.structs.replace(made[1], prices_of="large-1")
    said = "\n".join(lines(compared([*made, other], DRAWS)))
    assert "1 sessions have calls of both kinds and are not counted" in said
    assert "1 calls have no usage count or no price and are missing from the dollars" in said
    assert "at the prices of large-1" in said
    assert "an interval needs 10 sessions of each kind" in said


def test_the_command_reads_what_the_proxy_kept(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    kept(tmp_path, 1)
    assert main(["savings", "--live", "--state-dir", str(tmp_path)]) == 0
    said = capsys.readouterr().out
    assert said.startswith("The effect of ctxmgr on the dollars per call is not shown yet (40 of about ")
    assert "compactions per 100 calls" in said


def test_json_has_all_figures(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    kept(tmp_path, 1)
    assert main(["savings", "--live", "--json", "--state-dir", str(tmp_path)]) == 0
    found = msgspec.convert(json.loads(capsys.readouterr().out), Comparison)
    assert found == compared(HoldoutCalls(tmp_path).read())


def test_a_file_that_can_not_be_read_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "holdout-calls").mkdir()
    assert main(["savings", "--live", "--state-dir", str(tmp_path)]) == 1
    assert "the calls of the holdout cannot be read" in capsys.readouterr().err
