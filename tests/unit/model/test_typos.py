"""Which name is meant by a misspelled one, and what is wrong with a value."""

from typing import Any

import msgspec
import pytest

from ctxmgr.model.api.lifecycle import InitializeParams, SessionStartParams
from ctxmgr.model.typos import closest, misfit, misspelled, not_one_of


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("sesionId", "sessionId"),
        ("session_id", "sessionId"),
        ("SESSIONID", "sessionId"),
        ("session", "sessionId"),
        ("message-format", "messageFormat"),
        ("format", None),
        ("x", None),
        ("", None),
    ],
)
def test_case_and_separators_do_not_count(name: str, meant: str | None) -> None:
    assert closest(name, ("sessionId", "messageFormat", "tools")) == meant


def test_a_wrong_word_names_the_valid_ones_and_is_cut() -> None:
    assert not_one_of("of", ("off", "tools")) == "`of` is not one of `off`, `tools`; did you mean `off`?"
    assert not_one_of("z" * 500, ("off", "tools")) == f"`{'z' * 64}` is not one of `off`, `tools`"


@pytest.mark.parametrize(
    ("params", "text", "path"),
    [
        ({"model": 3}, "must be an object, not a whole number", ".model"),
        ({"model": {"id": 3, "contextWindow": 5}}, "must be a string, not a whole number", ".model.id"),
        ({"model": {"id": "m", "contextWindow": "5"}}, "must be a number, not a string", ".model.contextWindow"),
        ({"tools": [{"name": ""}]}, "must be a string of at least 1 character", ".tools[0].name"),
        ({"tools": 1}, "must be a list, not a whole number", ".tools"),
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


def test_of_members_that_were_ignored_those_like_an_absent_one_are_typos() -> None:
    given = {
        "protocolVersion": "1.1",
        "messageFormt": "openai",
        "protocolVersions": ["1.1"],
        "colour": 3,
        "capabilities": {"requestCompacton": "whenIdle"},
    }
    params = msgspec.convert(given, InitializeParams)
    assert [(typo.path, typo.hint) for typo in misspelled(params, given)] == [
        (".messageFormt", "; did you mean `messageFormat`?"),
        (".capabilities.requestCompacton", "; did you mean `requestCompaction`?"),
    ]
