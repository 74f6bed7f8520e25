"""Lists in which an id comes again, a result twice or without its call, or an outcome late keep every promise."""

from collections.abc import Callable
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from ctxmgr import Session
from tests import translation
from tests.conversations import text_of

Json = dict[str, Any]
FORMATS = ("pi", "openai", "anthropic", "responses", "gemini")
IDS = ("x1", "x2", "x3")
LONG = {"path": "p", "content": text_of(200)}


def user(number: int) -> Json:
    return {"role": "user", "content": f"text {number}"}


def calls(*ids: str, long: bool = False) -> Json:
    arguments = LONG if long else {"path": "p"}
    blocks = [{"type": "toolCall", "id": id, "name": "write", "arguments": arguments} for id in ids]
    return {"role": "assistant", "content": blocks or [{"type": "text", "text": "so it is"}]}


def result(id: str, lines: int = 5) -> Json:
    content = [{"type": "text", "text": text_of(lines)}]
    return {"role": "toolResult", "toolCallId": id, "toolName": "write", "content": content, "isError": False}


ids, sizes = st.sampled_from(IDS), st.sampled_from((1, 5, 150, 500))
parts = st.one_of(
    st.builds(lambda number: [user(number)], st.integers(0, 5)),
    st.builds(lambda ids, long: [calls(*ids, long=long)], st.lists(ids, max_size=3), st.booleans()),
    st.builds(lambda id, lines: [result(id, lines)], ids, sizes),
    st.builds(lambda id, lines: [calls(id), result(id, lines)], ids, sizes),
    st.builds(lambda id, lines: [calls(id, id), result(id, lines), result(id, lines)], ids, sizes),
    st.builds(lambda id, lines: [calls(id), calls(id), result(id), result(id, lines)], ids, sizes),
    st.builds(lambda id, lines: [calls(id), user(9), result(id, lines)], ids, sizes),
)


def holds(format: str, lists: list[list[Json]], model: Json, **policy: Any) -> None:
    """No list is sent whole because a plan for it broke a promise."""
    session = Session(policy, format=format, model={"id": "m", "contextWindow": 2_000, **model})
    for messages in lists:
        session.project(messages)
        assert session.report is not None
        assert set(session.report.checks) <= {"fit"}


@settings(max_examples=40)
@given(
    st.lists(parts, min_size=4, max_size=24),
    st.sampled_from(FORMATS),
    st.sampled_from(("balanced", "turns", "tools")),
    st.booleans(),
)
def test_no_promise_is_broken(said: list[list[Json]], format: str, preset: str, strict: bool) -> None:
    messages = [user(0), *(one for part in said for one in part)]
    names = {id: result(id) for id in IDS}
    there: Callable[[list[Json]], list[Json]] = translation.TO[format]
    if format == "gemini":  # a result has the name of its tool
        messages = [*messages, *(names[id] for id in IDS)]
    ends = range(2, len(messages) + 1, 3)
    lists = [there(messages[:end]) for end in ends]
    holds(format, lists, {"strictRoles": strict}, preset=preset)
