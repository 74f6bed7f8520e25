"""Expressions that are compiled when they are first used."""

import gc
import importlib
import re
from pathlib import Path

import ctxmgr
from ctxmgr.model import expression

ROOT = Path(ctxmgr.__file__).parent
LIBRARY = ("model", "masking", "engine", "formats", "known_models", "session", "summarize", "wire")


def test_every_expression_of_the_package_compiles() -> None:
    for place in LIBRARY:
        for path in (ROOT / place).rglob("*.py"):
            name = ".".join(path.relative_to(ROOT.parent).with_suffix("").parts)
            importlib.import_module(name.removesuffix(".__init__"))
    kind = type(expression(""))
    gc.unfreeze()  # what is imported while tests are collected is frozen then, and not looked through
    every = [one for one in gc.get_objects() if isinstance(one, kind)]
    gc.freeze()
    assert len(every) > 100
    for one in every:
        re.compile(one.pattern, one._flags)
