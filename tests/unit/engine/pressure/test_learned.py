"""A refusal as too long teaches a smaller window, within bounds; a success of more tokens lifts it."""

from hypothesis import given
from hypothesis import strategies as st

from ctxmgr.engine.pressure.learned_window import after_refusal, after_success
from ctxmgr.engine.pressure.wordings import is_of_bytes, named_window

# what providers say, and the most that they take
NAMED: list[tuple[str, int | None]] = [
    ("prompt is too long: 208310 tokens > 200000 maximum", 200_000),
    ("This model's maximum context length is 8192 tokens. However, you requested 10000 tokens", 8_192),
    ("maximum context length is 128,000 tokens, however you requested 130,021", 128_000),
    ("The input token count (1196265) exceeds the maximum number of tokens allowed (1048575)", 1_048_575),
    ("input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000", 200_000),
    ("This model's maximum prompt length is 131072 but the request contains 537812 tokens", 131_072),
    ("the request exceeds the available context size (4096 tokens), try increasing it", 4_096),
    ("Prompt contains 40000 tokens, too large for model with 32768 maximum context length", 32_768),
    ("Your input exceeds the context window of this model.", None),
    ("413 Payload too large", None),
    ("context_length_exceeded", None),
    ("Cannot truncate prompt with n_keep (15028) >= n_ctx (7424)", 7_424),
    ("The decoder prompt (length 66501) is longer than the maximum model length of 65536.", 65_536),
    ("length of prompt_tokens (57535) must be less than max_seq_len (32768)", 32_768),
    ("Range of input length should be [1, 30720]", 30_720),
    ("`inputs` must have less than 1024 tokens. Given: 2056", 1_024),
    ("The input (61709 tokens) is longer than the model's context length (40960 tokens).", 40_960),
    ("on tokens per minute (TPM): Limit 12000, Requested 14137", 12_000),
    ("total message size 10176584 exceeds limit 2097152", None),
]


def test_what_a_refusal_names() -> None:
    for error, named in NAMED:
        assert named_window(error) == named, error


def test_a_refusal_of_bytes_is_none_of_tokens() -> None:
    for error, of_bytes in (
        ("413 Payload too large", True),
        ("413 on tokens per minute (TPM): Limit 12000, Requested 14137", False),
        ("context_length_exceeded", False),
    ):
        assert is_of_bytes(error) == of_bytes, error


# taken, said, named, sent, the window from then on
REFUSALS: list[tuple[int, int, int | None, int | None, int]] = [
    (200_000, 200_000, 128_000, 150_000, 128_000),
    (128_000, 200_000, 190_000, None, 128_000),  # it does not grow by a refusal
    (200_000, 200_000, 1_000, None, 12_500),  # a number of something else
    (200_000, 200_000, None, 150_000, 142_500),
    (200_000, 200_000, None, 200_000, 200_000),  # the list was too long
]


def test_a_refusal_teaches_within_bounds() -> None:
    for taken, said, named, sent, after in REFUSALS:
        assert after_refusal(taken, said, named, sent) == after, taken


def test_a_success_of_more_tokens_lifts_it() -> None:
    for taken, said, total, after in (
        (142_500, 200_000, 142_500, 142_500),
        (142_500, 200_000, 150_000, 165_000),
        (142_500, 200_000, 190_000, 200_000),
    ):
        assert after_success(taken, said, total) == after, taken


COUNTS = st.integers(1, 2_000_000)


@given(COUNTS, COUNTS, st.none() | COUNTS, st.none() | COUNTS, COUNTS)
def test_it_is_never_more_than_was_said_and_never_next_to_nothing(
    first: int, second: int, named: int | None, sent: int | None, total: int
) -> None:
    taken, said = sorted((first, second))
    after = after_refusal(taken, said, named, sent)
    assert min(taken, said // 16) <= after <= taken
    assert taken <= after_success(taken, said, total) <= said
