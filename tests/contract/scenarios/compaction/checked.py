"""What a model wrote of a session is checked against what the session showed."""

from typing import Any

from tests.contract.behaviours import behaviour
from tests.contract.scenarios.compaction.trees import LONG, MODEL, OURS, SMALL, structured, turn_part
from tests.contract.talk import Messages, Talk
from tests.contract.tree import Tree

RUN = "pytest tests/test_login.py -q"
FAILED = "FAILED tests/test_login.py::test_expires - AssertionError: 3 != 4\n1 failed, 8 passed in 1.2s\n"


def _worked() -> tuple[list[dict[str, Any]], Tree]:
    """A rule, a list of tasks of which one is done, an edit, a run that failed, and a turn that stays."""
    make, tree = Messages(), Tree()
    todos = [
        {"content": "Mend the clock", "status": "completed"},
        {"content": "Tell the docs", "status": "pending"},
    ]
    messages = [
        make.user("Mend the login in src/login.py. Never touch the generated files."),
        make.reply("I plan it.", make.call("todo_write", todos=todos)),
        make.result("ok"),
        make.reply("I mend it.", make.call("edit", path="src/login.py", oldText="a", newText="b")),
        make.result("done"),
        make.reply("I try it.", make.call("bash", command=RUN)),
        make.result(FAILED, is_error=True),
        make.reply("One test fails still. " + LONG * 4),
        make.user("And how long does a session live?"),
        make.reply("Thirty minutes. " + LONG),
    ]
    tree.say(messages)
    return messages, tree


def _draft(params: dict[str, Any]) -> str:
    if params["purpose"] == "turn-prefix":
        return turn_part("How long a session lives.", "Thirty minutes")
    text = structured("Mend the login", f"`{RUN}` passes")
    return text.replace("1. Go on", "1. Mend the clock")


@behaviour(
    "compaction/checked",
    "What a model's summary lacks of the user's words, open tasks, failures and files is added under a heading of "
    "its own. The summary itself is not changed, and the details say what was added.",
    "own rule: a summary never says less, or other, than what is known",
)
def checked() -> Talk:
    talk = Talk(OURS, capabilities=MODEL)
    _, tree = _worked()
    id = talk.ask("compact", sessionId="s", entries=tree.entries, settings=SMALL)
    talk.model(_draft)
    compaction = talk.result(id)["compaction"]
    _held(compaction)
    return talk


@behaviour(
    "compaction/checked-before-compact",
    "The same is true for session_before_compact, if the session has seen the list and the host only sends its "
    "own preparation.",
    "own rule: a summary never says less, or other, than what is known",
)
def before() -> Talk:
    talk = Talk(OURS, capabilities=MODEL)
    messages, tree = _worked()
    talk.context(messages)
    preparation = talk.call("planCompaction", entries=tree.entries, settings=SMALL)["preparation"]
    id = talk.ask("session_before_compact", sessionId="s", preparation=preparation)
    talk.model(_draft)
    _held(talk.result(id)["compaction"])
    return talk


def _held(compaction: dict[str, Any]) -> None:
    summary, mended = compaction["summary"], compaction["details"]["ctxmgr"]["mended"]
    assert f"- [x] `{RUN}` passes\n" in summary
    assert "1. Mend the clock\n" in summary
    added = summary.partition("## Added by ctxmgr")[2]
    rule = '- #1: "Mend the login in src/login.py. Never touch the generated files."'
    for line in (rule, "- [ ] Tell the docs", f'- test: `{RUN}` failed after #1: "1 failed, 8 passed"'):
        assert line in added
    assert list(dict.fromkeys(one["kind"] for one in mended)) == ["user", "task", "failure"]
    assert summary.endswith("<modified-files>\nsrc/login.py\n</modified-files>")
