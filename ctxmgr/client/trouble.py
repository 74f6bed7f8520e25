"""What goes wrong between a program and its sidecar, and when the program is told: once when trouble begins, and
once when lists are answered again and nothing is left of it. A fault's text holds no conversation.
"""

import contextlib
from collections.abc import Callable
from typing import Literal

Kind = Literal["missing", "starting", "exited", "timeout", "error", "garbage", "gaveUp", "disposed"]


class SidecarFault(Exception):
    """`kind`:

    missing: there is no such program. starting: it, or the session, is not ready yet. exited: the process has
    ended. timeout: no answer in time. error: ctxmgr answered one (`code`), or what was given is no JSON. garbage:
    what came is no answer. gaveUp: too many restarts. disposed: the client was closed.

    `method`: what was asked; "" for faults of the process. `code`: JSON-RPC's, where ctxmgr answered an error.
    """

    def __init__(self, kind: Kind, message: str, method: str = "", code: int | None = None) -> None:
        super().__init__(message)
        self.kind, self.message, self.method, self.code = kind, message, method, code

    def again(self) -> "SidecarFault":
        """The same, to be raised once more."""
        return SidecarFault(self.kind, self.message, self.method, self.code)


OF_THE_PROCESS = ("", "initialize")  # methods whose faults are of no session


class Trouble:
    def __init__(self, tell: Callable[[SidecarFault], None] | None, over: Callable[[], None] | None = None) -> None:
        self._tell, self._over = tell, over
        # by session ("": of the process), kind and method, the newest last
        self._faults: dict[tuple[str, str, str], SidecarFault] = {}
        self._is_on = False

    @property
    def last(self) -> SidecarFault | None:
        return next(reversed(self._faults.values()), None)

    def note(self, fault: SidecarFault, session_id: str = "") -> None:
        if fault.kind == "disposed" or (fault.kind == "starting" and self._faults):
            return  # why it has to start tells more
        key = ("" if fault.method in OF_THE_PROCESS else session_id, fault.kind, fault.method)
        self._faults.pop(key, None)
        self._faults[key] = fault
        if not self._is_on:
            self._is_on = True
            if self._tell is not None:
                with contextlib.suppress(Exception):  # the program's own; there is nobody else to tell
                    self._tell(fault)

    def works(self, method: str, session_id: str = "") -> None:
        """A method's answer was good: its faults are over, and those of the process. Only a list that was answered
        ends what the program was told of: a process that starts and falls over again is one trouble."""
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
        """A session that has ended is no trouble any more."""
        self._faults = {key: fault for key, fault in self._faults.items() if key[0] != session_id}
