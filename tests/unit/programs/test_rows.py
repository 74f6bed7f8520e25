"""Where programs with several providers would go, and how each is pointed elsewhere."""

from pathlib import Path

import pytest

from ctxmgr.programs import NotHookable, Program
from ctxmgr.programs.proxying import WrongFlag, program_of
from ctxmgr.programs.rows import AIDER, CLINE, COPILOT, CRUSH, EXTENSION, GOOSE, PI, QWEN
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
