"""What `getLedger` tells: a session's statements by slot, each with its source."""

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
