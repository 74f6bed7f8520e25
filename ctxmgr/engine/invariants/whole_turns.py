"""Turns: a turn stays whole or leaves whole.

1. A summary or a returned packet may leave alone, and a summary may stay alone before all turns that stay. Of
   prompts `prompts` speaks.
2. After the first message that stays, rules 1 and 3 aside, nothing leaves; and that message begins its turn.
3. What was dropped to fit the window may leave alone, if no user or host said it, but not the newest answer. Only
   the fit step decides so (`Decision.to_fit`), and `step` and `pairs` hold for it.
4. A list without a user message does not leave whole; where there is one, the newest stays (`newest_user`).
"""

from ctxmgr.engine.invariants.rule import Rule, Walk

NO_TURN = ("summary", "packet", "prompt")  # roles that may stand before the message a turn starts with
OF_STEPS = ("assistant", "result", "shell")


class WholeTurnsRule(Rule):
    """A plan of whole turns names the first that stays: a chooser has nothing to ask. Tally: did a part
    of a turn leave that stays?"""

    name = "turns"
    by_turns = True

    def left_out(self, tally: bool, walk: Walk, run: range) -> bool:
        return tally or (walk.first_index >= 0 and not all(_may_leave_alone(walk, at) for at in run))

    def holds(self, tally: bool, walk: Walk) -> bool:
        messages, first = walk.conversation.messages, walk.first_index
        if first < 0:
            return walk.conversation.newest_user >= 0 or all(message.view.role in NO_TURN for message in messages)
        before = first
        while before > 0 and _may_leave_alone(walk, before - 1):
            before -= 1
        begins = before == 0 or any(messages[at].view.opens_turn for at in range(before, first + 1))
        return begins and not tally


def _may_leave_alone(walk: Walk, at: int) -> bool:
    """Rules 1 and 3."""
    conversation = walk.conversation
    role = conversation.messages[at].view.role
    if role in NO_TURN:
        return True
    decision = walk.plan.decisions.get(conversation.key(at))
    is_fit = decision is not None and decision.to_fit and decision.kind == "dropped"
    return is_fit and role in OF_STEPS and at != conversation.newest_reply
