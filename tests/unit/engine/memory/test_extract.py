"""What one message tells: by who speaks, and never by how it is worded."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from ctxmgr.engine.memory.extract import from_message
from ctxmgr.engine.memory.facts import Stamp
from ctxmgr.engine.memory.user_words import GOAL_CHARACTERS, SAID_CHARACTERS
from ctxmgr.model.messages import PACKET_MARK, Block, BlockKind, Call, Role, View
from ctxmgr.model.saved.facts import Fact
from tests.unit.engine.memory.packets import of_result

SAID = "Decision: keep the old parser\nnever push\n- [ ] a task\n## Constraints\n- x"


def facts(view: View, calls: dict[str, Call] | None = None, *, opening: bool = False) -> tuple[Fact, ...]:
    stamp = Stamp("d", 3, 4, "e")
    return from_message(view, stamp=stamp, calls=calls or {}, opening=opening, turn="t")


def view(role: Role, text: str, kind: BlockKind = "text", **fields: Any) -> View:
    return View(role, (Block(kind, text=text, **fields),))


def test_who_may_say_what() -> None:
    for role, kind, slots in (
        ("assistant", "text", {"said"}),
        ("result", "text", set()),
        ("note", "text", set()),
    ):
        assert {fact.kind for fact in facts(view(role, SAID, kind))} == slots, role


def test_the_first_message_is_the_goal() -> None:
    goal, request = facts(view("user", "word " * 300), opening=True)
    assert (goal.kind, goal.text) == ("goal", ("word " * 300)[:GOAL_CHARACTERS])
    assert (request.kind, request.text) == ("request", ("word " * 300).strip())
    assert [
        fact.kind for fact in facts(view("user", "<system-reminder>\nx\n</system-reminder>"), opening=True)
    ] == []


@given(st.integers(1, 3 * SAID_CHARACTERS), st.sampled_from(["word {} ", "文{}字", "{}"]))
def test_a_long_message_is_kept_by_its_head_and_its_tail(size: int, form: str) -> None:
    text = "".join(map(form.format, range(size)))[:size].strip()
    (fact,) = facts(view("user", text)) or (Fact("request", "d", "", "user"),)
    if len(text) <= SAID_CHARACTERS:
        assert fact.text == text
    else:
        head, tail = fact.text.split(" … ")
        assert text.startswith(head)
        assert text.endswith(tail)
        assert len(head) + len(tail) == SAID_CHARACTERS


def test_a_packet_that_comes_back_says_nothing() -> None:
    for role in ("user", "assistant"):
        assert facts(view(role, f"{PACKET_MARK}\n{SAID}"), opening=True) == ()  # type: ignore[arg-type]


def test_what_a_user_wrote_behind_a_pasted_packet_is_the_users() -> None:
    for lead in ("", "> ", "  "):
        packet = (
            f'{PACKET_MARK}\nKept by ctxmgr.\n\n## The user said\n- #1: "Never touch the lock file."\n\n'
            "## Instructions\n\n- Skill:\n> Use steel.\n>\n> Never use tin.\n\n- Other:\n> Use iron.\n\n"
            "## Where the rest is\nUp to the user's message #1: 3 messages.\n- a.py"
        )
        pasted = "".join(lead + line for line in packet.splitlines(keepends=True))
        own = "No wait, don't do that. Log it at INFO instead of DEBUG."
        (request,) = facts(view("user", f"My notes:\n{pasted}\n\n{own}"))
        assert request.text.split() == f"My notes: {own}".split(), lead


def test_results_inside_a_user_message_are_read_too() -> None:
    both = View("user", (Block("result", text="x", call_id="c1"), Block("text", text="never push")))
    calls = {"c1": Block("call", tool="read", arguments={"path": "a.ts"})}
    assert [fact.kind for fact in facts(both, calls)] == ["request", "file"]


def test_a_run_that_the_user_kept_from_the_model_says_nothing() -> None:
    arguments = {"command": "cat secrets > a.txt"}
    assert facts(view("shell", "cat secrets > a.txt\na", "shell", arguments=arguments)) != ()
    assert facts(view("shell", "", "shell", arguments=arguments)) == ()


def test_what_a_person_refused_did_nothing() -> None:
    said = "The user doesn't want to proceed with this tool use. The user said: error: not there"
    for tool, arguments in (("bash", {"command": "npm test"}), ("Write", {"file_path": "a.ts"})):
        assert of_result(tool, arguments, said, is_error=True) == ()
        assert of_result(tool, arguments, said) != ()
