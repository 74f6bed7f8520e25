"""What was found before a commit that speaks of it is told last; and no more is told than a page holds."""

import pytest

from ctxmgr.engine.judging import settled
from ctxmgr.engine.packet.findings import MOST_STATED
from ctxmgr.model.saved.facts import EARLIER, Fact
from tests.unit.engine.packet.test_findings import told

STALE = Fact("finding", "s", "Stale sessions are still processed by `PostCommit`", "assistant", 3)
EDITED = Fact("file", "changed\nsrc/hooks.py", "src/hooks.py", "tool", 4, status="edited")


def commit(subject: str, at: int = 5, status: str = "") -> Fact:
    return Fact("value", f"committed\n{at}a2b3c4", f"{at}a2b3c4 {subject}", "tool", at, status=status)


@pytest.mark.parametrize(
    ("text", "subject", "is_settled"),
    [
        (STALE.text, "Skip stale sessions", True),
        (STALE.text, "Mend `PostCommit`", True),
        (STALE.text, "Speak of sessions", False),
        ("The header in hooks.py is read twice", "Release 2", True),
        ("The header in body.py is read twice", "Release 2", False),
    ],
)
def test_a_commit_settles_what_its_subject_or_its_files_speak_of(text: str, subject: str, is_settled: bool) -> None:
    said = Fact("finding", "k", text, "assistant", 3)
    assert (said in settled([said, EDITED, commit(subject)])) is is_settled
    assert said not in settled([said, commit(subject, 2)]), "it was found after that"
    assert said not in settled([said, EDITED]), "nothing was committed"
    assert said not in settled([said, EDITED, commit(subject, status="reset away")])


def test_what_was_settled_or_may_be_over_or_names_nothing_goes_first() -> None:
    named = [
        Fact("finding", f"k{at}", f"`f{at}` is not in it", "assistant", at + 10) for at in range(2 * MOST_STATED)
    ]
    newest = 2 * MOST_STATED + 6
    for first in (
        Fact("finding", "s", "`peek()` misses stale sessions", "assistant", newest - 4),
        Fact("finding", "e", "`peek()` misses them", "assistant", newest - 14, status=EARLIER),
        Fact("finding", "n", "That is not so", "assistant", newest),
    ):
        text = told(*named, first, commit("Skip stale sessions", newest + 9))
        assert first.text not in text
        assert text.count("\n- ") == MOST_STATED
    assert STALE.text in told(STALE, commit("Skip stale sessions", 50)), "where there is room it is told"
