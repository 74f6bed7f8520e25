from typing import Any

import pytest

from ctxmgr.engine.findings import Asked
from ctxmgr.engine.ledger.extract import asked_by, from_message
from ctxmgr.engine.ledger.statements import Stamp
from ctxmgr.model.messages import PACKET_MARK, Block, BlockKind, Call, Role, View
from ctxmgr.model.saved.facts import Fact

SAID = "Decision: keep the old parser\nnever push\n- [ ] a task\n## Constraints\n- x"


def facts(view: View, calls: dict[str, Call] | None = None, *, opening: bool = False) -> tuple[Fact, ...]:
    return from_message(view, stamp=Stamp("d", 3, 4, "e"), calls=calls or {}, opening=opening)


def view(role: Role, text: str, kind: BlockKind = "text", **fields: Any) -> View:
    return View(role, (Block(kind, text=text, **fields),))


@pytest.mark.parametrize(
    ("role", "kind", "slots"),
    [
        ("user", "text", {"constraint", "task", "request"}),
        ("assistant", "text", {"decision", "task"}),
        ("assistant", "thinking", set()),
        ("result", "text", set()),
        ("result", "result", set()),
        ("note", "text", set()),
        ("packet", "text", set()),
        ("summary", "summary", set()),
        ("other", "other", set()),
    ],
)
def test_who_may_say_what(role: Role, kind: BlockKind, slots: set[str]) -> None:
    assert {fact.slot for fact in facts(view(role, SAID, kind))} == slots


def test_a_packet_that_comes_back_says_nothing() -> None:
    assert facts(view("user", f"{PACKET_MARK}\n{SAID}"), opening=True) == ()


@pytest.mark.parametrize("lead", ["", "> ", "  "])
def test_a_packet_that_is_pasted_behind_other_words_says_nothing(lead: str) -> None:
    packet = f"{PACKET_MARK}\n## Constraints\n- Never touch the lock file.\n\n## Decisions\n- Use steel."
    pasted = "".join(lead + line for line in packet.splitlines(keepends=True))
    assert facts(view("user", f"My notes:\n{pasted}")) == facts(view("user", "My notes:\n"))
    said = facts(view("user", f"Never touch the build file.\n{pasted}"))
    assert said == facts(view("user", "Never touch the build file.\n")) != ()


@pytest.mark.parametrize("lead", ["", "> ", "  "])
def test_what_a_user_wrote_behind_a_pasted_packet_is_the_users(lead: str) -> None:
    packet = (
        f"{PACKET_MARK}\nKept by ctxmgr.\n\n## Constraints\n- Never touch the lock file.\n\n"
        "## Instructions\n\n- Skill:\n> Use steel.\n>\n> Never use tin.\n\n- Other:\n> Use iron.\n\n"
        "## Files\n- read a.py"
    )
    pasted = "".join(lead + line for line in packet.splitlines(keepends=True))
    own = "No wait, don't do that. Log it at INFO instead of DEBUG."
    said = facts(view("user", f"My notes:\n{pasted}\n\n{own}"))
    assert said == facts(view("user", f"My notes:\n{own}" if lead == "" else f"My notes:\n\n{own}"))
    assert {fact.slot for fact in said} == {"request", "constraint"}
    assert not any("steel" in fact.text or "lock" in fact.text for fact in said)


def test_a_result_is_read_by_its_call_alone() -> None:
    calls = {"c1": Block("call", tool="bash", arguments={"command": "npm test"})}
    (fact,) = facts(view("result", SAID, "result", call_id="c1"), calls)
    assert (fact.slot, fact.status, fact.time_ms, fact.seq, fact.entry, fact.origin) == (
        "command",
        "ok",
        3,
        4,
        "e",
        "d",
    )
    assert facts(view("result", SAID, "result", call_id="c2"), calls) == ()


def test_results_inside_a_user_message_are_read_too() -> None:
    both = View("user", (Block("result", text="x", call_id="c1"), Block("text", text="never push")))
    calls = {"c1": Block("call", tool="read", arguments={"path": "a.ts"})}
    assert [fact.slot for fact in facts(both, calls)] == ["constraint", "file", "command"]


def test_a_run_that_the_user_kept_from_the_model_says_nothing() -> None:
    arguments = {"command": "ls secrets"}
    assert facts(view("shell", "ls secrets\na", "shell", arguments=arguments)) != ()
    assert facts(view("shell", "", "shell", arguments=arguments)) == ()


def test_the_same_message_gives_the_same_facts() -> None:
    message = view("user", SAID)
    assert facts(message, opening=True) == facts(message, opening=True)


ASKED = Asked("A) a table\nB) a tree of files\n\nWhich one?", "asker")


def test_a_question_stands_with_its_answer_and_what_that_chooses() -> None:
    found = from_message(view("user", "B please"), stamp=Stamp("d", 3), calls={}, opening=False, asked=ASKED)
    assert [(fact.slot, fact.key, fact.text, fact.detail) for fact in found] == [
        ("question", "asker", "Which one?", '"B please" (a tree of files)')
    ]


def test_a_question_that_says_nothing_is_told_with_its_list_or_not_at_all() -> None:
    listed, alone = Asked("1. Rewrite it\n2. Drop it\n\nProceed?", "a1"), Asked("What do you think?", "a2")
    for asked, told in ((listed, ["1. Rewrite it; 2. Drop it. Proceed?"]), (alone, [])):
        found = from_message(
            view("user", "ok but skip one"), stamp=Stamp("d", 3), calls={}, opening=False, asked=asked
        )
        assert [fact.text for fact in found if fact.slot == "question"] == told


def test_a_packet_answers_nothing() -> None:
    pasted = view("user", f"{PACKET_MARK}\nB please")
    assert from_message(pasted, stamp=Stamp("d", 3), calls={}, opening=False, asked=ASKED) == ()


def test_a_user_answers_what_the_assistant_said_right_before() -> None:
    said = asked_by(view("assistant", "Which one?"), "a1", None)
    assert said == Asked("Which one?", "a1")
    assert asked_by(view("result", "x", "result"), "r1", said) == said
    replied = asked_by(view("user", "no"), "u1", said)
    assert replied == Asked("", "", Asked("Which one?", "a1", replies=("no",))), "a later word on it may follow"
    assert asked_by(view("user", "no"), "u1", None) is None
    assert asked_by(view("assistant", f"{PACKET_MARK}\nWhich one?"), "a2", said) is None
