"""A store in memory, and two machines that use it."""

from pathlib import Path

import pytest

from tests.unit.store.machines import Machine
from tests.unit.store.memory import MemoryObjects


@pytest.fixture
def objects() -> MemoryObjects:
    return MemoryObjects()


@pytest.fixture
def here(tmp_path: Path, objects: MemoryObjects) -> Machine:
    return Machine(tmp_path / "here", objects)


@pytest.fixture
def elsewhere(tmp_path: Path, objects: MemoryObjects) -> Machine:
    return Machine(tmp_path / "elsewhere", objects)
