"""What a previous summary said of the request that it was cut in, and what new messages make of that."""

from ctxmgr.engine.extractive.collecting import work
from ctxmgr.engine.extractive.collecting.carry import LATEST, PreviousFacts
from ctxmgr.engine.extractive.collecting.continuation import take_up
from ctxmgr.model.saved.facts import Fact
from tests.notation import Said, a, u
from tests.unit.engine.extractive.test_summary import conversation


def task(text: str, status: str = "active") -> Fact:
    return Fact("task", text, text, "summary", -1, status=status)


def taken(carried: PreviousFacts, *said: Said, newest: str = "") -> work.WorkHistory:
    found = work.of(conversation(*said), {}, {})
    take_up(carried, found, newest)
    return found


def texts(carried: PreviousFacts, slot: str) -> list[str]:
    return [fact.text for fact in carried.facts if fact.slot == slot]


def test_messages_that_ask_for_nothing_go_on_with_the_request() -> None:
    carried = PreviousFacts(
        [task(f"{LATEST}not answered yet")], latest="fix the footer", last_statement="Let me see"
    )
    found = taken(carried, a("Fixed it all."))
    assert [one.request for one in found.stretches] == ["fix the footer"]
    assert (carried.facts, carried.latest, carried.last_statement) == ([], "fix the footer", "")


def test_a_new_request_makes_the_one_before_it_over() -> None:
    carried = PreviousFacts([task(f"{LATEST}not answered yet")], latest="fix the footer")
    found = taken(carried, u("write the docs"), a("Wrote them."))
    assert [one.request for one in found.stretches] == ["write the docs"]
    assert texts(carried, "request") == ["fix the footer"]
    assert [fact.time_ms for fact in carried.facts] == [-1]  # older than any message
    assert texts(carried, "task") == []
    assert carried.latest == ""


def test_so_does_one_that_comes_after_all_of_them() -> None:
    carried = PreviousFacts(latest="fix the footer")
    assert [one.request for one in taken(carried, a("Fixed it."), newest="write the docs").stretches] == [
        "fix the footer"
    ]
    assert carried.latest == ""
    assert texts(carried, "request") == []


def test_what_the_request_came_to_is_told_with_it_once_a_newer_one_came() -> None:
    done = task(f"{LATEST}Fixed the footer.", "done")
    carried = PreviousFacts([done], latest="fix the footer")
    taken(carried, u("write the docs"), a("Wrote them."))
    assert texts(carried, "task") == ['"fix the footer" → Fixed the footer.']
    assert texts(carried, "request") == []
    unknown = PreviousFacts([done])
    taken(unknown, u("write the docs"))
    assert unknown.facts == [done]


def test_a_request_that_is_told_already_is_not_asked_again() -> None:
    carried = PreviousFacts([task('"fix the footer" → Fixed it.', "done")], latest="fix the footer")
    taken(carried, u("write the docs"))
    assert texts(carried, "request") == []
    found = PreviousFacts(findings={'"fix the footer" → it is red': None}, latest="fix the footer")
    taken(found, u("write the docs"))
    assert texts(found, "request") == []


def test_what_was_found_for_a_request_is_told_with_all_of_it_once_a_newer_one_came() -> None:
    asked = "is the footer red? " + "and should it be like the header of the page then, " * 4 + "please?"
    brief = f'"{asked[:80]}…" → it is red'
    carried = PreviousFacts(findings={brief: None, "`a.py` is old": None}, latest=asked)
    taken(carried, a("I look again."))
    assert list(carried.findings) == [brief, "`a.py` is old"]
    taken(carried, u("write the docs"))
    assert list(carried.findings) == [f'"{asked}" → it is red', "`a.py` is old"]


def test_a_request_that_is_over_is_told_in_1200_characters() -> None:
    for length, whole in ((1_200, True), (1_201, False)):
        asked = "fix the " + "f" * (length - 8)
        carried = PreviousFacts(latest=asked)
        taken(carried, u("write the docs"))
        assert (texts(carried, "request") == [asked]) is whole
        assert len(texts(carried, "request")[0]) == 1_200


def test_the_request_of_a_cut_turn_goes_on() -> None:
    for text in ("fix the footer", '"fix the footer" → Let me see', f"{LATEST}Let me see"):
        carried = PreviousFacts([task(text)], latest="fix the footer", split="fix the footer")
        assert [one.request for one in taken(carried, a("Fixed it.")).stretches] == ["fix the footer"]
        assert carried.facts == []


def test_a_quote_that_is_not_closed_names_no_request() -> None:
    carried = PreviousFacts([task('"fix the footer now')], split="write the docs")
    assert [one.request for one in taken(carried, a("Wrote them.")).stretches] == ["write the docs"]


def test_tasks_that_are_no_request_stay() -> None:
    carried = PreviousFacts([task("the writer"), task(f"{LATEST}x", "open"), task('"quoted"', "blocked")])
    taken(carried, u("write the docs"))
    assert texts(carried, "task") == ["the writer", f"{LATEST}x", '"quoted"']
