"""Messages API. Consecutive messages of one role are one for it, and prompts may stand between them.

1. The first message is a user's: no answer and no prompt.
2. Calls are answered in the user's message after them, all of them, and nothing else is answered there; results
   stand in front of all else in it.
3. No text block is empty or white space alone, and no message of a user or the assistant is without a block.
4. Four cache marks at most.
"""

from ctxmgr.formats.acceptance.progress import Progress, Said, calls
from ctxmgr.formats.spelling import mark_count
from ctxmgr.model import Block


def accept(progress: Progress, said: Said) -> Progress:
    """The progress after these messages."""
    faults, waiting, marks = set(progress.faults), set(progress.waiting), progress.mark_count
    began, last, other = progress.began, progress.role, progress.other
    for raw, view in said:
        marks += mark_count(raw)
        role = "prompt" if view.role == "prompt" else "assistant" if view.role == "assistant" else "user"
        if not began and role != "user":
            faults.add("first role")
        began = True
        if role == "prompt":
            continue
        if any(_is_blank(block) for block in view.blocks):
            faults.add("empty text")
        if not view.blocks and not view.error:
            faults.add("empty message")
        if role != last:
            other = False
            if role == "assistant" and waiting:
                faults.add("pairs")
                waiting.clear()
        last = role
        if role == "assistant":
            waiting |= calls(view)
            continue
        for block in view.blocks:
            if block.kind != "result":
                other = True
                continue
            if other:
                faults.add("results after something else")
            if block.call_id in waiting:
                waiting.discard(block.call_id)
            else:
                faults.add("pairs")
        if other and waiting:
            faults.add("pairs")
    return Progress(frozenset(faults), began, frozenset(waiting), last, other, marks)


def _is_blank(block: Block) -> bool:
    return block.kind in ("text", "summary") and not block.media and not block.text.strip()
