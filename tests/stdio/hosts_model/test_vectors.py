"""Vectors of the host tell where to cut, and without good ones the words do."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.stdio.compacting_sidecar import (
    CAN,
    SLICES,
    WHOLE_TURNS,
    Fields,
    HostError,
    Writer,
    answered,
    hold,
    kind,
    marks,
    turns,
)
from tests.stdio.sidecar import ROOT


def prompts(writer: Writer, session: str, **slices: Any) -> list[str]:
    """What the slices of a compaction hold, with these settings."""
    writer.heard.clear()
    policy = {"compaction": {"slices": {**SLICES, **slices}, "keepRecentTokens": 200, "reserveTokens": 10_000}}
    writer.call("setPolicy", sessionId=session, policy=policy)
    params = {"sessionId": session, "entries": turns(24), "strategy": "parallel-stitch"}
    details = writer.call("compact", **params)["compaction"]["details"]["ctxmgr"]
    assert "fallback" not in details
    asked = [params["prompt"] for params in writer.asked("complete")]
    return sorted(prompt for prompt in asked if kind(prompt) == "slice")


def subjects(texts: list[str]) -> list[list[float]]:
    """Vectors that break at two places: the subject changes with turn 5 and with turn 14."""
    found: list[list[float]] = []
    for text in texts:
        number = int((re.search(r"mark-(\d+)-", text) or ["", "0"])[1])
        found.append([float(number < 5), float(5 <= number < 14), float(number >= 14)])
    return found


def test_hosts_vectors_tell_where_to_cut(writer: Writer) -> None:
    session = writer.started("vectors")
    words = prompts(writer, session, breaks="natural")
    assert writer.asked("embed") == []
    writer.handlers["embed"] = lambda params: {"vectors": subjects(params["texts"])}
    cut = prompts(writer, session, breaks="natural", cohesion="host")
    (asked,) = writer.asked("embed")
    assert asked["sessionId"] == session
    assert len(asked["texts"]) >= 24
    assert cut != words
    begin = [prompt.partition("<conversation>")[2] for prompt in cut]
    assert any("mark-5-user" in text[:400] for text in begin)


BAD_VECTORS: list[Any] = [
    None,
    {},
    {"vectors": []},
    {"vectors": [[1.0]]},
    {"vectors": "x"},
    {"vectors": [["a"]]},
    [[1.0]],
    {"vectors": [[]] * 47},
    HostError,
]


def test_without_good_vectors_the_words_tell(writer: Writer) -> None:
    session = writer.started("bad vectors")
    words = prompts(writer, session, breaks="natural")
    for bad in BAD_VECTORS:

        def answer(params: Fields, bad: Any = bad) -> Any:
            if bad is HostError:
                raise HostError
            return bad

        writer.handlers["embed"] = answer
        assert prompts(writer, session, breaks="natural", cohesion="host") == words
        assert len(writer.asked("embed")) == 1


STRANGE_NUMBERS = [0.0, -1.0, 1e308, 5e-324]


@pytest.mark.parametrize("number", STRANGE_NUMBERS)
def test_vectors_of_strange_numbers_lose_nothing(writer: Writer, number: float) -> None:
    session = writer.started(f"strange {number}")
    writer.handlers["embed"] = lambda params: {"vectors": [[number] * 3 for _ in params["texts"]]}
    cut = prompts(writer, session, breaks="natural", cohesion="host")
    assert marks(" ".join(cut)) >= marks(json.dumps(turns(23)))


def test_host_that_never_gives_vectors_is_not_waited_for(writer: Writer) -> None:
    session = writer.started("no vectors", slices={**SLICES, "breaks": "natural", "cohesion": "host"})
    writer.handlers["embed"] = hold
    params = {"sessionId": session, "entries": turns(24), "strategy": "parallel-stitch"}
    for milliseconds in (0, 50):
        compaction = writer.call("compact", **params, deadlineMs=milliseconds)["compaction"]
        assert compaction["details"]["ctxmgr"]["fallback"]["reason"] == "cancelled"


def test_missing_embeddings_are_said_once_and_done_without(tmp_path: Path) -> None:
    (tmp_path / "wordllama.py").write_text("raise ImportError('not here')")
    path = {"PYTHONPATH": f"{tmp_path}:{ROOT}"}
    with Writer(tmp_path / "state", environment=path).ready(policy=WHOLE_TURNS, **CAN) as writer:
        writer.handlers["complete"] = answered
        session = writer.started("s")
        words = prompts(writer, session, breaks="natural")
        for _ in range(2):
            assert prompts(writer, session, breaks="natural", cohesion="embeddings") == words
        assert writer.asked("embed") == []
        assert writer.leave() == 0
        assert writer.said.count("no embeddings") == 1
