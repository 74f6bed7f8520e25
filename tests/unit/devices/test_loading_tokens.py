"""Vocabularies are taken from the package or a file; what cannot be had is estimated and said."""

import socket
import sys
from pathlib import Path

import pytest

from ctxmgr.devices import tokens
from ctxmgr.devices.tokens import load


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
