"""Reports for people when a conversation's prompt cache ends and what the next call costs then, and what changed
early in its prompt without ctxmgr. It uses ctxmgr's status, and no text of a prompt.

`prefix_change` compares the tools and system prompt of a request with those of the call before:

1. Cache marks are ignored: programs move them.
2. Providers read tools before the system prompt. The first difference is reported, because everything after it is
   written to the cache again.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from ctxmgr.formats import compact, unmarked
from ctxmgr.model import currency, difference
from ctxmgr.model.api import lifecycle
from ctxmgr.proxy.apis import ListCall
from ctxmgr.proxy.body import elements

Beside = Mapping[str, bytes]  # members of a request beside its list, as JSON
PARTS = {"tools": "tools", "functions": "tools"}  # by member; all others are the system prompt

MINUTE_MS = 60_000
RECURS, LARGE_TOKENS = 3, 50_000  # threshold for an early change to be reported: number of times, or tokens
NOUNS = {"tools": "tool", "system": "block", "messages": "message"}
PLACES = {"tools": "of the tools", "system": "of the system prompt", "messages": "of the list"}


def beside(call: ListCall) -> Beside:
    return {name: call.body.members.get(name, b"null") for name in call.api.beside}


def prefix_change(before: Beside, after: Beside) -> lifecycle.PrefixChange | None:
    """The first difference; None if they are the same."""
    return next(_changes(before, after, "tools"), None) or next(_changes(before, after, "system"), None)


def _changes(before: Beside, after: Beside, part: str) -> Iterator[lifecycle.PrefixChange]:
    for name, raw in after.items():
        if PARTS.get(name, "system") == part and raw != before[name]:
            found = difference.first_difference(_pieces(before[name]), _pieces(raw))
            if found is not None:
                yield lifecycle.PrefixChange(part, found.how, found.index, found.offset)  # type: ignore[arg-type]


def _pieces(raw: bytes) -> list[bytes]:
    """Its tools or blocks, each as JSON (rule 1)."""
    found = elements(raw)
    if found is None:
        return [raw] if raw.strip() != b"null" else []
    return [unmarked(compact(bytes(each))) for each in found]


def ending(cache: Mapping[str, Any], now_ms: float) -> str:
    """When the cache ends, from `cache` of a status with `coldCost`; "" if it is not there."""
    expires_ms, cost = cache.get("expiresAt"), cache.get("coldCost")
    if expires_ms is None or cost is None:
        return ""
    left_ms, raw, pruned = expires_ms - now_ms, _amount(cost["raw"]), _amount(cost["pruned"])
    when = f"the prompt cache ends in {_time(left_ms)}" if left_ms > 0 else "the prompt cache has ended"
    less = f", or {pruned} pruned" if pruned != raw else ""
    return f"{when}: the next turn {'then ' if left_ms > 0 else ''}writes {raw}{less}"


def is_large(cache: Mapping[str, Any]) -> bool:
    """Whether the cache is large enough for a line."""
    cost = cache.get("coldCost")
    return cost is not None and cost["raw"]["tokens"] >= LARGE_TOKENS


def _amount(written: Mapping[str, Any]) -> str:
    dollars = written.get("dollars")
    return f"{written['tokens']:,} tokens" + ("" if dollars is None else f" ({currency.amount(dollars)})")


def _time(ms: float) -> str:
    minutes = max(1, round(ms / MINUTE_MS))
    return f"{minutes} min" if minutes < 120 else f"{round(minutes / 60)} h"


def is_worth_a_line(busts: lifecycle.CacheBusts) -> bool:
    """Whether the newest bust is large, or of a part that changed repeatedly."""
    return busts.last.tokens >= LARGE_TOKENS or busts.parts[busts.last.part] >= RECURS


def busted(busts: lifecycle.CacheBusts) -> str:
    """What changed, how often, and what it cost."""
    last, calls = busts.last, "1 call" if busts.count == 1 else f"{busts.count} calls"
    parts = ", ".join(f"{part} {count}" for part, count in busts.parts.items())
    dollars = "" if last.dollars is None else f", for {currency.amount(last.dollars)} more"
    return (
        f"the program changed the start of its prompt in {calls} ({parts}): {_change(last)}, so {last.tokens:,} "
        f"cached tokens were written to the cache again{dollars}"
    )


def _change(change: lifecycle.PrefixChange) -> str:
    noun, place, index = NOUNS[change.part], PLACES[change.part], round(change.index)
    if change.how == "added":
        return f"a {noun} was added at position {index} {place}"
    if change.how == "removed":
        return f"{noun} {index} {place} was removed"
    if change.how == "moved":
        return f"the order {place} changed from position {index}"
    return f"{noun} {index} {place} changed from byte {round(change.offset)}"
