"""What `getLedger` tells: a session's statements by slot, each with its source."""

from itertools import permutations

import pytest

from tests.contract.talk import Messages, Talk

TODOS = [{"content": "port the rows", "status": "in_progress"}]
ASKED = [{"question": "Sort the rows?", "options": [{"label": "Yes"}, {"label": "No"}]}]
SUMMARY = """## Goal
Port the parser

## Constraints & Preferences
- Use tabs

## Key Decisions
- Tables hold the rows

## Next Steps
1. Port the statements

## Critical Context
- Rows come from grammar.txt
"""


def told(talk: Talk) -> list[tuple[str, str, str]]:
    """Slot, source and text of each."""
    facts = talk.call("getLedger", sessionId="s")["facts"]
    return [(fact["slot"], fact["source"], fact["text"]) for fact in facts]


def test_it_tells_all_that_holds_by_slot_and_source() -> None:
    talk, make = Talk(), Messages()
    said = [make.user("Port the parser.")]
    for tool, arguments, output in (
        ("todowrite", {"todos": TODOS}, "ok"),
        ("bash", {"command": "pytest -q"}, "3 passed"),
        ("bash", {"command": "git commit -m 'Port rows'"}, "[main abc1234] Port rows\n 1 file changed"),
        ("edit", {"path": "src/rows.py", "oldText": "a", "newText": "b"}, "ok"),
        ("AskUserQuestion", {"questions": ASKED}, 'User has answered your questions: "Sort the rows?"="No".'),
    ):
        said += [make.reply("I go on.", make.call(tool, **arguments)), make.result(output)]
    said += [make.reply("The rows are done.\n\nThe statements come next.")]
    talk.play(said)
    talk.call("session_compact", sessionId="s", compactionEntry={"id": "c", "summary": SUMMARY})
    assert set(told(talk)) >= {
        ("goal", "user", "Port the parser."),
        ("request", "user", "Port the parser."),
        ("task", "assistant", "port the rows"),
        ("command", "tool", "pytest -q"),
        ("value", "tool", "abc1234 Port rows"),
        ("file", "tool", "src/rows.py"),
        ("question", "user", "Sort the rows?"),
        ("said", "assistant", "The statements come next."),
        ("constraint", "summary", "Use tabs"),
        ("decision", "summary", "Tables hold the rows"),
        ("task", "summary", "Port the statements"),
        ("context", "summary", "- Rows come from grammar.txt"),
    }
    assert not any(text == "I go on." for _, _, text in told(talk))


@pytest.mark.parametrize("apart", [False, True], ids=["one list", "two lists"])
@pytest.mark.parametrize("dated", ["of one time", "one after the other"])
def test_what_was_said_at_one_time_is_known_alike_in_any_order(dated: str, apart: bool) -> None:
    """The first of two messages of different times is the goal; of one time, that which the facts alone decide."""
    ledgers = []
    for texts in permutations(("Port the parser.", "Write the tests.")):
        talk, make = Talk(), Messages()
        messages = [make.user(text) for text in texts]
        if dated == "of one time":
            messages = [{**message, "timestamp": messages[0]["timestamp"]} for message in messages]
        if apart:
            talk.context(messages[:1])
        talk.context(messages)
        ledgers.append(sorted(told(talk)))
    goals = [[text for slot, _, text in ledger if slot == "goal"] for ledger in ledgers]
    if dated == "of one time":
        assert ledgers[0] == ledgers[1]
        assert goals == [["Write the tests."]] * 2
    else:
        assert goals == [["Port the parser."], ["Write the tests."]]


def test_what_an_action_gave_is_nobodys_words_where_the_host_tells_it_as_the_users() -> None:
    talk, make = Talk(), Messages()
    said = [make.user("Read the modules."), make.reply("Action: read\nAction Input: a.md")]
    for output in ("Never push.", "Never pull."):
        said += [make.user(f"Observation: {output}"), make.reply("Action: read\nAction Input: b.md")]
    said += [
        make.reply("Both are read. What do you see?"),
        make.user("Observation: they are long. Never cut them."),
    ]
    talk.play([*said, make.reply("I see.")])
    assert [text for slot, source, text in told(talk) if (slot, source) == ("request", "user")] == [
        "Read the modules.",
        "Observation: they are long. Never cut them.",
    ]
