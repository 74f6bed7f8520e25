"""Summaries by a model, what they are checked against, and what was done to them."""

from ctxmgr.engine.extractive.collecting import collect
from ctxmgr.engine.ledger import fold, now_and_past
from ctxmgr.engine.mending import Evidence, Mended, SummaryDraft, mended
from ctxmgr.model.saved import Ledger
from tests.notation import Json, Said, a, call, err, quarters, r
from tests.unit.engine.extractive.conversations import conversation

ROOMY = 10_000
ERROR = "FAILED tests/test_login.py::test_login_expires - AssertionError: 3 != 4"
FAILED = f"===== FAILURES =====\n{ERROR}\n1 failed, 8 passed in 1.2s\n"
PASSED = "9 passed in 1.2s\n"


def mend(draft: str, *said: Said, budget: int = ROOMY, lists: str = "", end: int | None = None) -> Mended:
    facts = now_and_past(fold(Ledger(), collect(conversation(*said), opened=True).facts))
    return mended(SummaryDraft(draft, lists, end), Evidence(*facts), budget=budget, weigh=quarters)


def ran(command: str, output: str, failed: bool = False) -> list[Said]:
    return [a(call("bash", command=command)), (err if failed else r)(output)]


def todos(*tasks: tuple[str, str]) -> Json:
    return call("TodoWrite", todos=[{"content": text, "status": status} for text, status in tasks])


def kinds(found: Mended) -> list[str]:
    return [one.kind for one in found.mends]
