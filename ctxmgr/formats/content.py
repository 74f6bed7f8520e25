"""Reads the content of a provider's message as texts, images and single members, and replaces one member.

Shared by the formats of providers. A field with a value of an unexpected type is not an error: it counts as empty,
or its tokens are counted from its JSON. Replacing a member leaves all others byte for byte; only white space
between members is lost.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

import msgspec

from ctxmgr.formats import media
from ctxmgr.model import PACKET_MARK, Block, Media, SummaryKind, View, told_result

TEXTS = frozenset(("text", "input_text", "output_text", "summary_text", "reasoning_text"))
_IMAGES = frozenset(("image", "image_url", "input_image", "computer_screenshot"))
_PAGES = frozenset(("document", "file", "input_file", "input_audio", "audio"))
_WORDS = TEXTS | {"refusal"}
SUMMARY_OPENINGS = (
    "This session is being continued from a previous conversation",  # Claude Code
    "Another language model started to solve this problem",  # Codex
    "I spoke to you previously about a number of things",  # Aider
    "<state_snapshot>",  # Gemini CLI
    "<scratchpad>",  # Gemini CLI, if the model reasoned before the summary
    "## Conversation Summary\n",  # Roo Code, which marks it by a field only in its own file
    "<conversation-summary>",  # Copilot
)
"""How hosts begin the summary of an earlier list, in a user's message, after they compacted without reporting it.
Not needed for hosts that mark a summary by a field.
"""

New = TypeVar("New")

_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder().decode
_members = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode
_elements = msgspec.json.Decoder(list[msgspec.Raw]).decode

UNREADABLE = (
    msgspec.DecodeError,
    UnicodeDecodeError,
    RecursionError,
    TypeError,
    ValueError,
    LookupError,
    AttributeError,  # a message that is not an object
)


class ContentPart(msgspec.Struct, frozen=True):
    """The text of one or several blocks, and their pictures and documents."""

    text: str = ""
    media: tuple[Media, ...] = ()


def read(raw: bytes, build: Callable[[Any], View | None]) -> View:
    """The view that `build` makes of the decoded message. Never raises: a message that cannot be read is
    `other`.
    """
    try:
        view = build(_decode(raw))
    except UNREADABLE:
        view = None
    return view or View("other", (Block("other", text=raw.decode("utf-8", "replace")),))


def text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def fields(value: Any) -> dict[str, Any]:
    """The value if it is an object, otherwise an empty one."""
    return value if isinstance(value, dict) else {}


def objects(listed: Any) -> list[dict[str, Any]]:
    """The objects in a list; none if it is not a list."""
    return [each for each in listed if isinstance(each, dict)] if isinstance(listed, list) else []


def spelled(value: Any) -> str:
    return _encode(value).decode()


def raw_blocks(content: Any) -> list[dict[str, Any]]:
    """The blocks of string or block content. An element that is not an object becomes a block of unknown type."""
    if content is None:
        return []
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    listed = content if isinstance(content, list) else [content]
    return [raw_block if isinstance(raw_block, dict) else {"": raw_block} for raw_block in listed]


def part(raw_block: dict[str, Any]) -> ContentPart:
    """The text and media of one block, of any provider. A document in base64 counts by its pages; a cache mark is
    ignored.
    """
    kind = raw_block.get("type")
    if kind in TEXTS:
        return ContentPart(text(raw_block.get("text")))
    if kind == "refusal":
        return ContentPart(text(raw_block.get("refusal")))
    if kind in _IMAGES:
        return ContentPart(media=(media.image(media.data_of(raw_block)),))
    if kind in _PAGES:
        return _pages(raw_block)
    return ContentPart(spelled({name: value for name, value in raw_block.items() if name != "cache_control"}))


def _staying(blocks: list[dict[str, Any]]) -> list[bool]:
    """For each block, whether it stays when the texts beside it are replaced: a picture, a document, a reference to
    a tool or a resource, a search result. If no other block has text, those of these that hold text are replaced.
    Source: Anthropic, "Tool reference" (`tool_reference`), "Search results" (`search_result`); Model Context
    Protocol, "Tool result" (`resource`, `resource_link`).
    """
    kinds = [raw_block.get("type") for raw_block in blocks]
    stays = [isinstance(kind, str) and kind not in _WORDS for kind in kinds]
    if not any(not stay and part(each).text.strip() for each, stay in zip(blocks, stays, strict=True)):
        return [stay and not _text_in(raw_block) for raw_block, stay in zip(blocks, stays, strict=True)]
    return stays


def _text_in(raw_block: dict[str, Any]) -> str:
    """The text of such a block, after its title and source; "" if it has no text, or has other media too."""
    kind, names, told = raw_block.get("type"), tuple[str, ...](), raw_block
    if kind == "resource":
        names, told = ("uri",), fields(raw_block.get("resource"))
        inner = ContentPart(text(told.get("text")))
    elif kind == "search_result":
        names = ("title", "source")
        inner = plain(raw_block.get("content"))
    elif kind in _PAGES:
        inner = _pages(raw_block)
    else:
        return ""
    if inner.media or not inner.text:
        return ""
    return "\n".join(filter(None, (*(text(told.get(name)) for name in names), inner.text)))


def plain(content: Any) -> ContentPart:
    """A content as one text, and its media."""
    if isinstance(content, str):
        return ContentPart(content)
    blocks = raw_blocks(content)
    parts = [_part_of_several(each, stays) for each, stays in zip(blocks, _staying(blocks), strict=True)]
    return ContentPart(
        "\n".join(item.text for item in parts if item.text or not item.media),
        tuple(each for item in parts for each in item.media),
    )


def _part_of_several(raw_block: dict[str, Any], stays: bool) -> ContentPart:
    told = _text_in(raw_block)
    if not stays:
        return ContentPart(told) if told else part(raw_block)
    whole = part(raw_block)
    return ContentPart(media=whole.media or (media.part(len(whole.text.encode()), bool(told)),))


def _pages(raw_block: dict[str, Any]) -> ContentPart:
    """A document: its text if it is given as text, else its pages."""
    source = fields(raw_block.get("source"))
    heading = "\n".join(filter(None, (text(raw_block.get("title")), text(raw_block.get("context")))))
    if source.get("type") == "text":
        return ContentPart("\n".join(filter(None, (heading, text(source.get("data"))))))
    if source.get("type") == "content":
        inner = plain(source.get("content"))
        size = sum(item.size_bytes for item in inner.media)
        pictures = (Media("document", size, pages=len(inner.media)),) if inner.media else ()
        return ContentPart("\n".join(filter(None, (heading, inner.text))), pictures)
    return ContentPart(heading, (media.document(len(_encode(raw_block))),))


def arguments(given: Any) -> dict[str, Any] | None:
    """The arguments of a call, from JSON text or as given; None if they are not an object."""
    if isinstance(given, str):
        try:
            given = _decode(given.encode()) if given.strip() else {}
        except UNREADABLE:
            return None
    return given if isinstance(given, dict) else None


def call(content_index: int, id: Any, name: Any, given: Any, can_edit: bool = False) -> Block:
    """A call from its name and arguments, decoded or as JSON text. If the arguments cannot be read, their text is
    counted as it is, and the call still matches its result. `can_edit`: `set_arguments` of the format can replace
    them.
    """
    known = arguments(given)
    shown = spelled(known) if known is not None else given if isinstance(given, str) else spelled(given)
    editable = can_edit and known is not None
    return Block(
        "call", content_index, f"{text(name)} {shown}", text(id), text(name), known or {}, can_edit=editable
    )


def custom_call(content_index: int, id: Any, name: Any, given: Any) -> Block:
    """A call of a custom tool, whose input is a text."""
    name, given = text(name), text(given)
    return Block("call", content_index, f"{name} {given}", text(id), name, {"input": given})


def reply_part(number: int, raw_block: dict[str, Any]) -> Block:
    """A part of an answer of OpenAI's models."""
    found = part(raw_block)
    known = raw_block.get("type") in ("output_text", "text", "refusal")
    return Block("text" if known else "image" if found.media else "other", number, found.text, media=found.media)


def user_block(block: Block) -> Block:
    """A user's block. A text can be edited; it is a summary if it begins like one."""
    if block.kind != "text":
        return block
    return msgspec.structs.replace(block, kind="summary" if is_summary(block.text) else "text", can_edit=True)


def is_packet(content: Any) -> bool:
    """Whether this content is a packet that came back: one text whose first line is `PACKET_MARK`."""
    blocks = raw_blocks(content)
    if len(blocks) != 1 or blocks[0].get("type") not in TEXTS:
        return False
    first = text(blocks[0].get("text"))
    return first == PACKET_MARK or first.startswith(f"{PACKET_MARK}\n")


def summaries(blocks: Iterable[Block]) -> tuple[Block, ...]:
    """The blocks of a summary message: its texts are the summary."""
    return tuple(
        msgspec.structs.replace(block, kind="summary") if block.kind == "text" else block for block in blocks
    )


def summary_kind(blocks: Iterable[Block]) -> SummaryKind:
    """Whether one of these blocks is the summary of an earlier list."""
    return "compaction" if any(block.kind == "summary" for block in blocks) else ""


def user_view(block: Block, is_summary: bool, member: Any = None) -> View:
    """A user's message of one block, which may be the summary of an earlier list. `member`: its content, the texts
    of which are joined in the block.
    """
    if is_summary:
        return said_view((msgspec.structs.replace(block, kind="summary"),))
    parts = [Block("text", text=text(part.get("text"))) for part in raw_blocks(member)]
    if len(parts) > 1 and _holds_words(with_told_results(parts)):
        return View("user", (block,), opens_turn=True)
    return said_view((block,))


def said_view(blocks: tuple[Block, ...], is_said: bool = True) -> View:
    """A message with the role of a user. `is_said`: it has more than results of calls. If all of that is results
    that the host reports as texts, the user says nothing in it either.
    """
    summary = summary_kind(blocks)
    if is_said and not summary:
        blocks = with_told_results(blocks)
        is_said = _holds_words(blocks)
    return View("user" if is_said else "result", blocks, opens_turn=is_said, summary=summary)


_SAYS = ("<user_message>", "<feedback>", "<answer>")  # the user's words in a result
_DETAILS = "<environment_details>"  # of Cline, Roo Code and Kilo Code, behind the results


def with_told_results(blocks: Iterable[Block]) -> tuple[Block, ...]:
    """The blocks of a user's message, with its texts that are results as such: those that begin with the line that
    names the tool, or that follow this line as a block of their own. None of them has the user's words.
    """
    made: list[Block] = []
    named: str | None = None
    for block in blocks:
        head = told_result(block.text) if block.kind == "text" else None
        is_line = head is not None and head[1] == len(block.text)
        tool = head[0] if head is not None else named
        is_told = block.kind == "text" and tool is not None and not is_line
        if is_told and not block.text.startswith(_DETAILS) and not _is_users(block.text):
            block = msgspec.structs.replace(block, kind="result", tool=tool, is_told=True)
        named = tool if is_line else None
        made.append(block)
    return tuple(made)


def _is_users(text: str) -> bool:
    return any(tag in text for tag in _SAYS)


def _holds_words(blocks: Iterable[Block]) -> bool:
    """Whether the user says something in a message: one without such results, or with another text that is neither
    the line before one nor in a tag of the host.
    """
    blocks = tuple(blocks)
    is_told = any(block.is_told for block in blocks)
    return not is_told or any(block.kind == "text" and not _is_beside(block.text) for block in blocks)


def _is_beside(text: str) -> bool:
    """Whether a text beside results is the host's."""
    text, head = text.strip(), told_result(text)
    name = text[1:].partition(">")[0] if text.startswith("<") else ""
    is_tagged = bool(name) and text.endswith(f"</{name}>") and not _is_users(text)
    return not text or is_tagged or (head is not None and not _is_users(text))


def is_marked_summary(message: Mapping[str, Any]) -> bool:
    """Whether the host marked the whole message as a summary, as Roo Code and Kilo Code do in their files."""
    return message.get("isSummary") is True


def is_summary(text: str) -> bool:
    """Whether this text begins like the summary of an earlier list."""
    return text.lstrip().startswith(SUMMARY_OPENINGS)


def holds_summary(member: Any) -> bool:
    """Whether a block of this content begins like such a summary."""
    return any(is_summary(text(raw_block.get("text"))) for raw_block in raw_blocks(member))


def members(raw: bytes | msgspec.Raw) -> dict[str, msgspec.Raw]:
    return _members(raw)


def elements(raw: bytes | msgspec.Raw) -> list[msgspec.Raw]:
    return _elements(raw)


def put(raw: bytes | msgspec.Raw, changed: Mapping[str, Any]) -> bytes:
    """The object with these members replaced in place, and all others unchanged."""
    return _encode({**_members(raw), **changed})


def listed(raws: list[Any]) -> msgspec.Raw:
    return msgspec.Raw(_encode(raws))


def with_text(content: msgspec.Raw | None, words: str, kind: str = "text") -> Any:
    """The content with `words` in place of its first text, and without the other texts. Other blocks stay in place.
    A cache mark of a removed text moves to the one that stays, because the provider expects one at that position.
    """
    if content is None or not bytes(content).lstrip().startswith(b"["):
        return words
    listed: list[Any] = _elements(content)
    parts = [_members(element) if bytes(element).startswith(b"{") else {} for element in listed]
    texts = [number for number, stays in enumerate(_staying(raw_blocks(_decode(content)))) if not stays]
    if not texts:
        return [{"type": kind, "text": words}, *listed]
    first = texts[0]
    mark = next(
        (parts[number]["cache_control"] for number in reversed(texts) if "cache_control" in parts[number]), None
    )
    plain_text = _decode(parts[first].get("type", b"null")) in TEXTS
    changed = {**(parts[first] if plain_text else {"type": kind}), "text": words}
    listed[first] = changed if mark is None else {**changed, "cache_control": mark}
    return [element for number, element in enumerate(listed) if number == first or number not in texts]


def with_markers(content: msgspec.Raw | None, markers: Mapping[int, str], kind: str = "text") -> Any:
    """The content with texts in place of these media blocks, by their number among the media."""
    listed: list[Any] = _elements(content or b"[]")
    places = [number for number, stays in enumerate(_staying(raw_blocks(_decode(content or b"[]")))) if stays]
    for number, words in markers.items():
        listed[places[number]] = marked(listed[places[number]], words, kind)
    return listed


def marked(raw_block: msgspec.Raw, words: str, kind: str = "text") -> dict[str, Any]:
    """A text in place of a block, with its cache mark."""
    mark = _members(raw_block).get("cache_control")
    return {"type": kind, "text": words} | ({} if mark is None else {"cache_control": mark})


def without(raw: bytes, numbers: frozenset[int], block_count: int, name: str = "content") -> bytes | None:
    """The message without these of its `block_count` blocks, which are in the member `name`; None if none
    remains.
    """
    if len(numbers) == block_count:
        return None
    kept = [element for number, element in enumerate(elements(members(raw)[name])) if number not in numbers]
    return put(raw, {name: listed(kept)})


def edited(raw: bytes, name: str, news: Mapping[int, New], edit: Callable[[msgspec.Raw, New], bytes]) -> bytes:
    """The message with these blocks of its member `name` replaced, each by what `edit` makes of the old block and
    the new value; all others byte for byte.
    """
    blocks = _elements(_members(raw)[name])
    for number, new in news.items():
        blocks[number] = msgspec.Raw(edit(blocks[number], new))
    return put(raw, {name: listed(blocks)})
