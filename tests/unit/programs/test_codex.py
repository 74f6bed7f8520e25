"""Where Codex would go, and how it is pointed elsewhere."""

from pathlib import Path

import pytest

from ctxmgr.programs import NotHookable
from ctxmgr.programs.codex import CODEX
from tests.unit.programs.starting import LISTENER, put, start

OWN, CHATGPT = "https://api.openai.com/v1", "https://chatgpt.com/backend-api/codex"
CONFIG = ".codex/config.toml"
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
    begun = start(tmp_path, *arguments)
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
    begun = start(tmp_path, "exec", "-c", "model_provider=one", "-c", whole, "hi")
    assert CODEX.upstream(begun) == "http://one/v1"
    ours = ("-c", f'model_providers.one.base_url="{LISTENER}"')
    assert CODEX.hook(begun, LISTENER, "http://one/v1").arguments == (*begun.arguments[:-1], *ours, "hi")
