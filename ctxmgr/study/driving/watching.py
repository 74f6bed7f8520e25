"""Turns a host's lists and the answers to them into sights, as a session is driven."""

from collections.abc import Iterable, Sequence

from ctxmgr.study.driving.legality import MatchedMessage
from ctxmgr.study.hosts import HostMessage
from ctxmgr.study.metrics import PACKET, Observation, ProjectedMessage


class ObservationRecorder:
    """`observations` holds one a call that was answered and that a recorded message followed."""

    def __init__(self, sights: list[Observation]) -> None:
        self.observations = sights
        self._projected: dict[
            tuple[bytes, int, bool], ProjectedMessage
        ] = {}  # most of a list was in the list before
        self._called: tuple[int | None, tuple[HostMessage, ...], tuple[ProjectedMessage, ...], int, int] | None = (
            None
        )
        self._own = 0

    def compacted(self) -> None:
        """By the host, unasked."""
        self._own += 1

    def called(
        self, at: int | None, items: Sequence[HostMessage], placed: Iterable[MatchedMessage], epoch: int
    ) -> None:
        """What the model is about to be shown. `items`: the host's list; `at` in milliseconds."""
        shown = tuple(self._one(one) for one in placed)
        self._called = at, tuple(items), shown, epoch, self._own
        self._own = 0

    def replied(self, reply: HostMessage) -> None:
        """The recorded message that followed."""
        if self._called is not None:
            at, items, shown, epoch, own = self._called
            self.observations.append(Observation(at, items, shown, reply, epoch, own))
        self._called = None

    def _one(self, placed: MatchedMessage) -> ProjectedMessage:
        index = PACKET if placed.index is None else placed.index
        key = (placed.message.raw, index, placed.same)
        return self._projected.setdefault(key, ProjectedMessage(*key))
