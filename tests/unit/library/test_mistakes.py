"""What a program gives that is none: an error that says what and where, and nothing has changed."""

from collections.abc import Callable

import pytest

from ctxmgr import Model, Session
from ctxmgr.model.errors import InvalidParams

REPLY = {"role": "assistant", "content": "done"}
# name, what is called, where the error says that it stands
MISTAKES: list[tuple[str, Callable[[Session], object], str]] = [
    ("no model", lambda session: session.select_model(None), "$.model"),  # type: ignore[arg-type]
    ("a model's name", lambda session: session.select_model("gpt"), "$.model"),  # type: ignore[arg-type]
    ("a window below nothing", lambda session: session.select_model(Model("x", -1)), "$.model"),
    ("no window", lambda session: session.select_model(Model("x", 0)), "$.model"),
    ("no summary", lambda session: session.compacted(None), "$.summary"),  # type: ignore[arg-type]
    ("a summary in bytes", lambda session: session.compacted(b"x"), "$.summary"),  # type: ignore[arg-type]
    ("no reason", lambda session: session.compaction_failed(5), "$.reason"),  # type: ignore[arg-type]
    ("no message", lambda session: session.turn_end(None), "$.message"),
    ("a list as a message", lambda session: session.turn_end([]), "$.message"),
    ("no results", lambda session: session.turn_end(REPLY, [3]), "$.tool_results[0]"),
    ("an overhead in words", lambda session: session.project([], overhead_tokens="x"), "$.overhead_tokens"),  # type: ignore[arg-type]
]


def test_a_mistake_is_told_with_its_place_and_changes_nothing() -> None:
    for title, call, path in MISTAKES:
        session = Session(format="openai", window=50_000)
        before = session.state
        with pytest.raises(InvalidParams) as raised:
            call(session)
        assert path in str(raised.value.message), title
        assert session.state == before, title
