"""A ctxmgr that says what its start took: for tests of how lean that is.

`counted_serve.py FILE MODULES serve ...`: once request 3 is answered, FILE is the Python literal `(names of all
modules of the process, [(pattern, the module that wanted it compiled)])`. MODULES, with a comma between, are
imported first. Imports nothing else that serving would not.
"""

import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Any

PATTERNS: list[tuple[str, str]] = []
INSIDE = ("re", "importlib._bootstrap", "ctxmgr.model.expressions", "functools", __name__)


def asking() -> str:
    """The module whose code wants a pattern."""
    frame, name = sys._getframe(), __name__
    while name in INSIDE and frame.f_back is not None:
        frame = frame.f_back
        name = str(frame.f_globals.get("__name__"))
    return name


if __name__ == "__main__":
    compiler: Any = import_module("re._compiler")
    real = compiler.compile

    def compiled(pattern: Any, flags: int = 0) -> Any:
        PATTERNS.append((str(pattern), asking()))
        return real(pattern, flags)

    compiler.compile = compiled
    file, planted = sys.argv.pop(1), sys.argv.pop(1)
    for name in filter(None, planted.split(",")):
        import_module(name)

    from ctxmgr import cli
    from ctxmgr.devices import stdio

    class Writer(stdio.OutputWriter):
        def write(self, parts: Sequence[bytes | memoryview]) -> None:
            super().write(parts)
            if b'"id":3' in b"".join(parts):
                with open(f"{file}.part", "w", encoding="utf-8") as out:
                    out.write(repr((sorted(sys.modules), PATTERNS)))
                os.rename(f"{file}.part", file)

    stdio.OutputWriter = Writer  # type: ignore[misc]
    sys.exit(cli.main())
