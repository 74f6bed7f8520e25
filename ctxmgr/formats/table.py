"""The table of message formats, by the name that a host says: each a module of that name, loaded once asked for."""

from collections.abc import Iterator, Mapping
from importlib import import_module
from types import ModuleType

from ctxmgr.model import invalid_params

FIRST_NAMES = ("pi", "openai", "anthropic", "responses")
"""Of the first version of the protocol."""
NAMES = (*FIRST_NAMES, "gemini")
AUTO = "auto"
"""Names the one that the first messages show."""


class _Formats(Mapping[str, ModuleType]):
    def __getitem__(self, name: str) -> ModuleType:
        if name not in NAMES:
            raise KeyError(name)
        return import_module(f"ctxmgr.formats.{name}")

    def __iter__(self) -> Iterator[str]:
        return iter(NAMES)

    def __len__(self) -> int:
        return len(NAMES)


FORMATS = _Formats()


def checked_name(name: str, path: str) -> str:
    """The same name, which stood at `path` of the params, where it is a format's. Raises InvalidParams."""
    if name not in (*NAMES, AUTO):
        raise invalid_params(f"message formats are {', '.join((*NAMES, AUTO))}", path)
    return name


def form_of(name: str, path: str) -> ModuleType:
    """The format of this name, as `checked_name`."""
    return import_module(f"ctxmgr.formats.{checked_name(name, path)}")
