"""Compares the plans before and after an epoch, and reports what was removed in a receipt for people.

A receipt lists the largest removed items in list order, and counts the others.
"""

from collections.abc import Callable, Sequence

import msgspec

from ctxmgr.engine.conversation import BlockRef, ConversationIndex
from ctxmgr.engine.invariants import Invariants, set_aside
from ctxmgr.engine.retention.prefix_cost import PrefixBreak, cost
from ctxmgr.engine.rewriting import marker
from ctxmgr.engine.tools import USERS_SHELL, calls_of
from ctxmgr.model import (
    BlockEdit,
    Call,
    Epoch,
    EvictedItem,
    Keep,
    LeftKind,
    Message,
    Opening,
    Packet,
    Piece,
    Plan,
    Rates,
    Receipt,
)

LISTED = 300  # items in a receipt
RECEIPTS_KEPT = 50  # newest receipts kept per session
DONE: dict[LeftKind, tuple[str, str]] = {  # a verb and a noun for what was done to items of a kind
    "pruned": ("removed", "old result"),
    "dropped": ("removed", "message"),
    "distilled": ("shortened", "result"),
    "shortened": ("shortened the arguments of", "call"),
    "cut": ("cut", "long text"),
}


class Original(msgspec.Struct, frozen=True, gc=False):
    """One block that was removed or shortened: its place in the list, what it was, and its text.

    "dropped" blocks were removed with their message. Tokens are of the block; `handle` is "" without an archive.
    """

    conversation: ConversationIndex
    key: str
    ref: BlockRef
    kind: LeftKind
    text: str
    before_tokens: int
    after_tokens: int
    handle: str

    @property
    def call_text(self) -> str:
        """What it was, in one line."""
        return block_line(self.conversation, self.ref)


def result_tokens(conversation: ConversationIndex, plan: Plan) -> tuple[int, int]:
    """Of the tool output in the list: the total, and what the plan shows unchanged."""
    shown = frozenset(
        index for piece in plan.pieces if isinstance(piece, Keep) for index in range(piece.start, piece.end)
    )
    weights = [
        (index in shown, conversation.block_weight(ref))
        for index in range(conversation.size)
        for ref, _ in conversation.results(index)
    ]
    return sum(weight for _, weight in weights), sum(weight for stays, weight in weights if stays)


def projected_weights(plan: Plan, messages: Sequence[Message]) -> dict[int, int]:
    """The tokens of each message that a plan shows, by index; the packet is not included."""
    rows = _rows(plan, messages)
    return {index: weight for index, weight, edits in rows if not isinstance(next(iter(edits), None), Packet)}


def changed(old: Plan, new: Plan, messages: Sequence[Message], cached: int) -> tuple[int, int, int]:
    """(tokens of `old` from the first change on, those of them in the list's first `cached` messages, tokens of
    `new` from there on).
    """
    before, after = _rows(old, messages), _rows(new, messages)
    same = 0
    while same < min(len(before), len(after)) and before[same] == after[same]:
        same += 1
    there = sum(weight for index, weight, _ in before[same:] if index < cached)
    return sum(row[1] for row in before[same:]), there, sum(row[1] for row in after[same:])


def summed(old: Plan, new: Plan, messages: Sequence[Message], cached: int, by: Rates) -> PrefixBreak:
    """The arithmetic of a change from one plan to the other, with `cached` messages that the provider may hold."""
    after, there, left = changed(old, new, messages, cached)
    return PrefixBreak(after, there, left, cost(after, there, left, by), (after - left) * by.cache_read)


def _rows(plan: Plan, messages: Sequence[Message]) -> list[tuple[int, int, tuple[Piece, ...]]]:
    """(index, tokens, replacement) of everything shown; a packet has the index of what follows it."""
    rows: list[tuple[int, int, tuple[Piece, ...]]] = []
    for piece in plan.pieces:
        if isinstance(piece, Keep):
            rows += [(index, messages[index].weight, ()) for index in range(piece.start, piece.end)]
        elif isinstance(piece, Packet):
            rows.append((plan.floor, piece.weight, (piece,)))
        else:
            weight, edits = messages[piece.message_index].weight, tuple[Piece, ...]()
            if (
                rows
                and rows[-1][0] == piece.message_index
                and any(isinstance(edit, BlockEdit) for edit in rows[-1][2])
            ):
                _, weight, edits = rows.pop()  # another block of the same message
            rows.append((piece.message_index, weight - piece.before_tokens + piece.after_tokens, (*edits, piece)))
    return rows


def originals(
    conversation: ConversationIndex, old: Plan, new: Plan, handle: Callable[[str], str]
) -> tuple[Original, ...]:
    """What `old` shows and `new` does not, or only in part, in list order."""
    messages = conversation.messages
    before, after = projected_weights(old, messages), projected_weights(new, messages)
    known = {(piece.key, piece.kind) for piece in old.pieces if isinstance(piece, BlockEdit)}
    edits = {
        BlockRef(piece.message_index, piece.block_index): piece
        for piece in new.pieces
        if isinstance(piece, BlockEdit) and (piece.key, piece.kind) not in known
    }
    shortened = {piece.key: piece.after_tokens for piece in old.pieces if isinstance(piece, BlockEdit)}
    left: list[Original] = []
    for index in sorted(before):
        message = messages[index]
        if index not in after:
            for number, block in enumerate(message.view.blocks):
                if block.text:
                    ref = BlockRef(index, number)
                    key = conversation.block_key(ref)
                    weight = shortened.get(key, message.weights[number])
                    left.append(Original(conversation, key, ref, "dropped", block.text, weight, 0, handle(key)))
            continue
        for number, block in enumerate(message.view.blocks):
            ref = BlockRef(index, number)
            if (edit := edits.get(ref)) is not None:
                key, sizes = edit.key, (edit.before_tokens, edit.after_tokens)
                left.append(Original(conversation, key, ref, edit.kind, block.text, *sizes, handle(key)))
    return tuple(left)


def block_line(conversation: ConversationIndex, ref: BlockRef) -> str:
    """What a block was, in one line."""
    block = conversation.block(ref)
    if block.kind == "result":
        return marker.call(conversation.call_of(ref))
    if block.kind == "call":
        return marker.call(block.made)
    if block.kind == "shell":
        return marker.call(Call(USERS_SHELL, block.arguments or {}))
    return f"{conversation.messages[ref.message_index].view.role} {block.kind}"


def evicted_paths(conversation: ConversationIndex, left: Sequence[Original]) -> tuple[str, ...]:
    """The files whose reads were removed."""
    paths: set[str] = set()
    gone = {original.ref.message_index for original in left if original.kind == "dropped"}
    refs = {original.ref for original in left if original.kind != "dropped"}
    for index in gone.union(ref.message_index for ref in refs):
        for ref, result in conversation.results(index):
            if (index in gone or ref in refs) and ref in conversation.pairs:
                asked = conversation.messages[conversation.pairs[ref]]
                for block, call in zip(asked.view.blocks, calls_of(asked), strict=True):
                    if call is not None and block.call_id == result.call_id:
                        paths.update(call.read_paths)
    return tuple(sorted(paths))


def receipt(bare: Receipt, gone: Sequence[Original], why: Callable[[Original], str]) -> Receipt:
    """The receipt for what was removed."""
    heaviest = sorted(
        range(len(gone)), key=lambda number: (gone[number].after_tokens - gone[number].before_tokens, number)
    )
    listed = [gone[number] for number in sorted(heaviest[:LISTED])]
    left = tuple(
        EvictedItem(
            block.key,
            block.kind,
            block.call_text,
            why(block),
            block.before_tokens,
            block.after_tokens,
            block.handle,
        )
        for block in listed
    )
    return msgspec.structs.replace(bare, evicted=left, omitted_count=len(gone) - len(listed))


def sentence(receipt: Receipt) -> str:
    """What an epoch did, for people: "removed 12 old results, 17,000 tokens; pays after 3 calls"."""
    parts = [text for kind, words in DONE.items() if (text := _done(receipt.evicted, kind, words))]
    if receipt.omitted_count:
        parts.append(f"removed {_many(receipt.omitted_count, 'smaller item')}")
    saved = receipt.before_tokens - receipt.after_tokens
    if saved >= 0:
        tokens = f"{saved:,} tokens" if parts and saved else f"{saved:,} tokens less" if saved else "same size"
    else:
        tokens = f"{-saved:,} tokens {'more' if parts else 'put back'}"
    pays = f"; {_pays(receipt.pays_after)}" if receipt.pays_after is not msgspec.UNSET and saved > 0 else ""
    return ", ".join((*parts, tokens)) + pays


def _done(evicted: Sequence[EvictedItem], kind: LeftKind, words: tuple[str, str]) -> str:
    verb, noun = words
    keys = {item.key.partition("/")[0] if kind == "dropped" else item.key for item in evicted if item.kind == kind}
    return f"{verb} {_many(len(keys), noun)}" if keys else ""


def _pays(calls: int) -> str:
    return f"pays after {_many(calls, 'call')}" if calls else "pays at once"


def _many(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def filed(receipts: tuple[Receipt, ...], newest: Receipt) -> tuple[Receipt, ...]:
    """The receipts with this one, without the oldest beyond the limit."""
    return (*receipts, newest)[-RECEIPTS_KEPT:]


def hidden(messages: Sequence[Message], plan: Plan, held: frozenset[int]) -> tuple[int, ...]:
    """The indices of what must stay and is not shown in full."""
    now = projected_weights(plan, messages) if held else {}
    return tuple(sorted(index for index in held if now.get(index, -1) < messages[index].weight))


def headless(conversation: ConversationIndex, plan: Plan, rules: Invariants) -> int:
    """The message that the list had in front, if this plan would put another one first that may not be; -1
    otherwise.
    """
    for piece in plan.pieces:
        if isinstance(piece, Packet):
            return -1
        start, end = (
            (piece.start, piece.end) if isinstance(piece, Keep) else (piece.message_index, piece.message_index + 1)
        )
        for index in range(start, end):
            if not set_aside(conversation, index):
                return -1 if rules.may_start_with(conversation, index) else conversation.turns[0].start
    return -1


REPLACED: frozenset[Opening] = frozenset(("compaction", "tree"))  # the host may have replaced the list
MUST: frozenset[Opening] = frozenset(("pin", "undo", "compaction", "tree"))  # whatever they cost or bring back


class EpochResult(msgspec.Struct, frozen=True):
    """What an epoch did. `originals`: what was removed. `read_paths`: the files whose reads were removed."""

    plan: Plan
    packet: Packet
    receipt: Receipt
    originals: tuple[Original, ...]
    read_paths: tuple[str, ...] = ()


class BalancedResult(msgspec.Struct, frozen=True):
    """The plan, the current epoch, and what was opened now, or None."""

    plan: Plan
    epoch: Epoch
    epoch_result: EpochResult | None = None
