"""Expressions that are compiled when they are first used."""

import copy
import gc
import importlib
import pickle
import re
from pathlib import Path

import pytest

import ctxmgr
from ctxmgr.model import expression

ROOT = Path(ctxmgr.__file__).parent
LIBRARY = ("model", "masking", "engine", "formats", "known_models", "session", "summarize", "wire")


def test_it_is_compiled_at_its_first_use(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled: list[tuple[object, int]] = []
    real = re.compile
    monkeypatch.setattr(re, "compile", lambda text, flags=0: compiled.append((text, flags)) or real(text, flags))
    word, both = expression("(?P<word>b+)", re.IGNORECASE), expression(rb"[b\xff]")
    assert (word.pattern, both.pattern, compiled) == ("(?P<word>b+)", rb"[b\xff]", [])
    assert [match["word"] for match in word.finditer("aBb b")] == ["Bb", "b"]
    assert (word.sub("c", "abb"), word.split("abc"), word.fullmatch("BB") is not None) == (
        "ac",
        ["a", "b", "c"],
        True,
    )
    assert (word.search("abb", 2).span(), word.match("a")) == ((2, 3), None)  # type: ignore[union-attr]
    assert (both.findall(b"ab\xff"), both.subn(b"", b"b")) == ([b"b", b"\xff"], (b"", 1))
    assert compiled == [("(?P<word>b+)", re.IGNORECASE), (rb"[b\xff]", 0)]
    assert (word.groups, dict(word.groupindex), word.flags) == (1, {"word": 1}, re.IGNORECASE | re.UNICODE)


def test_what_is_no_method_of_a_pattern_is_none_of_an_expression() -> None:
    with pytest.raises(AttributeError):
        _ = expression("a").begins  # type: ignore[attr-defined]


def test_an_expression_is_copied_and_pickled_by_its_text() -> None:
    word = expression(r"b+", re.IGNORECASE)
    for other in (copy.copy(word), pickle.loads(pickle.dumps(word))):
        assert (other.pattern, other.findall("aBb")) == (r"b+", ["Bb"])


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
