"""What text weighs: as tiktoken counts it, and never a fault."""

import socket
import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxmgr.devices import tokens
from ctxmgr.devices.tokens import Weigher, load, weigh
from ctxmgr.model.estimate import estimate


@cache
def loaded() -> Weigher:
    return load("o200k_base").weigher


def test_known_weights() -> None:
    for text, count in [
        ("", 0),
        ("hello world", 2),  # public
        ("tiktoken is great!", 6),  # public
        ("antidisestablishmentarianism", 6),  # public
        ("2 + 2 = 4", 7),  # public
        ("お誕生日おめでとう", 8),  # public
        ("def f(x):\n    return x + 1\n", 11),
        ('{"path":"src/main.rs","limit":200}', 11),
        ("<|endoftext|>", 7),  # text, not one special token
        ("👩‍👩‍👧‍👦", 11),
        (" " * 128, 1),
        ("a\r\n\r\n\tb", 3),
    ]:
        assert loaded()(text) == count, text


@settings(deadline=None)
@given(st.text(alphabet=st.characters(), max_size=300), st.integers(1, 200))
def test_any_text_has_a_weight(text: str, times: int) -> None:
    for weigher in (loaded(), load("estimate").weigher):
        weight = weigher(text * times)
        assert weight >= 0
        assert (weight == 0) == (text == "")


class PanicException(BaseException):
    """Named as pyo3 names its own."""


def test_a_text_that_panics_is_estimated() -> None:
    def encode(text: str) -> Sequence[int]:
        raise PanicException

    assert weigh(encode, "!" * 100) == estimate("!" * 100)


def test_an_interrupt_is_not_a_panic() -> None:
    def encode(piece: str) -> Sequence[int]:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        weigh(encode, "text")


@pytest.fixture
def nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No vocabulary in the package, none in the cache."""
    monkeypatch.setattr(tokens, "PACKAGED", tmp_path)
    monkeypatch.delenv("TIKTOKEN_CACHE_DIR", raising=False)


def test_the_package_has_what_it_takes_and_nothing_is_fetched(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a socket was opened")

    monkeypatch.setattr(socket, "socket", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    monkeypatch.delenv("TIKTOKEN_CACHE_DIR", raising=False)
    outcome = load("o200k_base")
    assert outcome.weigher.name == "o200k_base"
    assert outcome.note is None
    assert outcome.weigher("hello world") == 2


@pytest.mark.parametrize(
    ("name", "path", "said"),
    [
        ("claude", None, "no tokenizer is called 'claude' (known: o200k_base, cl100k_base, estimate)"),
        ("o200k_base", None, "no usable file of o200k_base: "),
        ("o200k_base", "/no/such/file", "/no/such/file does not exist; "),
        ("cl100k_base", None, "no usable file of cl100k_base"),
    ],
)
@pytest.mark.usefixtures("nowhere")
def test_what_cannot_be_had_is_estimated_and_said(name: str, path: str | None, said: str) -> None:
    outcome = load(name, path)
    assert outcome.weigher.name == "estimate"
    assert outcome.weigher("hello world") == 2
    assert outcome.note.startswith("token counts are estimated: ")
    assert said in outcome.note
    assert "\n" not in outcome.note


def test_a_broken_tiktoken_costs_only_exactness(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tiktoken", None)
    outcome = load("o200k_base")
    assert outcome.weigher.name == "estimate"
    assert outcome.note == "token counts are estimated: o200k_base could not be loaded (ModuleNotFoundError)"
