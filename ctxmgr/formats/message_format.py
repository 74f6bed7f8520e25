"""What a message format is: its JSON into views, and decisions back into its JSON.

The engine never sees a format; a session is handed one. All that is known of a format stands in its object: how it
is told from others (`own_roles`, `own_blocks`, `marks_message`, `marks_block`), what its provider refuses
(`accept`), how usage is read.
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
    """The members of a message by which it is told; others are passed over."""

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
    """The members of a block by which a format is told."""

    type: Any = None
    source: msgspec.Raw = _NONE
    signature: msgspec.Raw = _NONE
    pi_signature: msgspec.Raw = msgspec.field(default=_NONE, name="thinkingSignature")
    mime: msgspec.Raw = msgspec.field(default=_NONE, name="mimeType")


def present(raw: msgspec.Raw) -> bool:
    """Whether there is such a member. One that is null or empty is none: libraries write all that they know."""
    return bytes(raw) not in _EMPTY


class MessageFormat(ABC):
    """One shape of messages. A block is named by its index in the view; what is not named stays byte for byte."""

    blocks_member: ClassVar[str] = "content"
    """The member of a message that holds its blocks."""
    has_templates: ClassVar[bool] = False
    """Whether models are asked in it whose template is strict about roles."""
    own_roles: ClassVar[frozenset[str]] = frozenset()
    """Roles that tell this format from others."""
    own_blocks: ClassVar[frozenset[str]] = frozenset()
    """Types of blocks that tell this format from others."""

    def __init__(self, name: str) -> None:
        self.name = name

    @abstractmethod
    def view(self, raw: bytes) -> View:
        """The view of one message. Never raises: what cannot be read is `other`, weighed by its JSON."""

    @abstractmethod
    def set_text(self, raw: bytes, texts: dict[int, str]) -> bytes:
        """The message with the texts of these blocks, a user's or results, replaced; what is no text in them stays
        in its place."""

    @abstractmethod
    def set_media(self, raw: bytes, markers: dict[int, dict[int, str]]) -> bytes:
        """The message with texts in place of pictures and documents: by block, and by their number in it."""

    @abstractmethod
    def set_arguments(self, raw: bytes, given: dict[int, dict[str, Any]]) -> bytes:
        """The assistant's message with the arguments of these calls, which can be edited, replaced."""

    def packet(self, text: str, time_ms: int) -> bytes:
        """The message that carries the packet: a user's, for many models take a prompt at the head alone. Formats
        whose messages have no time do not use it."""
        return msgspec.json.encode({"role": "user", "content": text})

    def with_packet(self, raw: bytes, text: str) -> bytes | None:
        """The user's message with the packet in front of its words, for a template that takes no two of a user's
        side by side; None where its content is neither text nor blocks. Formats that are sent through none do not
        use it."""
        raise NotImplementedError

    @abstractmethod
    def accept(self, progress: Progress, messages: Said) -> Progress:
        """What its provider would refuse of a list, after these further messages of it."""

    def drop(self, raw: bytes, numbers: frozenset[int]) -> bytes | None:
        """The message without these blocks; None where none is left. ValueError where one cannot leave alone."""
        return content.without(raw, numbers, len(self.view(raw).blocks), self.blocks_member)

    def extra_weight(self, view: View) -> int:
        """Tokens that a model sees around a message, in no block's text."""
        return 0

    def usage(self, fields: Any) -> Usage | None:
        """The usage of a decoded usage object, the provider's or ours; None where it holds no count."""
        return usage(fields)

    def marks_message(self, message: MarkedMessage) -> bool:
        """Whether the message has another mark of this format than its role and its blocks."""
        return False

    def marks_block(self, block: MarkedBlock) -> bool:
        """Whether a block has another mark of this format than its type."""
        return False


class OneBlockFormat(MessageFormat):
    """A format whose user's messages and results are one block each, number 0, whatever they hold."""

    text_type: ClassVar[str] = "text"
    """What a text put in is called, where a content is a list."""

    def holder(self, fields: dict[str, msgspec.Raw]) -> str:
        """The member that holds the content."""
        return "content"

    def set_text(self, raw: bytes, texts: dict[int, str]) -> bytes:
        return self._put(raw, content.with_text, texts[0])

    def set_media(self, raw: bytes, markers: dict[int, dict[int, str]]) -> bytes:
        return self._put(raw, content.with_markers, markers[0])

    def _put(self, raw: bytes, edit: Callable[[msgspec.Raw | None, Any, str], Any], new: Any) -> bytes:
        fields = content.members(raw)
        name = self.holder(fields)
        return content.put(raw, {name: edit(fields.get(name), new, self.text_type)})
