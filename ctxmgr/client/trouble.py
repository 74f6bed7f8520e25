"""Which faults a program is told of: one a kind, until what failed works again."""

import contextlib
from collections.abc import Callable

from ctxmgr.client.fault import SidecarFault


class Trouble:
    def __init__(self, tell: Callable[[SidecarFault], None] | None) -> None:
        self._tell = tell
        self._faults: dict[tuple[str, str], SidecarFault] = {}  # by kind and method, the newest last

    @property
    def last(self) -> SidecarFault | None:
        return next(reversed(self._faults.values()), None)

    def note(self, fault: SidecarFault) -> None:
        if fault.kind == "disposed" or (fault.kind == "starting" and self._faults):
            return  # why it has to start tells more
        is_new = all(kind != fault.kind for kind, _ in self._faults)
        self._faults.pop((fault.kind, fault.method), None)
        self._faults[fault.kind, fault.method] = fault
        if is_new and self._tell is not None:
            with contextlib.suppress(Exception):  # the program's own; there is nobody else to tell
                self._tell(fault)

    def works(self, method: str) -> None:
        """A method's answer was good: its faults are over, and those of the process."""
        self._faults = {key: fault for key, fault in self._faults.items() if fault.method not in ("", method)}
