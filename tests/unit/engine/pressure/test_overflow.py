"""Overflow: the words in which providers say that the context was too long, and those of other limits."""

import pytest

from ctxmgr.engine.pressure.refusals import overflowed
from ctxmgr.model.messages import Usage, View

WINDOW = 200_000

TOO_LONG = [
    "prompt is too long: 213462 tokens > 200000 maximum",
    '413 {"error":{"type":"request_too_large","message":"Request exceeds the maximum size"}}',
    "Your input exceeds the context window of this model",
    "This model's maximum context length is 128000 tokens. However, your messages resulted in 130000 tokens.",
    "context_length_exceeded",
    "The input token count (1196265) exceeds the maximum number of tokens allowed (1048575)",
    "This model's maximum prompt length is 131072 but the request contains 537812 tokens",
    "Please reduce the length of the messages or completion",
    "This endpoint's maximum context length is 262144 tokens. However, you requested about 270000 tokens",
    "prompt token count of 140000 exceeds the limit of 128000",
    "input is too long for requested model",
    "the request exceeds the available context size, try increasing it",
    "Number of tokens to keep from the initial prompt is greater than the context length",
    "invalid params, context window exceeds limit",
    "Your request exceeded model token limit: 262144 (requested: 291351)",
    "model_context_window_exceeded",
    "prompt too long; exceeded max context length by 1234 tokens",
    "Too many tokens in the prompt",
    '{"code":"context_length_exceeded"}',
    '{"type":"invalid_request_error","code":"prompt_too_long"}',
    '{"code":400,"type":"exceed_context_size_error"}',
    "litellm.ContextWindowExceededError",
    "ContextOverflowError",
    '{"code":"model_max_prompt_tokens_exceeded"}',
    '{"code":"tokens_limit_reached"}',
    '{"code":"string_above_max_length"}',
    '{"status":413}',
    '{"statusCode":413,"message":"Payload Too Large"}',
    '{"code":"1261","message":"Prompt exceeds max length"}',
    "Range of input length should be [1, 30720]",
    "Prompt contains 150000 tokens ... too large for model with 131072 maximum context length",
]
OTHER = [
    "",
    "Connection reset by peer",
    "429 Too Many Requests: token limit per minute reached",
    "This request would exceed your organization's rate limit of 30,000 input tokens per minute",
    "rate_limit_error: Number of request tokens has exceeded your per-minute rate limit",
    "ThrottlingException: Too many tokens, please wait before trying again.",
    "You exceeded your current quota, please check your plan",
    "Request was aborted",
    "invalid x-api-key",
    "Overloaded",
    '{"status":500,"message":"internal error, request 413"}',
    "max_tokens is too large: 99999",
    '{"code":"token_expired"}',
]


@pytest.mark.parametrize("error", TOO_LONG)
def test_the_context_was_too_long(error: str) -> None:
    assert overflowed(View("assistant", stop="error", error=error), None, WINDOW)


@pytest.mark.parametrize("error", OTHER)
def test_something_else_was_wrong(error: str) -> None:
    assert not overflowed(View("assistant", stop="error", error=error), None, WINDOW)


@pytest.mark.parametrize("stop", ["stop", "toolUse", "aborted", "length", ""])
def test_a_reply_that_only_speaks_of_it_is_none(stop: str) -> None:
    assert not overflowed(View("assistant", stop=stop, error=TOO_LONG[0]), None, WINDOW)


# stop reason, input, cache read, cache write, output, overflow?
USAGE = [
    ("stop", 200_001, 0, 0, 5, True),  # some servers cut the prompt and say nothing
    ("stop", 1, 150_000, 50_000, 5, True),
    ("stop", 200_000, 0, 0, 5, False),
    ("toolUse", 200_001, 0, 0, 5, False),
    ("length", 198_000, 0, 0, 0, True),
    ("length", 98_000, 90_000, 10_000, 0, True),
    ("length", 197_999, 0, 0, 0, False),
    ("length", 198_000, 0, 0, 1, False),
]


@pytest.mark.parametrize(("stop", "sent", "cached", "wrote", "output", "expected"), USAGE)
def test_by_what_was_sent(stop: str, sent: int, cached: int, wrote: int, output: int, expected: bool) -> None:
    usage = Usage(sent, output, cached, wrote, sent + output + cached + wrote)
    assert overflowed(View("assistant", stop=stop), usage, WINDOW) is expected
