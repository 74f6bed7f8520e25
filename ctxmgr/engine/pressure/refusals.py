"""Turns a refusal as too long, and later successes, into the window that a model is taken to have.

1. A refusal that names the most it takes is believed, down to a sixteenth of what the host said.
2. Else the window is 95 % of the tokens that were refused, where a reading tells how many they were; without one it
   is a tenth smaller than it was taken to be. Never less than half of what the host said.
3. A request that is over what the window was taken to be says nothing of it: it was the list that was too long.
4. A refusal of the request's bytes says nothing of it.
5. A success of more tokens than that lifts it to a tenth above them, at most to what the host said.
"""

import re

from ctxmgr.model import Usage, View, expression

REFUSED_SHARE = 0.95
STEP_SHARE = 0.9
LEAST_SHARE = 1 / 2
LEAST_NAMED_SHARE = 1 / 16
LIFT_SHARE = 1.1

_BYTES = expression(r"\b413\b|payload|entity|request[ _](?:is )?too[ _]large|\bbytes\b|\d ?MB\b", re.IGNORECASE)
_COMMAS = expression(r"(?<=\d)[,_](?=\d{3})")
_OVER = expression(r"\d > (\d{4,8})\b|tokens > (\d{4,8})\b")  # `208310 tokens > 200000 maximum`
# `maximum context length is 8192`, `context size (4096 tokens)`, `limit of 32768`
_NAMED = expression(
    r"\bmax(?:imum)?[ _](?:context|prompt|input|number|allowed|sequence)[^\d>]{0,60}?\(?(\d{4,8})\b"
    r"|\b(?:context (?:size|window|length|limit)|token limit|limit of|limit is)[^\d>]{0,20}?\(?(\d{4,8})\b"
    r"|\b(\d{4,8})(?: tokens?)? (?:maximum|limit)\b",
    re.IGNORECASE,
)


def named_window(error: str) -> int | None:
    """The most tokens that a refusal names, None where it names none."""
    error = _COMMAS.sub("", error)
    match = _OVER.search(error) or _NAMED.search(error)
    return next((int(number) for number in match.groups() if number), None) if match else None


def is_of_bytes(error: str) -> bool:
    """Rule 4."""
    return bool(_BYTES.search(error))


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


# Providers have no code in common for a context that is too long, so the words of the error tell it; their codes
# are made of the same words. A rate limit also speaks of tokens and limits, and a compaction would not help there:
# those words rule it out.
OVERFLOW = expression(
    r"context[ _-]?(length|window|size|limit|overflow)|max(imum)?[ _-](context|prompt|input)"
    r"|(prompt|input|request|context|payload|entity|content)[ _-]?(is[ _-]?)?too[ _-]?(long|large|big)"
    r"|too[ _-]many[ _-]((input|prompt)[ _-])?tokens|(prompt|input|context)[ _-]exceed"
    r"|exceeds? .{0,40}(context|token|input)|reduce the length|range of input length|string_above_max_length"
    r"|(input|prompt) token count|tokens?[ _-]limit|request_too_large"
    r"|\"(status|status_?code|code)\"\s*:\s*\"?413\b",
    re.IGNORECASE,
)
OTHER_LIMIT = expression(r"rate.?limit|too many requests|per (minute|hour|day)|quota|throttl", re.IGNORECASE)
FULL_SHARE = 0.99  # of the window: a reply cut at once with a prompt this large had no room (pi's rule)


def overflowed(view: View, usage: Usage | None, window: int) -> bool:
    """Whether this assistant message is an error of context overflow. `usage`: as reported for it; `window`: in
    tokens."""
    if view.stop == "error":
        return bool(OVERFLOW.search(view.error)) and not OTHER_LIMIT.search(view.error)
    if usage is None:
        return False
    sent = usage.input_tokens + usage.cache_read_tokens + usage.cache_write_tokens
    if view.stop == "length":
        return usage.output_tokens == 0 and sent >= FULL_SHARE * window
    return view.stop == "stop" and sent > window
