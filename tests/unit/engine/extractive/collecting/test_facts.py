"""What messages state, for a summary: decisions by agreement, the goal, what each call did."""

from ctxmgr.engine.extractive.collecting.facts import SessionFacts, collect, moved_or_deleted
from tests.notation import Said, a, branch, call, err, r, summary, u
from tests.unit.engine.extractive.test_summary import conversation

ASKED = "Should we keep the old parser around?"


def heard(*said: Said, opened: bool = False) -> SessionFacts:
    return collect(conversation(*said), opened=opened)


def of(found: SessionFacts, slot: str) -> list[str]:
    return [fact.text for fact in found.facts if fact.slot == slot]


def test_an_answer_to_what_was_said_just_before_is_a_decision() -> None:
    agreed = f'"{ASKED}" The user: "yes"'
    assert of(heard(u("look at it"), a(ASKED), u("yes")), "decision") == [agreed]
    assert of(heard(u("look at it"), a(ASKED), u("read that file please"), u("yes")), "decision") == []
    assert of(heard(u("look at it"), a(ASKED, call("read", path="x")), r("text"), u("yes")), "decision") == [agreed]
    assert of(heard(u("yes")), "decision") == []
    assert of(heard(u("look at it"), a(ASKED), a("yes")), "decision") == []


def test_the_first_request_is_the_goal_unless_one_is_known() -> None:
    said = (u("ship the parser"), a("ok"), u("write the docs"))
    assert of(heard(*said), "goal") == ["ship the parser"]
    assert of(heard(*said, opened=True), "goal") == []


def test_a_summary_in_the_list_is_said_there() -> None:
    told = heard(summary("## Goal\nShip it\n## Constraints\n- never push"), u("write the docs"))
    assert of(told, "goal") == ["Ship it"]
    assert of(told, "constraint") == ["never push"]
    assert told.branch_statements == []


def test_a_summary_without_a_goal_leaves_it_to_the_next_request() -> None:
    assert of(heard(summary("## Constraints\n- never push"), u("write the docs")), "goal") == ["write the docs"]


def test_what_a_left_branch_found_states_nothing_of_this_one() -> None:
    told = heard(branch("## Key Decisions\n- sqlite was too slow\n\nFound: the port is 80"), u("go back to it"))
    assert of(told, "decision") == []
    assert "sqlite was too slow" in told.branch_statements


def test_of_what_calls_did_failed_ones_are_left_out() -> None:
    found = heard(
        a(call("read", path="a.py")), r("text"),
        a(call("edit", path="b.py")), r("ok"),
        a(call("write", path="c.py")), err("no space"),
        a(call("bash", command="mv d.py e.py")), r(""),
    )  # fmt: skip
    assert found.file_effects["c1"] == ("read\na.py",)
    assert found.file_effects["c2"] == ("changed\nb.py",)
    assert "c3" not in found.file_effects
    assert found.path_moves["c4"] == (("d.py", "e.py"),)


def test_what_was_taken_away() -> None:
    said = (
        a(call("bash", command="mv d.py e.py")), r(""),
        a(call("bash", command="rm f.py")), err("no such file"),
        a(call("read", path="a.py")), r("text"),
    )  # fmt: skip
    assert moved_or_deleted(conversation(*said)) == {"d.py"}
