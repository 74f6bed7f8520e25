"""How a list shows the summary that its host wrote of an earlier one: by its words, or by a member of the message.

Roo Code and Kilo Code keep a summary in their file of the conversation as a message with `isSummary`, and leave
those out whose `condenseParent` is its `condenseId`. What they send has no such members, but a heading.
"""

from typing import Any

import msgspec
import pytest

from ctxmgr.formats import FORMATS

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
