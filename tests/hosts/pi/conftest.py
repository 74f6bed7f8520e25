"""A real pi from npm, a scripted model, and places to work in."""

import contextlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.hosts.pi import scripted
from tests.hosts.pi.installing import Installed, installed
from tests.hosts.pi.runs import Places, place_of
from tests.model_server import ModelServer


@pytest.fixture(params=["0.74", "0.87"])
def program(request: pytest.FixtureRequest) -> Installed:
    """The oldest pi and the newest, where it is about what these do differently; else the newest alone."""
    return installed(request.param)


@pytest.fixture
def model() -> Iterator[ModelServer]:
    with ModelServer.threaded(scripted.Model()) as server:
        yield server


@pytest.fixture
def places(model: ModelServer, tmp_path: Path) -> Iterator[Places]:
    with contextlib.ExitStack() as stack:
        yield lambda **pruning: stack.enter_context(contextlib.closing(place_of(tmp_path, model, **pruning)))
