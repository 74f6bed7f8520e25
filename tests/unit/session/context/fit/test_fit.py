"""Every list fits, in each preset but `off` and in each format: no more is cut than is needed, and it stays cut."""

import json
from collections.abc import Sequence
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxmgr import Session
from ctxmgr.formats import FORMATS
from ctxmgr.model import estimate
from ctxmgr.model.messages import Message
from ctxmgr.session import Reader
from tests import translation
from tests.conversations import any_list
from tests.notation import Said, a, call, r, u
from tests.translation import RULES, Json

PRESETS = ("tools", "turns", "balanced")
EVERYWHERE = pytest.mark.parametrize(
    ("preset", "name"), [("tools", "openai"), ("turns", "anthropic"), ("balanced", "responses"), ("balanced", "pi")]
)
OVERHEAD = 3_000
ERROR = "ValueError: no such thing"


def log(tokens: int) -> str:
    """So many tokens of a build's output, with an error in its middle."""
    lines = [f"line {number} of the log" for number in range(tokens // 8 + 1)]
    lines[len(lines) // 2] = ERROR
    text = "\n".join(lines)
    return text[: len(text) * tokens // estimate(text)]


def steps(count: int, tokens: int) -> list[Said]:
    return [one for at in range(count) for one in (a(f"file {at}", call("read", path=f"f{at}.py")), r(log(tokens)))]


def messages(name: str, *said: Said) -> list[Json]:
    plain = translation.said(*said)
    return plain if name == "pi" else translation.TO[name](plain)


def weight(name: str, listed: Sequence[Json]) -> int:
    read = Reader(FORMATS[name]).read([msgspec.json.encode(one) for one in listed])
    return sum(message.weight for message in read)


def limit(window: int) -> int:
    return window - min(16_384, window // 4)


def session(preset: str, name: str, window: int, **more: Any) -> Session:
    return Session({"preset": preset, **more.pop("policy", {})}, format=name, window=window, **more)


LEAST_KEPT = {"balanced": 0.38}  # it cuts to where yellow begins, by decision


def in_bounds(name: str, out: Sequence[Json], window: int, preset: str) -> bool:
    share = (weight(name, out) + OVERHEAD) / limit(window)
    return LEAST_KEPT.get(preset, 0.9) <= share <= 1.0


EXAMPLES = [
    (60_000, 87_000, 0, 0),
    (60_000, 87_000, 12, 3_000),
]
BEFORE = [u("Build it."), a("ok"), u("Fix what fails.")]


@EVERYWHERE
@pytest.mark.parametrize(("window", "tokens", "count", "each"), EXAMPLES)
def test_a_result_larger_than_the_window_is_cut_to_it(
    preset: str, name: str, window: int, tokens: int, count: int, each: int
) -> None:
    said = [*BEFORE, *steps(count, each), a("so", call("bash", command="make")), r(log(tokens))]
    sent = messages(name, *said)
    one = session(preset, name, window)
    out = one.project(sent, overhead_tokens=OVERHEAD)
    assert one.report is not None
    assert (one.report.checks, one.report.reason) == ((), None)
    assert in_bounds(name, out, window, preset)
    assert json.dumps(sent[2]) in map(json.dumps, out)
    newest = FORMATS[name].view(msgspec.json.encode(out[-1])).blocks[-1].text
    assert newest.startswith("line 0 of the log\n")
    assert newest.endswith(log(tokens)[-200:])
    if "cut to fit" in newest:
        assert ERROR in newest
        assert f"~{estimate(log(tokens)):,} tokens" in newest


@EVERYWHERE
@pytest.mark.parametrize("restarts", [False, True])
def test_what_was_cut_stays_so_in_the_calls_after(preset: str, name: str, restarts: bool) -> None:
    said = [*BEFORE, *steps(4, 2_000), a("so", call("bash", command="make")), r(log(87_000))]
    one = session(preset, name, 60_000)
    before = one.project(messages(name, *said), overhead_tokens=OVERHEAD)
    for more in ([a("I see.", call("read", path="x.py")), r(log(300))], [a("and", call("ls")), r(log(200))]):
        if restarts:
            one = session(preset, name, 60_000, state=one.state)
        said += more
        after = one.project(messages(name, *said), overhead_tokens=OVERHEAD)
        if preset == "turns":  # it decides anew on each call: what is cut is the same, or pruned since
            assert all(one in before for one in after if "cut to fit" in str(one))
        else:
            assert after[: len(before)] == before
        assert one.report is not None
        assert one.report.checks == ()
        before = after


@given(any_list, st.sampled_from(sorted(FORMATS)), st.sampled_from(PRESETS), st.integers(900, 9_000), st.data())
def test_any_list_fits_or_is_told_not_to(
    drawn: tuple[Message, ...], name: str, preset: str, window: int, data: st.DataObject
) -> None:
    plain = [json.loads(message.raw) for message in drawn]
    sent = plain if name == "pi" else translation.TO[name](translation.plain(plain))
    one = session(preset, name, window)
    ends = [*sorted(data.draw(st.lists(st.integers(0, len(sent)), max_size=3))), len(sent)]
    for end in ends:
        if data.draw(st.booleans()):
            one = Session({"preset": preset}, format=name, window=window, state=one.state)
        out = one.project(sent[:end], overhead_tokens=100)
        report = one.report
        assert report is not None
        is_legal = name == "pi" or not RULES[name].illegal(sent[:end])
        if not is_legal and (report.reason or "").startswith("checks failed: provider"):
            continue  # a provider refuses it as it came: that goes out
        assert report.reason in (None, "nothing to leave out", "pruning is off")
        too_heavy = weight(name, out) + 100 > limit(window)
        assert report.checks == (("fit",) if too_heavy else ())
        assert bool(report.too_big) == too_heavy
        assert report.tokens == weight(name, out)
        if name != "pi" and is_legal:
            assert RULES[name].illegal(out) == []
        assert one.project(sent[:end], overhead_tokens=100) == out
