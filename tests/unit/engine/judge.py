"""A judge of plans that shares nothing with chooser and checker: each promise said again, over the whole list.

Slow and plain. It knows what a plan is, and the pairs that a slow search finds; no index, no tally, no rule.
"""

from collections.abc import Sequence

from ctxmgr.model.messages import Message, View
from ctxmgr.model.projection import BlockEdit, Keep, Packet, Plan
from tests.conversations import pairs

LIKE_A_USER = {"user", "note", "shell", "summary", "packet"}
OF_NO_TURN = {"summary", "packet", "prompt"}


def judged(messages: tuple[Message, ...], plan: Plan, by_steps: bool) -> set[str]:
    """The names of the promises that an orderly plan breaks: one whose pieces rise."""
    shown = [at for piece in plan.pieces for at in indices(piece)]
    kept, views = set(shown), [message.view for message in messages]
    gone = [at for at in range(len(messages)) if at not in kept]
    edits = [piece for piece in plan.pieces if isinstance(piece, BlockEdit)]
    packets = [number for number, piece in enumerate(plan.pieces) if isinstance(piece, Packet)]
    users = [at for at, view in enumerate(views) if view.opens_turn]
    replies = [at for at, view in enumerate(views) if view.role == "assistant"]
    found = {
        "pairs": any((at in kept) != (asked in kept) for (at, _), asked in pairs(messages).items()),
        "newest user": bool(users) and users[-1] not in kept,
        "signed": not all(editable(views, edit) for edit in edits),
        "packet": len(packets) > 1,
        "start": not starts_well(views, plan),
        "weight": weight(messages, plan) != plan.weight
        or plan.weight > sum(one.weight for one in messages) + min(plan.packet_weight, plan.allowance),
        "prompts": any(views[at].role == "prompt" for at in gone),
        "thinking": thoughtless(views, kept),
        "step": any((at in kept) != (at - 1 in kept) for at in range(1, len(views)) if joined(views, at)),
    }
    if by_steps:
        said = {at for at in gone if views[at].role == "user"} - did_not_fit(messages, plan)
        found["users"] = not packets and bool(said)
        edited = {edit.message_index for edit in edits}
        found["newest step"] = bool(replies) and (replies[-1] not in kept or replies[-1] in edited)
    else:
        before = [at for piece in plan.pieces[: packets[0]] for at in indices(piece)] if packets else []
        found["packet"] |= any(views[at].role not in ("prompt", "summary") for at in before)
        found["turns"] = not whole_turns(views, kept, left_to_fit(messages, plan))
    return {name for name, broken in found.items() if broken}


def indices(piece: Keep | BlockEdit | Packet) -> list[int]:
    """The messages that a piece shows."""
    if isinstance(piece, Keep):
        return list(range(piece.start, piece.end))
    return [piece.message_index] if isinstance(piece, BlockEdit) else []


def joined(views: Sequence[View], at: int) -> bool:
    """Are these two items of one answer?"""
    return all(view.joins and view.role == "assistant" for view in (views[at - 1], views[at]))


def answer(views: Sequence[View], at: int) -> set[int]:
    """All items of an answer."""
    items = {at}
    while True:
        more = {one for one in range(1, len(views)) if joined(views, one) and {one - 1, one} & items}
        more |= {one - 1 for one in more}
        if more <= items:
            return items
        items |= more


def editable(views: Sequence[View], edit: BlockEdit) -> bool:
    block, role = views[edit.message_index].blocks[edit.block_index], views[edit.message_index].role
    if edit.kind == "cut" and (block.kind in ("text", "shell") or block.media):
        return role in ("user", "note", "shell", "result") and not block.signed
    if edit.kind != "shortened" and not (edit.kind == "cut" and block.kind == "call"):
        return block.kind == "result" and not block.signed
    signed = (one.signed for at in answer(views, edit.message_index) for one in views[at].blocks)
    return block.kind == "call" and not any(signed)


def starts_well(views: Sequence[View], plan: Plan) -> bool:
    came = [view.role for view in views if view.role != "prompt"]
    roles: list[str] = []
    for piece in plan.pieces:
        roles += ["packet"] if isinstance(piece, Packet) else [views[at].role for at in indices(piece)]
    sent = [role for role in roles if role != "prompt"]
    return not came or not sent or came[0] not in LIKE_A_USER or sent[0] in LIKE_A_USER


def weight(messages: Sequence[Message], plan: Plan) -> int:
    kept = {at for piece in plan.pieces for at in indices(piece)}
    edits = sum(
        p.after_tokens - messages[p.message_index].weights[p.block_index]
        for p in plan.pieces
        if isinstance(p, BlockEdit)
    )
    packets = sum(piece.weight for piece in plan.pieces if isinstance(piece, Packet))
    return sum(messages[at].weight for at in kept) + edits + packets


def left_to_fit(messages: Sequence[Message], plan: Plan) -> set[int]:
    """The messages that may have left by themselves: a decision tells that they did not fit, nobody typed them, and
    the newest answer is none."""
    typed = {at for at, message in enumerate(messages) if message.view.role not in ("assistant", "result", "shell")}
    newest = max((at for at, message in enumerate(messages) if message.view.role == "assistant"), default=-1)
    return did_not_fit(messages, plan) - typed - {newest}


def did_not_fit(messages: Sequence[Message], plan: Plan) -> set[int]:
    """The messages of which a decision tells that they were dropped to fit."""
    found, seen = set[int](), dict[str, int]()
    for at, message in enumerate(messages):
        before = seen.setdefault(message.digest, 0)
        seen[message.digest] += 1
        told = plan.decisions.get(f"{message.digest}#{before}" if before else message.digest)
        if told is not None and told.to_fit and told.kind == "dropped":
            found.add(at)
    return found


def thoughtless(views: Sequence[View], kept: set[int]) -> bool:
    """Whether the thought has left that the newest turn's first call without one goes on from."""
    start, led = max((at for at, view in enumerate(views) if view.opens_turn), default=0), -1
    for at in range(start, len(views)):
        blocks = views[at].blocks
        if views[at].role != "assistant" or (at and joined(views, at)):
            continue
        if len(blocks) > 1 and blocks[0].kind == "thinking" and blocks[0].signed:
            led = at
        elif any(block.kind == "call" for block in blocks):
            return led >= 0 and led not in kept
    return False


def whole_turns(views: Sequence[View], kept: set[int], alone: set[int]) -> bool:
    """Of each turn all or nothing, and of turns the newest: those that stay are the end of the list. Before the
    first of them a summary may stay by itself; specials may leave anywhere, and so may what leaves `alone`."""
    starts = [at for at, view in enumerate(views) if view.opens_turn]
    every = [at for at, view in enumerate(views) if view.role not in OF_NO_TURN]
    turn_of = {at: sum(start <= at for start in starts) for at in every}
    ordinary = [at for at in every if at in kept or at not in alone]
    first_shown = min((at for at in kept if views[at].role not in ("summary", "prompt")), default=None)
    if first_shown is None:
        return bool(starts) or not every
    stays = {turn_of[at] for at in ordinary if at in kept}
    return all(at in kept for at in ordinary if turn_of[at] in stays or at > first_shown)
