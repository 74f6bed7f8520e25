"""What runs another command is seen through: a success by one way is a success by all."""

import pytest

from ctxmgr.engine.tools import CallOutcome, tool_call
from tests.unit.engine.tools.outcome.shell_lines import ended


def subjects(command: str) -> tuple[str, ...]:
    shell = tool_call("bash", {"command": command}).shell
    assert shell is not None
    return shell.status.subjects


WRAPPED = [
    "python -m pytest -q",
    "python3.12 -m pytest -q",
    "py -3 -m pytest -q",
    ".venv/bin/python -m pytest -q",
    "$PYTHON -m pytest -q",
    ".venv/bin/pytest -q",
    "uv run pytest -q",
    "uv run --with rich -p 3.12 pytest -q",
    "uv --directory app run --extra dev python -m pytest -q",
    "uvx --from pytest pytest -q",
    "poetry run pytest -q",
    "poetry -C app run pytest -q",
    "pdm run pytest -q",
    "pipenv run pytest -q",
    "hatch run pytest -q",
    "conda run -n app --no-capture-output pytest -q",
    "coverage run -m pytest -q",
    "mise exec -- pytest -q",
    "mise x python@3.12 -- pytest -q",
    "bash -lc 'pytest -q'",
    "bash -euo pipefail -c 'pytest -q'",
    'sh -c "cd app && pytest -q"',
    "env A=B -u C pytest -q",
    "A=B C=$D pytest -q",
    "A=$(date) pytest -q",
    "time pytest -q",
    "time -p pytest -q",
    "timeout 60 pytest -q",
    "timeout -k 5 --signal INT 60s pytest -q",
    "sudo -u app -E pytest -q",
    "nice -n 10 pytest -q",
    "nohup pytest -q",
    "stdbuf -oL pytest -q",
    "xvfb-run -a pytest -q",
    "docker exec -it -w /app api pytest -q",
    "docker compose -f dev.yml exec -T app pytest -q",
    "docker-compose run --rm -e A=B app pytest -q",
    "docker run --rm -v .:/app -w /app image:1 pytest -q",
    "podman exec api sh -c 'pytest -q'",
    "kubectl -n dev exec pod/api -c app -- pytest -q",
    "ssh -p 22 host 'cd app && pytest -q'",
    "ssh host pytest -q",
    "nix develop -c pytest -q",
    "direnv exec . pytest -q",
    "ls tests | xargs -n 4 pytest -q",
    "eval 'pytest -q'",
]


@pytest.mark.parametrize("command", WRAPPED)
def test_what_a_wrapper_runs_is_what_the_line_is_about(command: str) -> None:
    assert subjects(command) == ("pytest",)
    assert ended(f"{command} | tail -3", "FAILED a::b - x\n1 failed in 0.1s") == "failed"
    assert ended(f"{command} | head -3", "text") == "unknown"


@pytest.mark.parametrize(
    ("command", "subject"),
    [
        ("npx -y tsc --noEmit", "tsc"),
        ("npx --package typescript tsc", "tsc"),
        ("npm exec -- vitest run", "vitest"),
        ("pnpm --filter web exec vitest run", "vitest"),
        ("yarn dlx eslint .", "eslint"),
        ("bunx eslint .", "eslint"),
        ("bundle exec rspec spec", "rspec"),
        ("npm run test", "npm test"),
        ("npm t", "npm test"),
        ("npm --prefix web run build", "npm run build"),
        ("npm run build -w web", "npm run build"),
        ("pnpm run lint", "pnpm lint"),
        ("pnpm -C web lint", "pnpm lint"),
        ("yarn run build", "yarn build"),
        ("make -C app test", "make test"),
        ("make -j 4 V=1 test", "make test"),
        ("git -c user.name=a -C app merge b", "git merge"),
        ("git --no-pager push", "git push"),
        ("cargo +nightly test", "cargo test"),
        ("kubectl -n dev rollout status a", "kubectl rollout"),
        ("docker compose -f a.yml up -d", "docker compose up"),
        ("docker run --rm image:1", "docker run image:1"),
        ("mise run test", "mise run test"),
        ("python load.py a", "python load.py"),
        ("python3 -m load a", "load a"),
        ("uv run load.py", "load.py"),
        ("uv pip install rich", "uv pip"),
        ("./scripts/test", "test"),
    ],
)
def test_a_command_is_known_by_its_program_and_subcommand(command: str, subject: str) -> None:
    assert subjects(command) == (subject,)


@pytest.mark.parametrize("command", ["cp a b", "sed -i s/a/b/ c.txt", "mv a b", "rm -r a", "find . | xargs grep a"])
def test_what_only_handles_files_is_known_by_its_whole_line(command: str) -> None:
    assert subjects(command) == ()


@pytest.mark.parametrize(
    ("command", "status", "expected"),
    [
        ("find . -name a | xargs grep b", 123, "unknown"),
        ("find . -name a | xargs make", 123, "failed"),
        ("timeout 5 npm run dev", 124, "unknown"),  # its time was over: nobody knows more
        ("timeout 60 pytest -q", 124, "failed"),
        ("docker exec api grep -q a b.txt", 1, "ok"),
    ],
)
def test_a_status_is_that_of_what_is_wrapped(command: str, status: int, expected: CallOutcome) -> None:
    assert ended(command, "", status) == expected
