"""Whether a call did not fit the window: the provider refused it, or had no room for the reply. And what that, and
a later success, says of a model's context window.

Rules:
1. A refusal that names the largest accepted size is believed, down to a sixteenth of what the host said.
2. Otherwise the window is 95 % of the refused tokens, if a reading gives their number, or else a tenth smaller than
   assumed. It is never less than half of what the host said.
3. A refusal of a request over the assumed window says nothing about the window: the list was too long.
4. Nor does a refusal of the request's bytes (`wordings.is_of_bytes`).
5. A success of more tokens raises the window to a tenth above them, at most to what the host said.
"""

from ctxmgr.engine.pressure.wordings import says_too_long
from ctxmgr.model import Usage, View

REFUSED_SHARE = 0.95
STEP_SHARE = 0.9
LEAST_SHARE = 1 / 2
LEAST_NAMED_SHARE = 1 / 16
LIFT_SHARE = 1.1


def after_refusal(taken: int, stated: int, named: int | None, sent: int | None) -> int:
    """The window from now on, in tokens. `taken`: the assumed one. `stated`: by the host. `named`: by the refusal.
    `sent`: what was refused, None without a reading.
    """
    if named is not None:
        return min(taken, max(named, int(LEAST_NAMED_SHARE * stated)))
    if sent is not None and sent >= taken:
        return taken
    smaller = STEP_SHARE * taken if sent is None else REFUSED_SHARE * sent
    return min(taken, max(int(smaller), int(LEAST_SHARE * stated)))


def after_success(taken: int, stated: int, total: int) -> int:
    """The same after a request of this many tokens, with its reply, was accepted."""
    return taken if total <= taken else min(stated, int(LIFT_SHARE * total))


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
