"""Turns a decision about a result or a call into the shorter text that replaces it, and what that weighs.

1. What a decision says was written is given back as it was, whatever would be written now.
2. What was rewritten once is kept: to write it anew costs more than all else of a call.
"""

from collections.abc import Callable
from typing import Any

import msgspec

from ctxmgr.engine.conversation import BlockRef, ConversationIndex
from ctxmgr.engine.rewriting import distill, marker
from ctxmgr.engine.rewriting.handles import handle
from ctxmgr.engine.rewriting.shorten import shorten
from ctxmgr.engine.rewriting.written import text_of
from ctxmgr.engine.tools import Memo
from ctxmgr.model import Decision, Weigh

LAST_RESORT_LENGTH = 2_000  # characters a long error of an older step is distilled to
ERRORS_OVER = 2_000  # characters: shorter error results are never distilled

# (a result, decision) -> (text, weight in tokens) that replaces it
Rewrite = Callable[[BlockRef, Decision], tuple[str, int]]
# (a call) -> (arguments, weight in tokens) of it with its long texts shortened, or None
Shorten = Callable[[BlockRef], tuple[dict[str, Any], int] | None]


def rewriter(conversation: ConversationIndex, weigh: Weigh, handles: bool = False) -> Rewrite:
    """How a decision turns a result into its shorter text; `handles`: with the name of its original."""

    def rewrite(ref: BlockRef, decision: Decision) -> tuple[str, int]:
        if decision.written:
            return text_of(decision.written, conversation.block(ref).text), decision.weight
        call, weight = conversation.call_of(ref), conversation.block_weight(ref)
        if decision.kind == "pruned":
            text = marker.pruned(call, weight)
        else:
            text = distill.distill(conversation.block(ref).text, decision.limit, call, weight)
        if handles:
            text = marker.with_handle(text, handle(conversation.block_key(ref)))
        return text, weigh(text)

    return rewrite


def memoised(conversation: ConversationIndex, weigh: Weigh, handles: bool, memo: Memo) -> Rewrite:
    """The same, each result that was not written yet once (rule 2)."""
    fresh = rewriter(conversation, weigh, handles)

    def rewrite(ref: BlockRef, decision: Decision) -> tuple[str, int]:
        if decision.written:
            return fresh(ref, decision)
        at, number = ref.message_index, ref.block_index
        asked = conversation.pairs.get(ref)  # ids are used again: the same result, another call
        call = conversation.digest(asked) if asked is not None else ""
        repeat = conversation.repeats.get(at, 0) if handles else 0  # its handle is in the text
        key = (conversation.digest(at), call, number, repeat, decision.kind, decision.limit)
        if key not in memo:
            memo[key] = fresh(ref, decision)
        found: tuple[str, int] = memo[key]
        return found

    return rewrite


def shortener(conversation: ConversationIndex, weigh: Weigh, memo: Memo) -> Shorten:
    """How the arguments of a call are shortened, each once."""

    def shortened(ref: BlockRef) -> tuple[dict[str, Any], int] | None:
        key = ("shortened", conversation.digest(ref.message_index), ref.block_index)
        if key not in memo:
            block = conversation.block(ref)
            arguments = shorten(block.made)
            text = f"{block.tool} {msgspec.json.encode(arguments).decode()}"
            memo[key] = None if arguments is None else (arguments, weigh(text))
        found: tuple[dict[str, Any], int] | None = memo[key]
        return found

    return shortened
