"""A session that is left and taken up again: byte for byte the model is sent what it would be sent if pi had never
ended. So its prefix is in the provider's cache."""

import contextlib
import json
from pathlib import Path
from typing import Any

import pytest

from tests.hosts.pi import scripted
from tests.hosts.pi.driver import Pi, Place
from tests.hosts.pi.installing import Installed
from tests.hosts.pi.runs import SMALL, check_clean
from tests.model_server import ModelServer, Request

pytestmark = pytest.mark.real

STEPS = [f"Step {number}: read notes-{number}.txt notes-{number + 1}.txt" for number in range(1, 8)]


def test_continue_and_resume_keep_the_prefix(program: Installed, tmp_path: Path) -> None:
    pruning = {"preset": "balanced", "pruneProtect": 2_000, "pruneMinimum": 1_000, "tokenizer": "estimate"}
    with _placed(tmp_path / "left", pruning) as (model, place):
        with Pi(program.node, program.pi, place) as pi:
            file = pi.ask("get_state")["sessionFile"]
            for words in STEPS:
                pi.prompt(words, program.last)
            check_clean(pi)
        with Pi(program.node, program.pi, place, "--continue") as pi:
            pi.prompt("And on.", program.last)
            pi.ask("new_session")
            pi.prompt("Something else.", program.last)
            pi.ask("switch_session", sessionPath=file)
            pi.prompt("And on once more.", program.last)
            check_clean(pi)
        left = [_conversation(one) for one in model.requests]
    assert "Step 1" not in left[-2]
    del left[-2]
    with _placed(tmp_path / "kept", pruning) as (model, place), Pi(program.node, program.pi, place) as pi:
        for words in [*STEPS, "And on.", "And on once more."]:
            pi.prompt(words, program.last)
        check_clean(pi)
        kept = [_conversation(one) for one in model.requests]
        assert scripted.tokens(model.requests[-1]) < len(STEPS) * 2 * SMALL / 4  # something has left it
    assert left == kept


@contextlib.contextmanager
def _placed(root: Path, pruning: dict[str, Any]) -> Any:
    root.mkdir()
    with (
        ModelServer.threaded(scripted.Model()) as model,
        contextlib.closing(Place(root, model.url, pruning)) as place,
    ):
        for number in range(1, 10):
            place.write(f"notes-{number}.txt", SMALL)
        yield model, place


def _conversation(request: Request) -> str:
    """All but pi's own prompt, which tells the day and the place."""
    messages: list[dict[str, Any]] = request.body["messages"]
    return json.dumps([one for one in messages if one["role"] not in ("system", "developer")])
