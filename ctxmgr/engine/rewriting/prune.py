"""Turns a list of messages into the tool results that may lose their output (rule 6 of the projection).

Rules (OpenCode's pruning, as the design, section 4, fixes it):
1. Walk from the newest message back. The last `protectedTurns` user turns are safe.
2. Stop at a compaction boundary: what is before it is gone from the model's view anyway. A result that is
   pruned already is no reason to stop (the original stops there, and so never prunes what is older).
3. Errors, what may be one, and `protectedTools` never; `prunableTools` names those eligible, empty means all.
   Names are the same in whatever case: one host calls `Read` what another calls `read`.
4. The newest `pruneProtect` tokens of eligible output are safe, and of a result that is only partly among them all
   (the original prunes it, and may protect nothing); what is older is prunable.
5. Prune all of it at once, and only if it comes to `pruneMinimum` tokens; `force` goes past the minimum.
6. What is pruned stays pruned: a later call prunes only what has become prunable since, so that the bytes in
   front of it stay as they were.
"""

from collections.abc import Container, Sequence

import msgspec

from ctxmgr.engine.conversation import NOWHERE, BlockRef, ConversationIndex
from ctxmgr.engine.rewriting import marker
from ctxmgr.model import Block, Policy


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


def eligible(block: Block, tool: str, policy: Policy) -> bool:
    """Rule 3, and nothing that is a marker of ours already."""
    return (
        block.can_edit
        and not block.is_error
        and not block.doubtful
        and not is_among(tool, policy.protected_tools)
        and (not policy.prunable_tools or is_among(tool, policy.prunable_tools))
        and not marker.is_marker(block.text)
    )


def is_among(tool: str, names: Sequence[str]) -> bool:
    """Whether a tool is among these, in whatever case."""
    folded = tool.casefold()
    return any(name.casefold() == folded for name in names)


def prune(
    conversation: ConversationIndex,
    policy: Policy,
    pruned: Container[str],
    force: bool,
    held: Container[BlockRef] = (),
    working_set: int = NOWHERE,
) -> Pruning:
    """What to prune now; `pruned` holds the keys of what is pruned already, `held` the results that stay, and so do
    those from the message `working_set` on."""
    found: list[Target] = []
    scanned = protected = 0
    boundary = _boundary(conversation)
    older = max(0, len(conversation.turns) - policy.protected_turns)  # only the first turn has no user message
    for turn in reversed(conversation.turns[:older]):
        for position in reversed(turn.results):
            if position < boundary:
                break
            for ref, block in reversed(tuple(conversation.results(position))):
                at = conversation.block_key(ref)
                if at in pruned or ref in held or position >= working_set:
                    continue
                tool = block.tool or conversation.call_of(ref).tool
                if not eligible(block, tool, policy):
                    continue
                weight = conversation.block_weight(ref)
                scanned += weight
                if protected < policy.prune_protect:
                    protected += weight
                else:
                    found.append(Target(ref, at, weight))
    prunable = sum(target.weight for target in found)
    enough = bool(found) and (force or prunable >= policy.prune_minimum)
    return Pruning(tuple(found) if enough else (), scanned, protected, prunable)


def _boundary(conversation: ConversationIndex) -> int:
    """Index after the newest compaction summary (rule 2), 0 where there is none."""
    for turn in reversed(conversation.turns):
        for position in reversed(turn.specials):
            if conversation.messages[position].view.summary == "compaction":
                return position + 1
    return 0
