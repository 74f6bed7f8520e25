"""Usage of every provider, normalised: what is in the cache is counted once; a count that does not tell of it is no
zero."""

from typing import Any

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from ctxmgr.formats import FORMATS
from ctxmgr.formats.provider_usage import usage
from ctxmgr.model.api import lifecycle
from ctxmgr.model.messages import Usage

TABLE: list[tuple[str, dict[str, Any], Usage | None]] = [
    ("ours", {"input": 1, "output": 2, "cacheRead": 3, "cacheWrite": 4}, Usage(1, 2, 3, 4, 10, True)),
    (
        "anthropic: input is beside the cache",
        {
            "input_tokens": 10,
            "cache_read_input_tokens": 1_000,
            "cache_creation_input_tokens": 50,
            "output_tokens": 5,
        },
        Usage(10, 5, 1_000, 50, 1_065, True),
    ),
    ("ours, nothing read", {"input": 1, "cacheRead": 0}, Usage(1, 0, 0, 0, 1, True)),
    ("anthropic without a cache", {"input_tokens": 10, "output_tokens": 5}, Usage(10, 5, 0, 0, 15)),
    (
        "openai: the cached are inside",
        {
            "prompt_tokens": 1_000,
            "completion_tokens": 20,
            "total_tokens": 1_020,
            "prompt_tokens_details": {"cached_tokens": 900, "audio_tokens": 0},
        },
        Usage(100, 20, 900, 0, 1_020, True),
    ),
    (
        "responses: inside too",
        {
            "input_tokens": 1_000,
            "input_tokens_details": {"cached_tokens": 900},
            "output_tokens": 20,
            "output_tokens_details": {"reasoning_tokens": 8},
            "total_tokens": 1_020,
        },
        Usage(100, 20, 900, 0, 1_020, True),
    ),
    (
        "litellm: both names, the cached are inside",
        {
            "prompt_tokens": 10_000,
            "completion_tokens": 100,
            "total_tokens": 10_100,
            "cache_read_input_tokens": 9_000,
            "cache_creation_input_tokens": 0,
            "prompt_tokens_details": {"cached_tokens": 9_000},
        },
        Usage(1_000, 100, 9_000, 0, 10_100, True),
    ),
    (
        "a total that has no room for them beside the input",
        {"input_tokens": 1_000, "output_tokens": 20, "cache_read_input_tokens": 900, "total_tokens": 1_020},
        Usage(100, 20, 900, 0, 1_020, True),
    ),
    (
        "more in the cache than was sent: it can not be inside",
        {"prompt_tokens": 10, "completion_tokens": 5, "cache_read_input_tokens": 1_000, "total_tokens": 15},
        Usage(10, 5, 1_000, 0, 1_015, True),
    ),
    (
        "both names for nothing, and the details tell",
        {
            "input_tokens": 1_000,
            "cache_read_input_tokens": 0,
            "cache_creation_input_tokens": 0,
            "input_tokens_details": {"cached_tokens": 900},
        },
        Usage(100, 0, 900, 0, 1_000, True),
    ),
    (
        "gemini: the cached are inside, thoughts beside the answer",
        {
            "promptTokenCount": 1_000,
            "cachedContentTokenCount": 900,
            "candidatesTokenCount": 20,
            "thoughtsTokenCount": 30,
            "totalTokenCount": 1_050,
        },
        Usage(100, 50, 900, 0, 1_050, True),
    ),
    (
        "gemini: what its own tools brought in",
        {"promptTokenCount": 1_000, "toolUsePromptTokenCount": 200, "candidatesTokenCount": 20},
        Usage(1_200, 20, 0, 0, 1_220),
    ),
    ("nothing", {}, None),
    ("nonsense", {"prompt_tokens": "many", "input_tokens": -1, "output_tokens": True}, None),
]


def test_what_was_used() -> None:
    for name, fields, expected in TABLE:
        assert usage(fields) == expected, name


def test_it_comes_through_the_wire() -> None:
    for form in FORMATS:
        for name, fields, expected in [row for row in TABLE if row[0] not in ("nonsense", "details that are none")]:
            params = msgspec.json.decode(msgspec.json.encode(fields), type=lifecycle.UsageParams)
            assert FORMATS[form].usage(msgspec.to_builtins(params)) == expected, (form, name)


@given(st.dictionaries(st.text(), st.none() | st.integers() | st.floats() | st.text()))
def test_nothing_raises(fields: dict[str, Any]) -> None:
    found = usage(fields)
    assert found is None or found.total_tokens > 0
