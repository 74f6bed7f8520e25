"""The list of a server's tools stays while its tools are called, and approvals stay with what they allow."""

import json
from typing import Any

import pytest

from ctxmgr import Session
from ctxmgr.formats import FORMATS
from tests.legality import responses as legality

LISTED: dict[str, Any] = {
    "type": "mcp_list_tools",
    "id": "mcpl_1",
    "server_label": "tracker",
    "tools": [{"name": "create_issue", "input_schema": {"type": "object"}}, {"name": "close_issue"}],
}
ADDED = {"type": "additional_tools", "role": "developer", "tools": [{"type": "function", "name": "read"}]}
ROLELESS = {"type": "additional_tools", "tools": [{"type": "function", "name": "write"}]}


def said(role: str, text: str) -> dict[str, Any]:
    kind = "output_text" if role == "assistant" else "input_text"
    return {"type": "message", "role": role, "content": [{"type": kind, "text": text}]}


def asked(count: int, every: int) -> list[Any]:
    """So many calls of a server's tool, one in `every` of them approved by the user."""
    items: list[Any] = [said("user", "Report each module to the tracker."), ADDED, ROLELESS, LISTED]
    for number in range(count):
        call = {"type": "mcp_call", "id": f"mcp_{number}", "server_label": "tracker", "name": "create_issue"}
        call |= {"arguments": "{}", "output": f"issue {number} was made\n" * 120}
        if number % every == 0:
            request = {"type": "mcp_approval_request", "id": f"mcpr_{number}", "server_label": "tracker"}
            answer = {"type": "mcp_approval_response", "approval_request_id": f"mcpr_{number}", "approve": True}
            items += [{**request, "name": "create_issue", "arguments": "{}"}, answer]
            call["approval_request_id"] = f"mcpr_{number}"
        items += [{"type": "reasoning", "id": f"rs_{number}", "summary": [], "encrypted_content": "x"}, call]
        items += [said("assistant", f"Module {number} is reported."), said("user", f"And module {number + 1}.")]
    return items


@pytest.mark.parametrize("preset", ["balanced", "turns", "tools"])
def test_what_lists_tools_stays_and_approvals_are_never_parted(preset: str) -> None:
    session, items = (
        Session({"preset": preset}, model={"id": "gpt-5.6", "contextWindow": 32_000}, format="responses"),
        [],
    )
    for item in asked(45, every=7):
        items.append(item)
        if item.get("role") == "user":
            sent = session.project(items, overhead_tokens=4_000)
            assert all(listed in sent for listed in (LISTED, ADDED, ROLELESS) if listed in items)
            assert legality.illegal(sent) == [], len(items)
    assert len(sent) < 0.7 * len(items)


def test_a_newer_list_of_the_same_server_takes_the_place_of_the_older() -> None:
    view = FORMATS["responses"].view
    for item, loads in (
        (LISTED, ("tracker.create_issue", "tracker.close_issue")),
        ({**LISTED, "server_label": "docs"}, ("docs.create_issue", "docs.close_issue")),
        ({**LISTED, "tools": [], "error": "no answer"}, ()),
        ({**LISTED, "tools": None}, ()),
    ):
        (block,) = view(json.dumps(item).encode()).blocks
        assert block.loads == loads
