"""How the provider of a session's model is taken to cache, and what follows for its epochs."""

from tests.contract.talk import Fields, Messages, Talk
from tests.unit.session.context.epochs import step, talk_of
from tests.unit.session.recovery import session_of

UNCACHED = {"input": 3, "output": 15, "cacheRead": 3, "cacheWrite": 3}


def grown(talk: Talk, count: int = 60) -> list[tuple[Fields, int]]:
    """The report of each call of a session that grows by a step each, and what the epoch before it would keep."""
    make = Messages()
    messages, found = [make.user("Go on.")], list[tuple[Fields, int]]()
    for number in range(count):
        messages += step(make, number)
        kept = session_of(talk).state.epoch.remaining_tokens
        found.append((talk.context(messages, answer="messages")["report"], kept))
    return found


def test_without_a_cache_an_epoch_begins_at_each_call_where_something_is_to_leave_and_at_no_other() -> None:
    found = grown(talk_of(prices=UNCACHED))
    epochs = [report["epoch"] for report, _ in found]
    assert epochs[0] == 0
    first = epochs.index(1)
    for (before, _), (report, kept) in zip(found[first:], found[first + 1 :], strict=False):
        opens = report["epoch"] > before["epoch"]
        assert report["tokens"] >= kept
        assert opens == (report["firstChangedIndex"] >= 0)
        assert not opens or report["tokens"] < before["tokens"] + 1_000
    last = found[-1][0]
    assert last["tokens"] < last["rawTokens"] / 10
