"""The servers of tests leave no socket behind, however late a client comes."""

import contextlib
import gc
import socket
import sys
from collections.abc import Callable
from typing import Any

import pytest

from tests.model_server import ModelServer
from tests.provider import Provider, script

SERVERS: dict[str, Callable[[], contextlib.AbstractContextManager[Any]]] = {
    "model server": lambda: ModelServer.threaded([]),
    "provider": lambda: Provider.threaded(script("Look")),
}


@pytest.mark.parametrize("server", SERVERS)
def test_client_that_comes_as_the_server_ends_leaves_no_socket_open(
    monkeypatch: pytest.MonkeyPatch, server: str
) -> None:
    left: list[str] = []
    gc.freeze()  # what earlier tests left is not looked through
    monkeypatch.setattr(sys, "unraisablehook", lambda fault: left.append(str(fault.exc_value)))
    for _ in range(5):
        with SERVERS[server]() as served:
            client = socket.create_connection(("127.0.0.1", int(served.url.split(":")[2].split("/")[0])))
        client.close()
    gc.collect()
    assert left == []
