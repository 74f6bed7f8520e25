"""Commands that work on many recordings at once: one file a command, as in `cli/`."""

from importlib import import_module
from types import ModuleType

__all__ = ["command"]


def command(name: str) -> ModuleType:
    """The module of this one, loaded when it is named."""
    return import_module(f"{__name__}.{name}")
