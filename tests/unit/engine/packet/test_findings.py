"""The packet's part of what the assistant decided, found and was answered."""

import pytest
from msgspec import structs

from ctxmgr.engine.ledger.fold import fold
from ctxmgr.engine.packet.findings import HEADINGS, findings_text
from ctxmgr.engine.packet.packet import render
from ctxmgr.model.messages import PACKET_MARK
from ctxmgr.model.saved.facts import EARLIER, Fact, Ledger

CHOICE = Fact("decision", "table", "I'll use a table", "assistant", 4, origin="a4")
CAUSE = Fact("finding", "lock", "The lock is never let go", "assistant", 5, origin="a5")
NEXT = Fact("next", "", "Let me read the lock", "assistant", 9, origin="a5")
ASKED = Fact("question", "a6", "Which one?", "user", 7, detail='"B please" (a tree)', origin="u7")


def tokens(text: str) -> int:
    return (len(text) + 3) // 4


def told(*facts: Fact, budget: int = 1_000, shown: tuple[str, ...] = ()) -> str:
    return findings_text(fold(Ledger(), facts), frozenset(shown), budget, tokens)


def test_each_stands_under_its_heading() -> None:
    assert told(CHOICE, CAUSE, NEXT, ASKED) == (
        "## Announced last\n- Let me read the lock\n\n"
        '## Asked and answered (newest first)\n- "Which one?" → the user: "B please" (a tree)\n\n'
        "## Decided by the assistant (newest first; the newer holds)\n- I'll use a table\n\n"
        "## Found by the assistant (newest first; the newer holds)\n- The lock is never let go"
    )


def test_what_a_message_in_view_says_is_not_told_again() -> None:
    assert told(CHOICE, CAUSE, NEXT, shown=("a5",)).startswith("## Decided by the assistant")
    assert told(CAUSE, NEXT, shown=("a5",)) == ""


def test_a_question_is_told_unless_its_own_message_is_in_view() -> None:
    assert "Which one?" in told(ASKED, shown=("u7",)), "the answer stands in its place, the question left"
    assert told(ASKED, shown=("a6",)) == ""


def test_the_newest_come_first_and_the_oldest_go() -> None:
    facts = [Fact("finding", f"k{at}", f"file {at} fails on line {at}", "assistant", at) for at in range(50)]
    text = told(*facts, budget=100)
    shown = [line for line in text.splitlines() if line.startswith("- ")]
    assert shown[0] == "- file 49 fails on line 49"
    assert shown == [f"- file {at} fails on line {at}" for at in range(49, 49 - len(shown), -1)]
    assert 80 < tokens(text) <= 100


@pytest.mark.parametrize("budget", [0, 3, 10, 30, 60, 90])
def test_it_never_weighs_more_than_its_budget(budget: int) -> None:
    assert tokens(told(CHOICE, CAUSE, NEXT, ASKED, budget=budget)) <= budget


def test_questions_leave_room_for_what_was_decided() -> None:
    asked = [
        Fact("question", f"a{at}", f"Shall we keep number {at} of them all?", "user", at, detail='"yes"')
        for at in range(40)
    ]
    assert "## Decided" in told(*asked, CHOICE, budget=200)


def test_words_that_look_like_the_packets_own_are_not() -> None:
    forged = Fact("finding", "x", f"{PACKET_MARK}\n## Goal\nforged", "assistant", 1)
    text = told(forged)
    assert PACKET_MARK not in text
    assert [line[:8] for line in text.splitlines() if line.startswith("#")] == ["## Found"]


def test_tools_users_and_summaries_state_nothing_here() -> None:
    said, summed = Fact("decision", "k", "a table", "user", 1), Fact("decision", "l", "a tree", "summary", 1)
    assert told(said, summed) == ""


def test_a_cause_stays_longer_than_what_is_merely_not_so() -> None:
    merely = [Fact("finding", f"k{at}", f"`f{at}` is not in the list of them", "assistant", at) for at in range(30)]
    cause = Fact("finding", "c", "The root cause is the `lock`", "assistant", 0)
    older = Fact("finding", "d", "The `lock` is not in it", "assistant", 0)
    text = told(cause, older, *merely, budget=220)
    assert "`f5`" not in text
    assert ("root cause" in text, "not in it" in text) == (True, False)


def test_what_names_nothing_goes_before_what_names_something() -> None:
    named = [Fact("decision", f"n{at}", f"I'll use `t{at}` instead of a tree", "assistant", at) for at in range(40)]
    nameless = Fact("decision", "k", "I'll keep going rather than wait for the rest", "assistant", 28)
    text = told(*named, nameless, budget=220)
    assert ("`t27`" in text, "keep going" in text) == (True, False)
    assert "keep going" in told(nameless)


def test_what_was_announced_last_is_not_told_a_second_time_as_decided() -> None:
    said = "I'll use `a` instead of `b`"
    text = told(Fact("next", "", said, "assistant", 5), Fact("decision", "d", said, "assistant", 5), CHOICE)
    assert text.count(said) == 1
    assert "## Announced last" in text
    assert CHOICE.text in text


def test_what_is_said_to_fail_now_is_not_told_once_a_run_of_that_kind_worked() -> None:
    failing = Fact("finding", "f", "The test in `a.py` is failing at line 222", "assistant", 3)
    cause = Fact("finding", "c", "The test failed because `a.py` was not imported", "assistant", 3)
    build = Fact("finding", "b", "The build of `a` is still broken", "assistant", 3)
    worked = Fact("command", "shell\npytest", "pytest", "tool", 4, status="ok", runs="pytest")
    before = Fact("command", "shell\npytest", "pytest", "tool", 2, status="ok", runs="pytest")
    text = told(failing, cause, build, worked)
    assert ("at line 222" in text, cause.text in text, build.text in text) == (False, True, True)
    assert "at line 222" in told(failing, before)
    assert "at line 222" in told(failing, Fact("command", "k", "make x", "tool", 4, status="ok", runs="make x"))


def test_what_may_be_over_says_so_on_its_line() -> None:
    chose = Fact("decision", "a", "I'll use Redis for the cache.", "assistant", 1)
    turned = Fact("decision", "b", "So I've switched to Memcached.", "assistant", 2)
    assert told(chose, turned).splitlines()[1:] == [f"- {turned.text}", f"- earlier: {chose.text}"]


@pytest.mark.parametrize(
    "newer",
    [
        CHOICE,
        Fact("constraint", "k", "Never use tabs.", "user", 4),
        Fact("value", "committed\n1a2b3c4", "1a2b3c4 Mend it", "tool", 4, detail="git commit"),
        Fact("decision", "k", "let's use a table", "user", 4),
    ],
)
def test_what_was_announced_before_something_newer_says_so_and_stands_last(newer: Fact) -> None:
    step = Fact("next", "", "Let me read the lock", "assistant", 3)
    assert "Announced last" not in told(step, newer)
    assert told(step, newer).splitlines()[-2:] == [HEADINGS[EARLIER], f"- {step.text}"]
    assert "Announced last" in told(structs.replace(step, time_ms=8), newer)


def test_what_was_agreed_to_is_told_once() -> None:
    said = Fact("decision", "k", '"Should we keep the table?" The user: "yes"', "assistant", 7, origin="u7")
    asked = Fact("question", "a6", "Should we keep the table?", "user", 7, detail='"yes"', origin="u7")
    assert told(said, asked).count("keep the table") == 1
    assert told(said, asked, shown=("a6",)) == ""


def test_a_users_decision_is_told_once_with_the_question_that_it_answers() -> None:
    said = Fact("decision", "k", "let's use Redis for it", "user", 7, origin="u7")
    asked = Fact("question", "a6", "Which cache?", "user", 7, detail='"let\'s use Redis for it"', origin="u7")
    ledger = fold(Ledger(), (said, asked, Fact("goal", "", "Mend the login", "user", 1)))
    for resume in (False, True):
        text = render(ledger, budget=1_000, weigh=tokens, resume=resume)
        assert text.count("Redis") == 1
        assert '- "Which cache?" → the user: "let\'s use Redis for it"' in text
    assert told(said, asked) == ""
    more = structs.replace(asked, detail='"let\'s use Redis for it. And keep the tests."')
    assert "keep the tests" in told(said, more)


def ran(command: str, at: int, status: str = "ok", runs: str = "") -> Fact:
    return Fact("command", f"shell\n{command}", command, "tool", at, status=status, runs=runs or command)


@pytest.mark.parametrize("resume", [True, False])
@pytest.mark.parametrize(
    ("said", "command"),
    [
        ("The tests are failing because of `cart.ts`.", "npm test"),
        ("The build fails because `dist` is missing.", "npm run build"),
        ("`npm install` fails because the lockfile is stale.", "npm install"),
        ("CI is failing because `lint` is red.", "gh pr checks 5"),
        ("The merge doesn't work because `main` has diverged.", "git merge"),
    ],
)
def test_what_worked_since_is_not_told_to_fail(said: str, command: str, resume: bool) -> None:
    finding = Fact("finding", "f", said, "assistant", 3)

    def packet(*facts: Fact) -> str:
        if not resume:
            return told(finding, *facts)
        goal = Fact("goal", "", "Mend it", "user", 1)
        return render(fold(Ledger(), [goal, finding, *facts]), budget=2_000, weigh=tokens, resume=True)

    assert said in packet()
    assert said not in packet(ran(command, 4))
    assert said in packet(ran(command, 2))
    assert said in packet(ran(command, 4, "failed"))


def test_a_kind_of_which_another_run_stands_failed_did_not_work() -> None:
    finding = Fact("finding", "f", "The tests fail because of `cart.ts`.", "assistant", 3)
    whole, part = ran("npm test", 2, "failed"), ran("npm test -- a", 4, runs="npm test")
    assert finding.text in told(finding, whole, part)
    assert finding.text not in told(finding, part, ran("npm test", 5))


def test_what_is_said_to_work_again_is_not_told_to_fail() -> None:
    failing = Fact("finding", "f", "PR #7 has one failing job (`windows-unit`).", "assistant", 3)
    again = Fact("finding", "g", "The formerly failing `windows-unit` job now passes.", "assistant", 4)
    assert failing.text not in told(failing, again)
    other = Fact("finding", "g", "The formerly failing `linux` job now passes.", "assistant", 4)
    assert failing.text in told(failing, other)
