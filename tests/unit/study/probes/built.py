"""What tests of memory probes share: a conversation in a few letters, its probes at a place, and grades of lists.

asked = probes_of(u("fix x.py"), a(call("edit", path="x.py", oldText="a", newText="b")), r("ok"))
graded(asked, "files.modified", u("- changed x.py"))
"""

from collections.abc import Sequence

import msgspec

from ctxmgr.study.probes.evidence import EvidenceIndex, Probe, grade
from ctxmgr.study.probes.history import SessionHistory
from ctxmgr.study.probes.kinds import names_of, probes
from ctxmgr.study.probes.messages import read_message
from tests.notation import Said, call, raws

EDIT = call("edit", path="src/core/parse.ts", oldText="const a = 1;", newText="const limit = 25;")
TEST_RUN = call("bash", command="npm run test")
FAILING = "src/a.test.ts\n  2 failed, 5 passed"
PASSING = "Tests: 7 passed"
OPEN, DONE = (
    {"content": "write the parser", "status": "pending"},
    {"content": "read the plan", "status": "completed"},
)
TASKS = call("TodoWrite", todos=[OPEN, DONE])
COMMITTED = "[topic/limits 1a2b3c4] Raise the limit of the parser\n 1 file changed"


class Asked(msgspec.Struct, frozen=True):
    """The probes before message number `end`; what comes after it says what is used."""

    history: SessionHistory
    probes: tuple[Probe, ...]
    raws: tuple[bytes, ...]

    def of(self, kind: str) -> list[Probe]:
        return [probe for probe in self.probes if probe.kind == kind]


def probes_of(*talk: Said, end: int | None = None) -> Asked:
    some = tuple(raws(*talk))
    of = SessionHistory([read_message(raw) for raw in some])
    return Asked(of, probes(of, len(some) if end is None else end), some)


def grades(asked: Asked, kind: str, *shown: Said) -> list[float]:
    """How much each probe of a kind finds in a list of these messages alone."""
    index = EvidenceIndex(names_of(asked.history))
    ids = frozenset(index.number(raw) for raw in raws(*shown))
    return [grade(probe, lambda evidence: index.share(evidence, ids)) for probe in asked.of(kind)]


def graded(asked: Asked, kind: str, *shown: Said) -> float:
    """Of the only probe of that kind."""
    (found,) = grades(asked, kind, *shown)
    return found


def answers(asked: Asked, kind: str) -> Sequence[str]:
    return [probe.answer for probe in asked.of(kind)]


def used(asked: Asked, kind: str) -> list[bool]:
    return [probe.used for probe in asked.of(kind)]
