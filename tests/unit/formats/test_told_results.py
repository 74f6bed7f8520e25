"""A tool's result that a host reports as a user's text is a result: pruned with its step, and no user's message."""

import json
from itertools import pairwise, product
from typing import Any

import pytest

from ctxmgr import Session
from ctxmgr.engine.memory import users_text
from ctxmgr.formats import format_of
from ctxmgr.model import View

FORMATS = ("anthropic", "openai", "responses", "gemini")
LINES = "\n".join(f"def f_{number}(x): return x + {number}" for number in range(120))
DETAILS = "<environment_details>\n# Current Time\n12:00\n</environment_details>"

TOLD = {  # the host, as texts of one message -> the tool
    "Cline, in texts of their own": (["[read_file for 'a.py'] Result:", LINES, DETAILS], "read_file"),
    "Cline, in one text": ([f"[execute_command for 'make'] Result:\n{LINES}", DETAILS], "execute_command"),
    "Cline, a page in a text of its own": (
        ["[read_file for 'a.html'] Result:", f"<html>\n{LINES}\n</html>", DETAILS],
        "read_file",
    ),
    "Roo Code": ([f"[use_mcp_tool for 'github'] Result:\n\n{LINES}"], "use_mcp_tool"),
    "OpenHands": ([f"EXECUTION RESULT of [execute_bash]:\n{LINES}"], "execute_bash"),
    "Continue": ([f"Tool output for read_file tool call:\n\n{LINES}"], "read_file"),
    "a bridge": ([f'[Tool result for "Read" (call_id: c1)]: {LINES}'], "Read"),
    "LangChain": ([f"TOOL RESPONSE: \n---------------------\n{LINES}"], ""),
    "AutoGen": ([f"exitcode: 0 (execution succeeded)\nCode output: {LINES}"], ""),
    "mini-swe-agent": ([f"<returncode>0</returncode>\n<output>\n{LINES}\n</output>"], ""),
    "SWE-agent": ([f"OBSERVATION:\n{LINES}"], ""),
    "Cherry Studio": ([f"Here is the result of mcp tool use `fetch`:\n{LINES}"], "fetch"),
}
SAID = {  # texts in which the user says something, or only seems to report a result
    "a question that was answered": [
        "[ask_followup_question for 'Which?'] Result:",
        "<answer>\nThe first.\n</answer>",
    ],
    "a denial with a reason": [
        "[write_to_file for 'a.py'] Result:",
        "The user denied.\n<feedback>\nNo.\n</feedback>",
    ],
    "an end with a remark": ["[attempt_completion] Result:", "<user_message>\nAnd the tests?\n</user_message>"],
    "a request": ["Please read a.py."],
    "a link in brackets": ["[the docs] Result: fine\nGo on."],
    "a line in the middle": [f"Why does it say this?\n[read_file for 'a.py'] Result:\n{LINES}"],
}


def message(name: str, texts: list[str]) -> bytes:
    if name == "gemini":
        return json.dumps({"role": "user", "parts": [{"text": text} for text in texts]}).encode()
    kind = "input_text" if name == "responses" else "text"
    content = [{"type": kind, "text": text} for text in texts]
    typed = {"type": "message"} if name == "responses" else {}
    return json.dumps({**typed, "role": "user", "content": content}).encode()


def view(name: str, texts: list[str]) -> View:
    return format_of(name, "format").view(message(name, texts))


def test_it_is_read_as_a_result() -> None:
    for name, (host, (texts, tool)) in product(FORMATS, TOLD.items()):
        found = view(name, texts)
        (result,) = (block for block in found.blocks if block.kind == "result")
        assert (found.role, found.opens_turn) == ("result", False), (name, host)
        assert (result.tool, result.call_id, result.is_told, result.can_edit) == (tool, "", True, True), (
            name,
            host,
        )
        assert LINES in result.text, (name, host)


def test_what_the_user_says_stays_the_users() -> None:
    for name, (what, texts) in product(FORMATS, SAID.items()):
        found = view(name, texts)
        assert (found.role, found.opens_turn) == ("user", True), (name, what)
        assert "\n".join(block.text for block in found.blocks).split() == " ".join(texts).split(), (name, what)


def asked(number: int) -> dict[str, Any]:
    call = f"<read_file>\n<path>m{number}.py</path>\n</read_file>"
    return {"role": "assistant", "content": f"I read {number}.\n{call}"}


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("words", ["Leave the tests alone, please.", "<b>Stop</b> there, please.\nDo not push."])
def test_words_in_a_text_beside_it_stay_the_users(name: str, words: str) -> None:
    """Where each text is a block, the result may still leave."""
    found = view(name, ["[read_file for 'a.py'] Result:", LINES, DETAILS, words])
    assert (found.role, found.opens_turn) == ("user", True)
    if len(found.blocks) > 1:
        assert [block.is_told for block in found.blocks] == [False, True, False, False]
        assert users_text(found) == words
    else:
        assert not found.blocks[0].is_told


@pytest.mark.parametrize("name", FORMATS)
def test_no_words_of_the_user_are_in_a_result_that_may_leave(name: str) -> None:
    found = view(name, [f"[execute_command for 'make'] Result:\n{LINES}\n<feedback>\nUse ninja.\n</feedback>"])
    assert (found.role, [block.kind for block in found.blocks]) == ("user", ["text"])


@pytest.mark.parametrize(
    ("name", "preset", "host"),
    [
        ("anthropic", "balanced", "Cline, in texts of their own"),
        ("openai", "balanced", "mini-swe-agent"),
        ("openai", "turns", "Roo Code"),
        ("anthropic", "tools", "OpenHands"),
    ],
)
def test_old_ones_leave_first_and_all_words_stay(name: str, preset: str, host: str) -> None:
    """A person who goes on needs what was asked and done, and the newest files; an old file can be read again."""
    texts, _ = TOLD[host]
    told = json.loads(message(name, texts))
    session = Session({"preset": preset}, format=name, window=40_000)
    messages: list[dict[str, Any]] = [{"role": "user", "content": "Fix the parser, please."}]
    sent: list[Any] = []
    for number in range(60):
        messages += [asked(number), told]
        sent = session.project(messages)
    texts_sent = json.dumps(sent)
    assert len(texts_sent) < 0.7 * len(json.dumps(messages))
    assert "Fix the parser, please." in texts_sent
    assert sent[-10:] == messages[-10:]
    assert all(after["role"] == "user" for one, after in pairwise(sent) if one["role"] == "assistant")
    if preset == "balanced":
        assert "[output pruned" in texts_sent
        assert [one for one in sent if one["role"] == "assistant"] == [asked(number) for number in range(60)]
        line = texts[0].partition("def f_0")[0].partition("<output>")[0].strip()
        assert texts_sent.count(json.dumps(line)[1:-1]) == 60
