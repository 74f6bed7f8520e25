"""What is carried as open, once work followed."""

import pytest

from ctxmgr.engine.extractive.collecting import work
from ctxmgr.engine.extractive.collecting.carry import PreviousFacts
from ctxmgr.engine.extractive.collecting.open_items import settle
from ctxmgr.model.saved.facts import Fact
from tests.notation import Said, a, u
from tests.unit.engine.extractive.test_summary import conversation


def task(text: str, status: str = "open") -> Fact:
    return Fact("task", text, text, "summary", -1, status=status)


def settled(carried: PreviousFacts, *said: Said, heard: tuple[Fact, ...] = ()) -> PreviousFacts:
    settle(carried, heard, work.of(conversation(*said), {}, {}))
    return carried


WORKED = (u("go on with it please"), a("Moved all files to `core/` as planned."))


def test_without_work_it_stays() -> None:
    found = settled(PreviousFacts([task("write the docs")]), u("go on with it please"))
    assert [fact.text for fact in found.facts] == ["write the docs"]


def test_after_work_it_was_planned_or_is_likely_done() -> None:
    found = settled(PreviousFacts([task("make `core/`"), task("write the docs"), task("x", "done")]), *WORKED)
    assert (found.likely, found.planned) == (["make `core/`"], ["write the docs"])
    assert [fact.text for fact in found.facts] == ["x"]


def test_what_is_told_anew_is_not_carried() -> None:
    found = settled(PreviousFacts([task("write the docs")]), *WORKED, heard=(task("write the docs"),))
    assert (found.facts, found.planned) == ([], [])


@pytest.mark.parametrize("heard", [(), (task("publish it"),)])
def test_a_newer_plan_ends_an_older_one(heard: tuple[Fact, ...]) -> None:
    found = settled(PreviousFacts(planned=["measure it again"]), *WORKED, heard=heard)
    assert found.planned == ([] if heard else ["measure it again"])


def test_of_many_the_newest_twelve_are_told() -> None:
    found = settled(PreviousFacts([task(f"write part n{number}") for number in range(20)]), *WORKED)
    assert found.planned == [f"write part n{number}" for number in range(8, 20)]
