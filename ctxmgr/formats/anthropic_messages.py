"""Turns messages of Anthropic's Messages API into views, and decisions back into such messages.

Rules:

1. Tool results are in user messages. Such a message counts as a user's, and opens a turn, only if it has other
   content. A reminder that a host adds beside its results (`<system-reminder>`) is not such content.
2. Only the content of a result is ever replaced. Thinking and its signatures, calls, images and cache marks stay
   unchanged, and a mark on a result stays on it.
3. A tool that the provider runs (server and MCP tools) and its outcome share an id (`tie`), wherever they are. So
   do code that the provider runs and the calls that this code makes. A reference to a tool loads it.
4. A `compaction` block at the start of a message is the provider's own mark of a summary. It is reported as one,
   but its message stays with its turn.
5. The provider combines consecutive messages of one role. So the packet may be a user message of its own, and an
   answer that a host stores as one message per block is one step.
6. A user's block in which a host put the summary of an earlier list is a summary, and stays.
7. A system message inside the list belongs to the answer after it.
8. A whole answer and an error object are read as an assistant's message: `turn_end` may contain either.

Block numbers of the view are block indexes of the content. Other fields and blocks stay unchanged.
"""

from typing import Any

import msgspec

from ctxmgr.formats import content
from ctxmgr.formats.acceptance import Progress, Said, calls, opens_in_order
from ctxmgr.formats.content import is_summary, part, plain, raw_blocks, text
from ctxmgr.formats.message_format import MarkedBlock, MarkedMessage, MessageFormat, present
from ctxmgr.formats.outcomes import failed_view, full_window, reply_view
from ctxmgr.formats.provider_usage import usage
from ctxmgr.formats.spelling import mark_count
from ctxmgr.model import Block, View

STOPS = {"end_turn": "stop", "stop_sequence": "stop", "tool_use": "toolUse", "max_tokens": "length"}
STOPS |= {"model_context_window_exceeded": "length"}
RUN_BY_PROVIDER = ("server_tool_use", "mcp_tool_use")
LOADING = ("tool_reference", "tool_addition", "tool_removal")
_REMINDER = ("<system-reminder>", "</system-reminder>")


class AnthropicMessages(MessageFormat):
    own_blocks = frozenset(
        ("tool_use", "tool_result", "server_tool_use", "mcp_tool_use", "redacted_thinking", "compaction")
    )

    def view(self, raw: bytes) -> View:
        return content.read(raw, _view)

    def set_text(self, raw: bytes, texts: dict[int, str]) -> bytes:
        """Returns the user message with the texts of these blocks (by block index) replaced, all else byte for
        byte.
        """
        if not bytes(content.members(raw)["content"]).startswith(b"["):
            return content.put(raw, {"content": texts[0]})

        def edit(block: msgspec.Raw, text: str) -> bytes:
            fields = content.members(block)
            if "text" in fields:
                return content.put(block, {"text": text})
            return content.put(block, {"content": content.with_text(fields.get("content"), text)})

        return content.edited(raw, "content", texts, edit)

    def set_media(self, raw: bytes, markers: dict[int, dict[int, str]]) -> bytes:
        """Returns the message with texts in place of pictures and documents, in its own blocks or in those of a
        result.
        """

        def edit(block: msgspec.Raw, texts: dict[int, str]) -> bytes:
            fields = content.members(block)
            if "tool_use_id" in fields:
                return content.put(block, {"content": content.with_markers(fields.get("content"), texts)})
            return msgspec.json.encode(content.marked(block, texts[0]))

        return content.edited(raw, "content", markers, edit)

    def accept(self, progress: Progress, messages: Said) -> Progress:
        """Checks these messages. The API combines consecutive messages of one role, and allows prompts between
        them.

        1. The first message is a user's, not an answer or a prompt. A prompt follows a user's turn, or an answer
           that waits for a tool that the provider runs. Two prompts are never adjacent, and only an answer or the
           end follows one. Source: Anthropic, "Mid-conversation system messages", placement.
        2. All calls of a message, and no others, are answered in the user's message after it. Results come before
           all other content of that message.
        3. No text block is blank, and no message of a user or the assistant is empty.
        4. At most four cache marks.
        5. The outcome of a tool that the provider runs, and a call made by its code, come after what they refer to
           by id. Source: its errors "unexpected `tool_use_id`", "source tool not found".
        """
        opened = set(progress.opened)
        faults, waiting, marks = set(progress.faults), set(progress.waiting), progress.mark_count
        began, last, other = progress.began, progress.role, progress.other
        for raw, view in messages:
            marks += mark_count(raw)
            role = "prompt" if view.role == "prompt" else "assistant" if view.role == "assistant" else "user"
            if not began and role != "user":
                faults.add("first role")
            began = True
            if role == "prompt":
                if last == "prompt" or (last == "assistant" and not other):
                    faults.add("placement")
                last, other = role, False
                continue
            if last == "prompt" and role == "user":
                faults.add("placement")
            if not opens_in_order(view, opened):
                faults.add("pairs")
            if any(map(_is_blank, view.blocks)):
                faults.add("empty text")
            if not view.blocks and not view.error:
                faults.add("empty message")
            if role != last:
                other = False
                if role == "assistant" and waiting:
                    faults.add("pairs")
                    waiting.clear()
            last = role
            if role == "assistant":
                waiting |= calls(view)
                other = bool(view.blocks) and bool(view.blocks[-1].tie) and not view.blocks[-1].closes
                continue
            for block in view.blocks:
                if block.kind != "result":
                    other = True
                    continue
                if other:
                    faults.add("results after something else")
                if block.call_id in waiting:
                    waiting.discard(block.call_id)
                else:
                    faults.add("pairs")
            if other and waiting:
                faults.add("pairs")
        return Progress(frozenset(faults), began, frozenset(waiting), last, other, marks, opened=frozenset(opened))

    def marks_message(self, message: MarkedMessage) -> bool:
        return message.role == "assistant" and present(message.claude_stop)

    def marks_block(self, block: MarkedBlock) -> bool:
        if block.type == "thinking":
            return present(block.signature)
        return block.type in ("image", "document") and present(block.source)


def _is_blank(block: Block) -> bool:
    return block.kind in ("text", "summary") and not block.media and not block.text.strip()


def _view(message: Any) -> View | None:
    role = content.fields(message).get("role")
    if role == "user":
        return _user(message)
    if role == "assistant":
        return reply_view(message, _assistant(message))
    if role == "system":
        whole = plain(message.get("content"))
        block = Block("text", text=whole.text, media=whole.media, loads=_loaded(message))
        return View("prompt", (block,), leads=True)
    delta = content.fields(content.fields(message).get("delta"))
    if full := full_window(text(delta.get("stop_reason"))):
        return View("assistant", stop="error", error=full)
    return failed_view(message)


def _user(message: dict[str, Any]) -> View:
    member = message.get("content")
    if content.is_packet(member):
        return View("packet", (Block("text", 0 if isinstance(member, list) else -1, plain(member).text),))
    is_marked = content.is_marked_summary(message)
    if isinstance(member, str):
        return content.user_view(Block("text", text=member, can_edit=True), is_marked or is_summary(member))
    blocks = tuple(_user_block(number, raw_block) for number, raw_block in enumerate(raw_blocks(member)))
    blocks = content.summaries(blocks) if is_marked else blocks
    results = any(block.kind == "result" for block in blocks)
    is_said = not results or any(block.kind != "result" and not _reminds(block) for block in blocks)
    return content.said_view(blocks, is_said)


def _reminds(block: Block) -> bool:
    words = block.text.strip()
    return block.kind == "text" and words.startswith(_REMINDER[0]) and words.endswith(_REMINDER[1])


def _user_block(number: int, raw_block: dict[str, Any]) -> Block:
    kind = raw_block.get("type")
    if kind != "tool_result":
        return content.user_block(_plain_block(number, raw_block))
    whole = plain(raw_block.get("content"))
    return Block(
        "result",
        number,
        whole.text,
        text(raw_block.get("tool_use_id")),
        is_error=bool(raw_block.get("is_error")),
        can_edit=True,
        media=whole.media,
        marked=bool(raw_block.get("is_error")),
        loads=_loaded(raw_block),
    )


def _loaded(raw_block: dict[str, Any]) -> tuple[str, ...]:
    """The tools that its content loads or unloads; the last change of each counts. Source: Anthropic, "Tool search
    tool" and "Mid-conversation tool changes".
    """
    inner = raw_block.get("content")
    inner = inner.get("tool_references") if isinstance(inner, dict) else inner
    parts = [part.get("tool", part) for part in content.objects(inner) if part.get("type") in LOADING]
    return tuple(
        content.spelled(part.get("tool_name") or part.get("name") or part)
        for part in content.objects(parts)
        if part
    )


def _assistant(message: dict[str, Any]) -> View:
    blocks = tuple(
        _assistant_block(number, raw_block) for number, raw_block in enumerate(raw_blocks(message.get("content")))
    )
    blocks = content.summaries(blocks) if content.is_marked_summary(message) else blocks
    stop = text(message.get("stop_reason"))
    if not blocks and (full := full_window(stop)):
        return View("assistant", usage=usage(message.get("usage")), stop="error", error=full, joins=True)
    return View(
        "assistant",
        blocks,
        summary=content.summary_kind(blocks),
        usage=usage(message.get("usage")),
        stop=STOPS.get(stop, stop),
        joins=True,
    )


def _assistant_block(number: int, raw_block: dict[str, Any]) -> Block:
    kind = raw_block.get("type")
    if kind == "thinking":
        signed = "signature" in raw_block
        return Block("thinking", number, text(raw_block.get("thinking")), signed=signed, must_lead=signed)
    if kind == "redacted_thinking":
        return Block("thinking", number, signed=True, must_lead=True)
    if kind == "tool_use":
        call = content.call(
            number, raw_block.get("id"), raw_block.get("name"), raw_block.get("input"), can_edit=True
        )
        maker = text(content.fields(raw_block.get("caller")).get("tool_id"))
        return msgspec.structs.replace(call, tie=maker, closes=True) if maker else call
    if kind == "compaction" and isinstance(raw_block.get("content"), str):
        return Block("summary" if number == 0 else "other", number, raw_block["content"])
    block = _plain_block(number, raw_block)
    if kind in RUN_BY_PROVIDER:
        return msgspec.structs.replace(block, tie=text(raw_block.get("id")))
    if isinstance(kind, str) and kind.endswith("_tool_result"):
        id = text(raw_block.get("tool_use_id"))
        return msgspec.structs.replace(block, tie=id, closes=bool(id), loads=_loaded(raw_block))
    return block


def _plain_block(number: int, raw_block: dict[str, Any]) -> Block:
    whole = part(raw_block)
    kind = raw_block.get("type")
    if kind == "text":
        return Block("text", number, whole.text)
    return Block("image" if kind == "image" else "other", number, whole.text, media=whole.media)


anthropic = AnthropicMessages("anthropic")
