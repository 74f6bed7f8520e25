"""OpenAI's chat completions: `POST /v1/chat/completions`, spoken by most programs and gateways.

No program says whose list it sends: the list itself tells. A short call without tools is one beside the
conversation, as a title is.
"""

from ctxmgr.proxy.apis.call import Headers, ListCall, Speaker, is_empty, program_of, text_of
from ctxmgr.proxy.body import ListBody

FORMAT = "openai"
PATHS = ("/v1/chat/completions", "/chat/completions")
LIST = "messages"
BESIDE = ("tools", "functions")
SHORT = 3  # messages, the prompt among them


def call_of(path: str, headers: Headers, found: ListBody) -> ListCall:
    members = found.members
    aside = all(is_empty(members.get(name)) for name in BESIDE) and len(found.messages) <= SHORT
    return ListCall(
        FORMAT,
        text_of(members.get("model")),
        "aside" if aside else "turn",
        Speaker(program_of(headers)),
        found,
        "",
        sum(len(members.get(name, b"")) for name in BESIDE),
    )
