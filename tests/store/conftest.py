"""A store in a folder, and the ways in which it goes away."""

from pathlib import Path

import pytest

from tests.store.folders import Folder, Take


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return Folder(tmp_path / "store")


@pytest.fixture(params=["moved", "unmounted"])
def away(request: pytest.FixtureRequest, folder: Folder) -> Take:
    take: Take = getattr(folder, request.param)
    return take
