"""Which programs are known, what any other needs, and what is asked of those that are there."""

import os
from pathlib import Path

import pytest

from ctxmgr.cli import parser
from ctxmgr.programs import PROGRAMS, installed
from ctxmgr.programs.rows import by_api, by_command
from ctxmgr.settings import Api
from tests.unit.programs.starting import LISTENER, start


def test_a_program_is_known_by_its_files_name() -> None:
    for command, name in (
        ("claude", "claude"),
        ("/opt/bin/codex", "codex"),
        ("gemini", "gemini"),
        ("Claude.exe", "claude"),
        ("claude-x", None),
        ("", None),
    ):
        found = by_command(command)
        assert (found and found.command) == name, command


def test_a_receipt_is_to_be_had_of_each() -> None:
    for one in PROGRAMS:
        assert parser("ab").parse_args(["ab", "--program", one.command, "--", "Hi"]).program == one.command
        assert one.asks


def test_each_is_there_once_and_says_what_it_loses() -> None:
    assert len({one.command for one in PROGRAMS}) == len(PROGRAMS) == 12
    assert all(one.losses for one in PROGRAMS)
    assert {one.command for one in PROGRAMS if not one.tried} == {"crush", "goose"}  # by documentation


@pytest.mark.parametrize(
    ("api", "variables", "vendor"),
    [
        ("anthropic", ["ANTHROPIC_BASE_URL"], "https://api.anthropic.com"),
        ("openai", ["OPENAI_BASE_URL", "OPENAI_API_BASE"], "https://api.openai.com/v1"),
        ("responses", ["OPENAI_BASE_URL", "OPENAI_API_BASE"], "https://api.openai.com/v1"),
        ("gemini", ["GOOGLE_GEMINI_BASE_URL"], "https://generativelanguage.googleapis.com"),
    ],
)
def test_any_other_is_pointed_elsewhere_by_the_usual_variables(
    api: Api, variables: list[str], vendor: str, tmp_path: Path
) -> None:
    program = by_api(api, "/usr/bin/aider")
    assert (program.command, program.speaks) == ("aider", api)
    begun = start(tmp_path, "a", "b")
    assert program.upstream(begun) == vendor
    made = program.hook(begun, LISTENER, vendor)
    assert made.arguments == ("a", "b")
    assert {name: one for name, one in made.environ.items() if name not in begun.environ} == dict.fromkeys(
        variables, LISTENER
    )
    assert program.upstream(start(tmp_path, **{variables[-1]: "http://x/v1/"})) == "http://x/v1"


def script(folder: Path, text: str) -> dict[str, str]:
    """An environment in which `claude` is this script."""
    path = folder / "claude"
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return {"PATH": f"{folder}{os.pathsep}{os.environ['PATH']}"}


@pytest.mark.parametrize(
    ("text", "version"),
    [
        ("echo '9.9 (Claude Code)'; echo more", "9.9 (Claude Code)"),
        ("exit 3", None),
        ("echo 9.9; exit 3", None),
        ("true", None),
        ("cat; echo 1", "1"),  # nobody answers it
    ],
)
def test_a_program_that_is_there_says_its_version(text: str, version: str | None, tmp_path: Path) -> None:
    found = installed(PROGRAMS[0], script(tmp_path, text))
    assert found is not None
    assert (found.path, found.version) == (str(tmp_path / "claude"), version)


def test_a_program_that_is_not_there_is_none(tmp_path: Path) -> None:
    assert installed(PROGRAMS[0], {"PATH": str(tmp_path)}) is None


def test_a_program_that_can_not_be_started_has_no_version(tmp_path: Path) -> None:
    environ = script(tmp_path, "true")
    (tmp_path / "claude").write_bytes(b"\x7fELF no program")
    found = installed(PROGRAMS[0], environ)
    assert found is not None
    assert found.version is None
