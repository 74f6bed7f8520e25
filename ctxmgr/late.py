"""Functions and modules that are loaded when they are first used: a start waits for none of them.

1. What is named so is imported like anything else: by its full name, from where the package lies.
2. A process that serves has loaded all of it a moment after its start (`server/loading`), and one that has a
   session inside when it imports `ctxmgr.library`: a call does not wait for it, needs no file descriptor for it,
   and meets no newer release that was installed meanwhile.
3. Where types are checked a face imports the real thing; what runs is this.
4. A face names no late function as one of its own modules is called: loading that module would take the name.
"""

from collections.abc import Callable, Iterator
from functools import partial
from importlib import import_module
from operator import attrgetter
from typing import Any

MODULES: dict[str, None] = {}
"""The full names of modules that were named so far, in their order."""


def late(where: str) -> Callable[..., Any]:
    """The function that MODULE:NAME or PACKAGE:MODULE.NAME names. Calling it raises what importing does."""
    module, _, name = where.partition(":")
    MODULES[module] = None
    found: Callable[..., Any] | None = None

    def call(*given: Any, **named: Any) -> Any:
        nonlocal found
        if found is None:
            found = attrgetter(name)(import_module(module))
        return found(*given, **named)

    return call


def each() -> Iterator[Callable[[], object]]:
    """What loads each module that was named so far, and each that these name in turn."""
    seen = set[str]()
    while left := [name for name in MODULES if name not in seen]:
        seen.update(left)
        yield from (partial(import_module, name) for name in left)


def load() -> None:
    """All of it, for a process that goes on for days: it does not meet a release that is installed meanwhile."""
    for piece in each():
        piece()


def late_modules(package: str, *names: str) -> Callable[[str], object]:
    """The `__getattr__` of a package whose face shows these modules of its own."""
    MODULES.update(dict.fromkeys(f"{package}.{name}" for name in names))

    def member(name: str) -> object:
        if name not in names:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return import_module(f"{package}.{name}")

    return member
