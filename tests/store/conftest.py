"""Servers of stores, one a worker; a store in a folder, and the ways in which it goes away."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.store.folders import Folder, Take
from tests.store.installing import installed
from tests.store.servers import moto, versitygw


@pytest.fixture(scope="session")
def moto_url() -> Iterator[str]:
    with moto() as url:
        yield url


@pytest.fixture(scope="session")
def versitygw_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with versitygw(installed(), tmp_path_factory.mktemp("versitygw") / "served") as url:
        yield url


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return Folder(tmp_path / "store")


@pytest.fixture(params=["moved", "unmounted"])
def away(request: pytest.FixtureRequest, folder: Folder) -> Take:
    take: Take = getattr(folder, request.param)
    return take
