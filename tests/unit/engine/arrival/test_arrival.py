"""Which results are cut as they arrive, to what, and which never are."""

import re
from itertools import pairwise
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from ctxmgr.engine.arrival import ArrivalInputs, arriving
from ctxmgr.engine.invariants import STEPS
from ctxmgr.engine.rewriting import text_of
from ctxmgr.model import Pin
from ctxmgr.model.messages import Message
from ctxmgr.model.policy import Policy
from ctxmgr.model.projection import Decision
from ctxmgr.model.saved import ModelSpec, State
from tests.notation import Said, a, call, indexed, quarters, r, talk, u

MOST = 500  # tokens, the least that a policy takes
LOG = "\n".join(f"line {number} of the log" for number in range(2_000))  # about 10,000 tokens
CODE = "\n".join(
    f"def step_{number}(order):\n    return table[order] + {number}\n" for number in range(400)
).rstrip()
STATE = State("s", ModelSpec("m", 100_000))
LOAD = call("load", path="src/a.py")


def cuts(
    messages: tuple[Message, ...], first: int = 0, state: State = STATE, archives: bool = True, **keys: Any
) -> dict[str, Decision]:
    policy = Policy(**{"max_result_tokens": MOST, **keys})
    return arriving(indexed(messages), first, state, ArrivalInputs(policy, quarters, STEPS, archives)).decisions


def shown(text: str, archives: bool = True, made: dict[str, Any] = LOAD, **keys: Any) -> str:
    """What is shown of one result."""
    messages = talk(u("go"), a(made), r(text))
    (decision,) = cuts(messages, archives=archives, **keys).values()
    out = text_of(decision.written, messages[2].view.blocks[0].text)
    assert decision == Decision("cut", MOST, decision.written, quarters(out))
    return out


def test_a_result_longer_than_the_policy_takes_is_shown_in_so_many_tokens() -> None:
    out = shown(LOG.replace("line 900 of", "ValueError: in line 900 of"))
    assert 0.9 * MOST <= quarters(out) <= MOST
    assert out.startswith("line 0 of the log\n")
    assert out.endswith("line 1999 of the log")
    assert "ValueError: in line 900 of the log" in out


def test_what_is_not_longer_stays() -> None:
    messages = talk(u("go"), a(LOAD), r("x" * 4 * MOST), a(LOAD), r("x" * (4 * MOST + 4)))
    assert list(cuts(messages)) == [indexed(messages).key(4)]


def test_a_line_of_the_outline_has_the_offset_that_retrieve_takes() -> None:
    out = shown(CODE)
    told = re.findall(r"^@(\d+) (def .*)$", out, re.M)
    assert len(told) > 5
    assert all(CODE[int(offset) :].startswith(line) for offset, line in told)
    (start, end) = map(
        int, re.findall(r"characters (\d+) to (\d+); @: a line's offset \| retrieve [a-z2-7]{8}\]", out)[0]
    )
    assert out.startswith(CODE[:start])
    assert out.endswith(CODE[end:])


def test_without_retrieve_the_marker_names_the_call_and_a_range_where_the_tool_reads() -> None:
    out = shown(CODE, archives=False, made=call("read", path="src/a.py"))
    assert "retrieve" not in out
    (start, end) = re.findall(
        r'lines (\d+) to (\d+); @: a line\'s number \| read path="src/a.py", a range of lines\]', out
    )[0]
    assert out.startswith("\n".join(CODE.splitlines()[: int(start) - 1]))
    assert out.endswith("\n".join(CODE.splitlines()[int(end) :]))
    assert CODE.splitlines()[int(end) - 1] not in out.splitlines()
    told = re.findall(r"^@(\d+) (def .*)$", out, re.M)
    assert told
    assert all(CODE.splitlines()[int(number) - 1] == line for number, line in told)
    assert re.search(
        r'number \| bash command="make"\]', shown(LOG, archives=False, made=call("bash", command="make"))
    )


def test_what_the_provider_was_sent_is_not_cut() -> None:
    messages = talk(u("go"), a(LOAD), r(LOG), a(LOAD), r(LOG + "2"))
    assert list(cuts(messages, first=3)) == [indexed(messages).key(4)]


PICTURE = {"type": "image", "data": "iVBORw0KGgo=", "mimeType": "image/png"}
KEPT: list[tuple[str, list[Said], dict[str, Any], dict[str, Any]]] = [
    ("of a protected tool", [a(call("Load")), r(LOG)], {"protected_tools": ("load",)}, {}),
    ("of a pinned call", [a(call("load", "x1")), r(LOG, "x1")], {}, {"pins": (Pin("callId", "x1"),)}),
    ("of a pinned file", [a(LOAD), r(LOG)], {}, {"pins": (Pin("path", "a.py"),)}),
    ("that came back", [a(call("more", handle="abcdefgh")), r(LOG)], {}, {"returned": {"abcdefgh": 0}}),
    ("with rules to go by", [a(call("read", path="AGENTS.md")), r(LOG)], {}, {}),
    ("with a skill", [a(call("Skill", skill="orders")), r(LOG)], {}, {}),
    ("with a picture", [a(LOAD), r("", content=[{"type": "text", "text": LOG}, PICTURE])], {}, {}),
]


def test_never_cut_is_a_result() -> None:
    for name, said, keys, state in KEPT:
        assert cuts(talk(u("go"), *said), state=State("s", ModelSpec("m", 1), **state), **keys) == {}, name


lines = st.sampled_from(
    ["def a():", "  x = 1", "Error: no", "src/a.py", "# So", "é" * 50, "", "y" * 700, "x\r", "\u2028"]
)


@given(st.lists(lines, min_size=1, max_size=120), st.integers(500, 900), st.booleans())
def test_any_text_is_shown_by_its_own_lines_in_so_many_tokens(some: list[str], most: int, archives: bool) -> None:
    text = "\n".join(some * 9)
    messages = talk(u("go"), a(LOAD), r(text))
    for decision in cuts(messages, archives=archives, max_result_tokens=most).values():
        out = text_of(decision.written, text)
        assert decision.weight == quarters(out) <= most < quarters(text)
        ranges = [one for one in decision.written if not isinstance(one, str)]
        assert ranges == sorted(ranges)
        assert all(before[1] <= after[0] for before, after in pairwise(ranges))
