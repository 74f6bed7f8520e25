"""A quoted line was said by the speaker that it names, in these words, before the call."""

import pytest

from tests.notation import a, call, err, r, u
from tests.unit.study.probes.precision.judged import ANSWERS, NOW, SUMMARY, TURNS, USER, judged, packet, verdict

HOSTS = "<system-reminder>be brief</system-reminder>"
SAID = (
    u(f'Please raise the limit.\n\n```py\nlimit = 2\n```\nNever touch the "lock" file {HOSTS}'),
    a("I look at it.", call("Read", path="a.py")),
    r("limit = 2 in the file"),
    a("Done:\n- the limit is 7\n- and tested"),
    u("[Request interrupted by user]tell me \u200d\u2640\ufe0f"),
    a("fine"),
)
CASES = [
    (NOW, '- the user asked last (#1): "Please raise the limit."', "true"),
    (NOW, '- the user asked last: "Please raise the limit."', "true"),
    (USER, '- #1: "Please raise the limit. limit = 2 Never touch"', "true"),
    (USER, "- #1: \"Never touch the 'lock' file\"", "true"),
    (USER, '- #1: "Please raise … Never touch the "lock" file"', "true"),
    (USER, '- #1: "… Never touch … file"', "true"),
    (USER, '- #1: "Never touch … Please raise"', "untrue"),
    (USER, '- #1: "limit = 2 … limit = 2"', "untrue"),
    (USER, '- #1: "Please lower the limit."', "untrue"),
    (USER, '- #2: "tell me \u2640\ufe0f"', "true"),
    (USER, '- #1: "I look at it."', "untrue"),
    (USER, '- #1: "limit = 2 in the file"', "untrue"),
    (USER, '- #1: "be brief"', "untrue"),
    (USER, '- #2: "[Request interrupted by user]"', "untrue"),
    (USER, '- #1: ""', "untrue"),
    (USER, '- #1: "…"', "untrue"),
    (USER, "- #2 to #4: not shown", "silent"),
    (USER, "- #2: not shown", "silent"),
    (USER, '- the user said: "Please raise the limit."', "untrue"),
    (NOW, '- the assistant said last: "the limit is 7 - and tested"', "true"),
    (NOW, '- the assistant said before what follows: "the limit is 7 - and tested"', "true"),
    (NOW, '- the assistant said last: "Please raise the limit."', "untrue"),
    (TURNS, '- after #1: "Done: … and tested"', "true"),
    (TURNS, '- after #1: "the limit is 9"', "untrue"),
    (TURNS, '- at the start: "I look at it."', "true"),
]


@pytest.mark.parametrize(("heading", "line", "held"), CASES)
def test_a_quotation_was_said_by_its_speaker_word_for_word(heading: str, line: str, held: str) -> None:
    assert verdict(SAID, heading, line) == held


@pytest.mark.parametrize(("given", "held"), [("the parser", "true"), ("the lexer", "untrue")])
def test_a_command_with_a_slash_was_said_with_what_the_user_gave_it(given: str, held: str) -> None:
    text = "<command-name>/review</command-name>\n<command-args>the parser</command-args>"
    assert verdict((u(text), a("ok"), u("go on"), a("ok")), USER, f'- #1: "/review {given}"') == held
    assert verdict((u("/mode"), a("ok"), u("go on"), a("ok")), USER, '- #1: "/mode"') == "true"


def test_what_is_said_later_was_not_said_before_the_call() -> None:
    assert verdict((u("mend it"), a("ok")), USER, '- #2: "go on"') == "true"
    assert verdict((u("mend it"), a("ok")), TURNS, '- after #2: "fine"') == "untrue", "it is the reply"


QUESTION = {"questions": [{"question": "Which port shall it be?", "options": [{"label": "8080"}]}]}
ASKED = (
    u("go"),
    a(call("AskUserQuestion", **QUESTION)),
    r('User has answered: "Which port shall it be?"="9090, but only locally"'),
    a(call("Bash", command="echo 'Which host shall it be?'")),
    r("the first"),
    a(call("Bash", command="git push --force")),
    err("The user doesn't want to proceed. They said: not before the tests ran"),
)


@pytest.mark.parametrize(
    ("line", "held"),
    [
        ('- "Which port shall it be?" → "9090, but only locally"', "true"),
        ('- "Which port … be?" → "9090 … locally"', "true"),
        ('- "Which port shall it be?" → "8080"', "untrue"),
        ('- "Which host shall it be?" → "the first"', "untrue"),
        ("- Which port shall it be: 9090", "untrue"),
        ('- rejected: "`git push --force`" → "not before the tests ran"', "true"),
        ('- rejected: "`git push --force`" → "yes"', "untrue"),
        ('- rejected: "`git pull`" → "not before the tests ran"', "untrue"),
        ('- rejected: "Which port shall it be?" → "9090, but only locally"', "untrue"),
        ('- "git push --force" → "not before the tests ran"', "untrue"),
    ],
)
def test_an_answer_stands_in_the_result_of_a_tool_that_asks_and_its_question_in_the_call(
    line: str, held: str
) -> None:
    assert verdict(ASKED, ANSWERS, line) == held


HEARD = (
    "## Goal\nraise it\n\n## Constraints & Preferences\n- never touch the\n  lock file\n1. Go on with the parser\n"
    "\nLayout:\n- src holds it\n- docs tell of it"
)


@pytest.mark.parametrize(
    ("line", "held"),
    [
        ("### Constraints & Preferences", "silent"),
        ("- [ ] Go on with the parser (task #3)", "true"),
        ("- never touch the lock file", "true"),
        ("- Go on with the parser", "true"),
        ("- never touch … file", "true"),
        ("- **never** touch the lock file", "true"),
        ("- always touch the lock file", "untrue"),
        ("- never touch the lock file; Go on with the parser", "true"),  # a list's items on one line
        ("- raise it: Go on with the parser", "untrue"),
        ("- Layout: src holds it; docs tell of it", "true"),
        ("- never touch the lock file; stop with the parser", "untrue"),
    ],
)
def test_what_is_from_the_summary_stands_in_one_that_the_host_had_heard(line: str, held: str) -> None:
    said = (u("go"), a("ok"))
    assert verdict(said, SUMMARY, line, summary=HEARD) == held
    assert verdict(said, SUMMARY, line) == ("silent" if held == "silent" else "untrue"), "no summary was heard"


def test_a_line_is_judged_by_the_heading_that_it_stands_under() -> None:
    line = '- #1: "mend it"'
    found = judged((u("mend it"), a("ok")), packet(USER, line, TURNS, line))
    assert {name: (one.judged_count, one.untrue_count) for name, one in found.sections.items()} == {
        "head": (0, 0),
        "user": (1, 0),
        "turns": (1, 1),
    }
