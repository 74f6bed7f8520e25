"""The table of message formats, by the name that a host says. Each is loaded when it is asked for."""

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import TYPE_CHECKING

from ctxmgr.model import invalid_params

if TYPE_CHECKING:
    from ctxmgr.formats.message_format import MessageFormat

AUTO = "auto"
"""Names the one that the first messages show."""
FIRST_NAMES = ("pi", "openai", "anthropic", "responses")
"""Of the first version of the protocol."""
MODULES = {
    "pi": "pi_messages",
    "openai": "chat_completions",
    "anthropic": "anthropic_messages",
    "responses": "responses_items",
    "gemini": "gemini_contents",
    AUTO: "chat_completions",
}
"""The module in which the format of that name is an object of that name."""


class _Formats(Mapping[str, "MessageFormat"]):
    """All but `auto`."""

    def __getitem__(self, name: str) -> "MessageFormat":
        if name == AUTO:
            raise KeyError(name)
        return load(name)

    def __iter__(self) -> Iterator[str]:
        return (name for name in MODULES if name != AUTO)

    def __len__(self) -> int:
        return len(MODULES) - 1


FORMATS = _Formats()


def load(name: str) -> "MessageFormat":
    """The format of this name. Raises KeyError."""
    fmt: MessageFormat = getattr(import_module(f"ctxmgr.formats.{MODULES[name]}"), name)
    return fmt


def checked_name(name: str, path: str) -> str:
    """The same name, which stood at `path` of the params, where it is a format's. Raises InvalidParams."""
    if name not in MODULES:
        raise invalid_params(f"message formats are {', '.join(MODULES)}", path)
    return name


def format_of(name: str, path: str) -> "MessageFormat":
    """The format of this name, as `checked_name`."""
    return load(checked_name(name, path))
