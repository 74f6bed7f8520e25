"""A long result is cut as it arrives, in each preset but `off` and in each format, and stays as it was cut."""

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
from tests.contract.talk import Fields, texts
from tests.legality import lists
from tests.notation import Said, a, call, r, u
from tests.translation import RULES, Json

PRESETS = ("tools", "turns", "balanced")
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


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("preset", PRESETS)
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


@pytest.mark.parametrize("policy", [{"preset": "off", **KEYS}, {"preset": "balanced"}])
def test_nothing_is_cut_where_it_is_off(policy: Fields) -> None:
    one = Session(policy, window=200_000)
    one.project(messages("pi", *BEGUN, u("Why?")))
    assert one.project(messages("pi", *BEGUN, *READ)) == messages("pi", *BEGUN, *READ)


def test_of_a_list_that_is_there_already_what_came_since_the_reply_is_cut_alone() -> None:
    """What stands before the reply was sent to the provider by somebody else, as it came."""
    one = Session({"preset": "balanced", **KEYS}, window=200_000)
    said = messages("pi", *BEGUN, *READ, a("and", call("bash", command="make")), r(CODE))
    out = one.project(said)
    assert out[:-1] == said[:-1]
    assert estimate(newest("pi", out)) <= MOST


def test_what_was_sent_before_the_policy_said_so_stays() -> None:
    one = Session({"preset": "balanced"}, window=200_000)
    one.project(messages("pi", *BEGUN, *READ))
    restarted = Session({"preset": "balanced", **KEYS}, window=200_000, state=one.state)
    said = messages("pi", *BEGUN, *READ, *MORE)
    out = restarted.project(said)
    assert out[:-1] == said[:-1]
    assert out[-1] != said[-1]


def test_what_will_be_cut_asks_for_no_compaction_at_the_end_of_its_turn() -> None:
    """A result of ten times the window's size is one of 1,000 tokens, and no reason to compact."""
    run = Run({**KEYS, "preset": "turns"}, window=32_000, capabilities={**RETRIEVE, "requestCompaction": "midRun"})
    run.user("Why?")
    run.ask()
    run.step(LOG * 20, path="a.py")
    turn = {"message": run.messages[-2], "toolResults": [run.messages[-1]], "usage": {"tokens": 300}}
    ended = run.talk.call("turn_end", sessionId="s", **turn)
    assert ended["commands"] == []
    assert ended["status"]["tokens"] < 2 * MOST
    report = run.ask()
    assert (report["zone"], report["checks"]) == ("green", [])
    assert estimate(said(run)) <= MOST


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


def test_what_is_cut_can_be_retrieved_from_the_offset_of_a_line() -> None:
    run, handle = cut_run()
    offset, line = re.findall(r"^@(\d+) (def .*)$", said(run), re.M)[-1]
    page = run.talk.call("retrieve", sessionId="s", handle=handle, offset=int(offset), limit=len(line))
    assert (page["text"], page["total"], page["more"]) == (line, len(CODE), True)
    whole = run.talk.call("retrieve", sessionId="s", handle=handle, limit=len(CODE))
    assert whole["text"] == CODE


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


def test_a_pin_brings_the_whole_back_and_it_stays_whole() -> None:
    run, _ = cut_run()
    whole = run.messages[-1]
    run.talk.call("pin", sessionId="s", path="src/orders.py")
    assert run.ask()["epoch"] == 1
    assert run.shown[-1] == whole
    run.step("ok", "bash", command="ls")
    assert run.ask()["firstChangedIndex"] == -1
    assert whole in run.shown


def test_what_is_cut_is_cut_further_where_the_list_does_not_fit() -> None:
    run = Run({"maxResultTokens": 6_000, "preset": "tools"}, capabilities=RETRIEVE)
    run.user("Compare.")
    run.ask()
    calls = [run.make.call("read", path=f"{name}.py") for name in "abcd"]
    run.messages += [run.make.reply("", *calls), *(run.make.result(CODE) for _ in calls)]
    report = run.ask()
    assert report["tokens"] <= 12_000
    assert texts(run.shown).count("[cut to fit") == 4
    (handle, *_) = re.findall(r"\| retrieve ([a-z2-7]{8})\]", texts(run.shown))
    assert run.talk.call("retrieve", sessionId="s", handle=handle, limit=len(CODE))["text"] == CODE
