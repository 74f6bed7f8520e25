"""The programs that are known: where each goes, how it is pointed elsewhere, and what any other needs."""

import os
from pathlib import Path

import pytest

from ctxmgr.cli import parser
from ctxmgr.programs import PROGRAMS, NotHookable, Program, installed
from ctxmgr.programs.proxying import WrongFlag, program_of
from ctxmgr.programs.rows import AIDER, CLINE, COPILOT, CRUSH, EXTENSION, GOOSE, PI, QWEN, by_api, by_command
from ctxmgr.settings import Api
from tests.unit.programs.starting import LISTENER, put, start

CLAUDE, GPT = "https://api.anthropic.com", "https://api.openai.com/v1"
OWN = {"COPILOT_PROVIDER_BASE_URL": "http://own/"}


@pytest.mark.parametrize(
    ("program", "arguments", "environ", "api", "upstream", "variables"),
    [
        (GOOSE, (), {"GOOSE_PROVIDER": "anthropic"}, "anthropic", CLAUDE, ["ANTHROPIC_HOST"]),
        (GOOSE, ("run", "--provider", "openai"), {}, "openai", "https://api.openai.com", ["OPENAI_HOST"]),
        (QWEN, (), {"OPENAI_API_KEY": "k"}, "openai", GPT, ["OPENAI_BASE_URL"]),
        (QWEN, ("--auth-type=anthropic",), {"OPENAI_API_KEY": "k"}, "anthropic", CLAUDE, ["ANTHROPIC_BASE_URL"]),
        (CRUSH, ("run", "-m", "openai/gpt-5.1"), {}, "responses", GPT, ["OPENAI_API_ENDPOINT"]),
        (CRUSH, (), {"ANTHROPIC_API_KEY": "k"}, "anthropic", CLAUDE, ["ANTHROPIC_API_ENDPOINT"]),
        (COPILOT, (), OWN, "openai", "http://own", [*OWN]),
        (COPILOT, (), OWN | {"COPILOT_PROVIDER_TYPE": "anthropic"}, "anthropic", "http://own", [*OWN]),
        (COPILOT, (), OWN | {"COPILOT_PROVIDER_WIRE_API": "responses"}, "responses", "http://own", [*OWN]),
    ],
)
def test_the_provider_that_it_takes_is_pointed_elsewhere_by_its_variable(
    program: Program,
    arguments: tuple[str, ...],
    environ: dict[str, str],
    api: str,
    upstream: str,
    variables: list[str],
    tmp_path: Path,
) -> None:
    begun = start(tmp_path, *arguments, **environ)
    assert (program.api(begun), program.upstream(begun)) == (api, upstream)
    made = program.hook(begun, LISTENER, upstream)
    assert made.arguments == arguments
    assert made.environ == begun.environ | dict.fromkeys(variables, LISTENER)
    set_already = environ | {variables[0]: "http://set/"}
    assert program.upstream(start(tmp_path, *arguments, **set_already)) == "http://set"


@pytest.mark.parametrize(
    ("model", "api", "words"),
    [
        ("sonnet", "anthropic", ["--set-env", f"ANTHROPIC_API_BASE={LISTENER}"]),
        ("anthropic/claude-x", "anthropic", ["--set-env", f"ANTHROPIC_BASE_URL={LISTENER}"]),
        ("gpt-5.1", "openai", ["--openai-api-base", LISTENER]),
        ("openai/any", "openai", ["--set-env", f"OPENAI_API_BASE={LISTENER}"]),
    ],
)
def test_aider_is_told_by_flags_which_go_before_a_projects_env_file(
    model: str, api: str, words: list[str], tmp_path: Path
) -> None:
    begun = start(tmp_path, "--model", model, "a.py")
    assert AIDER.api(begun) == api
    made = AIDER.hook(begun, LISTENER, "")
    at = made.arguments.index(words[1])
    assert list(made.arguments[at - 1 : at + 1]) == words
    assert made.arguments[-3:] == begun.arguments


def test_gooses_settings_say_which_provider_and_where(tmp_path: Path) -> None:
    put(
        tmp_path,
        ".config/goose/config.yaml",
        "extensions: {}\nGOOSE_PROVIDER: anthropic\nANTHROPIC_HOST: 'http://own'\n",
    )
    assert GOOSE.upstream(start(tmp_path)) == "http://own"


@pytest.mark.parametrize(
    ("program", "arguments", "path", "content", "said"),
    [
        (COPILOT, (), "x", "", "Copilot CLI uses GitHub, and ignores any base URL"),
        (CLINE, (), "x", "", "cline auth -p openai"),
        (
            GOOSE,
            (),
            "x",
            "",
            "does not say which provider it uses: ctxmgr can redirect only anthropic or openai",
        ),
        (AIDER, ("--model", "gemini"), "x", "", "aider uses the provider gemini"),
        (
            QWEN,
            ("--auth-type", "openai"),
            ".qwen/settings.json",
            {"modelProviders": {"openai": [{"id": "m", "baseUrl": "http://own"}]}},
            "whose addresses override any variable",
        ),
        (
            CRUSH,
            ("-m", "anthropic/x"),
            ".config/crush/crush.json",
            {"providers": {"anthropic": {"base_url": "http://own"}}},
            "write the address of `ctxmgr proxy` there yourself",
        ),
    ],
)
def test_what_can_not_be_pointed_elsewhere_says_why_and_what_to_do(
    program: Program, arguments: tuple[str, ...], path: str, content: object, said: str, tmp_path: Path
) -> None:
    put(tmp_path, path, content)
    with pytest.raises(NotHookable, match=said):
        program.upstream(start(tmp_path, *arguments))


@pytest.mark.parametrize(
    ("arguments", "name", "api", "upstream"),
    [
        (("--provider", "anthropic"), "anthropic", "anthropic", CLAUDE),
        (("--model", "openai/gpt-5.5:high", "Hi"), "openai", "responses", "http://own/v1"),
        ((), "anthropic", "anthropic", CLAUDE),
    ],
)
def test_pi_is_pointed_elsewhere_by_an_extension_and_its_files_stay(
    arguments: tuple[str, ...], name: str, api: str, upstream: str, tmp_path: Path
) -> None:
    put(tmp_path, ".pi/agent/settings.json", {"defaultProvider": "anthropic"})
    put(tmp_path, ".pi/agent/models.json", {"providers": {"openai": {"baseUrl": "http://own/v1/"}}})
    begun = start(tmp_path, *arguments)
    assert (PI.api(begun), PI.upstream(begun)) == (api, upstream)
    made = PI.hook(begun, LISTENER, upstream)
    assert made.arguments == ("--extension", str(EXTENSION), *arguments)
    assert (made.environ["CTXMGR_PI_PROVIDER"], made.environ["CTXMGR_PI_URL"]) == (name, LISTENER)
    assert EXTENSION.is_file()


def test_a_flag_says_what_a_program_speaks_that_does_not_say_it_itself(tmp_path: Path) -> None:
    begun = start(tmp_path)
    with pytest.raises(NotHookable, match="does not say which provider"):
        QWEN.upstream(begun)
    flagged = program_of("openai", "qwen", begun)
    assert flagged.hook(begun, LISTENER, GPT).environ["OPENAI_BASE_URL"] == LISTENER
    assert program_of("openai", "qwen", start(tmp_path, OPENAI_API_KEY="k")) is QWEN


def test_a_flag_sets_the_variable_that_the_program_heeds(tmp_path: Path) -> None:
    begun = start(tmp_path)
    flagged = program_of("openai", "goose", begun)
    assert flagged.upstream(begun) == "https://api.openai.com"
    made = flagged.hook(begun, LISTENER, GPT).environ
    assert {name for name, value in made.items() if value == LISTENER} == {"OPENAI_HOST"}


@pytest.mark.parametrize(
    ("command", "api", "environ", "why"),
    [
        ("goose", "gemini", {}, "goose cannot be redirected by --gemini"),
        ("goose", "openai", {"GOOSE_PROVIDER": "anthropic"}, "goose uses Anthropic's messages"),
        ("claude", "openai", {}, "Claude Code uses Anthropic's messages"),
        ("pi", "openai", {}, "pi cannot be redirected by --openai"),
    ],
)
def test_a_flag_that_the_program_would_ignore_is_refused(
    command: str, api: Api, environ: dict[str, str], why: str, tmp_path: Path
) -> None:
    with pytest.raises(WrongFlag, match=why):
        program_of(api, command, start(tmp_path, **environ))


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
