"""What a model's summary lacks of what is known by structure is added under one heading; nothing of it changes."""

from hypothesis import given
from hypothesis import strategies as st

from ctxmgr.engine.memory import RepairedSummary, repaired
from ctxmgr.engine.memory.markdown import ADDED_HEADING
from tests.notation import Said, a, call, err, quarters, r, u, words
from tests.unit.engine.memory.conversations import TEXTS, TURNS, said
from tests.unit.engine.memory.packets import known, shown

DRAFT = "## Goal\nMove the login\n\n## Next Steps\n1. Go on"
SESSION: list[Said] = [
    u("Never touch vendor."),
    a(call("edit", path="src/a.py", oldText="1", newText="2")),
    r("ok"),
    a(call("write", path="src/b.py", content="1")),
    r("ok"),
    a(call("read", path="src/c.py")),
    r("x"),
    a(call("TodoWrite", todos=[{"content": "Write docs", "status": "pending"}])),
    r("ok"),
    a(call("bash", command="ruff check .")),
    r("All checks passed!"),
    a(call("bash", command="pytest -q")),
    err("1 failed, 3 passed in 1s"),
    a("One test fails."),
    u("Use tabs."),
]


def mend(
    text: str = DRAFT, *said: Said, budget: int = 500, view: int = 0, lists: str = "", earlier: int = 0
) -> RepairedSummary:
    session = list(said) or SESSION
    ledger, seen = known(*session), shown(session, view)
    return repaired(text, ledger, seen, budget=budget, weigh=quarters, lists=lists, earlier=earlier)


def test_messages_tasks_failed_checks_and_files_are_added_in_this_order() -> None:
    found = mend()
    assert found.text == (
        f"{DRAFT}\n\n{ADDED_HEADING}\n\n"
        '### The user said (word for word)\n- #1: "Never touch vendor."\n- #2: "Use tabs."\n\n'
        "### Open Tasks\n- [ ] Write docs\n\n"
        '### Blocked\n- test: `pytest -q` failed after #1: "1 failed, 3 passed"\n\n'
        "### Changed Files\n- `src/a.py`\n- `src/b.py`"
    )
    assert [one.kind for one in found.repairs] == ["user", "user", "task", "failure", "file", "file"]
    assert found.repairs[0].text == '#1: "Never touch vendor."'


PLAN = "# Move it\n1. Add the new cache.\n2. Write to both.\n3. Read from the zebra cache."
PLANNED = [u("go"), a(call("exit_plan_mode", plan=PLAN)), r("User has approved your plan."), a("Done.")]


def test_a_plan_that_the_user_approved_is_added_whole_unless_it_is_there_whole() -> None:
    lacking = mend(DRAFT + "\n1. Add the new cache.", *PLANNED)
    assert [repair.text for repair in lacking.repairs if repair.kind == "plan"] == PLAN.splitlines()
    assert all(f"\n- {line}" in lacking.text for line in PLAN.splitlines())
    assert not any(repair.kind == "plan" for repair in mend(f"{DRAFT}\n{PLAN}", *PLANNED).repairs)


SAYS = [
    ("never touch VENDOR", "Never touch vendor"),
    ("use tabs", "Use tabs"),
    ("`pytest -q`: 1 failed, 3 passed", "- test:"),
]


def test_what_it_holds_in_other_case_or_between_other_marks_is_not_added() -> None:
    for text, told in SAYS:
        assert told in mend().text, text
        found = mend(f"{DRAFT}\n{text}")
        assert told not in found.text.partition(ADDED_HEADING)[2], text
        assert len(found.repairs) == 5, text


def test_the_opposite_of_a_rule_states_no_rule() -> None:
    for text in ("- they never use tabs",):
        assert "Use tabs" in mend(f"{DRAFT}\n{text}").text.partition(ADDED_HEADING)[2], text


def test_what_stands_beside_it_in_the_list_is_not_added() -> None:
    for view, gone in ((1, "Use tabs"), (11, "src/b.py")):
        assert gone in mend(view=view - 1).text, gone
        assert gone not in mend(view=view).text, gone


def test_a_failed_check_that_it_tells_as_passed_is_added() -> None:
    found = mend(f"{DRAFT}\n- [x] `pytest -q` passes")
    assert '- test: `pytest -q` failed after #1: "1 failed, 3 passed"' in found.text


def test_added_again_it_stands_below_what_was_added_before() -> None:
    first = mend().text
    again = repaired(first, known(*SESSION), frozenset(), budget=500, weigh=quarters)
    assert again.text == first
    more = [*SESSION, a("Yes."), u("And never push."), a(call("write", path="src/d.py", content="1")), r("ok")]
    second = repaired(first, known(*more), frozenset(), budget=500, weigh=quarters).text
    assert second == first.replace('"Use tabs."', '"Use tabs."\n- #3: "And never push."') + "\n- `src/d.py`"


@given(TEXTS, st.lists(TURNS, max_size=5), st.integers(0, 400), st.sampled_from([quarters, words]), st.data())
def test_nothing_of_the_summary_changes_and_what_is_added_keeps_to_the_budget(  # type: ignore[no-untyped-def]
    text, turns, budget, weigh, data
) -> None:
    text = f"## Goal\n{text}".rstrip()
    end = data.draw(st.sampled_from([None, len(text), len(text.partition("\n")[0])]))
    ledger = known(*said(turns))
    found = repaired(text, ledger, frozenset(), budget=budget, weigh=weigh, end=end)
    before, rest = text[:end].rstrip(), text[end:] if end is not None else ""
    assert found.text == text or (found.text.startswith(before) and found.text.endswith(rest))
    added = found.text[len(before) : len(found.text) - len(rest)]
    assert found.text == text or weigh(added) <= budget
    assert (found.text == text) == (not found.repairs)
    assert repaired(text, ledger, frozenset(), budget=budget, weigh=weigh, end=end) == found
