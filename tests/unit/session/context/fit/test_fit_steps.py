"""One long turn fits as well, where nothing in it may be cut: its old steps leave, in each preset but `off`, and
stay out."""

from collections.abc import Sequence

import msgspec
import pytest

from ctxmgr import Session
from ctxmgr.study.driving.matching import answered
from ctxmgr.study.recordings.pi_host import item
from tests.legality import lists, pi
from tests.notation import Said, a, call, r, think, u
from tests.translation import RULES, Json
from tests.unit.session.context.fit.test_fit import (
    EVERYWHERE,
    OVERHEAD,
    PRESETS,
    in_bounds,
    limit,
    log,
    messages,
    session,
    weight,
)

WINDOW = 60_000
BY_TURNS = ("tools", "turns")
ROOMY: dict[str, Json] = {one: {} for one in PRESETS} | {
    "balanced": {"keep": 20_000}  # with less room a restart opens another epoch
}


def signed(number: int, tokens: int) -> list[Said]:
    """A step that writes so much, with thinking that is signed, or that only the provider can read."""
    write = call("write", path=f"f{number}.py", content=log(tokens))
    return [a(think(f"hm {number}"), f"file {number}", write), r("ok")]


def heavy(number: int, tokens: int) -> list[Said]:
    """A step that says so much and calls something small."""
    return [a(f"file {number}\n{log(tokens)}", call("write", path=f"f{number}.py", content="x")), r("ok")]


def spoken(number: int, tokens: int) -> list[Said]:
    """A thought and as much text, signed, and a small step."""
    return [a(think(f"hm {number}"), log(tokens), call("ls")), r("ok")]


KINDS = {"signed": signed, "heavy": heavy, "spoken": spoken}
USER = u("Do it all. Never touch x.")


def turn(kind: str, sizes: Sequence[int]) -> list[Said]:
    return [USER, *(one for at, tokens in enumerate(sizes) for one in KINDS[kind](at, tokens))]


def faults(name: str, sent: Sequence[Json], out: Sequence[Json], one: Session, preset: str) -> list[str]:
    """Of an answer, by the judge that shares nothing with what decided."""
    assert one.report is not None
    came, left = ([msgspec.json.encode(each) for each in some] for some in (sent, out))
    gone = one.report.messages_dropped or 0
    if name == "pi":
        items = [item("", raw) for raw in came]
        answer = {"messages": msgspec.Raw(b"[" + b",".join(left) + b"]")}
        return pi.faults(items, answered(items, answer), preset in BY_TURNS, left_to_fit=gone)
    return (
        lists.faults(RULES[name], came, left, left_to_fit=gone) if preset in BY_TURNS else RULES[name].illegal(out)
    )


@EVERYWHERE
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("sizes", [[1_200] * 60, [3_000] * 30, [200] * 40 + [4_000] * 20 + [100] * 5])
def test_old_steps_of_one_long_turn_leave_until_it_fits(
    preset: str, name: str, kind: str, sizes: list[int]
) -> None:
    sent = messages(name, *turn(kind, sizes))
    one = session(preset, name, WINDOW)
    out = one.project(sent, overhead_tokens=OVERHEAD)
    assert one.report is not None
    assert (one.report.checks, one.report.reason) == ((), None)
    assert weight(name, out) + OVERHEAD <= limit(WINDOW)
    assert preset == "balanced" or in_bounds(name, out, WINDOW, preset)  # an epoch of its own keeps less
    assert sent[0] in out
    assert out[-2:] == sent[-2:]
    assert faults(name, sent, out, one, preset) == []


@EVERYWHERE
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("restarts", [False, True])
def test_steps_that_left_stay_out_in_the_calls_after(preset: str, name: str, kind: str, restarts: bool) -> None:
    said = turn(kind, [1_200] * 60)
    one = session(preset, name, WINDOW, policy=ROOMY[preset])
    before = one.project(messages(name, *said), overhead_tokens=OVERHEAD)
    for number in (60, 61, 62):
        if restarts:
            one = session(preset, name, WINDOW, state=one.state, policy=ROOMY[preset])
            assert one.project(messages(name, *said), overhead_tokens=OVERHEAD) == before
        said += KINDS[kind](number, 100)
        sent = messages(name, *said)
        after = one.project(sent, overhead_tokens=OVERHEAD)
        assert after == [*before, *sent[-(len(after) - len(before)) :]]
        assert one.report is not None
        assert one.report.checks == ()
        assert faults(name, sent, after, one, preset) == []
        before = after
