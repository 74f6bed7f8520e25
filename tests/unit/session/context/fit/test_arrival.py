"""A long result is cut as it arrives, in each preset but `off`, and stays as it was cut."""

import re
from collections.abc import Sequence
from typing import Any

import msgspec
import pytest

from ctxmgr import Session
from ctxmgr.formats import FORMATS
from ctxmgr.model import estimate
from tests import translation
from tests.contract.running import RETRIEVE, Run
from tests.contract.talk import texts
from tests.legality import lists
from tests.notation import Said, a, call, r, u
from tests.translation import RULES, Json

MOST = 1_000  # tokens
KEYS = {"maxResultTokens": MOST}
LOG = "\n".join(f"line {number} of the log" for number in range(2_000))  # about 16,000 tokens
CODE = "\n".join(f"def step_{number}(order):\n    return table[order] + {number}\n" for number in range(600))
BEGUN: list[Said] = [u("Build it."), a("ok")]
READ: list[Said] = [u("Why?"), a("so", call("read", path="a.py")), r(LOG)]
MORE: list[Said] = [a("and", call("bash", command="make")), r("ok"), a("then", call("read", path="b.py")), r(CODE)]


def messages(name: str, *said: Said) -> list[Json]:
    plain = translation.said(*said)
    return plain if name == "pi" else translation.TO[name](plain)


def raws_of(listed: Sequence[Json]) -> list[bytes]:
    return [msgspec.json.encode(one) for one in listed]


def newest(name: str, listed: Sequence[Json]) -> str:
    """The text of the last message."""
    return FORMATS[name].view(raws_of(listed)[-1]).blocks[-1].text


@pytest.mark.parametrize(("preset", "name"), [("tools", "responses"), ("turns", "anthropic"), ("balanced", "pi")])
def test_a_long_result_is_cut_from_its_first_call_on_and_stays_the_same_bytes(preset: str, name: str) -> None:
    one = Session({"preset": preset, **KEYS}, format=name, window=200_000)
    one.project(messages(name, *BEGUN, u("Why?")))
    before = one.project(messages(name, *BEGUN, *READ))
    assert 0.9 * MOST <= estimate(newest(name, before)) <= MOST
    assert one.report is not None
    assert one.report.tokens < MOST + 200
    after = one.project(messages(name, *BEGUN, *READ, *MORE))
    assert after[: len(before)] == before
    assert (one.report.checks, one.report.first_changed_index) == ((), -1)
    assert estimate(newest(name, after)) <= MOST
    restarted = Session({"preset": preset, **KEYS}, format=name, window=200_000, state=one.state)
    assert restarted.project(messages(name, *BEGUN, *READ, *MORE)) == after
    assert one.project(messages(name, *BEGUN, *READ, *MORE)) == after
    if name == "pi":  # `Run` judges it
        return
    assert lists.faults(RULES[name], raws_of(messages(name, *BEGUN, *READ, *MORE)), raws_of(after)) == []


def test_of_a_list_that_is_there_already_what_came_since_the_reply_is_cut_alone() -> None:
    """What stands before the reply was sent to the provider by somebody else, as it came."""
    one = Session({"preset": "balanced", **KEYS}, window=200_000)
    said = messages("pi", *BEGUN, *READ, a("and", call("bash", command="make")), r(CODE))
    out = one.project(said)
    assert out[:-1] == said[:-1]
    assert estimate(newest("pi", out)) <= MOST


def said(run: Run) -> str:
    """The text of the newest result as it is shown."""
    text: str = run.shown[-1]["content"][0]["text"]
    return text


def cut_run(**policy: Any) -> tuple[Run, str]:
    """A run whose newest result was cut, and its handle."""
    run = Run({**KEYS, **policy}, capabilities=RETRIEVE)
    run.user("Why does it fail?")
    run.ask()
    run.step(CODE, path="src/orders.py")
    run.ask()
    (found,) = re.findall(r"\| retrieve ([a-z2-7]{8})\]", said(run))
    return run, found


def test_explain_and_report_say_what_was_cut_as_it_arrived() -> None:
    run, _ = cut_run()
    verdict = run.talk.call("explain", sessionId="s")["verdicts"][-1]
    assert (verdict["verdict"], verdict["rule"]) == ("cut", "longer than maxResultTokens")
    assert verdict["after"] <= MOST < verdict["before"]


def test_what_came_back_is_not_cut_again() -> None:
    run, handle = cut_run()
    run.talk.call("retrieve", sessionId="s", handle=handle, limit=8_000)
    back = run.step(CODE[:8_000], "retrieve", handle=handle, limit=8_000)
    run.ask()
    assert run.shown[-1] == back


def test_a_cut_result_leaves_with_an_epoch_and_comes_back_whole() -> None:
    run, handle = cut_run()
    for number in range(20):
        run.read(f"part{number}")
    run.talk.call("prune", sessionId="s")
    report = run.epoch()
    assert "[cut — " not in texts(run.shown)
    gone = [one for one in run.receipt()["left"] if one["handle"] == handle]
    assert report["tokens"] < sum(one["before"] for one in run.receipt()["left"])
    assert gone
    assert run.talk.call("retrieve", sessionId="s", handle=handle, limit=len(CODE))["text"] == CODE
