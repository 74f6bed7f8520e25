"""Working set: the newest results and steps are there byte for byte, as many as the policy says, but for what was
cut because the list did not fit the window."""

from ctxmgr.engine.conversation import STEP_ROLES, promised_start
from ctxmgr.engine.invariants.rule import Rule, Walk
from ctxmgr.model import BlockEdit


class WorkingSetWhole(Rule):
    """Tally: the newest message that was edited or left out, -1 for none."""

    name = "working set"
    tally = -1

    def edited(self, tally: int, walk: Walk, edit: BlockEdit) -> int:
        return max(tally, edit.message_index) if edit.kind != "cut" else tally

    def left_out(self, tally: int, walk: Walk, run: range) -> int:
        return max(tally, next((at for at in reversed(run) if self._counts(walk, at)), -1))

    def holds(self, tally: int, walk: Walk) -> bool:
        return tally < 0 or tally < promised_start(walk.conversation, walk.plan.working_set)

    def _counts(self, walk: Walk, at: int) -> bool:
        """Is it of a step, and did it leave though the list fits?"""
        if at < walk.plan.fit_floor or walk.conversation.messages[at].view.role not in STEP_ROLES:
            return False
        decision = walk.plan.decisions.get(walk.conversation.key(at))
        return decision is None or not decision.to_fit
