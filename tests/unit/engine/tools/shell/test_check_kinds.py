"""Which kind of check a program and its subcommand run."""

import pytest

from ctxmgr.engine.tools import check_kind
from ctxmgr.engine.tools.shell import parse, subject_of, unwrapped


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
        ("pdm run test", "tests"),
        ("hatch test", "tests"),
        ("make", "build"),
        ("make all", "build"),
        ("mvn package", "build"),
        ("mvn test-compile", "build"),
        ("mvnw verify", "build"),
        ("mvn test package", "tests"),
        ("gradlew :app:assemble", "build"),
        ("vite build", "build"),
        ("python manage.py test", "tests"),
        ("playwright test", "tests"),
        ("createdb test", ""),
        ("make install", ""),
        ("git push", ""),
        ("ls", ""),
        ("", ""),
    ],
)
def test_a_kind(subject: str, kind: str) -> None:
    assert check_kind(subject) == kind


def test_a_program_that_nobody_listed_is_believed_where_its_output_counts() -> None:
    assert [check_kind("zorp test", is_counted=counted) for counted in (False, True)] == ["", "tests"]


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
        ("sudo test -f a", "test a"),
    ],
)
def test_what_a_command_is_named_by(line: str, subject: str) -> None:
    (pipeline,) = parse(line) or ()
    assert subject_of(unwrapped(pipeline.commands[0])[0]) == subject
