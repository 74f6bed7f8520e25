"""Answers a list that could not be projected: the host's model call must not fail.

Rules:
1. The last good projection plus the messages since, if the list begins with that projection's list.
2. Else the raw list, if it fits window - reserve.
3. Else the largest suffix of whole turns that fits, at least the newest turn, after all prompts. It does not start
   with a result, or behind a message that a later one depends on.
4. If that is still too long, the middle of its longest results is cut, the longest first, except in presets that
   send a list as it came.

Uses as little as possible of what may have failed: no engine, no tokenizer. A token counts as three bytes.
"""

from collections.abc import Sequence

from ctxmgr.formats import MessageFormat
from ctxmgr.model import View

LEAST_CHARACTERS = 2_000  # of a result that is cut
BYTES_PER_TOKEN = 3  # low on purpose: o200k has 3.5 to 4 bytes a token on code and prose


def estimated_tokens(raws: Sequence[bytes]) -> int:
    return sum(len(raw) for raw in raws) // BYTES_PER_TOKEN


def cut(raws: Sequence[bytes], fmt: MessageFormat, limit: float) -> list[bytes]:
    """These messages in about `limit` tokens, as far as cutting results allows (rule 4)."""
    out, over = list(raws), sum(map(len, raws)) - limit * BYTES_PER_TOKEN
    if over <= 0:
        return out
    results = [
        (len(block.text), position, number)
        for position, raw in enumerate(raws)
        for number, block in enumerate(fmt.view(raw).blocks)
        if block.kind == "result" and block.can_edit
    ]
    for length, position, number in sorted(results, reverse=True):
        kept = max(LEAST_CHARACTERS, int(length - over) // 2 * 2)
        if over <= 0 or length <= kept + LEAST_CHARACTERS:
            break
        text = fmt.view(out[position]).blocks[number].text
        line = f"[cut to fit — {length - kept:,} of {length:,} characters are left out here]"
        raw = fmt.set_text(out[position], {number: f"{text[: kept // 2]}\n{line}\n{text[-kept // 2 :]}"})
        over -= len(out[position]) - len(raw)
        out[position] = raw
    return out


def suffix(raws: Sequence[bytes], fmt: MessageFormat, limit: int) -> list[bytes]:
    """What to send: everything if it fits `limit` tokens (rules 2 and 3)."""
    if estimated_tokens(raws) <= limit:
        return list(raws)
    views = [fmt.view(raw) for raw in raws]
    prompts = [position for position, view in enumerate(views) if view.role == "prompt" and not view.leads]
    needed = _needed(views)
    start, total = 0, sum(len(raws[position]) // BYTES_PER_TOKEN for position in prompts)
    for position in range(len(raws) - 1, -1, -1):
        view = views[position]
        if view.role == "prompt":
            continue
        total += len(raws[position]) // BYTES_PER_TOKEN
        if total > limit and start:
            break
        whole = needed[position] == position and all(
            block.kind != "result" or block.is_told for block in view.blocks
        )
        if view.opens_turn and whole:
            start = position
    return [*(raws[position] for position in prompts if position < start), *raws[start:]]


def _needed(views: Sequence[View]) -> list[int]:
    """For each message, the index of the first message that it and the later ones depend on: by a call's id, or by
    an id that blocks share.
    """
    opened: dict[tuple[str, str], int] = {}
    needed = list(range(len(views)))
    for position, view in enumerate(views):
        for block in view.blocks:
            for id, goes_on in (
                (("call", block.call_id), block.kind == "result"),
                (("tie", block.tie), block.closes),
            ):
                if id[1] and goes_on:
                    needed[position] = min(needed[position], opened.get(id, position))
                elif id[1]:
                    opened[id] = position
    for position in range(len(views) - 2, -1, -1):
        needed[position] = min(needed[position], needed[position + 1])
    return needed
