"""Turns a recorded session into what its rows are made of: the path, the plan, and how a message weighs.

All is made when it is first asked for, once; a recording whose rows are all there is not even cut.
"""

from collections.abc import Iterable
from functools import cached_property, partial
from hashlib import sha256
from pathlib import Path

from ctxmgr.engine.compaction import prepare, weighing
from ctxmgr.formats.pi_tree import branch
from ctxmgr.model import Weigh, WeighMessage, media
from ctxmgr.model.compaction import BranchEntry, BranchMessage, CompactionPlan, Format, NothingToCompact, Strategy
from ctxmgr.study.compare.sessions import RecordedSession, messages, read, uncovered
from ctxmgr.study.compare.settings import SUMMARISER_WINDOW, Settings
from ctxmgr.study.recordings import UnreadableRecording
from ctxmgr.summarize import SummaryInput


class Material:
    """One recording, made ready as far as its rows need it. `weigher` is the name of the vocabulary; `other`:
    another recording, for a control."""

    def __init__(
        self, session: RecordedSession, settings: Settings, weigh: Weigh, weigher: str, other: Path | None = None
    ) -> None:
        self.session, self.settings, self.weigh, self.weigher, self.other = session, settings, weigh, weigher, other
        self.weigh_message = _remembered(
            weighing.by_text(weigh, partial(media.tokens, rules=media.OTHER), lambda view: 0)
        )

    @cached_property
    def path(self) -> tuple[BranchEntry, ...]:
        """The whole last branch; where that ends with a compaction, what was there before it."""
        path = branch.branch(self.session.entries, self.session.leaf)
        while path and path[-1].kind in ("compaction", ""):
            path = path[:-1]
        return path

    @cached_property
    def planned(self) -> CompactionPlan | NothingToCompact:
        """As planCompaction plans it on that path. Raises RuntimeError where the cut would lose an entry."""
        path = self.path
        prepared = prepare.decide(path, self.settings.cut_budget, self.weigh_message)
        if isinstance(prepared, CompactionPlan) and (lost := uncovered(path, prepared)):
            raise RuntimeError(f"the cut leaves {', '.join(path[index].id for index in lost)} to nobody")
        return prepared

    @property
    def preparation(self) -> CompactionPlan:
        """The plan, where there is something to compact."""
        assert isinstance(self.planned, CompactionPlan)
        return self.planned

    @property
    def carried(self) -> str:
        """The summary that the plan's one stands for as well, "" without one."""
        return self.preparation.previous or ""

    @cached_property
    def foreign(self) -> tuple[bytes, ...]:
        """The messages of the other recording, () where there is none that can be read."""
        try:
            return () if self.other is None else messages(read(self.other))
        except UnreadableRecording:
            return ()

    @cached_property
    def _other_digest(self) -> str:
        try:
            return "" if self.other is None else sha256(self.other.read_bytes()).hexdigest()
        except OSError:
            return ""

    def fingerprint(self, strategy: Strategy, format: Format) -> str:
        return self.settings.fingerprint(self.session.digest, strategy, format, self.weigher, self._other_digest)

    def weight(self, messages: Iterable[BranchMessage]) -> int:
        return sum(map(self.weigh_message, messages))

    def brief(self, prepared: CompactionPlan, strategy: Strategy, format: Format) -> SummaryInput[CompactionPlan]:
        """How to write it. Without a model no model's window bounds it."""
        policy = self.settings.policy
        return SummaryInput(
            prepared,
            self.weigh,
            strategy,
            format,
            slices=policy.slices,
            window=SUMMARISER_WINDOW if strategy == "extractive" else self.settings.window,
            retries=policy.retries,
        )


def _remembered(weigh: WeighMessage) -> WeighMessage:
    """Each message is weighed once, however often a plan asks."""
    known: dict[bytes, int] = {}

    def weighed(message: BranchMessage) -> int:
        weight = known.get(message.raw)
        if weight is None:
            weight = known[message.raw] = weigh(message)
        return weight

    return weighed
