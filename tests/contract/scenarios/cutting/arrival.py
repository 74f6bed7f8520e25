"""A tool result that is longer than the policy takes is cut before the model sees it, and stays as it was cut."""

import re

from ctxmgr.model import estimate
from tests.contract.behaviours import behaviour
from tests.contract.running import RETRIEVE, Run
from tests.contract.talk import Talk, texts

MOST = 600  # tokens
CODE = "\n".join(f"def step_{number}(order):\n    return table[order] + {number}\n" for number in range(240))


def newest(run: Run) -> str:
    """The text of the newest result as it is shown."""
    text: str = run.shown[-1]["content"][0]["text"]
    return text


@behaviour(
    "arrival/a-long-result-is-cut-and-retrieved-in-part",
    "With `maxResultTokens`, a longer result is cut when it arrives. The lines of its outline have offsets for "
    "`retrieve`.",
    "design 4; policy, maxResultTokens",
)
def cut() -> Talk:
    run = Run(policy={"maxResultTokens": MOST}, capabilities=RETRIEVE)
    run.user("Why does the order fail?")
    run.ask()
    run.step(CODE, path="src/orders.py")
    assert run.ask()["firstChangedIndex"] == -1
    shown = newest(run)
    assert 0.9 * MOST <= estimate(shown) <= MOST
    (handle,) = re.findall(r"\| retrieve ([a-z2-7]{8})\]", shown)
    offset, line = re.findall(r"^@(\d+) (def .*)$", shown, re.M)[0]
    page = run.talk.call("retrieve", sessionId="s", handle=handle, offset=int(offset), limit=200)
    assert page["text"] == CODE[int(offset) :][:200]
    assert page["text"].startswith(line)
    back = run.step(page["text"], "retrieve", handle=handle, offset=int(offset), limit=200)
    assert run.ask()["firstChangedIndex"] == -1
    assert run.shown[-1] == back
    return run.talk


@behaviour(
    "arrival/without-retrieve-the-call-is-named",
    "Without the capability `retrieve`, a cut result says which lines are missing, and which call to make again.",
    "design 4; capabilities",
)
def named() -> Talk:
    run = Run(policy={"maxResultTokens": MOST, "preset": "tools"})
    run.user("Why does the order fail?")
    run.ask()
    run.step(CODE, path="src/orders.py")
    run.ask()
    assert re.search(r'lines \d+ to \d+; .* read path="src/orders.py", a range of lines\]', newest(run))
    assert "retrieve" not in texts(run.shown)
    return run.talk


@behaviour(
    "arrival/what-is-to-be-kept-is-not-cut",
    "Results of protected tools, of pinned files and of instruction files are not cut when they arrive.",
    "design 4; policy, protectedTools",
)
def kept() -> Talk:
    run = Run(policy={"maxResultTokens": MOST, "protectedTools": ["run_tests"]}, capabilities=RETRIEVE)
    run.talk.call("pin", sessionId="s", path="src/orders.py")
    run.user("Why does the order fail?")
    run.ask()
    for tool, path in (("run_tests", "tests"), ("read", "src/orders.py"), ("read", "AGENTS.md")):
        assert estimate(run.step(CODE[:5_000], tool, path=path)["content"][0]["text"]) > MOST
    run.ask()
    assert run.shown == run.messages
    return run.talk
