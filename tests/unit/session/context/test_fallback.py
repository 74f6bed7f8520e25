"""What leaves where nothing could be decided: whole turns, and every prompt."""

import json
from types import ModuleType
from typing import Any

import pytest

from ctxmgr.formats import anthropic, openai, pi
from ctxmgr.session.context.fallback import suffix

U = {"role": "user", "content": "x" * 300}
A = {"role": "assistant", "content": "x" * 300}
P = {"role": "system", "content": "x" * 300}
MIXED = {
    "role": "user",
    "content": [{"type": "tool_result", "tool_use_id": "t"}, {"type": "text", "text": "x" * 300}],
}

# a list, tokens that fit (a message is about 110), indices of what leaves
TABLE: list[tuple[str, ModuleType, list[Any], int, list[int]]] = [
    ("all of it", pi, [U, A, U, A], 1_000, [0, 1, 2, 3]),
    ("what fits", pi, [U, A, U, A], 300, [2, 3]),
    ("at least the newest turn", pi, [U, A, U, A], 10, [2, 3]),
    ("without a user all of it", pi, [A, A], 10, [0, 1]),
    ("prompts before it stay", openai, [P, U, A, P, U, A], 500, [0, 3, 4, 5]),
    ("and count", openai, [P, U, A, U, A], 350, [0, 3, 4]),
    ("a turn that opens with a result is no start", anthropic, [U, A, U, A, MIXED, A], 300, [2, 3, 4, 5]),
]


@pytest.mark.parametrize(("name", "form", "came", "limit", "leaves"), TABLE, ids=[row[0] for row in TABLE])
def test_what_leaves(name: str, form: ModuleType, came: list[Any], limit: int, leaves: list[int]) -> None:
    raws = [json.dumps({**one, "n": at}).encode() for at, one in enumerate(came)]
    assert suffix(raws, form, limit) == [raws[at] for at in leaves]
