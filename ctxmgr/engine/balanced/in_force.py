"""Which of the decisions made before still hold for a list: a decision knows a message by what it tells, and by how
many before it tell the same (as all reasoning does that only the provider can read).

1. Decisions about what the list does not hold are forgotten: else a message that comes again would leave at once,
   and only after a restart, since a list that goes on does not ask for them.
2. An assistant's message of several items is left out whole or not at all. Where a host took older messages away,
   decisions mean others that tell the same. Then the messages of the step decide that no other is like.
3. For the same reason they may mean a message that must stay (the newest of the user): it stays, and its step.
4. Steps that are promised as the newest stay as they came, but for what was cut or left to fit. What was decided
   was decided of an older part: what followed it is gone, or they tell the same as something that was.
"""

from collections.abc import Mapping

from ctxmgr.engine.conversation import STEP_ROLES, BlockRef, ConversationIndex, Step, promised_start
from ctxmgr.engine.invariants import Invariants
from ctxmgr.model import Decision, WorkingSet


def in_force(
    conversation: ConversationIndex, decisions: Mapping[str, Decision], rules: Invariants, newest: WorkingSet
) -> Mapping[str, Decision]:
    """Those that hold, by key. `newest`: the working set."""
    return _of_older(conversation, _whole_steps(conversation, decisions, rules), newest)


def of_message(
    conversation: ConversationIndex, position: int, decisions: Mapping[str, Decision]
) -> dict[str, Decision]:
    """The decisions about a message and its blocks (rule 1)."""
    key, found = conversation.key(position), dict[str, Decision]()
    if key in decisions:
        found[key] = decisions[key]
    for number in range(1, len(conversation.messages[position].view.blocks)):
        at = conversation.block_key(BlockRef(position, number))
        if at in decisions:
            found[at] = decisions[at]
    return found


def _of_older(
    conversation: ConversationIndex, decisions: Mapping[str, Decision], newest: WorkingSet
) -> Mapping[str, Decision]:
    """The decisions without those of rule 4."""
    if not decisions:
        return decisions
    voided: set[str] = set()
    for at in range(promised_start(conversation, newest), conversation.size):
        if conversation.messages[at].view.role in STEP_ROLES:
            made = of_message(conversation, at, decisions)
            voided.update(key for key, one in made.items() if one.kind != "cut" and not one.to_fit)
    return {key: one for key, one in decisions.items() if key not in voided} if voided else decisions


def _whole_steps(
    conversation: ConversationIndex, decisions: Mapping[str, Decision], rules: Invariants
) -> Mapping[str, Decision]:
    """The decisions, made of one mind about each step (rules 2 and 3)."""
    dropped = {at for at, decision in decisions.items() if decision.kind == "dropped"}
    if not dropped:
        return decisions
    must_stay = rules.must_stay(conversation)
    changed = dict(decisions)
    for at in must_stay:
        _forget(changed, dropped, conversation.key(at))
    for step in rules.steps(conversation).steps:
        stays = not must_stay.isdisjoint(step.message_indices)
        if not stays and len(step.assistant_indices) < 2:
            continue
        keys = {at: conversation.key(at) for at in step.message_indices}
        leaving = {at for at, one in keys.items() if one in dropped}
        if not stays and len(leaving.intersection(step.assistant_indices)) in (0, len(step.assistant_indices)):
            continue
        if not stays and _leaves(conversation, step, leaving) and rules.may_leave(conversation, step):
            changed |= dict.fromkeys(keys.values(), Decision("dropped"))
        else:
            for at in leaving:
                _forget(changed, dropped, keys[at])
    return changed


def _forget(decisions: dict[str, Decision], dropped: set[str], key: str) -> None:
    """Nothing leaves by this key any more."""
    if key in dropped:
        decisions.pop(key, None)


def _leaves(conversation: ConversationIndex, step: Step, leaving: set[int]) -> bool:
    """Do all messages of the step leave that no other message of the list tells the same as?"""
    sure = [at for at in step.message_indices if conversation.digest_counts[conversation.digest(at)] == 1]
    return bool(sure) and leaving.issuperset(sure)
