"""The last look at an answer before it leaves: would its provider refuse it?

1. It is read off the bytes that leave, by the rules of its format (`formats.acceptance`).
2. Where the provider would refuse the host's own list, too, it is no fault of ours that it refuses.
3. An answer that only grew is looked at from where it grew.
"""

from collections.abc import Iterator

import msgspec

from ctxmgr.engine.tools import Memo
from ctxmgr.formats import BEGINNING, MessageFormat, Progress, refused
from ctxmgr.model import View
from ctxmgr.session.context.comparing import runs
from ctxmgr.session.projection import Projection


def accepted(projection: Projection, before: Projection | None, fmt: MessageFormat, memo: Memo) -> Projection:
    """With how its provider takes it. `before`: the last answer, where this one is it and what came since."""
    if before is None:
        progress: Progress = fmt.accept(BEGINNING, _said(projection, fmt, memo))
    else:
        new = projection.messages[before.conversation.size :]
        progress = fmt.accept(before.replacements.accepted, ((message.raw, message.view) for message in new))
    put = msgspec.structs.replace(projection.replacements, accepted=progress)
    return msgspec.structs.replace(projection, replacements=put)


def newly_refused(projection: Projection, fmt: MessageFormat) -> tuple[str, ...]:
    """What is wrong with it where nothing is with the list as it came (rule 2)."""
    found = refused(projection.replacements.accepted)
    if not found:
        return ()
    came = fmt.accept(BEGINNING, ((message.raw, message.view) for message in projection.messages))
    return () if refused(came) else tuple(sorted(found))


def _said(projection: Projection, fmt: MessageFormat, memo: Memo) -> Iterator[tuple[bytes, View]]:
    for start, end, content in runs(projection):
        if not content:
            yield from ((message.raw, message.view) for message in projection.messages[start:end])
            continue
        key = ("view", content)
        if key not in memo:
            memo[key] = fmt.view(content)
        yield content, memo[key]
