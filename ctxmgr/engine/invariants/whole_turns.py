"""Turns: a turn stays whole or leaves whole.

1. A summary or a returned packet may leave alone, and a summary may stay alone before all turns that stay. Of
   prompts `prompts` speaks.
2. After the first message that stays, rule 1 aside, nothing leaves; and that message begins its turn.
3. A list without a user message does not leave whole; where there is one, the newest stays (`newest_user`).
"""

from ctxmgr.engine.invariants.rule import Rule, Walk

NO_TURN = ("summary", "packet", "prompt")  # roles that may stand before the message a turn starts with


class WholeTurnsRule(Rule):
    """A plan of whole turns names the first that stays: a chooser has nothing to ask. Tally: did a part
    of a turn leave that stays?"""

    name = "turns"
    by_turns = True

    def left_out(self, tally: bool, walk: Walk, run: range) -> bool:
        messages = walk.conversation.messages
        inside = walk.first_index >= 0
        return tally or (inside and any(messages[at].view.role not in NO_TURN for at in run))

    def holds(self, tally: bool, walk: Walk) -> bool:
        messages, first = walk.conversation.messages, walk.first_index
        if first < 0:
            return walk.conversation.newest_user >= 0 or all(message.view.role in NO_TURN for message in messages)
        before = first
        while before > 0 and messages[before - 1].view.role in NO_TURN:
            before -= 1
        begins = before == 0 or any(messages[at].view.opens_turn for at in range(before, first + 1))
        return begins and not tally
