"""A failure that ran again, and nobody knows how that ended."""

from tests.unit.engine.packet.commands.test_commands import blocker_lines, end_lines, shell


def test_a_failure_that_ran_again_behind_a_pipe_is_told_beside_it() -> None:
    failed = shell("zorp verify", "2 probes failed", 1, at=1)
    again = shell("zorp verify | tail -1", "the last line", at=2)
    told = '- `zorp verify | tail -1`: outcome unknown; before: failed; "2 probes failed"'
    assert blocker_lines([failed, again]) == ([], 0)
    assert end_lines([failed, again]) == [told]
    assert end_lines([again]) == ["- `zorp verify | tail -1`: outcome unknown"]
    script, behind = shell("zorp run", "error: no", 1, at=1), shell("zorp run | tail -1", "the last line", at=2)
    assert end_lines([script, behind]) == ['- `zorp run | tail -1`: outcome unknown; before: failed; "error: no"']
    assert end_lines([behind]) == []
