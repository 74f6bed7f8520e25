"""Two compactions of one branch at once: the second is refused."""

import pytest

from ctxmgr.session.prefetch import BranchLocks

CASES = (
    ("the same path", "abc", "abc", False),
    ("the first has grown", "abc", "abcd", False),
    ("the second is an older state of it", "abcd", "abc", False),
    ("another branch", "abc", "abx", True),
    ("another branch of the root", "ab", "ax", True),
    ("no ids are known of the first", "", "abc", False),
    ("no ids are known of the second", "abc", "", False),
)


@pytest.mark.parametrize(("name", "first", "second", "allowed"), CASES, ids=[case[0] for case in CASES])
def test_claim(name: str, first: str, second: str, allowed: bool) -> None:
    claims = BranchLocks()
    held = claims.claim(list(first), first[-1:] or None)
    assert held is not None
    assert (claims.claim(list(second), second[-1:] or None) is not None) is allowed
    claims.release(held)
    assert claims.claim(list(second), second[-1:] or None) is not None or allowed
