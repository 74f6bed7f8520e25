"""The arm of a session: by its id alone, in the share that was asked for."""

import hashlib

from ctxmgr.holdout.assignment import arm_of, digest

NAMES = [f"claude:{number}" for number in range(2_000)]


def test_it_is_by_the_ids_sha_256_and_nothing_else() -> None:
    for name in NAMES[:100]:
        first = int(hashlib.sha256(name.encode()).hexdigest()[:16], 16) / 16**16
        assert digest(name) == hashlib.sha256(name.encode()).hexdigest()[:16]
        assert arm_of(name, first + 1e-9) == "heldOut"
        assert arm_of(name, first - 1e-9) == "managed"


def test_it_has_the_share_that_was_asked_for() -> None:
    for share in (0.0, 0.1, 0.5, 1.0):
        held_out = sum(arm_of(name, share) == "heldOut" for name in NAMES)
        assert abs(held_out / len(NAMES) - share) <= 0.03


def test_a_larger_share_holds_out_the_same_sessions_and_more() -> None:
    small, large = ({name for name in NAMES if arm_of(name, share) == "heldOut"} for share in (0.1, 0.3))
    assert small < large
