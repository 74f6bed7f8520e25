"""The table of message formats, by the name that a host gives. Modules are loaded on first use."""

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple

from ctxmgr.model import invalid_params, not_one_of

if TYPE_CHECKING:
    from ctxmgr.formats.message_format import MessageFormat

AUTO = "auto"
"""The format that the first messages show."""
FIRST_NAMES = ("pi", "openai", "anthropic", "responses")
"""In the first version of the protocol."""


class FormatRow(NamedTuple):
    """`module` of this package has the format, an object with the row's name. `api`: the class of the requests that
    carry such messages, as MODULE:CLASS in `ctxmgr.proxy.apis`; "" if no provider accepts them.
    """

    module: str
    api: str = ""


ROWS = {
    "pi": FormatRow("pi_messages"),
    "openai": FormatRow("chat_completions", "chat:ChatCompletions"),
    "anthropic": FormatRow("anthropic_messages", "anthropic:Anthropic"),
    "responses": FormatRow("responses_items", "responses:Responses"),
    "gemini": FormatRow("gemini_contents", "gemini:Gemini"),
    AUTO: FormatRow("chat_completions"),
}


class _Formats(Mapping[str, "MessageFormat"]):
    """All except `auto`."""

    def __getitem__(self, name: str) -> "MessageFormat":
        if name == AUTO:
            raise KeyError(name)
        return load(name)

    def __iter__(self) -> Iterator[str]:
        return (name for name in ROWS if name != AUTO)

    def __len__(self) -> int:
        return len(ROWS) - 1


FORMATS = _Formats()


def load(name: str) -> "MessageFormat":
    """The format with this name. Raises KeyError."""
    fmt: MessageFormat = getattr(import_module(f"ctxmgr.formats.{ROWS[name].module}"), name)
    return fmt


def checked_name(name: str, path: str) -> str:
    """Returns the name, found at `path` of the params, if it is a format's. Raises InvalidParams."""
    if name not in ROWS:
        raise invalid_params(not_one_of(name, tuple(ROWS)), path)
    return name


def format_of(name: str, path: str) -> "MessageFormat":
    """The format with this name. Raises InvalidParams, like `checked_name`."""
    return load(checked_name(name, path))
