"""Chains of summaries without a model: nothing that the user said is lost, numbers go on, and what happened since
closes what was carried."""

import re

from ctxmgr.engine.memory import summary
from ctxmgr.model.compaction import Format
from tests.notation import Said, a, call, err, quarters, r, u
from tests.unit.engine.memory.conversations import COUNT, RULES, rules, stretches
from tests.unit.summarize.scripted import told
from tests.unit.summarize.written import FORMATS

DEFAULT = int(16_384 * 0.8)  # tokens: the share of the default reserve that a history's summary has
LINKS = 10


def write(
    said: tuple[Said, ...], previous: str | None = None, form: Format = "structured", budget: int = 3_000
) -> str:
    return summary.compaction(told(*said), previous, budget=budget, weigh=quarters, format=form)


def section(text: str, heading: str) -> list[str]:
    """The lines below a heading, up to a blank one."""
    return text.partition(f"{heading}\n")[2].partition("\n\n")[0].split("\n")


def test_ten_compactions_in_a_chain_lose_none_of_the_rules() -> None:
    for language, form, budget in [
        *((language, "structured", DEFAULT // 4) for language in RULES),
        ("English", "structured", DEFAULT),
        ("Chinese", "nine-section", DEFAULT // 4),
        ("English", "continue", DEFAULT // 4),
    ]:
        written: str | None = None
        for messages in stretches(language, LINKS):
            written = summary.compaction(messages, written, budget=budget, weigh=quarters, format=form)
            assert quarters(written) <= budget, language
        assert written is not None, language
        stated = rules(language)
        assert len(set(stated)) == COUNT, language
        assert [rule for rule in stated if f'"{rule}"' not in written] == [], language
        heading = "6. All user messages:" if form == "nine-section" else "## Constraints & Preferences"
        numbers = [int(found[1]) for line in section(written, heading) if (found := re.match(r"- #(\d+): ", line))]
        assert numbers == list(range(1, COUNT + 1)), language


STEPS = "\n".join(f"{number}. Read `m{number}.py` from the cache.\n   - then check it" for number in range(1, 20))
PLAN = f"# Move it\n{STEPS}\n```py\nx = 1\n```"
PROPOSED = f"<proposed_plan>\n{PLAN}\n</proposed_plan>"
SWITCHED = "[plan_mode_respond] Result:\n[The user has switched to ACT MODE, so you may now proceed with the task.]"
APPROVED: list[tuple[Said, ...]] = [
    (a(call("ExitPlanMode", plan=PLAN)), r("User has approved your plan.")),
    (a(PROPOSED), u("Implement the plan.")),
    (a(PROPOSED), u("<environment_context>x</environment_context>"), u("Implement the plan.")),
    (
        a(call("write_file", file_path="/p/plans/x.md", content=PLAN)),
        r("ok"),
        a(call("exit_plan_mode", plan_path="plans/x.md")),
        r("Plan approved."),
    ),
    (
        a(call("write", filePath="/p/1.md", content=PLAN.replace("Move it", "No"))),
        r("ok"),
        a(call("edit", filePath="/p/1.md", oldString="# No", newString="# Move it")),
        r("ok"),
        u("The plan at /p/1.md has been approved, you can now edit files. Execute the plan"),
    ),
    (
        a(call("create_plan", plan=PLAN)),
        r("Created."),
        u("Implement the plan as specified, it is attached for your reference."),
    ),
    (u(f"Implement the following plan:\n\n{PLAN}"),),
    (a(f"<plan_mode_respond>\n<response>{PLAN}</response>\n</plan_mode_respond>"), u(SWITCHED)),
]


def test_an_approved_plan_stays_whole_in_a_chain() -> None:
    for approved in APPROVED:
        assert write((u("Plan it."), *approved, a("On it."))).count(PLAN) == 1, approved
    for form in FORMATS:
        written = write((u("Plan it."), *APPROVED[0], a("On it.")), form=form)
        for number in range(LINKS):
            assert written.count(PLAN) == 1, (form, number)
            written = write((u(f"Go on with {number}."), a("Done.")), written, form)


def ran(command: str, output: str, failed: bool = False) -> tuple[Said, ...]:
    return a(call("bash", command=command)), (err if failed else r)(output)


FAILING = (
    u("Run them."),
    *ran("pytest -q", "1 failed, 2 passed in 1s", True),
    *ran("ruff check . | head -9", "Found 3 errors.", True),
)


def test_a_check_that_ran_since_takes_the_place_of_what_was_carried() -> None:
    for form in FORMATS:
        first = write((u("Begin."), *FAILING), form=form)
        assert '- test: `pytest -q` failed after #2: "1 failed, 2 passed"' in first, form
        second = write((u("Mend it."), *ran("pytest -q", "3 passed in 1s"), a("Mended.")), first, form)
        assert '- test: `pytest -q` passed after #3: "3 passed"' in second, form
        assert "1 failed" not in second, form
        assert '- lint: `ruff check . | head -9` failed after #2: "3 errors"' in second, form
        untold = write((u("Again."), *ran("ruff check . | head -9", "see the log")), second, form)
        again = write((), untold, form)
        for text in (untold, again):
            assert "3 errors" not in text, form
            assert "- lint: `ruff check . | head -9` ran after #4, outcome not shown" in text, form
        third = write((u("More."), *ran("pytest -q | tail -1", "see the log"), a("Ran.")), second, form)
        assert "3 passed" not in third, form
        assert "- test: `pytest -q | tail -1` ran after #4, outcome not shown" in third, form


def test_a_carried_commit_that_was_amended_or_reset_is_gone() -> None:
    for form in FORMATS:
        made = (*ran("cd /repo && git commit -m One", "[main abc1234] One\n 1 file changed"), a("Made."))
        first = write((u("Commit it."), *made), form=form)
        assert '- commit abc1234: "One"' in first, form
        assert '- commit abc1234: "One"' in write((u("Go on."), a("Gone.")), first, form), form
        amended = ran("cd /repo && git commit --amend -m Two", "[main def5678] Two\n 1 file changed")
        second = write((u("Amend it."), *amended), first, form)
        assert "abc1234" not in second, form
        assert '- commit def5678: "Two"' in second, form
        assert "commit " not in write(
            (u("Back."), *ran("cd /repo && git reset --hard HEAD~1", "HEAD is now at 0000001 Z")), first, form
        ), form
