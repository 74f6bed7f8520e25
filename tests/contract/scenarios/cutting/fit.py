"""What does not fit the window is cut: no more than is needed, and it stays as it was cut."""

import re

from ctxmgr.model import estimate
from tests.contract.behaviours import behaviour
from tests.contract.running import Run
from tests.contract.talk import Fields, Talk, texts

PICTURE = "iVBORw0KGgoAAAANSUhEUgAAAoAAAAGQCAIAAAAAAAA="  # the first bytes of one of 640 x 400
USABLE = 12_000  # tokens of a window of 16,000


def log(lines: int) -> str:
    """About eight tokens a line, one of them an error."""
    said = [f"line {number} of the log" for number in range(lines)]
    said[lines // 2] = "ValueError: there is no such order"
    return "\n".join(said)


def cut(run: Run) -> list[str]:
    """The lines that say how much was cut."""
    return re.findall(r"\[cut to fit — [^\]]*\]", texts(run.shown))


def several(run: Run, number: int, lines: int) -> None:
    """A reply that reads three logs at once."""
    calls = [run.make.call("read", path=f"log{number}{each}") for each in "abc"]
    run.messages += [run.make.reply("", *calls), *(run.make.result(log(lines)) for _ in calls)]


@behaviour(
    "fit/a-result-larger-than-the-window",
    "A result of 20,000 tokens in a window of 16,000 loses its middle. Its ends and errors stay, and later lists "
    "keep the same bytes.",
    "design 3 and 4",
)
def larger() -> Talk:
    run = Run({"workingSet": {"results": 2, "tokens": 0}})
    run.user("Find out why the orders fail.")
    run.step(log(4_000), "bash", command="make orders")
    report = run.ask()
    assert 0.3 * USABLE <= report["tokens"] <= USABLE  # `balanced` cuts to where yellow begins
    (line,) = cut(run)
    assert f"of ~{estimate(log(4_000)):,} tokens" in line
    said = texts(run.shown)
    assert "line 0 of the log" in said
    assert "line 3999 of the log" in said
    assert "ValueError: there is no such order" in said
    run.step("ok", "bash", command="ls")
    assert run.ask()["firstChangedIndex"] == -1
    return run.talk


@behaviour(
    "fit/a-cut-opens-an-epoch",
    "If something that was sent before must be cut too, that is an epoch, with its receipt and its calculation.",
    "design 4",
)
def opens() -> Talk:
    run = Run()
    run.user("Compare the logs.")
    several(run, 1, 560)
    *run.messages, late = run.messages
    run.ask()
    assert cut(run) == []
    run.messages.append(late)  # its step goes out whole while it fits
    report = run.ask()
    assert 0.3 * USABLE <= report["tokens"] <= USABLE  # `balanced` cuts to where yellow begins
    assert (report["epoch"], report["firstChangedIndex"], len(cut(run))) == (1, 2, 3)
    receipt = run.receipt()
    assert (receipt["opening"], receipt["arithmetic"]) == ("fit", report["arithmetic"])
    left: list[Fields] = receipt["left"]
    assert {(one["kind"], one["why"]) for one in left} == {("cut", "did not fit the window")}
    return run.talk


@behaviour(
    "fit/old-steps-of-one-long-turn-leave",
    "If one turn exceeds the window and all of it is signed, its oldest steps are removed in `tools` too, and "
    "stay removed.",
    "design 4",
)
def long_turn() -> Talk:
    run = Run(policy={"preset": "tools"})
    run.user("Write the logs.")
    thought = {"type": "thinking", "thinking": "hm", "thinkingSignature": "c2lnbmVk"}
    for number in range(12):
        write = run.make.call("write", path=f"log{number}", content=log(150))
        reply = run.make.reply("", write)
        reply["content"].insert(0, thought)
        run.messages += [reply, run.make.result("ok")]
    report = run.ask()
    assert 0.9 * USABLE <= report["tokens"] <= USABLE
    assert run.shown == [run.messages[0], *run.messages[1 + report["messagesDropped"] :]]
    run.step("ok", "bash", command="ls")
    assert run.ask()["firstChangedIndex"] == -1
    return run.talk


@behaviour(
    "fit/what-can-not-fit-is-told",
    "The newest call is unchanged. If it alone exceeds the window, the report says so.",
    "design 4",
)
def told() -> Talk:
    run = Run()
    run.user("Write the log.")
    talk, make = run.talk, run.make
    sent = [*run.messages, make.reply("", make.call("write", path="log", content=log(4_000))), make.result("ok")]
    report = talk.call("context", sessionId="s", messages=sent)["report"]
    assert report["checks"] == ["fit"]
    return talk


@behaviour(
    "fit/old-pictures-become-a-text",
    "If there are more pictures than the request accepts, the oldest become a text that says what they were, and "
    "stay that way.",
    "design 4",
)
def pictures() -> Talk:
    run = Run(policy={"maxImages": 2})
    for number in range(4):
        picture = {"type": "image", "data": PICTURE, "mimeType": "image/png"}
        message = run.user(f"Look at {number}.")
        message["content"] = [{"type": "text", "text": message["content"]}, picture]
    talk = run.talk
    answer = talk.call("context", sessionId="s", messages=run.messages)
    told = texts(answer["messages"])
    assert told.count(PICTURE) == 2
    assert told.count("[image left out — 44 bytes, 640 x 400 pixels]") == 2
    grown = [*run.messages, run.make.user("And now?")]
    assert talk.call("context", sessionId="s", messages=grown)["messages"] == [*answer["messages"], grown[-1]]
    return talk
