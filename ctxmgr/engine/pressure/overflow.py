"""Turns a failed call's error text into whether the context was too long for the model.

Providers have no code in common for it, so it is told from the words they use, which their codes are made of too. A
rate limit also speaks of tokens and limits, and asking for a compaction would not help there: those words rule it
out.
"""

import re

from ctxmgr.model import Usage, View

OVERFLOW = re.compile(
    r"context[ _-]?(length|window|size|limit|overflow)|max(imum)?[ _-](context|prompt|input)"
    r"|(prompt|input|request|context|payload|entity|content)[ _-]?(is[ _-]?)?too[ _-]?(long|large|big)"
    r"|too[ _-]many[ _-]((input|prompt)[ _-])?tokens|(prompt|input|context)[ _-]exceed"
    r"|exceeds? .{0,40}(context|token|input)|reduce the length|range of input length|string_above_max_length"
    r"|(input|prompt) token count|tokens?[ _-]limit|request_too_large"
    r"|\"(status|status_?code|code)\"\s*:\s*\"?413\b",
    re.IGNORECASE,
)
OTHER_LIMIT = re.compile(r"rate.?limit|too many requests|per (minute|hour|day)|quota|throttl", re.IGNORECASE)
FULL_SHARE = 0.99  # of the window: a reply cut at once with a prompt this large had no room (pi's rule)


def overflowed(view: View, usage: Usage | None, window: int) -> bool:
    """Was this assistant message a context-overflow error? `usage` as reported for it, `window` in tokens."""
    if view.stop == "error":
        return bool(OVERFLOW.search(view.error)) and not OTHER_LIMIT.search(view.error)
    if usage is None:
        return False
    sent = usage.input_tokens + usage.cache_read_tokens + usage.cache_write_tokens
    if view.stop == "length":
        return usage.output_tokens == 0 and sent >= FULL_SHARE * window
    return view.stop == "stop" and sent > window
