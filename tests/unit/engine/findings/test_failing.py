"""What a sentence says to fail as things are, and what to work again."""

import pytest

from ctxmgr.engine.findings.failing import FAILING_REACH, NOTHING, failing_now, working_again


@pytest.mark.parametrize(
    ("sentence", "kinds", "names"),
    [
        ("The build fails because `dist` is missing.", {"build"}, set()),
        ("The tests fail because the tax is rounded twice.", {"test"}, set()),
        ("`npm test` fails with 3 errors.", {"test"}, {"npm test"}),
        ("The type check fails since `Cart` has no `tax`.", {"type"}, set()),
        ("CI is failing because `lint` is red.", {"ci"}, set()),
        ("Root cause: the build is still failing because `dist` is missing.", {"build"}, set()),
        ("`TestCart` fails because y.", {"test"}, {"TestCart"}),
        ("The tests are failing because of `cart.ts`.", {"test"}, set()),
        ("The merge doesn't work because `main` has diverged.", {"merge"}, set()),
        ("`npm install` fails because the lockfile is stale.", {"install"}, {"npm install"}),
        (
            "PR #11066 has one failing GitHub Actions job (`windows-unit`); macOS is passing.",
            {"ci"},
            {"windows-unit"},
        ),
        ("The lint is still broken.", {"lint"}, set()),
        ("I see a FAIL at the end.", {"test"}, set()),
        ("I still see 2 failing tests in `a.py`", {"test"}, {"a.py"}),
    ],
)
def test_what_fails_stands_before_that_it_does(sentence: str, kinds: set[str], names: set[str]) -> None:
    said = failing_now(sentence)
    assert (said.kinds, said.names) == (kinds, names)


@pytest.mark.parametrize(
    "sentence",
    [
        "The test failed because `a.py` was not imported",
        "The build fails if `dist` is missing.",
        "When two run at once the test fails.",
        "No test fails now.",
        "I see a failing condition.",
        "I do not see a FAIL.",
        "The tests should fail fast.",
        "The tests pass; `a.py` fails to load.",
        "The tests would fail without it.",
        "The push was rejected because the remote has new commits.",
    ],
)
def test_what_was_and_what_would_be_is_not_of_now(sentence: str) -> None:
    assert not failing_now(sentence).kinds


@pytest.mark.parametrize(
    ("sentence", "kinds", "names"),
    [
        ("The formerly failing `windows-unit` job now passes.", {"ci"}, {"windows-unit"}),
        ("The build works again after creating `dist`.", {"build"}, {"dist"}),
        ("CI is green.", {"ci"}, set()),
        ("I fixed `parse`.", set(), {"parse"}),
    ],
)
def test_what_works_again(sentence: str, kinds: set[str], names: set[str]) -> None:
    said = working_again(sentence)
    assert (said.kinds, said.names) == (kinds, names)


def test_what_still_fails_does_not_work_again() -> None:
    assert working_again("The build now works, but the tests are failing.") == NOTHING
    assert working_again("The tests passed.") == NOTHING


@pytest.mark.parametrize(("far", "kinds"), [(FAILING_REACH - 9, {"test"}), (FAILING_REACH, set())])
def test_what_stands_far_before_is_not_what_fails(far: int, kinds: set[str]) -> None:
    assert failing_now(f"The test {'x' * far} fails").kinds == kinds
