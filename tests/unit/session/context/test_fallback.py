"""What leaves where nothing could be decided: whole turns, and every prompt."""

import json
from typing import Any

import pytest

from ctxmgr.formats import MessageFormat, anthropic, openai, pi
from ctxmgr.session.context.fallback import BYTES_PER_TOKEN, cut, suffix

U = {"role": "user", "content": "x" * 300}
A = {"role": "assistant", "content": "x" * 300}
P = {"role": "system", "content": "x" * 300}
MIXED = {
    "role": "user",
    "content": [{"type": "tool_result", "tool_use_id": "t"}, {"type": "text", "text": "x" * 300}],
}

RUN = {
    "role": "assistant",
    "content": [{"type": "server_tool_use", "id": "s", "name": "code_execution", "input": {"code": "x" * 200}}],
}
RAN = {"role": "assistant", "content": [{"type": "code_execution_tool_result", "tool_use_id": "s", "content": {}}]}

# a list, tokens that fit (a message is about 110), indices of what leaves
TABLE: list[tuple[str, MessageFormat, list[Any], int, list[int]]] = [
    ("all of it", pi, [U, A, U, A], 1_000, [0, 1, 2, 3]),
    ("what fits", pi, [U, A, U, A], 300, [2, 3]),
    ("at least the newest turn", pi, [U, A, U, A], 10, [2, 3]),
    ("prompts before it stay", openai, [P, U, A, P, U, A], 500, [0, 3, 4, 5]),
    (
        "nor is a turn that stands between what goes together",
        anthropic,
        [U, A, U, RUN, U, RAN, A],
        400,
        [2, 3, 4, 5, 6],
    ),
    ("a turn that opens with a result is no start", anthropic, [U, A, U, A, MIXED, A], 300, [2, 3, 4, 5]),
]


@pytest.mark.parametrize(("name", "form", "came", "limit", "leaves"), TABLE, ids=[row[0] for row in TABLE])
def test_what_leaves(name: str, form: MessageFormat, came: list[Any], limit: int, leaves: list[int]) -> None:
    raws = [json.dumps({**one, "n": at}).encode() for at, one in enumerate(came)]
    assert suffix(raws, form, limit) == [raws[at] for at in leaves]


def result(size: int) -> bytes:
    text = "".join(f"line {number:06d}\n" for number in range(size // 12))
    return json.dumps({"role": "tool", "tool_call_id": "c", "content": text}).encode()


def test_what_is_too_long_all_the_same_loses_the_middle_of_its_longest_results() -> None:
    raws = [json.dumps(U).encode(), result(9_000), result(60_000), result(30_000)]
    out = cut(raws, openai, 20_000)
    assert out[:2] + out[3:] == raws[:2] + raws[3:]
    assert sum(map(len, out)) <= 20_000 * BYTES_PER_TOKEN * 1.02
    told = json.loads(out[2])["content"]
    assert told.startswith("line 000000\n")
    assert told.endswith("line 004999\n")
    assert "\n[cut to fit — " in told
