"""Turns what was listed before a compaction or a move in the tree into the weight of what is listed after it.

The next `context` brings the list; until then it is known by the entry ids the host told us, as far as it did. What
is not known counts nothing: the reading is void, and `status` says so by its missing `tokens`.
"""

from collections.abc import Container, Iterable, Mapping

from ctxmgr.model import Message
from ctxmgr.session import ledger_updates


def from_entry(listed: Iterable[Message], entry_of: Mapping[str, str], first_kept: str | None) -> int:
    """Tokens from the first kept entry on; 0 where it is not known which message that is."""
    weight, found = 0, False
    for message in listed:
        found = found or (first_kept is not None and entry_of.get(ledger_updates.mark(message)) == first_kept)
        weight += message.weight if found else 0
    return weight


def on_path(listed: Iterable[Message], entry_of: Mapping[str, str], path: Container[str]) -> int:
    """Tokens of the messages whose entries are on the path."""
    return sum(message.weight for message in listed if entry_of.get(ledger_updates.mark(message)) in path)
