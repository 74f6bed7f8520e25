"""The protocol as an OpenRPC document: what `scripts/gen` made of the table of methods."""

import pkgutil
from functools import cache

import msgspec


@cache
def document() -> msgspec.Raw:
    """Read once, with the first question or after `initialize`: a start does not wait for it."""
    content = pkgutil.get_data("ctxmgr", "data/openrpc.json")
    assert content is not None
    return msgspec.Raw(content)
