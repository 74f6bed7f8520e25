"""The Gemini API: `/v1beta/models/MODEL:generateContent`, `:streamGenerateContent`, `:countTokens`.

Models of the third generation give their calls ids and sign the first of them; older ones give no ids. A signature
holds the place of its answer, by which the results of calls without ids are known.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from tests.provider.apis.api import Caches, event, pieces
from tests.provider.apis.openai import members
from tests.provider.caching import Usage
from tests.provider.playing import Answer, Came, Request
from tests.provider.rules import gemini as rules
from tests.provider.seals import opened, sealed
from tests.provider.tools import Tool

Json = dict[str, Any]
STATUSES = {400: "INVALID_ARGUMENT", 401: "UNAUTHENTICATED", 404: "NOT_FOUND", 429: "RESOURCE_EXHAUSTED"}
STATUSES |= {500: "INTERNAL"}
SNAPSHOT = "<state_snapshot>"


class Gemini:
    def refused(self, body: Json, headers: Mapping[str, str]) -> str:
        return rules.refused(body)

    def request(self, body: Json) -> Request:
        contents = body["contents"]
        came = list(_came(contents))
        last = max((at for at, one in enumerate(contents) if one.get("role") == "model"), default=-1)
        news = list(_came(contents, last + 1))
        earlier = came[: len(came) - len(news)]
        listed = [one for tool in body.get("tools", []) for one in tool.get("functionDeclarations", [])]
        tools = [Tool(one["name"], one.get("parametersJsonSchema") or one.get("parameters", {})) for one in listed]
        if _schema(body) is not None:
            return Request(news, earlier, tools, "title")
        if SNAPSHOT in json.dumps(body.get("systemInstruction", "")):
            return Request(news, earlier, tools, "summary")
        return Request(news, earlier, tools)

    def results(self, body: Json) -> Iterator[Came]:
        return (came for came in _came(body["contents"]) if came.id)

    def conversation(self, headers: Mapping[str, str]) -> str:
        return ""

    def use(self, body: Json, raw: bytes, caches: Caches) -> Usage:
        return caches.prefix.use(str(body["model"]), members(raw, "systemInstruction", "tools", "contents"))

    def output(self, answer: Answer, body: Json) -> list[Json]:
        """The parts of the answer."""
        text = answer.text
        if answer.kind == "title":
            text = json.dumps(_filled(_schema(body) or {}))
        elif answer.kind == "summary":
            text = f"{SNAPSHOT}{text}</state_snapshot>"
        ids = rules.signs(str(body["model"]))
        parts: list[Json] = [{"text": text}] if text else []
        for at, (id, call) in enumerate(answer.calls):
            asked = {"name": call.name, "args": call.arguments} | ({"id": id} if ids else {})
            part: Json = {"functionCall": asked}
            parts.append(part if at else part | {"thoughtSignature": sealed(answer.place, rules.vouched(part))})
        return parts

    def whole(self, answer: Answer, output: list[Json], usage: Usage, body: Json) -> Json:
        return _piece(answer, output, usage, body, "STOP")

    def events(self, answer: Answer, output: list[Json], usage: Usage, body: Json) -> Iterator[bytes]:
        told = [{"text": piece} for part in output for piece in pieces(part.get("text", ""))]
        told += [part for part in output if "text" not in part]
        *before, last = [_piece(answer, [part], usage, body) for part in told]
        last["candidates"][0]["finishReason"] = "STOP"
        for one in (*before, last):
            yield event(one)

    def error(self, status: int, sentence: str) -> Json:
        return {"error": {"code": status, "message": sentence, "status": STATUSES.get(status, "UNAVAILABLE")}}

    def too_long(self, tokens: int, window_tokens: int) -> str:
        return f"The input token count ({tokens}) exceeds the maximum number of tokens allowed ({window_tokens})."


def asked_at(path: str, body: Json) -> Json:
    """The body with what stands in its path: the model, and whether a stream is wanted."""
    model, _, method = path.rpartition("/")[2].partition(":")
    return {**body, "model": model, "stream": method.startswith("stream")}


def _came(contents: list[Json], start: int = 0) -> Iterator[Came]:
    """Of the contents from `start` on. A result without an id is the next call of its name."""
    asked: list[tuple[str, str, str]] = []  # the id, the name, and the id by which we know it
    for at, one in enumerate(contents):
        if one.get("role") == "model":
            asked = list(_asked(one["parts"]))
            continue
        for part in one["parts"]:
            response = part.get("functionResponse")
            if response is None:
                found = Came("", part.get("text", ""))
            else:
                key = (response.get("id", ""), response["name"])
                call = next(one for one in asked if one[:2] == key)
                asked.remove(call)
                found = Came(call[2], json.dumps(response.get("response")))
            if at >= start:
                yield found


def _asked(parts: list[Json]) -> Iterator[tuple[str, str, str]]:
    calls = [part for part in parts if "functionCall" in part]
    place = next((opened(one.get("thoughtSignature"), rules.vouched(one)) for one in calls), None)
    for at, one in enumerate(calls):
        call = one["functionCall"]
        yield call.get("id", ""), call["name"], f"{place}n{at}" if place else call.get("id", "")


def _piece(answer: Answer, parts: list[Json], usage: Usage, body: Json, reason: str = "") -> Json:
    candidate: Json = {"content": {"role": "model", "parts": parts}, "index": 0}
    counts = {"promptTokenCount": usage.sent, "candidatesTokenCount": usage.output}
    counts |= {"totalTokenCount": usage.sent + usage.output}
    return {
        "candidates": [candidate | ({"finishReason": reason} if reason else {})],
        "usageMetadata": counts | ({"cachedContentTokenCount": usage.read} if usage.read else {}),
        "modelVersion": body["model"],
        "responseId": answer.place,
    }


def _schema(body: Json) -> Json | None:
    """Of the JSON that is wanted."""
    settings = body.get("generationConfig", {})
    if settings.get("responseMimeType") != "application/json":
        return None
    return settings.get("responseJsonSchema") or settings.get("responseSchema") or {}


def _filled(schema: Json) -> Any:
    """The least that fits a schema."""
    match str(schema.get("type", "object")).lower():
        case "string":
            return (schema.get("enum") or ["scripted"])[0]
        case "array":
            return []
        case "boolean":
            return False
        case "number" | "integer":
            return 0
    return {name: _filled(one) for name, one in schema.get("properties", {}).items()}
