"""Compactions prepared for tests, weighed by words."""

from collections.abc import Sequence

from ctxmgr.engine.compaction import prepare
from ctxmgr.engine.compaction.weighing import by_text
from ctxmgr.model.compaction import CompactionPlan, CutBudget, NothingToCompact
from tests.notation import Said, words
from tests.unit.engine.trees import Node, path

weigh = by_text(words, lambda one: 0, lambda view: 0)
Session = Sequence[Said | Node]


def as_pi(session: Session, keep: int) -> CompactionPlan | NothingToCompact:
    return prepare.decide(path(*session), CutBudget(keep, weigher="chars4"), weigh)


def by_words(session: Session, keep: int) -> CompactionPlan | NothingToCompact:
    return prepare.decide(path(*session), CutBudget(keep), weigh)


def prepared(found: CompactionPlan | NothingToCompact) -> CompactionPlan:
    assert isinstance(found, CompactionPlan), found
    return found
