"""The pipes of a spawned sidecar."""

import sys

import pytest

from ctxmgr.client import SpawnedSidecar
from ctxmgr.client.links import PIPE_BYTES, SpawnedLink

if sys.platform != "linux":
    pytest.skip("other systems have pipes of one size", allow_module_level=True)

import fcntl


async def test_a_pipe_holds_a_whole_list_each_way() -> None:
    sidecar = SpawnedSidecar((sys.executable, "-c", "import os; os.read(0, 1)"))
    link = SpawnedLink(sidecar, lambda chunk: None, lambda how: None)
    pipes = (link._process.stdin, link._process.stdout)
    assert [fcntl.fcntl(one, fcntl.F_GETPIPE_SZ) for one in pipes if one is not None] == [PIPE_BYTES] * 2
    link.end_input()
