"""A summary that a program put into a list is heard as one: by its words, or by a member of the message."""

import json
from typing import Any

import msgspec
import pytest

from ctxmgr.formats import FORMATS
from ctxmgr.formats.content import SUMMARY_OPENINGS
from ctxmgr.model import Block, View

REMINDER = "<system-reminder>\nToday is Monday.\n</system-reminder>"


def view(format: str, content: Any) -> View:
    message = {"role": "user", "content": content}
    found: View = FORMATS[format].view(json.dumps(message).encode())
    return found


def test_by_the_words_before_it() -> None:
    for format in ("anthropic", "openai", "responses"):
        for opening in SUMMARY_OPENINGS:
            text = f"\n{opening} and so on."
            expected = View(
                "user", (Block("summary", text=text, can_edit=True),), opens_turn=True, summary="compaction"
            )
            assert view(format, text) == expected, (format, opening)
            assert view(format, text).summary_text == text, (format, opening)
            kind = "input_text" if format == "responses" else "text"
            assert view(format, [{"type": kind, "text": text}]).summary_text == text, (format, opening)


def test_of_a_part_beside_others() -> None:
    """As Gemini CLI has it, behind what it says of the machine."""
    for opening in SUMMARY_OPENINGS:
        message = {"role": "user", "parts": [{"text": "Today is Monday."}, {"text": f"{opening} and so on."}]}
        found: View = FORMATS["gemini"].view(json.dumps(message).encode())
        assert [block.kind for block in found.blocks] == ["text", "summary"], opening
        assert (found.summary, found.summary_text) == ("compaction", f"{opening} and so on."), opening


def test_behind_reminders_it_is_one_block_of_them() -> None:
    """As Claude Code has it where it compacts by itself."""
    text = f"{SUMMARY_OPENINGS[0]} that ran out of context."
    found = view("anthropic", [{"type": "text", "text": REMINDER}, {"type": "text", "text": text}])
    assert [block.kind for block in found.blocks] == ["text", "summary"]
    assert (found.summary, found.summary_text, found.opens_turn) == ("compaction", text, True)


def test_who_speaks_of_one_has_none() -> None:
    for format in ("anthropic", "openai", "responses"):
        found = view(format, f"What does '{SUMMARY_OPENINGS[0]}' mean?")
        assert (found.summary, found.summary_text, found.blocks[0].kind) == ("", "", "text"), format


Json = dict[str, Any]
TEXT = "1. The parser is ported.\n2. The printer is not."
MARK = {"isSummary": True, "condenseId": "x", "ts": 5}
# name, format, message, role, what the summary says; "" where it is none
ROWS: list[tuple[str, str, Json, str, str]] = [
    ("Roo, as its file has it", "anthropic", {"role": "user", "content": TEXT, **MARK}, "user", TEXT),
    (
        "Roo, in blocks",
        "anthropic",
        {"role": "user", "content": [{"type": "text", "text": TEXT}], **MARK},
        "user",
        TEXT,
    ),
    (
        "Roo, of older releases",
        "anthropic",
        {"role": "assistant", "content": [{"type": "text", "text": TEXT}], **MARK},
        "assistant",
        TEXT,
    ),
    ("Kilo, in a chat", "openai", {"role": "user", "content": TEXT, **MARK}, "user", TEXT),
    (
        "Kilo, in a chat, of older releases",
        "openai",
        {"role": "assistant", "content": TEXT, **MARK},
        "assistant",
        TEXT,
    ),
    (
        "Roo, as it is sent",
        "openai",
        {"role": "user", "content": f"## Conversation Summary\n{TEXT}"},
        "user",
        f"## Conversation Summary\n{TEXT}",
    ),
    (
        "Copilot",
        "openai",
        {"role": "user", "content": f"<conversation-summary>\n{TEXT}\n</conversation-summary>"},
        "user",
        f"<conversation-summary>\n{TEXT}\n</conversation-summary>",
    ),
    ("not marked", "anthropic", {"role": "user", "content": TEXT, "isSummary": False}, "user", ""),
    ("condensed away", "anthropic", {"role": "user", "content": TEXT, "condenseParent": "x"}, "user", ""),
    ("talked of", "openai", {"role": "user", "content": f"Write a ## Conversation Summary\n{TEXT}"}, "user", ""),
]


@pytest.mark.parametrize(
    ("form", "message", "role", "text"), [row[1:] for row in ROWS], ids=[row[0] for row in ROWS]
)
def test_a_hosts_summary_is_known(form: str, message: Json, role: str, text: str) -> None:
    view = FORMATS[form].view(msgspec.json.encode(message))
    assert view.role == role
    assert view.summary == ("compaction" if text else "")
    assert view.summary_text == text
