"""The params of pins: how long a value may be."""

import msgspec
import pytest

from ctxmgr.model.api.recovery import LONGEST_NAME, LONGEST_PATH, PinParams


def decoded(member: str, length: int) -> PinParams:
    return msgspec.convert({"sessionId": "s", member: "a" * length}, PinParams)


def test_a_pin_is_no_longer_than_what_it_may_name() -> None:
    for member, longest in [
        ("callId", LONGEST_NAME),
        ("digest", LONGEST_NAME),
        ("tool", LONGEST_NAME),
        ("path", LONGEST_PATH),
    ]:
        assert decoded(member, longest), member
        with pytest.raises(msgspec.ValidationError, match=rf"\$\.{member}"):
            decoded(member, longest + 1)
