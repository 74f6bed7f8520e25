"""OpenAI's responses: `POST /v1/responses`, and Codex, which speaks it.

1. Codex names its thread in a header, a spawned thread has its own; the number of its window counts compactions.
2. Its own summary is asked for without tools, the provider's with a trigger as the last item.
3. A list that goes on from a response or a conversation which the provider keeps is not all of it; one that the
   provider compacts by itself is another one than it was.
"""

import msgspec

from ctxmgr.proxy.apis.call import Headers, Kind, ListCall, Speaker, is_empty, speaker_of, text_of
from ctxmgr.proxy.apis.parts import has_result
from ctxmgr.proxy.body import ListBody
from ctxmgr.proxy.members import UNREADABLE

FORMAT = "responses"
COMPACT = ("/v1/responses/compact", "/responses/compact")
PATHS = ("/v1/responses", "/responses", *COMPACT)
LIST = "input"
THREAD, SUBAGENT, WINDOW = "thread-id", "x-openai-subagent", "x-codex-window-id"
TURN = "x-codex-turn-metadata"
BESIDE = ("instructions", "tools")
KEPT = ("previous_response_id", "conversation")
COMPACTS = b'"compaction"'
TRIGGER = b'"compaction_trigger"'


def call_of(path: str, headers: Headers, found: ListBody) -> ListCall:
    members = found.members
    kept = next((name for name in KEPT if not is_empty(members.get(name))), "")
    if COMPACTS in members.get("context_management", b""):
        kept = "context_management: compaction"
    return ListCall(
        FORMAT,
        text_of(members.get("model")),
        _kind(path, headers, found),
        _speaker(headers),
        found,
        kept,
        sum(len(members.get(name, b"")) for name in BESIDE),
    )


def _speaker(headers: Headers) -> Speaker:
    thread = headers.get(THREAD, "")
    if not thread and "codex" not in headers.get("originator", ""):
        return speaker_of(headers)
    return Speaker("codex", thread, "", bool(headers.get(SUBAGENT)), headers.get(WINDOW, ""))


def _kind(path: str, headers: Headers, found: ListBody) -> Kind:
    if path.endswith(COMPACT) or _asks_for_summary(headers):
        return "compaction"
    if found.messages and TRIGGER in found.messages[-1]:
        return "compaction"
    without_tools = is_empty(found.members.get("tools"))
    return "aside" if without_tools and not has_result(FORMAT, found.messages) else "turn"


def _asks_for_summary(headers: Headers) -> bool:
    try:
        told = msgspec.json.decode(headers.get(TURN, "null"))
    except UNREADABLE:
        return False
    return isinstance(told, dict) and told.get("request_kind") == "compaction"
