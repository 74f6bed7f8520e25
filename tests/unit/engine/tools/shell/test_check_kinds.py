"""Which kind of check a program and its subcommand run."""

import pytest

from ctxmgr.engine.tools import check_kind
from ctxmgr.engine.tools.shell import subjects_of


@pytest.mark.parametrize(
    ("subject", "kind"),
    [
        ("pytest", "test"),
        ("cargo test", "test"),
        ("npm test", "test"),
        ("mise run test:e2e", "test"),
        ("cargo nextest", "test"),
        ("vitest", "test"),
        ("go vet", "lint"),
        ("cargo clippy", "lint"),
        ("mypy", "types"),
        ("tsc", "types"),
        ("npm typecheck", "types"),
        ("pnpm type-check", "types"),
        ("ruff", "lint"),
        ("mise run lint-fix", "lint"),
        ("npm check", "lint"),
        ("npm build", "build"),
        ("go build", "build"),
        ("pdm run test", "test"),
        ("hatch test", "test"),
        ("make", "build"),
        ("make all", "build"),
        ("mvn package", "build"),
        ("mvn test-compile", "build"),
        ("mvnw verify", "build"),
        ("mvn test package", "test"),
        ("gradlew :app:assemble", "build"),
        ("vite build", "build"),
        ("python manage.py test", "test"),
        ("playwright test", "test"),
        ("ruff format", ""),
        ("biome format", ""),
        ("npm run format", ""),
        ("createdb test", ""),
        ("make install", ""),
        ("git push", ""),
        ("ls", ""),
        ("", ""),
    ],
)
def test_a_kind(subject: str, kind: str) -> None:
    assert check_kind(subject) == kind


@pytest.mark.parametrize(
    ("line", "subject"),
    [
        ("mvn clean test", "mvn test"),
        ("./gradlew clean :app:test", "gradlew :app:test"),
        ("make clean", "make clean"),
        ("make -j 4 clean test", "make test"),
        ("make -C sub lint test", "make lint test"),
        ("./gradlew lint test --tests Foo -x jar", "gradlew lint test"),
        ("mvn -q clean test package -pl core", "mvn test package"),
        ("make a b c d e f g", "make a b c d e f"),
        ("cargo clean", "cargo clean"),
        ("git clean -fd", "git clean"),
        ("pdm run test", "pdm run test"),
        ("hatch run test tests/a.py", "hatch run test"),
        ("uv run pytest -q", "pytest"),
        ("ruff check --fix .", "ruff"),
        ("ruff format .", "ruff format"),
        ("sudo test -f a", "test a"),
    ],
)
def test_what_a_command_is_named_by(line: str, subject: str) -> None:
    assert subjects_of(line) == (subject,)
