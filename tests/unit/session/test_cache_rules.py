"""How the provider of a session's model is taken to cache, and what follows for its epochs."""

from typing import Any

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


def test_where_a_provider_reads_though_there_was_said_to_be_no_cache_there_is_one() -> None:
    """Of a known model, without a host's word: far fewer epochs begin than where it reads nothing."""

    def epochs(model: str, reads: bool) -> int:
        talk, make = talk_of(), Messages()
        talk.call("model_select", sessionId="s", model={"id": model, "contextWindow": 60_000})
        messages, read, report = [make.user("Go on.")], 0, dict[str, Any]()
        for number in range(40):
            messages += step(make, number)
            report = talk.context(messages, answer="messages", at=number * 1_000)["report"]
            usage = {"input": 900, "output": 9, "cacheRead": read if reads else 0, "cacheWrite": 0}
            read = report["tokens"]
            reply = make.reply("On.")
            messages += [reply, make.user("Go on.")]
            talk.turn_end(reply, usage=usage, at=number * 1_000)
        return int(report["epoch"])

    assert epochs("gpt-4-turbo", reads=False) > 15
    assert epochs("gpt-4-turbo", reads=True) <= 5
    assert epochs("an-unknown-model", reads=True) <= 5
