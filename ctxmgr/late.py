"""Functions and modules that are loaded at first use, so that they do not delay a start.

1. Such a name is imported like anything else: by its full name, from where the package is installed.
2. A serving process has loaded everything a moment after its start (`server/loading`), and a process with a session
   inside when it imports `ctxmgr.library`. So a call does not wait for a module, needs no file descriptor for it,
   and never loads one from a newer release that was installed meanwhile.
3. For type checkers, a package imports the real object; at run time it has this one.
4. In a package, no late function may have the name of one of its modules, because loading that module would replace
   it.
"""

from collections.abc import Callable, Iterator
from functools import partial
from importlib import import_module
from operator import attrgetter
from typing import Any

MODULES: dict[str, None] = {}
"""The full names of the modules named so far, in order."""


def late(where: str) -> Callable[..., Any]:
    """The function named MODULE:NAME or PACKAGE:MODULE.NAME. A call raises what the import raises."""
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
    """Functions that load each module named so far, and each that these name in turn."""
    seen = set[str]()
    while left := [name for name in MODULES if name not in seen]:
        seen.update(left)
        yield from (partial(import_module, name) for name in left)


def load() -> None:
    """Loads everything, for a process that runs for days: it then never loads a module of a release installed
    meanwhile.
    """
    for piece in each():
        piece()


def late_modules(package: str, *names: str) -> Callable[[str], object]:
    """The `__getattr__` of a package that exposes these modules of its own."""
    MODULES.update(dict.fromkeys(f"{package}.{name}" for name in names))
    return late_members(package, **dict.fromkeys(names, ""))


def late_members(package: str, **modules: str) -> Callable[[str], object]:
    """The `__getattr__` of a package that exposes these names of its modules, or a module itself that has none.
    `load` does not load them.
    """
    places = {name: module for module, names in modules.items() for name in names.split() or [module]}

    def member(name: str) -> object:
        if name not in places:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module = import_module(f"{package}.{places[name]}")
        return module if name == places[name] else getattr(module, name)

    return member
