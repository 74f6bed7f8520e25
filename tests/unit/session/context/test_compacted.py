"""A program that compacts by itself, under the same session: its list begins anew with a summary, two steps and
files that it reads again."""

import pytest

from tests.contract.talk import Fields, Talk
from tests.unit.session.context.epochs import talk_of
from tests.unit.session.context.test_accepting import takes
from tests.unit.session.context.test_respelling import marked, session, step

WINDOW = 18_000  # tokens
WORKING_SET = {"results": 5, "tokens": 4_000}  # the files that are read again are in it
SECTIONS = """## Goal
Port the parser.

## Constraints & Preferences
- Never touch the schema.

## Progress
### Done
- [x] Read src/mod_1.py

## Next Steps
1. Port src/mod_2.py

"""
DETAILS = "\n".join(f"- parse_{number} is called by convert_{number} alone" for number in range(300))
CLAUDE = "This session is being continued from a previous conversation that ran out of context.\n\n"
LEADS = {"a known lead": CLAUDE, "sections alone": ""}


def summary(lead: str) -> Fields:
    return {"role": "user", "content": f"{lead}{SECTIONS}## Critical Context\n{DETAILS}"}


def anew(format: str, lead: str) -> list[Fields]:
    prompt: list[Fields] = [{"role": "system", "content": []}] if format == "anthropic" else []
    reminder = "<system-reminder>\nResult of calling the Read tool:\n" + "line\n" * 3_000 + "</system-reminder>"
    files = {"role": "user", "content": [{"type": "text", "text": reminder}]}
    return [
        summary(lead),
        *prompt,
        *step(format, 90),
        *step(format, 91),
        files,
        {"role": "user", "content": "Go on."},
    ]


def before(format: str, preset: str = "balanced", rule: str = "Never touch the tests.") -> Talk:
    """A session with an epoch, in which the user said a rule."""
    talk = talk_of(window=WINDOW, format=format, preset=preset, workingSet=WORKING_SET)
    lists = session(format)
    first = [{"role": "user", "content": rule}]
    for messages in lists:
        answer = talk.context(marked([*first, *messages]), answer="messages")
    assert preset != "balanced" or answer["report"]["epoch"] > 0
    return talk


def stated(talk: Talk) -> list[str]:
    return [fact["text"] for fact in talk.call("getLedger", sessionId="s")["facts"]]


@pytest.mark.parametrize("lead", LEADS)
@pytest.mark.parametrize(
    ("format", "preset"),
    [("anthropic", "balanced"), ("responses", "balanced"), ("openai", "turns"), ("pi", "tools")],
)
def test_a_list_that_begins_anew_is_a_compaction(format: str, lead: str, preset: str) -> None:
    talk, messages = before(format, preset), anew(format, LEADS[lead])
    number = talk.status()["epoch"]
    answer = talk.context(marked(messages), answer="messages")
    assert answer["report"]["checks"] == []
    assert takes(format, answer["list"]) == frozenset()
    assert messages[0] in answer["list"][:2]  # a packet may stand before what only reads as a summary
    if preset == "balanced":
        assert answer["report"]["epoch"] == number + 1
        assert answer["report"]["arithmetic"].startswith("compaction: ")
    assert {"Never touch the tests.", "Never touch the schema."} <= set(stated(talk))
    grown = talk.context(marked([*messages, *step(format, 92)]), answer="messages")
    assert takes(format, grown["list"]) == frozenset()
    if preset == "balanced":
        assert (grown["report"]["epoch"], grown["report"]["firstChangedIndex"]) == (number + 1, -1)


# what is no compaction: (name, list after it)
OTHERS: list[tuple[str, list[Fields]]] = [
    ("a rewind", [{"role": "user", "content": "Never touch the tests."}, *session("openai", 3)[-1]]),
    ("a list most of which stays", [summary(""), *session("openai")[-1][1:]]),
]


@pytest.mark.parametrize(("name", "listed"), OTHERS, ids=[row[0] for row in OTHERS])
def test_no_other_list_is_one(name: str, listed: list[Fields]) -> None:
    talk = before("openai")
    answer = talk.context(listed, answer="messages")
    assert not answer["report"].get("arithmetic", "").startswith("compaction")
