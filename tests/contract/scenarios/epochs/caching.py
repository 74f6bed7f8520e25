"""The provider's cache: what it read against what it should have, and how long it keeps a start."""

from ctxmgr.server.effects import SnapshotLoaded
from tests.contract.behaviours import behaviour
from tests.contract.running import MINUTE, NOON
from tests.contract.talk import Fields, Messages, Talk


def called(talk: Talk, make: Messages, messages: list[Fields], at: int, read: int, sent: int) -> Fields | None:
    """One model call; what the status then says of the cache."""
    talk.context(messages, at=at)
    reply = make.reply(f"Step {len(messages)} is done.")
    messages += [reply, make.user("Go on.")]
    counts = {"input": 0, "output": 20, "cacheRead": read, "cacheWrite": sent - read}
    cache: Fields | None = talk.turn_end(reply, usage=counts, at=at)["status"]["cache"]
    return cache


@behaviour(
    "caching/a-gap-is-told",
    "If calls persistently read less from the prompt cache than their lists had in common, the status says what "
    "the cause may be. If usage does not mention the cache, the status says nothing.",
    "design 6: what the provider says it read is compared with what was expected",
)
def gap() -> Talk:
    talk, make = Talk({"preset": "balanced"}, version="1.1"), Messages()
    messages = [make.user("Port the order tables.")]
    for number in range(4):
        cache = called(talk, make, messages, NOON + number * 10_000, read=0, sent=31_000 + 40 * number)
    assert (cache["expected"], cache["read"], cache["calls"]) == (93_120, 0, 3)
    assert (
        cache["gap"]
        == "the provider read 0 of 31,080 expected cached tokens: something before the list changes on each call"
    )
    assert cache["gap"] in talk.status()["notes"]
    cache = called(talk, make, messages, NOON + 40_000, read=31_120, sent=31_160)
    assert cache is not None
    assert "gap" not in cache
    silent = Talk({"preset": "balanced"}, version="1.1")
    silent.context(messages)
    assert silent.turn_end(make.reply("Done."), tokens=31_000)["status"]["cache"] is None
    return talk


@behaviour(
    "caching/what-is-read-shows-a-cache",
    "A model that was marked as not cached counts as cached once its provider reports that it read some of a "
    "list. A restart remembers it.",
    "design 6: what the provider says it read goes before what is known of its model",
)
def reads() -> Talk:
    talk, make = Talk({"preset": "balanced"}, version="1.1"), Messages()
    talk.call("model_select", sessionId="s", model={"id": "gpt-4-turbo", "contextWindow": 128_000})
    messages = [make.user("Port the order tables.")]
    assert talk.status()["model"]["cache"]["kind"] == "none"
    for number in range(3):
        cache = called(talk, make, messages, NOON + number * 10_000, read=31_000, sent=31_040 + 40 * number)
    assert cache["lifetimeMs"] == 5 * MINUTE
    told = talk.status()["model"]
    assert (told["cache"]["kind"], told["cacheBy"], told["prices"][0]["cacheRead"]) == ("implicit", "default", 1)
    again = Talk(found=SnapshotLoaded(tuple(talk.saved)), version="1.1")
    assert again.status()["model"]["cache"] == told["cache"]
    return again


@behaviour(
    "caching/what-is-read-is-known-of-each-model",
    "That a model has a cache after all is remembered after calls of another model, and after a restart. No "
    "source is given for it.",
    "design 6: what the provider says it read goes before what is known of its model",
)
def reads_by_model() -> Talk:
    talk, make = Talk({"preset": "balanced"}, version="1.1"), Messages()
    messages = [make.user("Port the order tables.")]

    def select(talk: Talk, id: str) -> tuple[str, str, str]:
        talk.call("model_select", sessionId="s", model={"id": id, "contextWindow": 128_000})
        told = talk.status()["model"]
        return told["cache"]["kind"], told["cacheBy"], told["lifetimeBy"]

    assert select(talk, "gpt-4-turbo") == ("none", "registry", "registry")
    called(talk, make, messages, NOON, read=31_000, sent=31_040)
    assert select(talk, "gpt-4") == ("none", "registry", "registry")
    called(talk, make, messages, NOON + 10_000, read=0, sent=31_080)
    again = Talk(found=SnapshotLoaded(tuple(talk.saved)), version="1.1")
    assert select(again, "gpt-4-turbo") == ("implicit", "default", "default")
    called(again, make, messages, NOON + 20_000, read=0, sent=31_120)
    assert select(again, "gpt-4-turbo") == ("implicit", "default", "default")
    return again


@behaviour(
    "caching/a-lifetime-is-learned",
    "If neither host nor policy says how long a provider keeps a cache entry, ctxmgr learns it: longer from calls "
    "that read after a pause, shorter from two that did not. A restart remembers it.",
    "design 6: a cold cache is one whose last call is older than its lifetime",
)
def lifetime() -> Talk:
    talk, make = Talk({"preset": "balanced"}, version="1.1"), Messages()
    messages, sent, at = [make.user("Port the order tables.")], 31_000, NOON

    def after(talk: Talk, minutes: int, reads: bool = True) -> tuple[int, str]:
        """A call after a pause, and one right behind it."""
        nonlocal sent, at
        for pause, read in ((minutes * MINUTE, reads), (10_000, True)):
            at += pause
            cache = called(talk, make, messages, at, read=sent if read else 0, sent=sent + 40)
            sent += 40
        assert cache is not None
        return cache["lifetimeMs"], cache["lifetimeFrom"]

    assert after(talk, 0) == (5 * MINUTE, "rule")
    assert after(talk, 20) == (5 * MINUTE, "rule")  # other sessions may have kept what stands before the list
    assert after(talk, 25) == (20 * MINUTE, "learned")
    again = Talk(found=SnapshotLoaded(tuple(talk.saved)), version="1.1")
    assert again.status()["cache"] == talk.status()["cache"]
    assert after(again, 12, reads=False) == (20 * MINUTE, "learned")
    assert after(again, 15, reads=False) == (15 * MINUTE - 1, "learned")
    return again


@behaviour(
    "caching/its-end-is-told",
    "While a session rests, the status says when the prompt cache expires. On request it also says what the first "
    "call writes then: with the host's list, and with the one that would be answered.",
    "docs/guide/presets.md: while a session rests",
)
def ends() -> Talk:
    talk, make = Talk({"preset": "balanced", "idle": "prune"}, version="1.1"), Messages()
    talk.call("model_select", sessionId="s", model={"id": "claude-sonnet-4-5", "contextWindow": 200_000})
    messages = [make.user("Port the order tables.")]
    for number in range(3):
        cache = called(talk, make, messages, NOON + number * 10_000, read=31_000, sent=31_040 + 40 * number)
    assert cache is not None
    assert cache["expiresAt"] == NOON + 20_000 + 5 * MINUTE
    assert "coldCost" not in cache
    asked = talk.call("getStatus", sessionId="s", coldCost=True)["cache"]
    cost = asked["coldCost"]["raw"]
    assert 31_000 < cost["tokens"] < 32_000
    assert cost["dollars"] == round(cost["tokens"] * 3.75 / 1e6, 6)
    assert asked["coldCost"]["pruned"] == cost
    return talk


@behaviour(
    "caching/an-early-change-is-told",
    "If a host changes its prompt early, the report says what changed, where, and what is written again because "
    "of it. The status counts such calls by what changed. Epochs, compactions and pauses do not count.",
    "docs/guide/presets.md: where a prompt changes early",
)
def busts() -> Talk:
    talk, make = Talk({"preset": "balanced"}, version="1.1"), Messages()
    messages = [make.user("Port the order tables."), make.reply("I do."), make.user("The rules. " * 600)]
    for number in range(3):
        called(talk, make, messages, NOON + number * 10_000, read=31_000, sent=31_040 + 40 * number)
    clock = {"part": "system", "how": "changed", "index": 0, "offset": 52}
    report = talk.context(messages, at=NOON + 30_000, prefixChange=clock)["report"]
    assert report["cacheBust"].items() > clock.items()
    assert report["cacheBust"]["tokens"] > 31_000
    messages[0] = make.user("Port the orders' tables.")
    report = talk.context(messages, at=NOON + 40_000)["report"]
    found = {name: report["cacheBust"][name] for name in ("part", "how", "index")}
    assert found == {"part": "messages", "how": "changed", "index": 0}
    told = talk.status()["cache"]["busts"]
    assert (told["count"], told["parts"]) == (2, {"system": 1, "messages": 1})
    assert "cacheBust" not in talk.context(messages, at=NOON + 10 * MINUTE, prefixChange=clock)["report"]
    return talk
