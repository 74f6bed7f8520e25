"""Turns contents of the Gemini API into views, and decisions back into such contents.

Rules:

1. Function responses are in a user's content. Such a content counts as a user's, and opens a turn, only if it has
   text too; pictures and files beside the responses come from tools.
2. A call and its response are matched by id. Without ids they are matched by the function's name and by order among
   the calls of that name in the content: responses come in the order of the calls.
3. A response has no error flag: it failed if it has an `error`; otherwise its outcome is read from the text
   (`outcomes`), and a doubtful one is protected.
4. Only texts, pictures and responses are ever replaced. A part with a `thoughtSignature` is signed, whatever its
   kind: nothing in its content is changed.
5. Tools that the provider runs (code and its outcome, server tools) are not calls and results of the host: both
   share an id (`tie`).
6. The provider combines consecutive contents of one role. So the packet may be a user's content of its own, and an
   answer that a host stores as one content per part is one step.
7. A user's text in which a host put the summary of an earlier list is reported as one, and stays.
8. A whole answer, an array of a stream's answers and an error object are read as a model's content: `turn_end` may
   contain any of them.

Members are read in camelCase and in snake_case, as in the API itself. Block numbers of the view are part indexes of
the content. Other fields and parts stay unchanged.

Source: Google, "Gemini API reference", Content; "Function calling"; "Thought signatures".
"""

from collections import Counter
from typing import Any

import msgspec

from ctxmgr.formats import content, media
from ctxmgr.formats.acceptance import Progress, Said, answers, calls, opens_in_order
from ctxmgr.formats.content import spelled, text
from ctxmgr.formats.message_format import MarkedMessage, MessageFormat, present
from ctxmgr.formats.outcomes import failed_view, failure, reply_view, result_block, verdict
from ctxmgr.formats.provider_usage import usage
from ctxmgr.model import Block, Media, View

USERS = ("user", "function", "", None)  # a single content may omit its role
STOPS = {"STOP": "stop", "MAX_TOKENS": "length"}
PARTS, CALL, RESPONSE = "parts", "functionCall", "functionResponse"
RUN_BY_PROVIDER = {"toolCall": False, "executableCode": False, "toolResponse": True, "codeExecutionResult": True}
_OUTPUT, _ERROR = "output", "error"


class GeminiContents(MessageFormat):
    blocks_member = PARTS
    own_roles = frozenset(("model",))

    def view(self, raw: bytes) -> View:
        return content.read(raw, _view)

    def set_text(self, raw: bytes, texts: dict[int, str]) -> bytes:
        """Returns the user's content with the texts of these blocks replaced. Pictures in a response stay."""

        def edit(part: msgspec.Raw, text: str) -> bytes:
            return content.put(part, {"text": text}) if "text" in content.members(part) else _answered(part, text)

        return content.edited(raw, PARTS, texts, edit)

    def set_media(self, raw: bytes, markers: dict[int, dict[int, str]]) -> bytes:
        """Returns the content with texts in place of pictures and files. Markers for the pictures of a response go
        into the response, which has no text parts.
        """

        def edit(part: msgspec.Raw, texts: dict[int, str]) -> bytes:
            response = _camel(msgspec.json.decode(part)).get(RESPONSE)
            if response is None:
                return msgspec.json.encode({"text": texts[0]})
            words = "\n".join(filter(None, (_response_output(response)[1], *texts.values())))
            places = [number for number, raw_part in enumerate(response[PARTS]) if _media(_camel(raw_part))]
            gone = {places[number] for number in texts}
            return _answered(part, words, frozenset(range(len(response[PARTS]))) - gone)

        return content.edited(raw, PARTS, markers, edit)

    def set_arguments(self, raw: bytes, given: dict[int, dict[str, Any]]) -> bytes:
        """Returns the model's content with the arguments of these calls (by block index) replaced."""

        def edit(part: msgspec.Raw, arguments: dict[str, Any]) -> bytes:
            fields = content.members(part)
            name = _spelled_as(fields, CALL)
            return content.put(part, {name: msgspec.Raw(content.put(fields[name], {"args": arguments}))})

        return content.edited(raw, PARTS, given, edit)

    def packet(self, text: str, time_ms: int) -> bytes:
        """The content that carries the packet (rule 6)."""
        return msgspec.json.encode({"role": "user", PARTS: [{"text": text}]})

    def accept(self, progress: Progress, messages: Said) -> Progress:
        """Checks these contents. The API combines consecutive contents of one role; prompts are not part of the
        list.

        1. The first content is a user's.
        2. All calls of a model's content, and no others, are answered in the user's content after it.
        3. Each content has a part.

        Source: its errors "function response turn comes immediately after a function call turn", "the number of
        function response parts is equal to the number of function call parts", "contents.parts must not be empty".
        """
        faults, waiting = set(progress.faults), set(progress.waiting)
        began, last, opened = progress.began, progress.role, set(progress.opened)
        for _, view in messages:
            if not opens_in_order(view, opened):
                faults.add("pairs")
            role = "assistant" if view.role == "assistant" else "user"
            if not began and role != "user":
                faults.add("first role")
            if not view.blocks and not view.error:
                faults.add("empty message")
            if role == "assistant" and last == "user" and waiting:
                faults.add("pairs")
                waiting.clear()
            began, last = True, role
            for id in answers(view):
                if id not in waiting:
                    faults.add("pairs")
                waiting.discard(id)
            if role == "assistant":
                waiting |= calls(view)
        return Progress(frozenset(faults), began, frozenset(waiting), last, opened=frozenset(opened))

    def marks_message(self, message: MarkedMessage) -> bool:
        return present(message.parts) or present(message.candidates)


def _view(message: Any) -> View | None:
    if isinstance(message, list):
        return _joined(message)
    role = message.get("role")
    if role == "model":
        view = View("assistant", _model(message), usage=usage(message.get("usageMetadata")), joins=True)
        return reply_view(message, view)
    if isinstance(message.get(PARTS), list):
        return _user(message) if role in USERS else None
    if isinstance(message.get("candidates"), list) and message["candidates"]:
        return _answer(message)
    return failed_view(message)


def _user(message: dict[str, Any]) -> View:
    parts = _parts(message)
    if len(parts) == 1 and content.is_packet(text(parts[0].get("text"))):
        return View("packet", (Block("text", 0, parts[0]["text"]),))
    ids = _ids(parts, RESPONSE)
    blocks = tuple(
        _result(number, each[RESPONSE], ids[number]) if number in ids else content.user_block(_plain(number, each))
        for number, each in enumerate(parts)
    )
    is_said = not ids or any(block.kind in ("text", "summary") for block in blocks)
    return content.said_view(blocks, is_said)


def _result(number: int, response: dict[str, Any], id: str) -> Block:
    output = _response_output(response)
    how = "error" if output[0] == _ERROR else verdict(output[1])
    inner = response.get(PARTS)
    shown = (
        tuple(each for raw_part in inner if (each := _media(_camel(raw_part)))) if isinstance(inner, list) else ()
    )
    whole = content.ContentPart(output[1], shown)
    return result_block(whole, id, how, number=number, tool=text(response.get("name")))


def _response_output(response: dict[str, Any]) -> tuple[str, str]:
    """The member of a response that holds its output, and the output: its one text, else its JSON."""
    given = response.get("response")
    if isinstance(given, dict) and len(given) == 1:
        ((name, output),) = given.items()
        if isinstance(output, str):
            return name, output
    failed = isinstance(given, dict) and given.get(_ERROR)
    return _ERROR if failed else _OUTPUT, spelled(given) if given else ""


def _answered(part: msgspec.Raw, words: str, kept: frozenset[int] | None = None) -> bytes:
    """The response with `words` as its output, and only the parts in `kept` (None: all)."""
    fields = content.members(part)
    name = _spelled_as(fields, RESPONSE)
    response = content.members(fields[name])
    anew: dict[str, Any] = {**response, "response": {_response_output(msgspec.json.decode(fields[name]))[0]: words}}
    if kept is not None and PARTS in response:
        left = [element for number, element in enumerate(content.elements(response[PARTS])) if number in kept]
        anew = anew | {PARTS: left} if left else {name: value for name, value in anew.items() if name != PARTS}
    return content.put(part, {name: anew})


def _model(message: dict[str, Any]) -> tuple[Block, ...]:
    parts = _parts(message)
    ids = _ids(parts, CALL)
    return tuple(
        msgspec.structs.replace(_models(number, each, ids.get(number)), signed="thoughtSignature" in each)
        for number, each in enumerate(parts)
    )


def _models(number: int, part: dict[str, Any], id: str | None) -> Block:
    if id is not None:
        asked = part[CALL]
        return content.call(number, id, asked.get("name"), asked.get("args") or {}, can_edit=True)
    if part.get("thought"):
        return Block("thinking", number, text(part.get("text")))
    block = _plain(number, part)
    for member, closes in RUN_BY_PROVIDER.items():
        if tie := text(content.fields(part.get(member)).get("id")):
            return msgspec.structs.replace(block, tie=tie, closes=closes)
    return block


def _plain(number: int, part: dict[str, Any]) -> Block:
    if isinstance(part.get("text"), str):
        return Block("text", number, part["text"])
    shown = _media(part)
    if shown is not None:
        return Block("image" if shown.kind == "image" else "other", number, media=(shown,))
    return Block(
        "other", number, spelled({name: value for name, value in part.items() if name != "thoughtSignature"})
    )


def _media(part: dict[str, Any]) -> Media | None:
    """The picture or file of a part: its data, or its location."""
    held = part.get("inlineData") or part.get("fileData")
    if not isinstance(held, dict):
        return None
    held = _camel(held)
    data = text(held.get("data")) or text(held.get("fileUri"))
    if text(held.get("mimeType")).startswith("image/"):
        return media.image(data)
    return media.document(len(data))


def _ids(parts: list[dict[str, Any]], kind: str) -> dict[int, str]:
    """The ids of the calls or responses of a content, by part number (rule 2)."""
    ids: dict[int, str] = {}
    names: Counter[str] = Counter()
    for number, each in enumerate(parts):
        if not isinstance(each.get(kind), dict):
            continue
        ids[number] = text(each[kind].get("id"))
        if not ids[number]:
            name = text(each[kind].get("name"))
            ids[number] = f"function {name} {names[name]}"
            names[name] += 1
    return ids


def _parts(message: dict[str, Any]) -> list[dict[str, Any]]:
    listed = message.get(PARTS)
    return [_camel(each) for each in listed] if isinstance(listed, list) else []


def _camel(part: Any) -> dict[str, Any]:
    """The part with its members in camelCase. A part that is not an object becomes one of unknown kind."""
    if not isinstance(part, dict):
        return {"": part}
    return {_camel_name(name): value for name, value in part.items()}


def _camel_name(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)


def _spelled_as(fields: dict[str, msgspec.Raw], kind: str) -> str:
    """The name of a member as this content spells it."""
    return next(name for name in fields if _camel_name(name) == kind)


def _answer(answer: dict[str, Any]) -> View:
    """The first candidate of a whole answer (rule 8)."""
    candidate = answer["candidates"][0]
    blocks = _model(candidate.get("content") or {})
    stop = STOPS.get(text(candidate.get("finishReason")), text(candidate.get("finishReason")))
    if stop == "stop" and any(block.kind == "call" for block in blocks):
        stop = "toolUse"
    view = View("assistant", blocks, usage=usage(answer.get("usageMetadata")), stop=stop, joins=True)
    return reply_view(answer, view)


def _joined(listed: list[Any]) -> View:
    """Joins the answers of a stream, or the contents of one answer (rule 8). None of their blocks can be edited."""
    views = [view for raw in listed if isinstance(raw, dict) and (view := _view(raw)) is not None]
    answers, error = [view for view in views if view.role == "assistant"], failure(listed)
    return View(
        "assistant",
        tuple(block for view in answers for block in view.blocks),
        usage=next((view.usage for view in reversed(answers) if view.usage), None),
        stop="error" if error else next((view.stop for view in reversed(answers) if view.stop), ""),
        error=error,
        joins=True,
    )


gemini = GeminiContents("gemini")
