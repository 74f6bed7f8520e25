"""A failure that ran again, and nobody knows how that ended."""

from tests.unit.engine.packet.test_commands import blocker_lines, end_lines, shell


def test_a_failure_that_ran_again_behind_a_pipe_says_so_and_stays() -> None:
    failed = shell("zorp verify", "2 probes failed", 1, at=1)
    again = shell("zorp verify | tail -1", "the last line", at=2)
    told = '- `zorp verify`: "2 probes failed"; ran again since, outcome unknown'
    assert blocker_lines([failed, again]) == ([told], 1)
    assert end_lines([failed, again]) == []
    assert end_lines([again]) == ["- `zorp verify | tail -1`: outcome unknown"]
