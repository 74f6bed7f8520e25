"""Takes the prompt off a list that asks for a summary, and puts it back: it is no message of the conversation, and
nothing is to be learnt from it.

1. It is the last message, or a text behind the results of the last message.
2. What the last message is otherwise stays as it was spelled.
"""

from collections.abc import Sequence

import msgspec

from ctxmgr.proxy.members import elements, members

_encode = msgspec.json.encode
RESULT = b'"tool_result"'


class Asking(msgspec.Struct, frozen=True):
    """`messages`: the conversation's. `whole`: the last message as it came; `prompt`: the block that was taken off
    it, None where all of it is the prompt."""

    messages: tuple[bytes, ...]
    whole: bytes
    prompt: msgspec.Raw | None

    def with_prompt(self, sent: Sequence[bytes], last_is_kept: bool) -> tuple[bytes, ...]:
        """The list to send with the prompt at its end. `last_is_kept`: its last message is the conversation's."""
        if self.prompt is None:
            return (*sent, self.whole)
        if last_is_kept:
            return (*sent[:-1], self.whole)
        last = _content(sent[-1]) if sent else None
        if last is None:
            return (*sent, _encode({"role": "user", "content": [self.prompt]}))
        fields, blocks = last
        return (*sent[:-1], _encode({**fields, "content": [*blocks, self.prompt]}))


def asking(messages: Sequence[bytes]) -> Asking:
    """Of a list that asks for a summary at its end."""
    *before, whole = messages
    told = _content(whole)
    if told is not None and len(told[1]) > 1 and RESULT in bytes(told[1][0]) and RESULT not in bytes(told[1][-1]):
        fields, blocks = told
        return Asking((*before, _encode({**fields, "content": blocks[:-1]})), whole, blocks[-1])
    return Asking(tuple(before), whole, None)


def _content(raw: bytes) -> tuple[dict[str, msgspec.Raw], list[msgspec.Raw]] | None:
    """A user's message whose content is a list of blocks."""
    fields = members(raw) or {}
    blocks = elements(bytes(fields.get("content", b"")))
    return (fields, blocks) if blocks is not None and bytes(fields.get("role", b"")) == b'"user"' else None
