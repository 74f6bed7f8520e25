"""Selects the tool results of a list that may lose their output (rule 7 of the projection).

Rules (after OpenCode's pruning, which is "the original" below):
1. Walk back from the newest message. The last `protectedTurns` user turns are safe.
2. Stop at a compaction boundary: the model does not see what is before it anyway. An already pruned result is no
   reason to stop (the original stops there, and so never prunes what is older).
3. Never prune errors, possible errors, or results of `protectedTools`. `prunableTools` names the eligible tools;
   empty means all.
4. The newest `pruneProtect` tokens of eligible output are safe. A result that is partly among them is safe as a
   whole (the original prunes it, and may protect nothing). Older output is prunable.
5. Prune all prunable output at once, and only if it reaches `pruneMinimum` tokens; `force` ignores the minimum.
6. Pruned results stay pruned. A later call prunes only what has become prunable since, so that the bytes before it
   do not change.
"""

from bisect import bisect_left
from collections.abc import Iterable, Mapping
from itertools import accumulate, compress
from operator import attrgetter, not_

import msgspec

from ctxmgr.engine.conversation import NOWHERE, SPECIAL, BlockRef, ConversationIndex, carried, carried_with
from ctxmgr.engine.protection import Protection, is_among
from ctxmgr.engine.rewriting import marker
from ctxmgr.model import Block, Decision, Policy


class Target(msgspec.Struct, frozen=True, gc=False):
    """A tool result: its position, its key, and its tokens."""

    ref: BlockRef
    key: str
    weight: int


class Pruning(msgspec.Struct, frozen=True):
    """`targets`, oldest last. In tokens: `scanned_tokens` of eligible output, `protected_tokens` of it that stay by
    rule 4, and `prunable_tokens`.
    """

    targets: tuple[Target, ...] = ()
    scanned_tokens: int = 0
    protected_tokens: int = 0
    prunable_tokens: int = 0


def why_nothing(scanned_tokens: int, policy: Policy) -> str:
    """Why none of this old tool output may be pruned."""
    if not scanned_tokens:
        return "there is no tool output older than the protected turns"
    kept = f"the newest {policy.prune_protect} tokens stay (pruneProtect)"
    return f"of {scanned_tokens} tokens of old tool output {kept}"


class _Open(msgspec.Struct, frozen=True):
    """The results that may be pruned under these `decisions`, oldest first; none is pruned yet. `pruned`: the keys
    of results that are pruned already. `sums[n]`: tokens of the first `n` results.
    """

    decisions: Mapping[str, Decision]
    tools: tuple[tuple[str, ...], ...]
    pruned: frozenset[str]
    refs: list[BlockRef] = []
    targets: list[Target] = []
    sums: list[int] = msgspec.field(default_factory=lambda: [0])

    def before(self, message_index: int) -> int:
        """The number of results before a message."""
        return bisect_left(self.refs, BlockRef(message_index, 0))

    def weight_of(self, refs: Iterable[BlockRef], start: int, end: int) -> int:
        """The tokens of those of `refs` that are among the results numbered [start, end)."""
        numbers = ((ref, bisect_left(self.refs, ref, start, end)) for ref in refs)
        return sum(
            self.targets[number].weight for ref, number in numbers if number < end and self.refs[number] == ref
        )


def prune(
    protection: Protection,
    decisions: Mapping[str, Decision],
    force: bool = False,
    working_set: int = NOWHERE,
) -> Pruning:
    """What to prune now. `decisions` say what is pruned already. Results from the message `working_set` on stay.
    The cost depends on what is new and on what rule 4 protects.
    """
    conversation, policy = protection.conversation, protection.policy
    open_, instructed = _open(conversation, protection, decisions), protection.told()
    older = max(0, len(conversation.turns) - policy.protected_turns)  # only the first turn has no user message
    end = min(working_set, conversation.turns[older].start if older < len(conversation.turns) else NOWHERE)
    first, number, kept = open_.before(_boundary(conversation)), open_.before(end), 0
    while number > first and kept < policy.prune_protect:
        number -= 1
        kept += open_.targets[number].weight if open_.refs[number] not in instructed else 0
    number = max(first, number)
    prunable = open_.sums[number] - open_.sums[first] - open_.weight_of(instructed, first, number)
    if not force and prunable < policy.prune_minimum:
        return Pruning((), kept + prunable, kept, prunable)
    targets = (target for target in reversed(open_.targets[first:number]) if target.ref not in instructed)
    return Pruning(tuple(targets), kept + prunable, kept, prunable)


@carried_with
def _open(
    conversation: ConversationIndex,
    before: _Open | None,
    start: int,
    protection: Protection,
    decisions: Mapping[str, Decision],
) -> _Open:
    """The results that may be pruned (rules 3 and 6)."""
    policy = protection.policy
    tools = policy.protected_tools, policy.prunable_tools
    if before is None or before.tools != tools:
        before, start = _Open(decisions, tools, _pruned(decisions)), 0
    elif before.decisions is not decisions:
        before, start = _by(before, decisions, start)
    refs, targets, sums = list(before.refs), list(before.targets), list(before.sums)
    for ref, block in (pair for index in range(start, conversation.size) for pair in conversation.results(index)):
        key = conversation.block_key(ref)
        decision = decisions.get(key)
        if (decision is not None and decision.kind == "pruned") or not _eligible(block):
            continue
        if protection.is_of_tool(ref):
            continue
        if not policy.prunable_tools or is_among(conversation.call_of(ref).tool, policy.prunable_tools):
            refs.append(ref)
            targets.append(Target(ref, key, conversation.block_weight(ref)))
            sums.append(sums[-1] + targets[-1].weight)
    return _Open(decisions, tools, before.pruned, refs, targets, sums)


def _by(before: _Open, decisions: Mapping[str, Decision], start: int) -> tuple[_Open, int]:
    """The prunable results among the messages before `start`, under these decisions. If some decisions were undone,
    returns an empty result and 0.
    """
    pruned = _pruned(decisions)
    if not before.pruned <= pruned:
        return _Open(decisions, before.tools, pruned), 0
    newly = pruned - before.pruned
    if not newly:  # other decisions changed, which does not matter here
        return before, start
    targets = list(compress(before.targets, map(not_, map(newly.__contains__, map(_KEY, before.targets)))))
    sums = list(accumulate(map(_WEIGHT, targets), initial=0))
    return _Open(decisions, before.tools, pruned, list(map(_REF, targets)), targets, sums), start


# in C, because a long list loses thousands of results at once
_KEY, _WEIGHT, _REF, _KIND = map(attrgetter, ("key", "weight", "ref", "kind"))


def _pruned(decisions: Mapping[str, Decision]) -> frozenset[str]:
    """The keys of the results that these decisions prune."""
    return frozenset(compress(decisions, map("pruned".__eq__, map(_KIND, decisions.values()))))


def _eligible(block: Block) -> bool:
    """Whether a result may be pruned by rule 3. Markers of ctxmgr may not."""
    return block.can_edit and not block.is_error and not block.doubtful and not marker.is_marker(block.text)


@carried
def _boundary(conversation: ConversationIndex, before: int | None, start: int) -> int:
    """The index after the newest compaction summary (rule 2), or 0 without one."""
    newest = range(conversation.size - 1, start - 1, -1)
    views = ((index, conversation.messages[index].view) for index in newest)
    summaries = (index for index, view in views if view.role in SPECIAL and view.summary == "compaction")
    return next(summaries, (before or 0) - 1) + 1
