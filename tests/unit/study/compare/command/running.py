"""The command compare run on small sessions."""

import json
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from ctxmgr.devices.tokens import LoadedWeigher, Weigher
from ctxmgr.model.compaction import CompletionRequest
from ctxmgr.model.estimate import estimate
from ctxmgr.study.compare import command
from tests.model_server import ModelServer, Request
from tests.notation import Said, a, call, err, r, u
from tests.unit.engine.trees import entries
from tests.unit.study.compare import scripted_model

KEEP = ("--keep", "300")

Compare = Callable[..., dict[str, Any]]


def weigh_by_length(monkeypatch: pytest.MonkeyPatch, note: str | None = None) -> None:
    """From now on no vocabulary is loaded, for the reason `note`."""
    loaded = LoadedWeigher(Weigher("estimate", estimate), note)
    monkeypatch.setattr(command, "tokens", SimpleNamespace(load=lambda name: loaded))


def turn(number: int, size: int = 2_000) -> list[Said]:
    filler = f"line of part {number} with some words in it\n"
    return [
        u(f"Please mend part {number} in src/part{number}.py. Always keep the name parseTree{number} as it is."),
        a("I look at it first.", call("read", path=f"src/part{number}.py")),
        r(filler * (size // len(filler))),
        a("I run its test.", call("bash", command=f"pytest tests/test_part{number}.py")),
        err(f"ValueError: index {number} is out of range"),
        a(f"Part {number} is mended: resetCursor{number} used a wrong index."),
    ]


def recorded(folder: Path, name: str = "one.jsonl", turns: int = 6, size: int = 2_000) -> Path:
    """A session file of so many turns."""
    talk = [message for number in range(1, turns + 1) for message in turn(number, size)]
    lines = [{"type": "session", "version": 3, "id": "s", "cwd": "/somewhere"}, *entries(*talk)]
    path = folder / name
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    return path


def shares(row: dict[str, Any]) -> dict[str, tuple[float, int]]:
    """Of each kind of probes: the share that is answered, of so many."""
    kinds: dict[str, Any] = row["probes"]["kinds"]
    return {kind: (both["every"]["share"], both["every"]["probes"]) for kind, both in kinds.items()}


def bill(document: dict[str, Any]) -> dict[str, Any]:
    (row,) = document["rows"]
    billed: dict[str, Any] = row["bill"]
    return billed


def answer(request: Request) -> str:
    return scripted_model.complete(CompletionRequest("history", request.system, request.prompt, 4_000)).text


def endpoint(server: ModelServer) -> tuple[str, ...]:
    return ("--endpoint", server.url, "--model", "m", *KEEP)
