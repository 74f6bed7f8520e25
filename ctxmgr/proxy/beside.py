"""Compares the tools and system prompt of a request with those of the call before, without reporting any of their
text.

1. Cache marks are ignored: programs move them.
2. Providers read tools before the system prompt. The first difference is reported, because everything after it is
   written to the cache again.
"""

from collections.abc import Iterator, Mapping

from ctxmgr.formats import compact, unmarked
from ctxmgr.model import difference
from ctxmgr.model.api import lifecycle
from ctxmgr.proxy.apis import ListCall
from ctxmgr.proxy.body import elements

Beside = Mapping[str, bytes]  # members of a request beside its list, as JSON
PARTS = {"tools": "tools", "functions": "tools"}  # by member; all others are the system prompt


def beside(call: ListCall) -> Beside:
    return {name: call.body.members.get(name, b"null") for name in call.api.beside}


def change(before: Beside, after: Beside) -> lifecycle.PrefixChange | None:
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
