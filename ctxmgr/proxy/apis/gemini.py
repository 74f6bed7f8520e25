"""Gemini's contents: `POST .../models/MODEL:generateContent` and `:streamGenerateContent`, and Gemini CLI, which
uses them.

1. The model is in the path. What precedes it (`/v1beta`, a cloud's project) is the provider's.
2. No program names its conversation; it is recognised by the list.
3. Gemini CLI's request for a summary has no tools, and a prompt that names the snapshot that it asks for.
4. A call without functions that asks for JSON, or whose list has no result, passes unchanged: a check, a search, a
   chat whose model could not fetch anything again.
5. A list that continues content stored by the provider is incomplete.
"""

from collections.abc import Mapping
from typing import Any

from ctxmgr.proxy.apis.provider_api import (
    ErrorKind,
    Headers,
    Kind,
    Part,
    ProviderApi,
    Speaker,
    ToolCalls,
    count_of,
    is_empty,
    object_of,
    objects_of,
    program_of,
)
from ctxmgr.proxy.body import ListBody
from ctxmgr.proxy.body import members as members_of

PROMPT = ("systemInstruction", "system_instruction")
SETTINGS = ("generationConfig", "generation_config")
KEPT = ("cachedContent", "cached_content")
FUNCTIONS = (b'"functionDeclarations"', b'"function_declarations"')
SNAPSHOT, JSON = b"<state_snapshot>", b"application/json"


ERRORS: dict[ErrorKind, tuple[int, str]] = {  # code and status, by the words of the other APIs
    "permission_error": (403, "PERMISSION_DENIED"),
    "invalid_request_error": (400, "INVALID_ARGUMENT"),
    "not_found_error": (404, "NOT_FOUND"),
    "request_too_large": (413, "INVALID_ARGUMENT"),
    "api_error": (502, "UNAVAILABLE"),
}


class Gemini(ProviderApi):
    format = "gemini"
    paths = (":generateContent", ":streamGenerateContent")
    list_member = "contents"
    beside = (*PROMPT, "tools")
    has_marks = False
    usage_member = "usageMetadata"
    end_signs = (b'"finishReason"',)
    call_signs = (b'"functionCall"',)
    cut_sign = b'"MAX_TOKENS"'
    cap_members = ("maxOutputTokens", "max_output_tokens")

    def read_calls(self, event: dict[str, Any], calls: ToolCalls) -> None:
        for candidate in objects_of(event.get("candidates")):
            for part in objects_of(object_of(candidate.get("content")).get("parts")):
                call = object_of(part.get("functionCall"))
                calls.whole(call.get("name"), call.get("args"))

    def model(self, path: str, body: ListBody) -> str:
        return path.rpartition("/")[2].partition(":")[0]

    def speaker(self, headers: Headers) -> Speaker:
        program = program_of(headers)
        return Speaker("gemini" if program.startswith("geminicli") else program)

    def rival(self, members: Mapping[str, bytes]) -> str:
        return next((KEPT[0] for name in KEPT if not is_empty(members.get(name))), "")

    def opens(self, event: dict[str, Any]) -> bool:
        return not event.get("candidates") and not event.get("promptFeedback")

    def says(self, event: dict[str, Any]) -> bool:
        contents = (object_of(candidate.get("content")) for candidate in objects_of(event.get("candidates")))
        return any(any(part.values()) for content in contents for part in objects_of(content.get("parts")))

    def is_cut(self, event: dict[str, Any]) -> bool:
        return any(one.get("finishReason") == "MAX_TOKENS" for one in objects_of(event.get("candidates")))

    def reply_cap(self, members: Mapping[str, bytes]) -> int | None:
        settings = (members_of(bytes(members.get(name, b""))) or {} for name in SETTINGS)
        caps = (count_of(bytes(given.get(name, b""))) for given in settings for name in self.cap_members)
        return next((cap for cap in caps if cap is not None), None)

    def part(self, message: dict[str, Any]) -> Part:
        parts = message.get("parts")
        if message.get("role") == "model":
            return "reply"
        responds = any(
            isinstance(part, dict) and ("functionResponse" in part or "function_response" in part)
            for part in (parts if isinstance(parts, list) else [])
        )
        return "result" if responds else "other"

    def error(self, kind: ErrorKind, text: str) -> Any:
        code, status = ERRORS[kind]
        return {"error": {"code": code, "message": text, "status": status}}

    def kind(self, path: str, headers: Headers, body: ListBody) -> Kind:
        """Applies rules 3 and 4."""
        if any(name in body.members.get("tools", b"") for name in FUNCTIONS):
            return "turn"
        if any(SNAPSHOT in body.members.get(name, b"") for name in PROMPT):
            return "compaction"
        wants_json = any(JSON in body.members.get(name, b"") for name in SETTINGS)
        return "aside" if wants_json or not self.has_result(body.messages) else "turn"
