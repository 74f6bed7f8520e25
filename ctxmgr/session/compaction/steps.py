"""Turns the steps of a strategy into the steps of a job: what it computes between its asks is work."""

from typing import Any

from ctxmgr.model.compaction import Asking, Result
from ctxmgr.session.work import Offload, Routine


def advanced(asking: Asking[Result]) -> Routine[Result]:
    """Prompts and slices of a long history take long to make: not where events are served."""
    value: Any = None
    while True:
        sent = value
        ended, value = yield Offload(lambda: _step(asking, sent))  # noqa: B023  run before the next step
        if ended:
            return value  # type: ignore[no-any-return]  # the strategy's own result
        value = yield value


def _step(asking: Asking[Any], value: Any) -> tuple[bool, Any]:
    """(True, result) or (False, asks). A generator's end must not travel through a thread as an exception."""
    try:
        return False, asking.send(value)
    except StopIteration as stop:
        return True, stop.value
