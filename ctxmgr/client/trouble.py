"""Faults between a program and its sidecar, and when they are reported: once when trouble begins, and once when
lists are answered again and no trouble is left. The text of a fault never quotes the conversation."""

import contextlib
from collections.abc import Callable
from typing import Literal

Kind = Literal["missing", "starting", "exited", "timeout", "error", "garbage", "gaveUp", "disposed"]


class SidecarFault(Exception):
    """`kind`:

    missing: the program cannot be started. starting: the program or the session is not ready yet. exited: the
    process has ended. timeout: no answer in time. error: ctxmgr answered with an error (`code`), or the arguments
    are not JSON. garbage: the answer is invalid. gaveUp: too many restarts. disposed: the client was closed.

    `method`: the method that was called; "" for faults of the process. `code`: the JSON-RPC code of an error.
    """

    def __init__(self, kind: Kind, message: str, method: str = "", code: int | None = None) -> None:
        super().__init__(message)
        self.kind, self.message, self.method, self.code = kind, message, method, code

    def again(self) -> "SidecarFault":
        """A copy, to raise it again."""
        return SidecarFault(self.kind, self.message, self.method, self.code)


OF_THE_PROCESS = ("", "initialize")  # methods whose faults belong to no session


class Trouble:
    def __init__(self, tell: Callable[[SidecarFault], None] | None, over: Callable[[], None] | None = None) -> None:
        self._tell, self._over = tell, over
        # by session ("": the process), kind and method, the newest last
        self._faults: dict[tuple[str, str, str], SidecarFault] = {}
        self._is_on = False

    @property
    def last(self) -> SidecarFault | None:
        return next(reversed(self._faults.values()), None)

    def note(self, fault: SidecarFault, session_id: str = "") -> None:
        if fault.kind == "disposed" or (fault.kind == "starting" and self._faults):
            return  # the reason for the start says more
        key = ("" if fault.method in OF_THE_PROCESS else session_id, fault.kind, fault.method)
        self._faults.pop(key, None)
        self._faults[key] = fault
        if not self._is_on:
            self._is_on = True
            if self._tell is not None:
                # raised by the program itself; there is nobody else to report to
                with contextlib.suppress(Exception):
                    self._tell(fault)

    def works(self, method: str, session_id: str = "") -> None:
        """A method was answered: its faults are over, and those of the process. Only an answered list ends the
        trouble that was reported, so a process that starts and fails again is one trouble."""
        who = "" if method in OF_THE_PROCESS else session_id
        self._faults = {
            key: fault for key, fault in self._faults.items() if key[2] != "" and (key[0], key[2]) != (who, method)
        }
        if self._is_on and method == "context" and not self._faults:
            self._is_on = False
            if self._over is not None:
                with contextlib.suppress(Exception):
                    self._over()

    def forget(self, session_id: str) -> None:
        """Forgets the faults of a session that has ended."""
        self._faults = {key: fault for key, fault in self._faults.items() if key[0] != session_id}
