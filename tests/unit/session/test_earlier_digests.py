"""A session whose digests an earlier release made otherwise: what left is decided anew, what was learnt stays."""

import msgspec

from ctxmgr.engine.conversation import DIGESTS
from ctxmgr.session import journal
from tests.unit.session.context.test_respelling import begun, session


def test_the_next_list_is_decided_anew() -> None:
    *lists, before, last = session("pi")
    talk = begun("pi", "balanced")
    for messages in (*lists, before):
        epoch = talk.context(messages, answer="messages")["report"]["epoch"]
    assert epoch > 0
    saved, _ = journal.restore(talk.saved)
    assert saved.digests == DIGESTS
    earlier = msgspec.structs.replace(saved, digests=1)
    again = begun("pi", "balanced", [journal.base(earlier)])
    anew = again.context(before, answer="messages")["report"]
    assert (anew["checks"], anew["epoch"]) == ([], epoch + 1)
    assert anew["arithmetic"].startswith("rewritten: 13,194 tokens")  # all of it: nothing is known to have left
    report = again.context(last, answer="messages")["report"]
    assert (report["checks"], report["firstChangedIndex"]) == ([], -1)
    assert again.status()["stats"]["fallbacks"] == 0
    state, _ = journal.restore(again.saved)
    assert state.digests == DIGESTS
    assert {fact.text for fact in saved.facts} <= {fact.text for fact in state.facts}
