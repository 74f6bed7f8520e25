"""Brings what is held of the last list to the bytes in which its host spells it now: those are what goes back.

1. A message that came again, the same content in other bytes (`formats.same_content`), is the same message: it is
   not read again, and what was decided about it holds. What was put in its place is made of its newest bytes.
2. New messages that come alone, with cache marks, tell where the marks stand now: those of before come off.
"""

from bisect import bisect_left

import msgspec

from ctxmgr.engine.conversation import Delta, extend
from ctxmgr.engine.tools import Memo
from ctxmgr.formats import MessageFormat, is_marked, mark_count, same_content, unmarked
from ctxmgr.session.context.comparing import runs
from ctxmgr.session.context.projecting import replacements
from ctxmgr.session.projection import Projection


def newest(held: Projection, delta: Delta, whole: bool) -> dict[int, bytes]:
    """The newest bytes of held messages, by index, where they are others. `delta`: as bytes alone tell it. `whole`:
    all messages came, not the new ones alone."""
    spelled: dict[int, bytes] = {}
    shared, messages = delta.shared_count, held.messages
    if shared == len(messages):
        if not whole and any(map(is_marked, delta.appended)):
            bare = ((at, message.raw, unmarked(message.raw)) for at, message in enumerate(messages))
            spelled = {at: raw for at, old, raw in bare if raw is not old}
        return spelled
    for at, raw in enumerate(delta.appended[: len(messages) - shared], shared):
        old = messages[at].raw
        if old == raw:
            continue
        if not same_content(old, raw):
            break
        spelled[at] = raw
    return spelled


def respelled(held: Projection, spelled: dict[int, bytes], fmt: MessageFormat, memo: Memo) -> Projection:
    """The same projection with these bytes."""
    messages = list(held.messages)
    for at, raw in spelled.items():
        messages[at] = msgspec.structs.replace(messages[at], raw=raw)
    conversation = extend(held.conversation, tuple(messages))
    put = replacements(conversation.messages, held.plan, fmt, memo)
    indices = sorted(spelled)
    changed = [(held.replacements.messages[at], raw) for at, raw in put.messages.items() if at in spelled]
    for start, end, content in runs(held):
        if not content:
            kept = indices[bisect_left(indices, start) : bisect_left(indices, end)]
            changed += [(held.messages[at].raw, spelled[at]) for at in kept]
    size = held.replacements.size + sum(len(new) - len(old) for old, new in changed)
    marks = held.replacements.accepted.mark_count + sum(mark_count(new) - mark_count(old) for old, new in changed)
    progress = msgspec.structs.replace(held.replacements.accepted, mark_count=marks)
    put = msgspec.structs.replace(held.replacements, messages=put.messages, size=size, accepted=progress)
    return msgspec.structs.replace(held, conversation=conversation, replacements=put)
