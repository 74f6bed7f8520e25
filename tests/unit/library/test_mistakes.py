"""What a program gives that is none: an error that says what and where, and nothing has changed."""

import math
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


def test_results_that_are_no_list_are_a_type_error() -> None:
    for results in [{"role": "tool"}, "abc", None]:
        with pytest.raises(TypeError, match="must be a list of messages"):
            Session(format="openai").turn_end(REPLY, results)


def test_what_is_no_policy_is_refused() -> None:
    for policy in ["turns", ["preset"], [], 5]:
        with pytest.raises(InvalidParams, match="expected a policy"):
            Session(policy)


def test_a_model_may_be_a_dict_and_is_the_next_calls() -> None:
    session = Session(format="openai", window=50_000)
    session.select_model({"id": "n", "contextWindow": 60_000})
    assert session.status.context_window == 60_000


def test_a_session_begins_with_a_model_as_a_dict() -> None:
    session = Session(format="openai", model={"id": "n", "contextWindow": 60_000, "cacheTtlMs": 5})
    assert (session.status.context_window, session.status.model.id) == (60_000, "n")
    assert Session(model={"id": "n"}).status.context_window == 200_000
    assert Session(model={"id": "n", "contextWindow": 60_000}, window=50_000).status.context_window == 50_000
    with pytest.raises(InvalidParams, match="model"):
        Session(model={"id": 5})
    with pytest.raises(InvalidParams, match="model"):
        Session(model=5)  # type: ignore[arg-type]


def test_a_weigher_that_counts_in_parts_counts_in_whole_tokens() -> None:
    for weight, tokens in [(1.5, 2), (-3, 0), (math.pi, 4)]:
        messages = [{"role": "user", "content": "hi"}]
        given = Session(format="openai", weigh=lambda text, weight=weight: weight)  # type: ignore[arg-type, return-value]
        whole = Session(format="openai", weigh=lambda text, tokens=tokens: tokens)
        for session in (given, whole):
            assert session.project(messages) == messages, weight
        assert given.report is not None, weight
        assert whole.report is not None, weight
        assert given.report.raw_tokens == whole.report.raw_tokens, weight
