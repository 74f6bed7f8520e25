"""What only a summary says and evidence contradicts is told in no packet; all else that it says is."""

import pytest

from ctxmgr.engine.extractive.collecting import collect
from ctxmgr.engine.judging import uncontradicted
from ctxmgr.engine.ledger import Stamp, fold, from_summary
from ctxmgr.engine.packet.packet import render
from ctxmgr.model.saved import Ledger
from tests.notation import Said, quarters, u
from tests.unit.engine.extractive.conversations import conversation
from tests.unit.engine.mending.drafts import ran

TESTED = ran("pytest -q", "FAILED tests/a.py::t - x\n1 failed, 13 passed in 0.4s", True)
COMMITTED = ran("git commit -am 'Nested'", "[main 1a2b3c4] Nested\n 1 file changed")
LATE = 10**13


def ledger(summary: str, *said: Said, at: int = LATE) -> Ledger:
    heard = fold(Ledger(), collect(conversation(*said), opened=True).facts)
    return fold(heard, from_summary(summary, kind="compaction", stamp=Stamp("s", at)))


def told(summary: str, *said: Said, at: int = LATE) -> list[str]:
    now, past = uncontradicted(ledger(summary, *said, at=at))
    return [fact.text for fact in (*past, *now) if fact.slot in ("context", "task")]


TOLD = [
    ("All tests pass. Pushed to origin/main.", []),
    ("pytest passes (14/14)", []),
    ("All tests pass. The lexer is slow.", ["The lexer is slow."]),
    ("I committed the work and pushed it to origin/main.", ["I committed the work."]),
    ("Pushed to origin/main and opened the pull request.", ["opened the pull request."]),
    ("Committed and pushed.", ["Committed."]),
    ("The build is green", ["The build is green"]),
    ("Pushed the parser into its own module.", ["Pushed the parser into its own module."]),
    ("Not pushed to origin yet.", ["Not pushed to origin yet."]),
    ("The user pushed to origin.", ["The user pushed to origin."]),
    ("```\nAll tests pass.\n```", ["```\nAll tests pass.\n```"]),
    ("## Progress\n- All tests pass.\n- Wrote `a.py`", ["Wrote `a.py`"]),
    ("## Progress\n- [x] All tests pass\n- [x] Wrote `a.py`", ["Wrote `a.py`"]),
    ("## Blocked\n- `pytest -q` fails\n- nothing is committed yet", ["`pytest -q` fails"]),
    ("## Next Steps\n1. Commit the change\n2. Mend the lexer", ["Mend the lexer"]),
]


@pytest.mark.parametrize(("summary", "left"), TOLD)
def test_what_is_left_of_a_summary(summary: str, left: list[str]) -> None:
    assert told(summary, u("Parse."), *TESTED, *COMMITTED) == left


@pytest.mark.parametrize(
    "said",
    [
        ran("git push", "main -> main"),
        ran("gh pr create --fill", "https://github.com/x/y/pull/4"),
        ran("make release", "done"),
        [u("I pushed it myself.")],
    ],
)
def test_what_may_have_been_pushed_is_told(said: list[Said]) -> None:
    assert told("Pushed to origin/main.", u("Parse."), *TESTED, *said) == ["Pushed to origin/main."]


def test_where_not_all_that_ran_is_known_a_push_is_told() -> None:
    assert told("Pushed to origin/main.", u("Parse."), *TESTED, at=1) == ["Pushed to origin/main."]
    assert told("Pushed to origin/main.", u("Parse.")) == ["Pushed to origin/main."]


def test_a_packet_says_nothing_that_is_not_so() -> None:
    held = ledger("## Notes\n- All tests pass.\n- The lexer is slow.", u("Parse."), *TESTED)
    text = render(held, budget=2_000, weigh=quarters, resume=True)
    assert "The lexer is slow." in text
    assert "All tests pass" not in text
