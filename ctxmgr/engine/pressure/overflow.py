"""Whether a call did not fit the window: the provider refused it, or had no room for the reply."""

from ctxmgr.engine.pressure.wordings import says_too_long
from ctxmgr.model import Usage, View

FULL_SHARE = 0.99  # of the window: a reply that was cut there before it said anything had no room


def overflowed(view: View, usage: Usage | None, window: int) -> bool:
    """Whether this assistant message is a context overflow error. `usage`: as reported for it. `window`: in
    tokens.
    """
    if view.stop == "error":
        return says_too_long(view.error)
    if usage is None:
        return False
    sent = usage.input_tokens + usage.cache_read_tokens + usage.cache_write_tokens
    if view.stop == "length":
        says = any(
            block.kind == "call" or (block.kind != "thinking" and block.text.strip()) for block in view.blocks
        )
        return not says and is_full(usage, window)
    return view.stop == "stop" and sent > window


def is_full(usage: Usage, window: int) -> bool:
    """Whether a call and its reply have filled the window: nothing of a reply that was cut is known to be its end.
    The total may be of another call (`Usage`)."""
    sent = usage.input_tokens + usage.cache_read_tokens + usage.cache_write_tokens
    return max(sent + usage.output_tokens, usage.total_tokens) >= FULL_SHARE * window
