"""Failures that stand in nobody's way: of a look that was called wrong, and of a check that faded."""

from ctxmgr.engine.packet.commands import FADES
from tests.unit.engine.packet.commands.test_commands import blocker_lines, end_lines, ran, shell

USAGE = (
    "unknown flag: --stat\n\nUsage:  gh pr diff [<number>] [flags]\n\nFlags:\n"
    '      --color string   Use color (default "auto")\n  -w, --web            Open the diff in the browser'
)


def test_a_wrong_use_is_told_by_its_own_line_and_one_of_a_look_blocks_nothing() -> None:
    (line,) = blocker_lines([shell("docker compose up --stat", USAGE, 1)])[0]
    assert line.endswith('`: "unknown flag: --stat"')
    assert blocker_lines([shell("gh pr diff 88 --stat", USAGE, 1)]) == ([], 0)
    assert blocker_lines([shell("gh pr diff 88", "could not resolve to a pull request", 1)])[1] == 1


def test_a_check_whose_failure_faded_is_not_told_as_how_it_ended_last() -> None:
    failed = shell("npx tsc --noEmit | grep a.ts", "a.ts(3,5): error TS2322: no", 1, 1)
    for others, blocks in ((FADES - 1, 1), (FADES, 0)):
        facts = [failed, *(ran(f"shell\nmake {number}") for number in range(others))]
        assert blocker_lines(facts)[1] == blocks
        assert not any("tsc" in line for line in end_lines(facts))
