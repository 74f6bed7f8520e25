"""What the process that serves standard streams is set to, before it takes a message."""

import gc
from collections.abc import Callable, Coroutine, Iterator
from typing import Any

import pytest

from ctxmgr.server import stdio_server
from ctxmgr.server.config import Setup


@pytest.fixture(autouse=True)
def _as_before() -> Iterator[None]:
    thresholds, switch = gc.get_threshold(), stdio_server.sys.getswitchinterval()
    yield
    gc.enable()
    gc.set_threshold(*thresholds)
    stdio_server.sys.setswitchinterval(switch)


def test_garbage_is_collected_seldom_and_never_looked_for_in_what_was_imported(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def run(served: Coroutine[Any, Any, int]) -> int:
        served.close()
        found.extend((gc.isenabled(), gc.get_threshold(), gc.get_freeze_count() > before))
        return 0

    found: list[Any] = []
    runs: Callable[..., int] = run
    monkeypatch.setattr(stdio_server.asyncio, "run", runs)
    gc.unfreeze()
    before = gc.get_freeze_count()
    gc.disable()  # as it is while modules load
    assert stdio_server.serve(Setup()) == 0
    assert found == [True, stdio_server.COLLECT_AFTER, True]
