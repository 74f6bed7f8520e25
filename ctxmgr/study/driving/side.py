"""What a recorded session is driven through, whoever decides on its lists: the host's end of it."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any

from ctxmgr.study.driving.outcomes import ReplayResult, TimelineMark
from ctxmgr.study.driving.watching import ObservationRecorder
from ctxmgr.study.hosts import HostMessage


class HostSide(ABC):
    """`items` is the host's list as it stands. `measure`: what each call shows goes on the outcome's list of
    sights."""

    def __init__(self, session_id: str, outcome: ReplayResult, measure: bool) -> None:
        self.session_id, self.outcome = session_id, outcome
        self.items: list[HostMessage] = []
        self.watch = ObservationRecorder(outcome.observations) if measure else None

    @abstractmethod
    def context(self, at: int | None) -> dict[str, Any]:
        """A call of the model, with the list as it stands; a report with the `tokens` that are sent and the
        `rawTokens` of the host's list. `at` in milliseconds."""

    @abstractmethod
    def turn_end(self, params: bytes) -> list[dict[str, Any]]:
        """`params` are whole. The commands in the answer."""

    @abstractmethod
    def ask(self, method: str, params: Mapping[str, Any] | bytes, counted: bool = False) -> bytes:
        """The bytes of the answer. `counted`: it raises `seq`."""

    @abstractmethod
    def query(self, method: str, params: Mapping[str, Any]) -> bytes:
        """The bytes of an answer that tells no `seq`."""

    @abstractmethod
    def rewritten(self) -> None:
        """The host's list becomes another one."""

    def replied(self, reply: HostMessage) -> None:
        """The recorded message that followed the last `context`."""
        if self.watch is not None:
            self.watch.replied(reply)

    def mark(self, kind: str, text: str = "") -> None:
        self.outcome.marks.append(TimelineMark(kind, len(self.outcome.calls), text))
