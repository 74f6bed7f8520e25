"""The last look at an answer before it leaves: would its provider refuse it?

1. It is read off the bytes that leave, by the rules of its format (`formats.acceptance`).
2. Where the provider would refuse the host's own list, too, it is no fault of ours that it refuses.
3. An answer that only grew is looked at from where it grew.
"""

from collections.abc import Iterator

import msgspec

from ctxmgr.engine.tools import Memo
from ctxmgr.formats import BEGINNING, MessageFormat, refused
from ctxmgr.model import View
from ctxmgr.session.context.comparing import runs
from ctxmgr.session.context.list_plan import ListPlan, Rejected
from ctxmgr.session.projection import Projection


def accept_format(plan: ListPlan) -> ListPlan:
    """The answer with how its provider takes it. Raises Rejected where it would refuse it."""
    fmt, projection, before = plan.reader.fmt, plan.projection, plan.arrived.before
    if plan.only_grew:  # rule 3
        new = projection.messages[before.conversation.size :]
        progress = fmt.accept(before.replacements.accepted, ((message.raw, message.view) for message in new))
    else:
        progress = fmt.accept(BEGINNING, _answered(projection, fmt, plan.inputs.memo))
    broken = refused(progress)
    if broken and not refused(fmt.accept(BEGINNING, ((one.raw, one.view) for one in projection.messages))):
        raise Rejected(tuple(f"provider: {name}" for name in sorted(broken)))
    replacements = msgspec.structs.replace(projection.replacements, accepted=progress)
    return msgspec.structs.replace(plan, projection=msgspec.structs.replace(projection, replacements=replacements))


def _answered(projection: Projection, fmt: MessageFormat, memo: Memo) -> Iterator[tuple[bytes, View]]:
    for start, end, content in runs(projection):
        if not content:
            yield from ((message.raw, message.view) for message in projection.messages[start:end])
            continue
        key = ("view", content)
        if key not in memo:
            memo[key] = fmt.view(content)
        yield content, memo[key]
