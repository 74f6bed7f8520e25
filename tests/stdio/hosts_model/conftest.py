"""One process for the tests of a file, which asks the host for completions and vectors."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.stdio.compacting_sidecar import CAN, WHOLE_TURNS, Writer, answered


@pytest.fixture(scope="module")
def process() -> Iterator[Writer]:
    """One process for the tests of this file; a session each. What it said is looked through at its end."""
    with tempfile.TemporaryDirectory() as state, Writer(Path(state)).ready(policy=WHOLE_TURNS, **CAN) as one:
        yield one


@pytest.fixture
def writer(process: Writer) -> Writer:
    """Its model answers well, unless a test says otherwise."""
    process.heard.clear()
    process.handlers.clear()
    process.handlers["complete"] = answered
    return process
