"""Anthropic's messages: `POST /v1/messages`, and Claude Code, which speaks it.

1. Claude Code names its conversation in a header, a sub-agent in another; both stand still through resumes and
   compactions.
2. Its request for a summary has one beta name more than its other calls.
3. A window of a million is asked for by a beta name: the model's id, of which Claude Code takes the `[1m]`, says
   nothing of it.
4. A call without tools is one beside the conversation: a title, a check. Of other programs it is where no tool gave
   anything in its list.
"""

import msgspec

from ctxmgr.proxy.apis.call import Headers, Kind, ListCall, Speaker, is_empty, speaker_of, text_of
from ctxmgr.proxy.apis.parts import has_result
from ctxmgr.proxy.body import ListBody
from ctxmgr.proxy.members import UNREADABLE

FORMAT = "anthropic"
PATHS = ("/v1/messages",)
LIST = "messages"
SESSION, AGENT = "x-claude-code-session-id", "x-claude-code-agent-id"
SUMMARISES = "fallback-credit-2026-06-01"
MILLION_BETA, MILLION = "context-1m-", 1_000_000
BESIDE = ("system", "tools")
RIVALS = ("clear_tool_uses", "compact")  # edits of a list by the provider, by how their types begin


def call_of(path: str, headers: Headers, found: ListBody) -> ListCall:
    members = found.members
    return ListCall(
        FORMAT,
        text_of(members.get("model")),
        _kind(headers, found),
        _speaker(headers),
        found,
        _rival(members.get("context_management")),
        sum(len(members.get(name, b"")) for name in BESIDE),
        MILLION if MILLION_BETA in headers.get("anthropic-beta", "") else 0,
    )


def _speaker(headers: Headers) -> Speaker:
    conversation, agent = headers.get(SESSION, ""), headers.get(AGENT, "")
    return Speaker("claude", conversation, agent, bool(agent)) if conversation else speaker_of(headers)


def _kind(headers: Headers, found: ListBody) -> Kind:
    if not is_empty(found.members.get("tools")):
        return "compaction" if SUMMARISES in headers.get("anthropic-beta", "") else "turn"
    return "aside" if headers.get(SESSION) or not has_result(FORMAT, found.messages) else "turn"


def _rival(told: bytes | None) -> str:
    try:
        edits = msgspec.json.decode(told or b"{}").get("edits") or []
        types = [str(edit["type"]) for edit in edits]
    except (*UNREADABLE, AttributeError, KeyError, TypeError):
        return ""
    return next((f"context_management: {type}" for type in types if type.startswith(RIVALS)), "")
