"""Entries of messages: the same words said at another time, or at none, are another message."""

import json

from ctxmgr.formats import format_of
from ctxmgr.model import Message
from ctxmgr.session.ledger_updates import EntryIds
from ctxmgr.session.reading import Reader


def said(text: str, time_ms: int | None) -> Message:
    message = {"role": "user", "content": text, **({} if time_ms is None else {"timestamp": time_ms})}
    return Reader(format_of("pi", "$")).read([json.dumps(message).encode()])[0]


def test_a_message_has_the_entry_that_was_named_for_its_words_and_its_time() -> None:
    entries = EntryIds()
    rows = [("go on", 1, "a"), ("go on", 2, "b"), ("go on", None, "c"), ("stop", None, "d"), ("stop", 1, "e")]
    for text, time_ms, id in rows:
        entries.add(said(text, time_ms), id)
    assert [entries.of(said(text, time_ms)) for text, time_ms, _ in rows] == ["a", "b", "c", "d", "e"]
    assert [entries.of(said(*other)) for other in (("go on", 3), ("stop", 2), ("wait", None), ("wait", 1))] == [
        None
    ] * 4
    entries.add(said("go on", 2), "f")
    assert [entries.of(said("go on", time_ms)) for time_ms in (1, 2)] == ["a", "f"]
