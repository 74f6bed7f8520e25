"""What the Gemini API refuses of a request, the first fault that it meets.

1. There is a list that is not empty, of the roles user and model, and each content has parts, each of one kind.
2. Contents of one role are one turn. The first turn is a user's, and the last.
3. A model's calls are answered in the turn after them, as many as they are: by their ids, or, where they have
   none, by their names. A turn of responses stands right after one of calls, and calls after a user's turn.
4. From Gemini 3 on the first call of each model's content since the user last spoke bears a thought signature;
   older models ask for none. A signature is one that was given for just this part, or one of the two that say there
   is none.

Sources: Google, "Gemini API reference" (Content, Part), "Function calling", "Thought signatures" (validation, and
the signatures for history of other models); sentences as users met them: google-gemini/gemini-cli issues 11814,
26486 and 26956, langchain-ai/langchain issue 27799, crewAIInc/crewAI pull request 6973 (the last turn).
"""

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any

from tests.provider.seals import opened

Json = dict[str, Any]
Turn = tuple[str, list[Json]]
KINDS = frozenset(
    ("text", "inlineData", "fileData", "functionCall", "functionResponse", "executableCode", "codeExecutionResult")
)
NO_SIGNATURE = ("skip_thought_signature_validator", "context_engineering_is_the_way_to_go")
FIRST_SIGNING = 3  # the generation of models that asks for signatures


def refused(body: Json) -> str:
    return next(_faults(body), "")


def signs(model: str) -> bool:
    """Is it of a generation that asks for signatures, and gives its calls ids?"""
    generation = model.removeprefix("gemini-").split(".")[0].split("-")[0]
    return generation.isdigit() and int(generation) >= FIRST_SIGNING


def vouched(part: Json) -> str:
    """What a signature of this part vouches for: all but the id, which programs give anew."""
    call = part.get("functionCall") or {}
    return json.dumps([call.get("name"), call.get("args"), part.get("text")], sort_keys=True)


def _faults(body: Json) -> Iterator[str]:
    contents = body.get("contents")
    if not contents:
        yield "* GenerateContentRequest.contents: contents is not specified"
        return
    yield from _parts(contents)
    turns = _turns(contents)
    yield from _pairs(turns)
    yield from _signatures(turns, signs(str(body["model"])))


def _parts(contents: list[Json]) -> Iterator[str]:
    for at, one in enumerate(contents):
        if one.get("role", "user") not in ("user", "model"):
            yield "Please use a valid role: user, model."
        if not one.get("parts"):
            yield f"* GenerateContentRequest.contents[{at}].parts: contents.parts must not be empty."
        for number, part in enumerate(one["parts"]):
            if len(KINDS & part.keys()) != 1:
                where = f"* GenerateContentRequest.contents[{at}].parts[{number}].data"
                yield f"{where}: required oneof field 'data' must have one initialized field"


def _turns(contents: list[Json]) -> list[Turn]:
    turns: list[Turn] = []
    for one in contents:
        role = one.get("role", "user")
        if turns and turns[-1][0] == role:
            turns[-1][1].extend(one["parts"])
        else:
            turns.append((role, [*one["parts"]]))
    return turns


def _pairs(turns: list[Turn]) -> Iterator[str]:
    if turns[0][0] == "model":
        yield (
            "Please ensure that function call turn comes immediately after a user turn or after a function "
            "response turn."
        )
    if turns[-1][0] == "model":
        yield "Please ensure that multiturn requests end with a user turn or a function response turn."
    asked: list[Json] = []
    for role, parts in turns:
        given = [part["functionResponse"] for part in parts if "functionResponse" in part]
        if given and not asked:
            yield "Please ensure that function response turn comes immediately after a function call turn."
        if len(given) != len(asked):
            yield (
                "Please ensure that the number of function response parts is equal to the number of function call "
                "parts of the function call turn."
            )
        if Counter(map(_name, given)) != Counter(map(_name, asked)):
            yield "Please ensure that each function response answers a function call of the turn before it."
        asked = [part["functionCall"] for part in parts if "functionCall" in part] if role == "model" else []


def _name(one: Json) -> tuple[str, str]:
    return str(one["name"]), str(one.get("id", ""))


def _signatures(turns: list[Turn], wanted: bool) -> Iterator[str]:
    for _, parts in turns:
        for part in parts:
            told = part.get("thoughtSignature", NO_SIGNATURE[0])
            if told not in NO_SIGNATURE and opened(told, vouched(part)) is None:
                yield "Corrupted thought signature."
    spoken = [
        at for at, (role, parts) in enumerate(turns) if role == "user" and any("text" in one for one in parts)
    ]
    for _, parts in turns[spoken[-1] :] if wanted and spoken else ():
        first = next((one for one in parts if "functionCall" in one), None)
        if first is not None and "thoughtSignature" not in first:
            name = first["functionCall"]["name"]
            yield f"Function call is missing a thought_signature in functionCall parts. (function call `{name}`)"
