"""Version, extras, vocabulary, and a sidecar that is spawned."""

import sys
from functools import partial
from typing import Any

import pytest

from ctxmgr.client import SpawnedSidecar
from ctxmgr.devices import tokens
from ctxmgr.doctor import COLUMNS, checks, lines
from ctxmgr.doctor.checks import Diagnosis, Surroundings
from ctxmgr.extras import EXTRAS

PLACE = Surroundings()


def only(said: Any) -> Diagnosis:
    (one,) = said
    assert isinstance(one, Diagnosis)
    return one


def test_extras_that_are_missing_are_named_with_the_command_for_the_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checks, "is_installed", lambda name: name not in ("study", "embeddings"))
    monkeypatch.setattr(checks, "install", lambda name: f"pip install '.[{name}]'")
    said = only(checks.extras(PLACE))
    assert said.severity == "ok"
    there, missing = said.text.split("; not installed: ")
    assert there == f"installed: {', '.join(name for name in EXTRAS if name not in ('study', 'embeddings'))}"
    assert missing == "study, embeddings"
    assert said.advice.startswith("pip install '.[study]' adds study, for demo, savings, ")
    assert [line for line in lines(said) if len(line) > COLUMNS] == []


def test_without_the_vocabulary_it_says_that_tokens_are_estimated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checks, "VOCABULARY", "cl100k_base")
    monkeypatch.delenv("TIKTOKEN_CACHE_DIR", raising=False)
    said = only(checks.vocabulary(PLACE))
    assert said.severity == "warn"
    assert said.text.startswith("token counts are estimated: no usable file of cl100k_base")
    assert tokens.load("o200k_base").weigher.name == "o200k_base"


def test_a_sidecar_that_does_not_answer_is_bad(monkeypatch: pytest.MonkeyPatch) -> None:
    command = [sys.executable, "-c", "pass"]
    monkeypatch.setattr(checks, "SpawnedSidecar", partial(SpawnedSidecar, command=command))
    said = only(checks.sidecar(PLACE))
    assert said.severity == "bad"
    assert said.text.startswith("ctxmgr serve does not answer: ")
    assert "ctxmgr serve" in said.advice
