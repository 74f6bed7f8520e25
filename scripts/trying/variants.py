"""Imports the program once more with one module changed, beside the one that is loaded; what measures stays.

The changed program is asked only to drive sessions; figures are taken of what it showed by the unchanged one. So a
number that both use changes the policy alone.
"""

import ast
import importlib
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from types import CodeType, ModuleType
from typing import Any

OWN = ("ctxmgr", "tests.outcome")  # packages that are loaded anew

Change = Callable[[ast.Module], ast.Module]


class _Changed(SourceFileLoader):
    def __init__(self, name: str, path: str, change: Change) -> None:
        super().__init__(name, path)
        self.change = change

    def get_code(self, fullname: str) -> CodeType:
        """Never from a cache, never into one."""
        tree = self.change(ast.parse(self.get_data(self.path)))
        return compile(tree, self.path, "exec")


class _Finder(MetaPathFinder):
    def __init__(self, module: str, change: Change) -> None:
        self.module, self.change = module, change

    def find_spec(self, name: str, path: Sequence[str] | None, target: Any = None) -> ModuleSpec | None:
        spec = PathFinder.find_spec(name, path) if name == self.module else None
        if spec is not None and spec.origin is not None:
            spec.loader = _Changed(name, spec.origin, self.change)
        return spec


class Variant:
    """A program in which `module` is changed. Within `here()` it is the one that imports find, and only there."""

    def __init__(self, module: str, change: Change) -> None:
        self.finder = _Finder(module, change)
        self.modules: dict[str, ModuleType] = {}

    @contextmanager
    def here(self) -> Iterator["Variant"]:
        outside = _taken_out()
        sys.modules.update(self.modules)
        sys.meta_path.insert(0, self.finder)
        try:
            yield self
        finally:
            sys.meta_path.remove(self.finder)
            self.modules = _taken_out()
            sys.modules.update(outside)

    def load(self, name: str) -> ModuleType:
        return importlib.import_module(name)


def _taken_out() -> dict[str, ModuleType]:
    """The program's modules that are loaded now, and are no more after this."""
    return {name: sys.modules.pop(name) for name in list(sys.modules) if name.startswith(OWN)}
