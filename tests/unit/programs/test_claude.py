"""Where Claude Code would go, and how it is pointed elsewhere."""

import json
from pathlib import Path

import pytest

from ctxmgr.programs import NotHookable
from ctxmgr.programs.claude import CLAUDE
from tests.unit.programs.starting import LISTENER, put, start

OWN = "https://api.anthropic.com"
USER, PROJECT, LOCAL = ".claude/settings.json", "work/.claude/settings.json", "work/.claude/settings.local.json"


def base(address: str) -> dict[str, object]:
    return {"env": {"ANTHROPIC_BASE_URL": address}}


def test_a_settings_file_goes_before_the_environment_and_a_flag_before_the_file(tmp_path: Path) -> None:
    environ = {"ANTHROPIC_BASE_URL": "http://environ/"}
    assert CLAUDE.upstream(start(tmp_path, **environ)) == "http://environ"
    put(tmp_path, USER, base("http://file"))
    assert CLAUDE.upstream(start(tmp_path, **environ)) == "http://file"
    flag = json.dumps(base("http://flag"))
    assert CLAUDE.upstream(start(tmp_path, "-p", "--settings", flag, **environ)) == "http://flag"
    put(tmp_path, "work/own.json", base("http://own"))
    assert CLAUDE.upstream(start(tmp_path, "--settings=own.json", **environ)) == "http://own"


@pytest.mark.parametrize("text", ["", "{", "[]", '{"env": 3}', '{"env": {"ANTHROPIC_BASE_URL": ""}}', "\udc80"])
def test_a_file_that_says_nothing_is_passed_over(text: str, tmp_path: Path) -> None:
    (tmp_path / ".claude").mkdir()
    (tmp_path / USER).write_bytes(text.encode("utf-8", "surrogateescape"))
    assert CLAUDE.upstream(start(tmp_path)) == OWN


@pytest.mark.parametrize("name", [PROJECT, LOCAL])
def test_a_project_does_not_say_where_the_keys_go(name: str, tmp_path: Path) -> None:
    put(tmp_path, name, base("http://evil"))
    with pytest.raises(NotHookable, match=r"a file of the project, sets ANTHROPIC_BASE_URL: pass --upstream"):
        CLAUDE.upstream(start(tmp_path))


@pytest.mark.parametrize("name", [PROJECT, LOCAL, USER])
def test_where_a_file_names_an_address_ours_is_said_before_it(name: str, tmp_path: Path) -> None:
    put(tmp_path, name, base("http://evil"))
    made = CLAUDE.hook(start(tmp_path, "-p", "hi"), LISTENER, OWN)
    assert made.arguments == ("--settings", json.dumps(base(LISTENER)), "-p", "hi")
    assert made.environ["ANTHROPIC_BASE_URL"] == LISTENER


def test_settings_that_were_given_stay_beside_ours(tmp_path: Path) -> None:
    given = json.dumps({"model": "opus", "env": {"A": "1", "ANTHROPIC_BASE_URL": "http://flag"}})
    made = CLAUDE.hook(start(tmp_path, "-p", "--settings", given, "hi"), LISTENER, "http://flag")
    flag, text, *rest = made.arguments
    assert (flag, rest) == ("--settings", ["-p", "hi"])
    assert json.loads(text) == {"model": "opus", "env": {"A": "1", "ANTHROPIC_BASE_URL": LISTENER}}


def test_a_file_that_was_given_never_comes_to_stand_in_the_arguments(tmp_path: Path) -> None:
    put(tmp_path, "work/own.json", {"env": {"ANTHROPIC_AUTH_TOKEN": "secret"}})
    begun = start(tmp_path, "--settings", "own.json")
    assert CLAUDE.hook(begun, LISTENER, OWN).arguments == begun.arguments
    put(tmp_path, USER, base("http://file"))
    with pytest.raises(NotHookable, match="names another file: remove one of them") as caught:
        CLAUDE.hook(begun, LISTENER, OWN)
    assert "secret" not in str(caught.value)


def test_without_files_the_environment_is_enough(tmp_path: Path) -> None:
    begun = start(tmp_path, "-p", "hi")
    made = CLAUDE.hook(begun, LISTENER, OWN)
    assert made.arguments == begun.arguments
    assert made.environ == {**begun.environ, "ANTHROPIC_BASE_URL": LISTENER, "ENABLE_TOOL_SEARCH": "true"}


@pytest.mark.parametrize(
    ("upstream", "environ", "there"),
    [
        (OWN, {}, "true"),
        (OWN, {"ENABLE_TOOL_SEARCH": "auto:5"}, "auto:5"),
        (OWN, {"ENABLE_TOOL_SEARCH": ""}, ""),
        ("https://gateway.example/anthropic", {}, None),
        ("https://api.anthropic.com.evil.example", {}, None),
    ],
)
def test_tools_stay_deferred_where_the_upstream_is_anthropics_own(
    upstream: str, environ: dict[str, str], there: str | None, tmp_path: Path
) -> None:
    made = CLAUDE.hook(start(tmp_path, **environ), LISTENER, upstream)
    assert made.environ.get("ENABLE_TOOL_SEARCH") == there


def test_what_the_users_file_says_of_tools_holds(tmp_path: Path) -> None:
    put(tmp_path, USER, {"env": {"ENABLE_TOOL_SEARCH": "false"}})
    assert "ENABLE_TOOL_SEARCH" not in CLAUDE.hook(start(tmp_path), LISTENER, OWN).environ


@pytest.mark.parametrize(
    "variable", ["CLAUDE_CODE_USE_BEDROCK", "CLAUDE_CODE_USE_VERTEX", "CLAUDE_CODE_USE_FOUNDRY"]
)
def test_with_a_cloud_it_is_not_pointed_elsewhere(variable: str, tmp_path: Path) -> None:
    for begun in (
        start(tmp_path, **{variable: "1"}),
        start(tmp_path, "--settings", json.dumps({"env": {variable: 1}})),
    ):
        with pytest.raises(NotHookable, match=variable):
            CLAUDE.upstream(begun)
        with pytest.raises(NotHookable, match=variable):
            CLAUDE.hook(begun, LISTENER, OWN)
    assert CLAUDE.upstream(start(tmp_path, **{variable: "0"})) == OWN
    put(tmp_path, USER, {"env": {variable: "true"}})
    with pytest.raises(NotHookable, match=variable):
        CLAUDE.hook(start(tmp_path), LISTENER, OWN)


@pytest.mark.parametrize(
    ("environ", "added"),
    [
        ({}, {}),
        ({"HTTPS_PROXY": "http://p"}, {"NO_PROXY": "127.0.0.1,localhost"}),
        ({"http_proxy": "http://p", "no_proxy": "x,localhost"}, {"no_proxy": "x,localhost,127.0.0.1"}),
        ({"ALL_PROXY": "http://p", "NO_PROXY": "127.0.0.1,localhost"}, {"NO_PROXY": "127.0.0.1,localhost"}),
    ],
)
def test_what_goes_to_us_goes_through_no_other_proxy(
    environ: dict[str, str], added: dict[str, str], tmp_path: Path
) -> None:
    made = CLAUDE.hook(start(tmp_path, **environ), LISTENER, "http://gateway")
    assert {name: one for name, one in made.environ.items() if name.lower() == "no_proxy"} == added


def test_the_variants_hold_no_key_and_no_settings_of_the_users(tmp_path: Path) -> None:
    assert CLAUDE.variants is not None
    begun = CLAUDE.variants(start(tmp_path), LISTENER)
    assert {name: one.environ["ANTHROPIC_BASE_URL"] for name, one in begun.items()} == {
        "own": "http://api.anthropic.com",
        "behind": LISTENER,
        "run": LISTENER,
    }
    assert {one.environ["ANTHROPIC_API_KEY"] for one in begun.values()} == {"none"}
    own = begun["own"].environ
    assert (own["HTTP_PROXY"], own["HTTPS_PROXY"]) == (LISTENER, LISTENER)
    assert not {"NO_PROXY", "no_proxy"} & own.keys()
    assert [one.environ.get("ENABLE_TOOL_SEARCH") for one in begun.values()] == [None, None, "true"]
