"""One process for the tests of a file, which asks a model server on loopback."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.stdio.compacting_sidecar import WHOLE_TURNS, Writer


@pytest.fixture(scope="module")
def process() -> Iterator[Writer]:
    """One process for the tests of this file; a session each. What it said is looked through at its end."""
    with tempfile.TemporaryDirectory() as state, Writer(Path(state)).ready(policy=WHOLE_TURNS) as one:
        yield one


@pytest.fixture
def writer(process: Writer) -> Writer:
    process.handlers.clear()
    process.heard.clear()
    return process
