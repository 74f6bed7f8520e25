"""The params of pins: how long a value may be."""

import msgspec
import pytest

from ctxmgr.model.api.recovery import LONGEST_NAME, LONGEST_PATH, PinParams


def decoded(member: str, length: int) -> PinParams:
    return msgspec.convert({"sessionId": "s", member: "a" * length}, PinParams)


@pytest.mark.parametrize(
    ("member", "longest"),
    [("callId", LONGEST_NAME), ("digest", LONGEST_NAME), ("tool", LONGEST_NAME), ("path", LONGEST_PATH)],
)
def test_a_pin_is_no_longer_than_what_it_may_name(member: str, longest: int) -> None:
    assert decoded(member, longest)
    with pytest.raises(msgspec.ValidationError, match=rf"\$\.{member}"):
        decoded(member, longest + 1)
