"""Turns a list of messages into the tool results that may lose their output (rule 6 of the projection).

Rules (OpenCode's pruning, as the design, section 4, fixes it):
1. Walk from the newest message back. The last `protectedTurns` user turns are safe.
2. Stop at a compaction boundary: what is before it is gone from the model's view anyway. A result that is
   pruned already is no reason to stop (the original stops there, and so never prunes what is older).
3. Errors, what may be one, and `protectedTools` never; `prunableTools` names those eligible, empty means all.
4. The newest `pruneProtect` tokens of eligible output are safe, and of a result that is only partly among them all
   (the original prunes it, and may protect nothing); what is older is prunable.
5. Prune all of it at once, and only if it comes to `pruneMinimum` tokens; `force` goes past the minimum.
6. What is pruned stays pruned: a later call prunes only what has become prunable since, so that the bytes in
   front of it stay as they were.
"""

from collections.abc import Container

import msgspec

from ctxmgr.engine.conversation import NOWHERE, BlockRef, ConversationIndex
from ctxmgr.engine.protection import Protection, is_among
from ctxmgr.engine.rewriting import marker
from ctxmgr.model import Block


class Target(msgspec.Struct, frozen=True, gc=False):
    """A tool result: where it stands, its key, weight in tokens."""

    ref: BlockRef
    key: str
    weight: int


class Pruning(msgspec.Struct, frozen=True):
    """`targets` oldest last; `scanned_tokens` of eligible output, `protected_tokens` of it that stay by rule 4, and
    `prunable_tokens`."""

    targets: tuple[Target, ...] = ()
    scanned_tokens: int = 0
    protected_tokens: int = 0
    prunable_tokens: int = 0


def prune(
    protection: Protection, pruned: Container[str], force: bool = False, working_set: int = NOWHERE
) -> Pruning:
    """What to prune now. `pruned` holds the keys of what is pruned already; results from the message `working_set`
    on stay."""
    conversation, policy = protection.conversation, protection.policy
    targets: list[Target] = []
    scanned = kept = 0
    boundary, instructed = _boundary(conversation), protection.instructions().results
    older = max(0, len(conversation.turns) - policy.protected_turns)  # only the first turn has no user message
    for turn in reversed(conversation.turns[:older]):
        for position in reversed(turn.results):
            if position < boundary:
                break
            for ref, block in reversed(tuple(conversation.results(position))):
                key = conversation.block_key(ref)
                if key in pruned or ref in instructed or position >= working_set:
                    continue
                if not _eligible(block) or protection.is_of_tool(ref):
                    continue
                if policy.prunable_tools and not is_among(conversation.call_of(ref).tool, policy.prunable_tools):
                    continue
                weight = conversation.block_weight(ref)
                scanned += weight
                if kept < policy.prune_protect:
                    kept += weight
                else:
                    targets.append(Target(ref, key, weight))
    prunable = sum(target.weight for target in targets)
    enough = bool(targets) and (force or prunable >= policy.prune_minimum)
    return Pruning(tuple(targets) if enough else (), scanned, kept, prunable)


def _eligible(block: Block) -> bool:
    """Rule 3, and nothing that is a marker of ours already."""
    return block.can_edit and not block.is_error and not block.doubtful and not marker.is_marker(block.text)


def _boundary(conversation: ConversationIndex) -> int:
    """Index after the newest compaction summary (rule 2), 0 where there is none."""
    for turn in reversed(conversation.turns):
        for position in reversed(turn.specials):
            if conversation.messages[position].view.summary == "compaction":
                return position + 1
    return 0
