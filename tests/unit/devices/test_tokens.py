"""What text weighs: as tiktoken counts it, and never a fault."""

from collections.abc import Sequence
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxmgr.devices.tokens import Weigher, load, weigh
from ctxmgr.model.estimate import estimate


@cache
def loaded() -> Weigher:
    return load("o200k_base").weigher


def test_known_weights() -> None:
    for text, tokens in [
        ("", 0),
        ("hello world", 2),  # public
        ("tiktoken is great!", 6),  # public
        ("antidisestablishmentarianism", 6),  # public
        ("2 + 2 = 4", 7),  # public
        ("お誕生日おめでとう", 8),  # public
        ("def f(x):\n    return x + 1\n", 11),
        ('{"path":"src/main.rs","limit":200}', 11),
        ("<|endoftext|>", 7),  # text, not one special token
        ("👩‍👩‍👧‍👦", 11),
        (" " * 128, 1),
        ("a\r\n\r\n\tb", 3),
    ]:
        assert loaded()(text) == tokens, text


@settings(deadline=None)
@given(st.text(alphabet=st.characters(), max_size=300), st.integers(1, 200))
def test_any_text_has_a_weight(text: str, times: int) -> None:
    for weigher in (loaded(), load("estimate").weigher):
        weight = weigher(text * times)
        assert weight >= 0
        assert (weight == 0) == (text == "")


class PanicException(BaseException):
    """Named as pyo3 names its own."""


def test_a_text_that_panics_is_estimated() -> None:
    def encode(text: str) -> Sequence[int]:
        raise PanicException

    assert weigh(encode, "!" * 100) == estimate("!" * 100)


def test_an_interrupt_is_not_a_panic() -> None:
    def encode(piece: str) -> Sequence[int]:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        weigh(encode, "text")
