"""What a result tells of a call: which lines it numbers, what it says of itself."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxmgr.engine.staleness.result_range import notes

CAT_N = "     1\ta\n     2\tb\n     3\tc\n"
REMINDER = "\n<system-reminder>\nbe good\n12: no\n</system-reminder>\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (CAT_N, (1, 3)),
        ("Here's the result of running `cat -n` on x:\n" + CAT_N, (1, 3)),
        ("   198→a\n   199→\n   200→c" + REMINDER, (198, 200)),
        ("<path>x</path>\n<content>1: a\n2: b\n\n(End of file - total 2 lines)\n</content>", (1, 2)),
        ("[File: x (90 lines total)]\r\n(11 more lines above)\r\n12:a\r\n13:b\r\n(77 more lines below)", (12, 13)),
        ("     1\ta\n     2\tb\n<NOTE>cut</NOTE>\n     90\tc\n", (1, 2)),
        ("no numbers\nhere", None),
        ("12 apples\n13 pears", None),
        ("", None),
        ("1: only the first\nof these\nlooks so", (1, 1)),
    ],
)
def test_the_lines_a_result_numbers(text: str, expected: tuple[int, int] | None) -> None:
    assert notes(text).numbered == expected


@pytest.mark.parametrize(
    ("text", "broken"),
    [
        (CAT_N, False),
        (CAT_N + REMINDER, False),
        ("   198→a\n   200→c", True),
        ("1: a\n2: b\n4: c", True),
        ("no numbers", False),
    ],
)
def test_whether_numbers_have_a_gap(text: str, broken: bool) -> None:
    assert notes(text).broken is broken


def test_what_a_result_says_of_itself() -> None:
    assert notes("a\n\n[461 more lines in file. Use offset=795 to continue]").more == 795
    assert notes("a\n[Showing lines 1-200 of 900. Use offset=201 to continue.]").more == 201
    assert notes("1: a\n(File has more lines. Use 'offset' parameter to read beyond line 20)").more == 21
    assert notes("1: a\n\n(End of file - total 1 lines)").at_end
    assert notes("a\n…12 tokens truncated…\nb").is_cut
    assert notes("[Showing lines 5-9 of 900. Full output: /tmp/x]").is_cut
    assert notes("Chunk ID: 1\nProcess running with session ID 7\nOutput:\n").is_cut
    assert not notes("it was truncated by hand").is_cut
    assert notes("cat: a: No such file or directory", shell=True).how == "hidden"
    assert notes("cat: a: No such file or directory").how == "shown"
    assert notes("[Old tool result content cleared]").how == "cleared"
    assert notes("File unchanged since last read. See above.").how == "cleared"
    assert notes("ERROR:\nNo replacement was performed, x").how == "refused"
    assert notes(" \n").how == "empty"
    assert notes("[File: /w/a.py (2 lines total)]\n1:a\n2:b\n").file == "/w/a.py"
    assert notes("[File: /w/a.py (3 lines total)]\n1:a\n2:b\n3:c\n").at_end
    assert not notes("[File: /w/a.py (4 lines total)]\n1:a\n2:b\n3:c\n").at_end
    assert notes("Wall time: 1\nOutput:\na\nb\n").line_count == 3


@given(st.text(max_size=200))
def test_no_result_is_an_error(text: str) -> None:
    told = notes(text, shell=True)
    assert told.numbered is None or told.numbered[0] <= told.numbered[1]
