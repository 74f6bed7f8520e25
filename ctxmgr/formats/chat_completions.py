"""Turns messages of OpenAI's chat completions into views, and decisions back into such messages.

Roles: system and developer (prompts, never removed), user, assistant, tool, and the older function. Rules:

1. A tool's message has no error flag: its outcome is read from the text (`outcomes`), and a doubtful one is
   protected.
2. An older function's message has no id: it answers the latest call of that name.
3. A user's or system message named `compactionSummary` or `branchSummary` is a summary: the host marked it. A
   user's message that a host's wording identifies as a summary is reported as one, and stays.
4. Reasoning that a server needs back (`reasoning_content`, `reasoning`, `reasoning_details`, `thinking_blocks`) is
   never changed.
5. A whole answer (`chat.completion`) and an error object are read as an assistant's message too: `turn_end` may
   contain either. An answer failed if it has an error, or if it is empty because the context window is full.
6. For a chat template that does not allow two adjacent user messages, the packet goes into a user's message, before
   its text. If a host sends that message back, it is the user's, and the packet is removed from it.

Other fields, roles and parts stay unchanged.
"""

from typing import Any

import msgspec

from ctxmgr.formats import content
from ctxmgr.formats.acceptance import Progress, Said, accept_pairs
from ctxmgr.formats.content import holds_summary, plain, raw_blocks, spelled, text
from ctxmgr.formats.message_format import MarkedMessage, OneBlockFormat, present
from ctxmgr.formats.outcomes import failed_view, full_window, reply_view, result_block, verdict
from ctxmgr.formats.provider_usage import usage
from ctxmgr.model import PACKET_END, PACKET_MARK, Block, SummaryKind, View

SUMMARIES: dict[str, SummaryKind] = {"compactionSummary": "compaction", "branchSummary": "branch"}
STOPS = {"tool_calls": "toolUse", "function_call": "toolUse"}
_SIGNED = ("reasoning_details", "thinking_blocks")  # OpenRouter, LiteLLM
_REASONING = ("reasoning_content", "reasoning", *_SIGNED)
_SAYING = ("content", "tool_calls", "function_call", "refusal", *_REASONING)


class ChatCompletions(OneBlockFormat):
    has_templates = True
    own_roles = frozenset(("tool", "function", "developer"))
    own_blocks = frozenset(("image_url", "input_audio", "file"))

    def view(self, raw: bytes) -> View:
        return content.read(raw, _view)

    def set_arguments(self, raw: bytes, given: dict[int, dict[str, Any]]) -> bytes:
        """Returns the assistant's message with the arguments of these calls (by block index) replaced."""
        calls = content.elements(content.members(raw)["tool_calls"])
        blocks = self.view(raw).blocks
        for number, arguments in given.items():
            position = blocks[number].content_index
            function = content.members(calls[position])["function"]
            function = msgspec.Raw(content.put(function, {"arguments": spelled(arguments)}))
            calls[position] = msgspec.Raw(content.put(calls[position], {"function": function}))
        return content.put(raw, {"tool_calls": content.listed(calls)})

    def drop(self, raw: bytes, numbers: frozenset[int]) -> bytes | None:
        """See `MessageFormat.drop`. A block that is neither a call nor part of a list is removed only with the
        whole message.
        """
        blocks = self.view(raw).blocks
        if len(numbers) == len(blocks):
            return None
        fields = content.members(raw)
        changed: dict[str, Any] = {}
        for kind, name in (("call", "tool_calls"), ("", "content")):
            gone = {
                blocks[number].content_index
                for number in numbers
                if (blocks[number].kind == "call") == (kind == "call")
            }
            if not gone:
                continue
            if -1 in gone:
                raise ValueError("this block cannot leave alone")
            kept = [
                element for position, element in enumerate(content.elements(fields[name])) if position not in gone
            ]
            if kept:
                changed[name] = content.listed(kept)
            else:
                fields.pop(name)
                changed |= {"content": None} if name == "content" else {}
        return msgspec.json.encode({**fields, **changed})

    def with_packet(self, raw: bytes, text: str) -> bytes | None:
        """Returns the user's message with the packet before its text (rule 6)."""
        told = content.members(raw).get("content", msgspec.Raw(b'""'))
        front = f"{text}\n{PACKET_END}\n\n"
        if bytes(told).startswith(b"["):
            return content.put(raw, {"content": [{"type": "text", "text": front}, *content.elements(told)]})
        words = msgspec.json.decode(told) or ""
        return content.put(raw, {"content": front + words}) if isinstance(words, str) else None

    def accept(self, progress: Progress, messages: Said) -> Progress:
        """Checks these messages: each call is answered by a tool's message before any other message."""
        return accept_pairs(progress, messages, at_once=True)

    def marks_message(self, message: MarkedMessage) -> bool:
        members = (
            message.tool_calls,
            message.function_call,
            message.tool_call_id,
            message.reasoning_content,
            message.choices,
        )
        return any(map(present, members)) or message.name in tuple(SUMMARIES)


def _view(message: Any) -> View | None:
    if isinstance(message, list):
        return failed_view(message)
    role = message.get("role")
    if role in ("system", "developer"):
        return _summary(message) or View("prompt", (_text_block(message),))
    if role == "user":
        told = _text_block(message)
        if content.is_packet(message.get("content")) and PACKET_END not in told.text:
            return View("packet", (told,))
        return _summary(message) or _users(message)
    if role == "assistant":
        is_marked = content.is_marked_summary(message)
        blocks = content.summaries(_blocks(message)) if is_marked else tuple(_blocks(message))
        view = View(
            "assistant", blocks, summary="compaction" if is_marked else "", usage=usage(message.get("usage"))
        )
        return reply_view(message, view)
    if role in ("tool", "function"):
        return View("result", (_result(message, role),))
    if isinstance(message.get("choices"), list) and message["choices"]:
        return _answer(message)
    return failed_view(message)


def _text_block(message: dict[str, Any], can_edit: bool = False) -> Block:
    whole = plain(message.get("content"))
    return Block("text", text=whole.text, can_edit=can_edit, media=whole.media)


def _users(message: dict[str, Any]) -> View:
    block = _text_block(message, can_edit=isinstance(message.get("content"), str | list | None))
    if block.text.startswith(PACKET_MARK) and PACKET_END in block.text:
        block = msgspec.structs.replace(block, text=block.text.partition(PACKET_END)[2].lstrip())
    is_summary = content.is_marked_summary(message) or holds_summary(message.get("content"))
    return content.user_view(block, is_summary, message.get("content"))


def _summary(message: dict[str, Any]) -> View | None:
    kind = SUMMARIES.get(text(message.get("name")))
    if kind is None:
        return None
    return View("summary", (Block("summary", text=plain(message.get("content")).text),), summary=kind)


def _blocks(message: dict[str, Any]) -> list[Block]:
    blocks = []
    thought = next((message[name] for name in _REASONING if message.get(name)), None)
    if thought is not None:
        signed = any(message.get(name) for name in _SIGNED)
        blocks.append(Block("thinking", text=_thought(thought), signed=signed, must_lead=_is_anthropics(message)))
    member = message.get("content")
    if isinstance(member, str):
        blocks += [Block("text", text=member)] if member else []
    else:
        blocks += [content.reply_part(number, raw_block) for number, raw_block in enumerate(raw_blocks(member))]
    if text(message.get("refusal")):
        blocks.append(Block("text", text=message["refusal"]))
    calls = message.get("tool_calls")
    blocks += [_call(number, each) for number, each in enumerate(calls if isinstance(calls, list) else [])]
    if isinstance(message.get("function_call"), dict):
        asked = message["function_call"]
        blocks.append(content.call(-1, _by_name(asked.get("name")), asked.get("name"), asked.get("arguments")))
    if isinstance(message.get("audio"), dict):
        blocks.append(Block("other", text=spelled(message["audio"])))
    return blocks


def _call(number: int, raw_call: Any) -> Block:
    if not isinstance(raw_call, dict):
        return Block("other", number, spelled(raw_call))
    custom = raw_call.get("custom")
    if isinstance(custom, dict):
        return content.custom_call(number, raw_call.get("id"), custom.get("name"), custom.get("input"))
    function = content.fields(raw_call.get("function"))
    call = content.call(
        number, raw_call.get("id"), function.get("name"), function.get("arguments", ""), can_edit=True
    )
    return msgspec.structs.replace(call, signed=True) if _is_signed(raw_call) else call


def _is_anthropics(message: dict[str, Any]) -> bool:
    """Whether its reasoning has Anthropic's signature, as LiteLLM or OpenRouter passes it on."""
    details = raw_blocks(message.get("reasoning_details"))
    return bool(message.get("thinking_blocks")) or any(
        text(detail.get("format")).startswith("anthropic") or ("signature" in detail and not detail.get("format"))
        for detail in details
    )


def _thought(thought: Any) -> str:
    if isinstance(thought, str):
        return thought
    return plain(thought).text or "\n".join(text(each.get("thinking")) for each in raw_blocks(thought))


def _is_signed(raw_call: dict[str, Any]) -> bool:
    """Whether it has the signature of Gemini's reasoning, as Google's own endpoint or LiteLLM writes it."""
    googles = content.fields(raw_call.get("extra_content")).get("google")
    members = (googles, raw_call.get("provider_specific_fields"))
    return any(content.fields(each).get("thought_signature") for each in members)


def _result(message: dict[str, Any], role: str) -> Block:
    whole = plain(message.get("content"))
    name = text(message.get("name"))
    call_id = _by_name(name) if role == "function" else text(message.get("tool_call_id"))
    return result_block(whole, call_id, verdict(whole.text), tool=name)


def _by_name(name: Any) -> str:
    """The id of an older function's calls, made of its name (rule 2)."""
    return f"function {text(name)}"


def _answer(answer: dict[str, Any]) -> View | None:
    """The first choice of a whole answer (rule 5)."""
    choice = answer["choices"][0]
    stop = text(choice.get("finish_reason"))
    said = choice.get("message") or choice.get("delta") or {}
    error = choice.get("error") or answer.get("error")
    if not error and not any(map(said.get, _SAYING)):
        error = full_window(stop)
    if error:
        return View("assistant", usage=usage(answer.get("usage")), stop="error", error=spelled(error))
    view = _view(choice["message"])
    if view is None:
        return None
    return msgspec.structs.replace(view, usage=usage(answer.get("usage")), stop=STOPS.get(stop, stop))


openai = ChatCompletions("openai")
auto = ChatCompletions("auto")
"""For lists that show no mark of any format yet: a role and a text read the same in all, and a user's text fits
all.
"""
