"""Defines a message format, which turns JSON into views, and decisions back into JSON.

The engine never sees a format; a session gets one. Everything known of a format is in its object: how it is
recognised (`own_roles`, `own_blocks`, `marks_message`, `marks_block`), what its provider refuses (`accept`), how
usage is read.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar

import msgspec

from ctxmgr.formats import content
from ctxmgr.formats.acceptance import Progress, Said
from ctxmgr.formats.provider_usage import usage
from ctxmgr.model import Usage, View

_NONE = msgspec.Raw(b"")
_EMPTY = frozenset((b"", b"null", b"[]", b"{}", b'""'))


class MarkedMessage(msgspec.Struct, frozen=True):
    """The members of a message that identify its format; others are ignored."""

    role: Any = None
    type: Any = None
    name: Any = None
    object: Any = None
    content: msgspec.Raw = _NONE
    message: msgspec.Raw = _NONE
    choices: msgspec.Raw = _NONE
    parts: msgspec.Raw = _NONE
    candidates: msgspec.Raw = _NONE
    tool_calls: msgspec.Raw = _NONE
    function_call: msgspec.Raw = _NONE
    tool_call_id: msgspec.Raw = _NONE
    reasoning_content: msgspec.Raw = _NONE
    custom_type: msgspec.Raw = msgspec.field(default=_NONE, name="customType")
    pi_stop: msgspec.Raw = msgspec.field(default=_NONE, name="stopReason")
    claude_stop: msgspec.Raw = msgspec.field(default=_NONE, name="stop_reason")


class MarkedBlock(msgspec.Struct, frozen=True):
    """The members of a block that identify its format."""

    type: Any = None
    source: msgspec.Raw = _NONE
    signature: msgspec.Raw = _NONE
    pi_signature: msgspec.Raw = msgspec.field(default=_NONE, name="thinkingSignature")
    mime: msgspec.Raw = msgspec.field(default=_NONE, name="mimeType")


def present(raw: msgspec.Raw) -> bool:
    """Whether a member is set. A null or empty one is not: libraries write every member they know."""
    return bytes(raw) not in _EMPTY


class MessageFormat(ABC):
    """Reads and writes messages of one format. A block is named by its index in the view; blocks that are not named
    stay byte for byte.
    """

    blocks_member: ClassVar[str] = "content"
    """The member of a message that holds its blocks."""
    arguments_member: ClassVar[str] = "input"
    """The member of a call's block that holds its arguments."""
    has_templates: ClassVar[bool] = False
    """Whether it is used with models whose chat template is strict about roles."""
    own_roles: ClassVar[frozenset[str]] = frozenset()
    """Roles that only this format has."""
    own_blocks: ClassVar[frozenset[str]] = frozenset()
    """Types of blocks that only this format has."""

    def __init__(self, name: str) -> None:
        self.name = name

    @abstractmethod
    def view(self, raw: bytes) -> View:
        """The view of one message. Never raises: a message that cannot be read is `other`, and its JSON is
        counted.
        """

    @abstractmethod
    def set_text(self, raw: bytes, texts: dict[int, str]) -> bytes:
        """Returns the message with the texts of these blocks, a user's or results, replaced. Other content of the
        blocks stays in place.
        """

    @abstractmethod
    def set_media(self, raw: bytes, markers: dict[int, dict[int, str]]) -> bytes:
        """Returns the message with texts in place of pictures and documents: by block, then by their number
        in it.
        """

    def set_arguments(self, raw: bytes, given: dict[int, dict[str, Any]]) -> bytes:
        """Returns the assistant's message with the arguments of these editable calls, by block index, replaced."""

        def edit(block: msgspec.Raw, arguments: dict[str, Any]) -> bytes:
            return content.put(block, {self.arguments_member: arguments})

        return content.edited(raw, self.blocks_member, given, edit)

    def packet(self, text: str, time_ms: int) -> bytes:
        """The message that carries the packet: a user's, because many models accept a prompt only at the start.
        `time_ms` is ignored by formats whose messages have no time.
        """
        return msgspec.json.encode({"role": "user", "content": text})

    def with_packet(self, raw: bytes, text: str) -> bytes | None:
        """Returns the user's message with the packet before its text, for a chat template that does not allow two
        adjacent user messages; None if its content is neither text nor blocks. Only formats with such templates
        (`has_templates`) have it.
        """
        raise NotImplementedError

    @abstractmethod
    def accept(self, progress: Progress, messages: Said) -> Progress:
        """Continues the checks of `progress` with these messages, and records what the provider would refuse."""

    def drop(self, raw: bytes, numbers: frozenset[int]) -> bytes | None:
        """Returns the message without these blocks; None if none remains. Raises ValueError if one cannot be
        removed alone.
        """
        return content.without(raw, numbers, len(self.view(raw).blocks), self.blocks_member)

    def extra_weight(self, view: View) -> int:
        """Tokens that a model sees for a message beyond the texts of its blocks."""
        return 0

    def usage(self, fields: Any) -> Usage | None:
        """The usage in a decoded usage object, the provider's or ours; None if it has no count."""
        return usage(fields)

    def marks_message(self, message: MarkedMessage) -> bool:
        """Whether the message has a mark of this format other than its role and its blocks."""
        return False

    def marks_block(self, block: MarkedBlock) -> bool:
        """Whether a block has a mark of this format other than its type."""
        return False


class OneBlockFormat(MessageFormat):
    """A format whose user's messages and results are one block each, number 0, whatever they contain."""

    text_type: ClassVar[str] = "text"
    """The type of a text that is inserted into a list."""

    def holder(self, fields: dict[str, msgspec.Raw]) -> str:
        """The name of the member that holds the content."""
        return "content"

    def set_text(self, raw: bytes, texts: dict[int, str]) -> bytes:
        return self._put(raw, content.with_text, texts[0])

    def set_media(self, raw: bytes, markers: dict[int, dict[int, str]]) -> bytes:
        return self._put(raw, content.with_markers, markers[0])

    def _put(self, raw: bytes, edit: Callable[[msgspec.Raw | None, Any, str], Any], new: Any) -> bytes:
        fields = content.members(raw)
        name = self.holder(fields)
        return content.put(raw, {name: edit(fields.get(name), new, self.text_type)})
