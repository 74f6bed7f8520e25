"""Packets are found wherever they stand, taken apart, weighed and counted; what a line quotes was said before."""

import json

import msgspec

from ctxmgr.study.observations import ProjectedMessage
from ctxmgr.study.probes.checks import lines, packets
from ctxmgr.study.probes.precision import LineCounts, precision
from tests.notation import a, call, err, r, raws, u
from tests.unit.study.probes.asked import of, sights
from tests.unit.study.probes.judged import ANSWERS, NOW, SUMMARY, TURNS, USER, judged, packet, verdict
from tests.unit.study.sighted import packed

TEXT = packet(USER, '- #1: "mend it"')
SAID = (u("mend it"), a("one"), u("on"), a("two"))


def test_a_packet_is_a_text_that_begins_with_the_mark() -> None:
    for message in (
        {"role": "user", "content": TEXT},
        {"role": "user", "content": [{"type": "text", "text": "hello"}, {"type": "text", "text": TEXT}]},
        {"role": "custom", "customType": "x", "content": TEXT},
        {"role": "compactionSummary", "summary": TEXT},
    ):
        assert list(packets(json.dumps(message).encode())) == [TEXT], message


def test_a_text_that_only_has_it_in_it_is_none() -> None:
    for text in (f"> {TEXT}", "no packet"):
        assert list(packets(json.dumps({"role": "user", "content": text}).encode())) == [], text


def test_the_words_of_others_have_no_lines() -> None:
    skipped = ("## Instructions (word for word)", "- CLAUDE.md:", "> Use tabs.", "## Scratchpad (own notes)", "| x")
    assert [line.section for line in lines(packet(*skipped, NOW, "- [ ] x"))] == ["head", "now"]


def test_what_says_where_the_rest_is_states_nothing() -> None:
    rest = ("## Where the rest is", "Up to the user's message #6: 31 messages and 22 results were removed.")
    assert judged(SAID, packet(*rest)).sections["rest"] == LineCounts(1)


def test_a_line_outside_the_grammar_holds_nothing() -> None:
    for heading in (NOW, "## Goal", "## State of the work"):
        assert judged(SAID, packet(heading, "the parser is mended")).every == LineCounts(2, 1, 1), heading


def test_packets_are_weighed_and_counted_over_all_calls() -> None:
    examined = of(*SAID)
    seen = sights(examined.course, [[0], [0]], ["", TEXT])
    both = precision(examined, seen, lambda raw: 100)
    assert (both.packet_count, both.packet_tokens, both.tokens_a_call) == (1, 100, 50)
    none = precision(examined, sights(examined.course, [[0], [0]]), len)
    assert (none.packet_count, none.packet_tokens, none.tokens_a_call) == (0, None, 0)
    assert none.sections == {}


def test_a_packet_that_somebody_pasted_is_none_of_the_policys() -> None:
    talk = (u("mend it"), a("one"), u(packet(USER, '- #1: "break it"')), a("two"))
    examined = of(*talk)
    assert precision(examined, sights(examined.course, [[0], [0, 1, 2]]), len).packet_count == 0


def test_a_packet_that_was_put_into_another_message_is_read() -> None:
    examined = of(*SAID)
    seen = sights(examined.course, [[0], []])
    (raw,) = raws(u(TEXT))
    seen[1] = msgspec.structs.replace(seen[1], projected_messages=(ProjectedMessage(raw, 2, False), packed(TEXT)))
    assert precision(examined, seen, len).packet_count == 2


def test_what_was_said_after_the_call_does_not_bear_a_line_out() -> None:
    talk = (u("mend it"), a("one"), u("on"), a("two"), r("x"))
    examined = of(*talk)
    text = packet(USER, '- #2: "on"')
    one = precision(examined, sights(examined.course, [[], []], [text, text]), len)
    assert one.every == LineCounts(4, 2, 1), "true at the second call alone"


# quotes

HOSTS = "<system-reminder>be brief</system-reminder>"
QUOTED = (
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


def test_a_quotation_was_said_by_its_speaker_word_for_word() -> None:
    for heading, line, held in CASES:
        assert verdict(QUOTED, heading, line) == held, line


def test_a_command_with_a_slash_was_said_with_what_the_user_gave_it() -> None:
    for given, held in (("the parser", "true"), ("the lexer", "untrue")):
        text = "<command-name>/review</command-name>\n<command-args>the parser</command-args>"
        assert verdict((u(text), a("ok"), u("go on"), a("ok")), USER, f'- #1: "/review {given}"') == held
        assert verdict((u("/mode"), a("ok"), u("go on"), a("ok")), USER, '- #1: "/mode"') == "true"


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


ANSWER_LINES = [
    ('- "Which port shall it be?" → "9090, but only locally"', "true"),
    ('- "Which port shall it be?" → "8080"', "untrue"),
    ('- "Which host shall it be?" → "the first"', "untrue"),
    ("- Which port shall it be: 9090", "untrue"),
    ('- rejected: "`git push --force`" → "not before the tests ran"', "true"),
    ('- rejected: "`git push --force`" → "yes"', "untrue"),
    ('- rejected: "`git pull`" → "not before the tests ran"', "untrue"),
    ('- rejected: "Which port shall it be?" → "9090, but only locally"', "untrue"),
    ('- "git push --force" → "not before the tests ran"', "untrue"),
]


def test_an_answer_stands_in_the_result_of_a_tool_that_asks_and_its_question_in_the_call() -> None:
    for line, held in ANSWER_LINES:
        assert verdict(ASKED, ANSWERS, line) == held, line


HEARD = (
    "## Goal\nraise it\n\n## Constraints & Preferences\n- never touch the\n  lock file\n1. Go on with the parser\n"
    "\nLayout:\n- src holds it\n- docs tell of it"
)


SUMMARY_LINES = [
    ("### Constraints & Preferences", "silent"),
    ("- [ ] Go on with the parser (task #3)", "true"),
    ("- Go on with the parser", "true"),
    ("- **never** touch the lock file", "true"),
    ("- always touch the lock file", "untrue"),
    ("- never touch the lock file; Go on with the parser", "true"),  # a list's items on one line
    ("- raise it: Go on with the parser", "untrue"),
    ("- Layout: src holds it; docs tell of it", "true"),
    ("- never touch the lock file; stop with the parser", "untrue"),
]


def test_what_is_from_the_summary_stands_in_one_that_the_host_had_heard() -> None:
    for line, held in SUMMARY_LINES:
        assert verdict((u("go"), a("ok")), SUMMARY, line, summary=HEARD) == held, line
        unheard = "silent" if held == "silent" else "untrue"
        assert verdict((u("go"), a("ok")), SUMMARY, line) == unheard, line


def test_a_line_is_judged_by_the_heading_that_it_stands_under() -> None:
    line = '- #1: "mend it"'
    verdicts = judged((u("mend it"), a("ok")), packet(USER, line, TURNS, line))
    assert {
        name: (line_counts.judged_count, line_counts.untrue_count)
        for name, line_counts in verdicts.sections.items()
    } == {
        "head": (0, 0),
        "user": (1, 0),
        "turns": (1, 1),
    }
