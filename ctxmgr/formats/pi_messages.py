"""Turns pi's messages into views, and decisions back into pi's messages.

Roles: user, assistant, toolResult, bashExecution, custom, branchSummary, compactionSummary, system. Fields as pi
0.58 to 1.5 writes them. An unknown role or block, or a field of an unexpected type, is not an error: it stays
unchanged, and its JSON is counted. The rest of the message is still read, so a call beside an unknown block is
still a call.
"""

from collections.abc import Callable
from typing import Any

import msgspec

from ctxmgr.formats import content, media
from ctxmgr.formats.acceptance import Progress, Said, accept_pairs
from ctxmgr.formats.content import plain, raw_blocks, spelled
from ctxmgr.formats.content import text as text_of
from ctxmgr.formats.message_format import MarkedBlock, MarkedMessage, OneBlockFormat, present
from ctxmgr.formats.outcomes import failed_view, reply_view
from ctxmgr.formats.provider_usage import usage
from ctxmgr.model import Block, View

PACKET_TYPE = "ctxmgr.packet"
# about this many tokens; pi wraps a summary in a fixed sentence and <summary> tags
SUMMARY_WRAPPER_TOKENS = 22

_decode = msgspec.json.Decoder().decode


class PiMessages(OneBlockFormat):
    arguments_member = "arguments"
    own_roles = frozenset(("toolResult", "bashExecution", "branchSummary", "compactionSummary"))
    own_blocks = frozenset(("toolCall",))

    def view(self, raw: bytes) -> View:
        """The view of one message. Never raises: a message that cannot be read is `other`, and its JSON is
        counted.
        """
        try:
            message = _decode(raw)
            role = message.get("role") if isinstance(message, dict) else None
            if not isinstance(role, str) and (failed := failed_view(message)) is not None:
                return msgspec.structs.replace(
                    failed, time_ms=_time(message) if isinstance(message, dict) else None
                )
            build = _ROLES.get(message["role"])
            view = build(message) if build is not None else _other(raw, _time(message))
            return reply_view(message, view) if role == "assistant" else view
        except content.UNREADABLE:
            return _other(raw, None)

    def set_text(self, raw: bytes, texts: dict[int, str]) -> bytes:
        """Replaces texts. Of a shell's run, the output is replaced and the command stays. A result's content
        becomes a list, as in pi.
        """
        fields = content.members(raw)
        role = _decode(fields.get("role", b'""'))
        if "output" in fields and role == "bashExecution":
            command = f"{_decode(fields['command'])}\n" if "command" in fields else "\n"
            return content.put(raw, {"output": texts[0].removeprefix(command)})
        if role == "toolResult" and not bytes(fields.get("content", b"")).startswith(b"["):
            return content.put(raw, {"content": [{"type": "text", "text": texts[0]}]})
        return super().set_text(raw, texts)

    def packet(self, text: str, time_ms: int) -> bytes:
        """The hidden message that carries the packet; `time_ms` is since the epoch."""
        message = {
            "role": "custom",
            "customType": PACKET_TYPE,
            "content": text,
            "display": False,
            "timestamp": time_ms,
        }
        return msgspec.json.encode(message)

    def extra_weight(self, view: View) -> int:
        """Tokens that a model sees for a message beyond the texts of its blocks."""
        return SUMMARY_WRAPPER_TOKENS if view.summary else 0

    def accept(self, progress: Progress, messages: Said) -> Progress:
        return accept_pairs(progress, messages)

    def marks_message(self, message: MarkedMessage) -> bool:
        custom = message.role == "custom" and present(message.custom_type)
        return custom or (message.role == "assistant" and present(message.pi_stop))

    def marks_block(self, block: MarkedBlock) -> bool:
        if block.type == "thinking":
            return present(block.pi_signature) and not present(block.signature)
        return block.type == "image" and present(block.mime) and not present(block.source)


OTHERS_APIS = ("openai", "azure", "google", "mistral")  # prefixes of pi's names of APIs that are not Anthropic's


def _time(message: dict[str, Any]) -> int | None:
    time_ms = message.get("timestamp")
    return int(time_ms) if isinstance(time_ms, int | float) and abs(time_ms) < 2**53 else None


def _user(message: dict[str, Any]) -> View:
    whole = plain(message.get("content"))
    block = Block("text", text=whole.text, can_edit=True, media=whole.media)
    return View("user", (block,), opens_turn=True, time_ms=_time(message))


def _assistant(message: dict[str, Any]) -> View:
    return View(
        "assistant",
        tuple(
            _assistant_block(number, raw_block, text_of(message.get("api")))
            for number, raw_block in enumerate(raw_blocks(message.get("content")))
        ),
        time_ms=_time(message),
        usage=usage(message.get("usage")),
        stop=text_of(message.get("stopReason")),
        error=text_of(message.get("errorMessage")),
    )


def _assistant_block(number: int, raw_block: dict[str, Any], api: str) -> Block:
    kind = raw_block.get("type")
    if kind == "text":
        return Block("text", number, text_of(raw_block.get("text")), signed="textSignature" in raw_block)
    if kind == "thinking":
        thought, signed = text_of(raw_block.get("thinking")), "thinkingSignature" in raw_block
        must_lead = signed and not api.startswith(OTHERS_APIS)
        return Block("thinking", number, thought, signed=signed, must_lead=must_lead)
    if kind == "toolCall" and isinstance(raw_block.get("arguments"), dict):
        call = content.call(
            number, raw_block.get("id"), raw_block.get("name"), raw_block["arguments"], can_edit=True
        )
        return msgspec.structs.replace(call, signed="thoughtSignature" in raw_block)
    if kind == "toolCall":  # arguments are missing or not an object; the call still matches its result
        return Block(
            "call", number, spelled(raw_block), text_of(raw_block.get("id")), text_of(raw_block.get("name")), {}
        )
    if kind == "image":
        return Block("image", number, media=(media.image(media.data_of(raw_block)),))
    return Block("other", number, spelled(raw_block))


def _result(message: dict[str, Any]) -> View:
    whole = plain(message.get("content"))
    block = Block(
        "result",
        text=whole.text,
        call_id=text_of(message.get("toolCallId")),
        tool=text_of(message.get("toolName")),
        is_error=bool(message.get("isError")),
        can_edit=True,
        media=whole.media,
        marked=bool(message.get("isError")),
    )
    return View("result", (block,), time_ms=_time(message))


def _shell(message: dict[str, Any]) -> View:
    command, output = text_of(message.get("command")), text_of(message.get("output"))
    code = message.get("exitCode")
    hidden = bool(message.get("excludeFromContext"))  # shown to the user, never sent to the model
    block = Block(
        "shell",
        text="" if hidden else f"{command}\n{output}",
        tool="bash",
        arguments={"command": command},
        is_error=bool(code) or bool(message.get("cancelled")),
        can_edit=isinstance(message.get("output"), str) and not hidden,
    )
    return View("shell", (block,), time_ms=_time(message))


def _custom(message: dict[str, Any]) -> View:
    whole = plain(message.get("content"))
    ours = message.get("customType") == PACKET_TYPE
    block = Block("text", text=whole.text, can_edit=not ours, media=whole.media)
    return View("packet" if ours else "note", (block,), time_ms=_time(message))


def _summary(message: dict[str, Any]) -> View:
    if not isinstance(message["summary"], str):
        raise TypeError("a summary is a text")
    block = Block("summary", text=message["summary"])
    compaction = message["role"] == "compactionSummary"
    return View("summary", (block,), summary="compaction" if compaction else "branch", time_ms=_time(message))


def _other(raw: bytes, time_ms: int | None) -> View:
    return View("other", (Block("other", text=raw.decode("utf-8", "replace")),), time_ms=time_ms)


_ROLES: dict[str, Callable[[dict[str, Any]], View]] = {
    "user": _user,
    "assistant": _assistant,
    "toolResult": _result,
    "bashExecution": _shell,
    "custom": _custom,
    "compactionSummary": _summary,
    "branchSummary": _summary,
}


pi = PiMessages("pi")
