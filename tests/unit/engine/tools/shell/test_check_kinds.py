"""Which kind of check a program and its subcommand run."""

import pytest

from ctxmgr.engine.tools import check_kind


@pytest.mark.parametrize(
    ("subject", "kind"),
    [
        ("pytest", "tests"),
        ("cargo test", "tests"),
        ("npm test", "tests"),
        ("mise run test:e2e", "tests"),
        ("cargo nextest", "tests"),
        ("vitest", "tests"),
        ("go vet", "lint"),
        ("cargo clippy", "lint"),
        ("mypy", "lint"),
        ("tsc", "lint"),
        ("mise run lint-fix", "lint"),
        ("npm check", "lint"),
        ("npm build", "build"),
        ("go build", "build"),
        ("git push", ""),
        ("ls", ""),
        ("", ""),
    ],
)
def test_a_kind(subject: str, kind: str) -> None:
    assert check_kind(subject) == kind
