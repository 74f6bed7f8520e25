"""What went wrong between a program and its sidecar. Its text holds no conversation."""

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
