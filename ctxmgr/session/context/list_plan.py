"""A list on its way to its answer, as one frozen value: each pass returns the next one."""

import msgspec

from ctxmgr.engine.presets import Incoming, Inputs, Planned, PresetStrategy
from ctxmgr.model import Plan
from ctxmgr.session.context.arriving import Arrived
from ctxmgr.session.projection import NO_PLAN, Projection
from ctxmgr.session.reading import Reader


class Rejected(Exception):
    """This plan must not be sent. `checks` names the promises that it breaks."""

    def __init__(self, checks: tuple[str, ...]) -> None:
        super().__init__(", ".join(checks))
        self.checks = checks


class ListPlan(msgspec.Struct, frozen=True):
    """`arrived`: the list that was read, with the resulting state. `preset`, `inputs` and `reader` plan it;
    `incoming` is how it compares with the last one.

    `planned`: pieces and state as far as they are decided; `uncut`: the pieces before they were made to fit.
    `projection`: the answer. `only_grew`: it is the last answer with a longer end.
    """

    arrived: Arrived
    preset: PresetStrategy
    inputs: Inputs
    reader: Reader
    incoming: Incoming
    planned: Planned
    uncut: Plan = NO_PLAN
    projection: Projection = Projection()
    only_grew: bool = False

    @property
    def plan(self) -> Plan:
        """The pieces as far as they are decided."""
        return self.planned.plan

    @property
    def shared_count(self) -> int:
        """How many messages at the head are those of the last list."""
        return self.incoming.delta.shared_count

    @property
    def goes_on(self) -> bool:
        """Whether the list only adds to the last answer."""
        return self.incoming.last_plan is not None
