"""Where Codex would go, and how it is pointed elsewhere."""

from pathlib import Path

import pytest

from ctxmgr.programs import NotHookable
from ctxmgr.programs.codex import CODEX
from tests.unit.programs.starting import LISTENER, put, start

OWN, CHATGPT = "https://api.openai.com/v1", "https://chatgpt.com/backend-api/codex"
CONFIG = ".codex/config.toml"
LOGGING = {"RUST_LOG": "info"}  # of the user's own: nothing is added to it
MINE = """
model_provider = "mine"
[model_providers.mine]
base_url = "http://mine/v1/"
[model_providers.bare]
name = "no address"
[profiles.work]
model_provider = "theirs"
[model_providers.theirs]
base_url = "http://theirs"
"""


def test_by_itself_it_goes_to_openai(tmp_path: Path) -> None:
    assert CODEX.upstream(start(tmp_path, OPENAI_BASE_URL="http://not-heeded")) == OWN
    put(tmp_path, CONFIG, "openai_base_url = 'http://file/v1'")
    assert CODEX.upstream(start(tmp_path)) == "http://file/v1"
    assert CODEX.upstream(start(tmp_path, "-c", "openai_base_url=http://flag")) == "http://flag"


@pytest.mark.parametrize(
    ("login", "upstream"),
    [
        ({"tokens": {"id_token": "x"}}, CHATGPT),
        ({"auth_mode": "chatgpt", "OPENAI_API_KEY": None, "tokens": {"id_token": "x"}}, CHATGPT),
        ({"OPENAI_API_KEY": "x"}, OWN),
        ({"OPENAI_API_KEY": "x", "tokens": {"id_token": "x"}}, OWN),
        ({"auth_mode": "apikey", "tokens": {"id_token": "x"}}, OWN),
        ({"tokens": None}, OWN),
        ("no JSON", OWN),
    ],
)
def test_with_a_chatgpt_login_it_goes_to_chatgpt(login: object, upstream: str, tmp_path: Path) -> None:
    put(tmp_path, ".codex/auth.json", login)
    assert CODEX.upstream(start(tmp_path)) == upstream
    assert CODEX.upstream(start(tmp_path, CODEX_API_KEY="x")) == OWN


@pytest.mark.parametrize(
    ("arguments", "upstream", "key"),
    [
        (("exec", "hi"), "http://mine/v1", "model_providers.mine.base_url"),
        (("-p", "work", "exec"), "http://theirs", "model_providers.theirs.base_url"),
        (("exec", "--profile=work"), "http://theirs", "model_providers.theirs.base_url"),
        (("exec", "-c", 'model_provider="theirs"'), "http://theirs", "model_providers.theirs.base_url"),
        (("--config=model_provider=openai",), OWN, "openai_base_url"),
        (("exec", "--", "-c", "model_provider=theirs"), "http://mine/v1", "model_providers.mine.base_url"),
    ],
)
def test_the_provider_that_is_used_is_pointed_elsewhere(
    arguments: tuple[str, ...], upstream: str, key: str, tmp_path: Path
) -> None:
    put(tmp_path, CONFIG, MINE)
    begun = start(tmp_path, *arguments, **LOGGING)
    assert CODEX.upstream(begun) == upstream
    assert CODEX.hook(begun, LISTENER, upstream).arguments == ("-c", f'{key}="{LISTENER}"', *arguments)


def test_an_address_on_the_command_line_gives_way_to_ours(tmp_path: Path) -> None:
    begun = start(
        tmp_path,
        "-c",
        "model=x",
        "exec",
        "-c",
        'openai_base_url="http://a"',
        "--config=openai_base_url=http://b",
        "hi",
        **LOGGING,
    )
    assert CODEX.upstream(begun) == "http://b"
    made = CODEX.hook(begun, LISTENER, "http://b")
    assert made.arguments == ("-c", f'openai_base_url="{LISTENER}"', "-c", "model=x", "exec", "hi")


def test_a_provider_without_an_address_is_not_pointed_elsewhere(tmp_path: Path) -> None:
    put(tmp_path, CONFIG, MINE)
    for name in ("bare", "nowhere"):
        with pytest.raises(NotHookable, match=f"provider {name}, which has no base_url"):
            CODEX.upstream(start(tmp_path, "-c", f"model_provider={name}"))
    with pytest.raises(NotHookable, match="--oss"):
        CODEX.upstream(start(tmp_path, "--oss"))
    with pytest.raises(NotHookable, match="--oss"):
        CODEX.hook(start(tmp_path, "--oss"), LISTENER, OWN)


def test_its_files_are_not_written(tmp_path: Path) -> None:
    put(tmp_path, CONFIG, MINE)
    CODEX.hook(start(tmp_path), LISTENER, OWN)
    assert [path.name for path in (tmp_path / ".codex").iterdir()] == ["config.toml"]
    assert (tmp_path / CONFIG).read_text() == MINE


@pytest.mark.parametrize(
    "whole",
    [
        'model_providers.one={name="x", base_url="http://one/v1"}',
        'model_providers={one={base_url="http://one/v1"}}',
    ],
)
def test_a_provider_that_is_given_as_a_whole_is_pointed_elsewhere_behind_it(whole: str, tmp_path: Path) -> None:
    begun = start(tmp_path, "exec", "-c", "model_provider=one", "-c", whole, "hi", **LOGGING)
    assert CODEX.upstream(begun) == "http://one/v1"
    ours = ("-c", f'model_providers.one.base_url="{LISTENER}"')
    assert CODEX.hook(begun, LISTENER, "http://one/v1").arguments == (*begun.arguments[:-1], *ours, "hi")


NO_NOTICE = "error,codex_api::endpoint::responses_websocket=off"


@pytest.mark.parametrize(
    ("arguments", "config", "excluded"),
    [
        (("exec", "Look"), "", '["RUST_LOG"]'),
        (("exec", "Look"), "[shell_environment_policy]\nexclude = ['AWS_*']", '["AWS_*", "RUST_LOG"]'),
        (("-c", 'shell_environment_policy.exclude=["X"]', "e", "Look"), "", '["X", "RUST_LOG"]'),
    ],
)
def test_exec_prints_no_notice_of_the_refused_websocket_and_its_commands_do_not_inherit_the_log_filter(
    arguments: tuple[str, ...], config: str, excluded: str, tmp_path: Path
) -> None:
    put(tmp_path, CONFIG, config)
    hooked = CODEX.hook(start(tmp_path, *arguments), LISTENER, OWN)
    assert hooked.environ["RUST_LOG"] == NO_NOTICE
    assert [word for word in hooked.arguments if "exclude=" in word] == [
        f"shell_environment_policy.exclude={excluded}"
    ]
    assert hooked.arguments[-1] == "Look"


def test_a_log_filter_of_the_users_own_and_the_screens_log_stay(tmp_path: Path) -> None:
    own = CODEX.hook(start(tmp_path, "exec", "Look", RUST_LOG="debug"), LISTENER, OWN)
    assert (own.environ["RUST_LOG"], any("exclude" in word for word in own.arguments)) == ("debug", False)
    assert "RUST_LOG" not in CODEX.hook(start(tmp_path, "Look"), LISTENER, OWN).environ
