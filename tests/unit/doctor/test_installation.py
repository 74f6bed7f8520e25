"""Version, extras, vocabulary, and a sidecar that is spawned."""

import importlib.util
import sys
from functools import partial
from typing import Any

import pytest

from ctxmgr.client import SpawnedSidecar
from ctxmgr.devices import tokens
from ctxmgr.doctor import checks
from ctxmgr.doctor.checks import Diagnosis, Surroundings

PLACE = Surroundings()


def only(said: Any) -> Diagnosis:
    (one,) = said
    assert isinstance(one, Diagnosis)
    return one


def test_extras_that_are_not_there_are_named_with_their_use(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name: None if name in ("ctxmgr.study", "wordllama") else object()
    )
    said = only(checks.extras(PLACE))
    assert said.severity == "ok"
    there, missing = said.text.split("; not there: ")
    assert there == "there: proxy, corpus, mcp, store, otlp, endpoint"
    assert missing.startswith("study (for ctxmgr savings, replay, compare, drive, conform); ")
    assert said.advice == "where you need one: pip install 'ctxmgr-sidecar[study,embeddings]'"


def test_the_vocabulary_is_loaded() -> None:
    said = only(checks.vocabulary(PLACE))
    assert (said.severity, said.text) == ("ok", "o200k_base is there and loads")


def test_without_the_vocabulary_it_says_that_tokens_are_estimated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checks, "VOCABULARY", "cl100k_base")
    monkeypatch.delenv("TIKTOKEN_CACHE_DIR", raising=False)
    said = only(checks.vocabulary(PLACE))
    assert said.severity == "warn"
    assert said.text.startswith("weights are estimated: no usable file of cl100k_base")
    assert tokens.load("o200k_base").weigher.name == "o200k_base"


def test_a_sidecar_answers() -> None:
    said = only(checks.sidecar(PLACE))
    assert said.severity in ("ok", "warn")  # a busy machine is no fault
    assert said.text.startswith("ctxmgr serve answers ")


@pytest.mark.parametrize("command", [[sys.executable, "-c", "pass"], ["/nowhere/ctxmgr"]])
def test_a_sidecar_that_does_not_answer_is_bad(command: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checks, "SpawnedSidecar", partial(SpawnedSidecar, command=command))
    said = only(checks.sidecar(PLACE))
    assert said.severity == "bad"
    assert said.text.startswith("ctxmgr serve does not answer: ")
    assert "ctxmgr serve" in said.advice
