"""Turns a refusal as too long, and later successes, into the window that a model is taken to have.

1. A refusal that names the most it takes is believed, down to a sixteenth of what the host said.
2. Else the window is 95 % of the tokens that were refused, where a reading tells how many they were; without one it
   is a tenth smaller than it was taken to be. Never less than half of what the host said.
3. A request that is over what the window was taken to be says nothing of it: it was the list that was too long.
4. A refusal of the request's bytes says nothing of it (`wordings.is_of_bytes`).
5. A success of more tokens than that lifts it to a tenth above them, at most to what the host said.
"""

from ctxmgr.engine.pressure.wordings import says_too_long
from ctxmgr.model import Usage, View

REFUSED_SHARE = 0.95
STEP_SHARE = 0.9
LEAST_SHARE = 1 / 2
LEAST_NAMED_SHARE = 1 / 16
LIFT_SHARE = 1.1


def after_refusal(taken: int, stated: int, named: int | None, sent: int | None) -> int:
    """The window from now on, in tokens. `taken`: what it was taken to be; `stated`: by the host; `named`: by the
    refusal; `sent`: what was refused, None where no reading tells."""
    if named is not None:
        return min(taken, max(named, int(LEAST_NAMED_SHARE * stated)))
    if sent is not None and sent >= taken:
        return taken
    smaller = STEP_SHARE * taken if sent is None else REFUSED_SHARE * sent
    return min(taken, max(int(smaller), int(LEAST_SHARE * stated)))


def after_success(taken: int, stated: int, total: int) -> int:
    """The same where a request of so many tokens, with its reply, was taken."""
    return taken if total <= taken else min(stated, int(LIFT_SHARE * total))


FULL_SHARE = 0.99  # of the window: a reply cut at once with a prompt this large had no room (pi's rule)


def overflowed(view: View, usage: Usage | None, window: int) -> bool:
    """Whether this assistant message is an error of context overflow. `usage`: as reported for it; `window`: in
    tokens."""
    if view.stop == "error":
        return says_too_long(view.error)
    if usage is None:
        return False
    sent = usage.input_tokens + usage.cache_read_tokens + usage.cache_write_tokens
    if view.stop == "length":
        return usage.output_tokens == 0 and sent >= FULL_SHARE * window
    return view.stop == "stop" and sent > window
