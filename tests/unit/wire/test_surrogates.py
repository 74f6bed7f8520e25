"""Unpaired surrogate escapes: each is replaced, everything else stays."""

import json
import re

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from ctxmgr.wire.surrogates import mend

LONE = "[\ud800-\udfff]"


ESCAPES = [r"\ud83d", r"\uDE00", r"\udbff", r"\udc00", r"\\", r"\"", r"\n", r"\u0041", r"\ufffd"]
PIECES = [*ESCAPES, "ud83d", "x", "😀"]
STRINGS = st.lists(st.sampled_from(PIECES), max_size=30).map("".join)


@given(st.lists(STRINGS, min_size=1, max_size=3))
def test_a_mended_body_says_what_a_lenient_parser_reads(strings: list[str]) -> None:
    body = ("[" + ",".join(f'"{text}"' for text in strings) + "]").encode()
    lenient = json.loads(body)
    count = sum(len(re.findall(LONE, text)) for text in lenient)
    result = mend(body)
    if result is None:
        assert count == 0
        mended = body
    else:
        assert result[1] == count > 0
        mended = result[0]
        assert len(mended) == len(body)
        assert mend(mended) is None
    assert msgspec.json.decode(mended) == [re.sub(LONE, "\ufffd", text) for text in lenient]


@given(st.binary(max_size=60), STRINGS)
def test_bytes_that_are_no_json_do_no_harm(noise: bytes, text: str) -> None:
    body = noise + text.encode() + noise
    result = mend(body)
    if result is not None:
        changed = [at for at in range(len(body)) if body[at] != result[0][at]]
        assert len(result[0]) == len(body)
        assert 0 < len(changed) <= 6 * result[1]
