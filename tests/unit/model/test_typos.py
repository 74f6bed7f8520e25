"""Which name is meant by a misspelled one, and what is wrong with a value."""

from typing import Any

import msgspec
import pytest

from ctxmgr.model.api.lifecycle import SessionStartParams
from ctxmgr.model.typos import closest, misfit


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("sesionId", "sessionId"),
        ("session_id", "sessionId"),
        ("SESSIONID", "sessionId"),
        ("message-format", "messageFormat"),
        ("format", None),
        ("", None),
    ],
)
def test_case_and_separators_do_not_count(name: str, meant: str | None) -> None:
    assert closest(name, ("sessionId", "messageFormat", "tools")) == meant


@pytest.mark.parametrize(
    ("params", "text", "path"),
    [
        ({"model": {"id": 3, "contextWindow": 5}}, "must be a string, not a whole number", ".model.id"),
        ({"tools": [{"name": ""}]}, "must be a string of at least 1 character", ".tools[0].name"),
        ({"sessionid": "s", "model": {}}, "the member `id` is missing", ".model.id"),
        (
            {"model": {"id": "m", "context_window": 5}},
            "unknown member `context_window`; did you mean `contextWindow`?",
            ".model.contextWindow",
        ),
        (
            {"tools": [{"name": "a"}, {"nme": "b"}], "model": {"id": "m", "contextWindow": 5}},
            "unknown member `nme`; did you mean `name`?",
            ".tools[1].name",
        ),
    ],
)
def test_a_misfit_names_the_member_and_what_was_meant(params: dict[str, Any], text: str, path: str) -> None:
    given = {"sessionId": "s", **params}
    with pytest.raises(msgspec.ValidationError) as caught:
        msgspec.convert(given, SessionStartParams)
    wrong = misfit(caught.value, SessionStartParams, given)
    assert (wrong.text, wrong.path) == (text, path)
