"""OpenAI's chat completions: `POST /v1/chat/completions`, spoken by most programs and gateways.

Few programs say whose list they send: the list itself tells. A call without tools in whose list no tool gave
anything passes untouched: it is a title, a summary of its prompt, or a talk, of which the model could fetch nothing
again.
"""

from ctxmgr.proxy.apis.call import Headers, ListCall, is_empty, speaker_of, text_of
from ctxmgr.proxy.apis.parts import has_result
from ctxmgr.proxy.body import ListBody

FORMAT = "openai"
PATHS = ("/v1/chat/completions", "/chat/completions")
LIST = "messages"
BESIDE = ("tools", "functions")


def call_of(path: str, headers: Headers, found: ListBody) -> ListCall:
    members = found.members
    return ListCall(
        FORMAT,
        text_of(members.get("model")),
        "aside" if _is_aside(found) else "turn",
        speaker_of(headers),
        found,
        "",
        sum(len(members.get(name, b"")) for name in BESIDE),
    )


def _is_aside(found: ListBody) -> bool:
    without_tools = all(is_empty(found.members.get(name)) for name in BESIDE)
    return without_tools and not has_result(FORMAT, found.messages)
