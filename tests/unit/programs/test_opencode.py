"""Where opencode would go, and how it is pointed elsewhere."""

import argparse
import json
from pathlib import Path
from typing import Any

import pytest

from ctxmgr.programs import Launch, NotHookable, proxying
from ctxmgr.programs.opencode import KILO, OPENCODE
from ctxmgr.settings import Api
from tests.unit.programs.starting import LISTENER, put, start

CLAUDE, GPT = ("-m", "anthropic/claude-sonnet-4-5"), ("--model=openai/gpt-5.1",)
USER, RECENT = ".config/opencode/opencode.jsonc", ".local/state/opencode/model.json"


def provider(name: str, url: str, **more: Any) -> dict[str, Any]:
    return {"provider": {name: {"options": {"baseURL": url}, **more}}}


def spoken(begun: Launch) -> Api:
    return OPENCODE.api(begun)


def content(made: Launch) -> Any:
    return json.loads(made.environ["OPENCODE_CONFIG_CONTENT"])


@pytest.mark.parametrize(
    ("arguments", "api", "upstream", "name", "url"),
    [
        (CLAUDE, "anthropic", "https://api.anthropic.com", "anthropic", f"{LISTENER}/v1"),
        (GPT, "responses", "https://api.openai.com/v1", "openai", LISTENER),
    ],
)
def test_the_provider_of_its_model_is_pointed_elsewhere(
    arguments: tuple[str, ...], api: str, upstream: str, name: str, url: str, tmp_path: Path
) -> None:
    begun = start(tmp_path, "run", *arguments, "Hi")
    assert (spoken(begun), OPENCODE.upstream(begun)) == (api, upstream)
    made = OPENCODE.hook(begun, LISTENER, upstream)
    assert made.arguments == begun.arguments
    assert content(made) == provider(name, url)


def test_what_the_environment_configures_stays_beside_ours(tmp_path: Path) -> None:
    own = {"autoupdate": False, **provider("anthropic", "http://gateway/v1", models={"x": {}})}
    begun = start(tmp_path, *CLAUDE, OPENCODE_CONFIG_CONTENT=json.dumps(own))
    assert OPENCODE.upstream(begun) == "http://gateway"
    made = content(OPENCODE.hook(begun, LISTENER, ""))
    assert made == {"autoupdate": False, **provider("anthropic", f"{LISTENER}/v1", models={"x": {}})}
    with pytest.raises(NotHookable, match="not valid JSON"):
        OPENCODE.upstream(start(tmp_path, *CLAUDE, OPENCODE_CONFIG_CONTENT="{"))


def test_the_model_is_the_flags_then_the_configurations_then_the_last_one(tmp_path: Path) -> None:
    with pytest.raises(NotHookable, match="--model"):
        OPENCODE.upstream(start(tmp_path))
    put(tmp_path, RECENT, {"recent": [{"providerID": "openai", "modelID": "gpt-5.1"}]})
    assert spoken(start(tmp_path)) == "responses"
    put(tmp_path, USER, '{\n  // chosen\n  "model": "anthropic/claude-sonnet-4-5",\n}\n')
    assert spoken(start(tmp_path)) == "anthropic"
    put(tmp_path, "work/opencode.json", {"model": "openai/gpt-5.1"})
    assert spoken(start(tmp_path)) == "responses"
    assert spoken(start(tmp_path, *CLAUDE)) == "anthropic"


def test_a_providers_address_is_the_files_then_the_environments(tmp_path: Path) -> None:
    begun = start(tmp_path, *CLAUDE, ANTHROPIC_BASE_URL="http://environment/v1")
    assert OPENCODE.upstream(begun) == "http://environment"
    put(tmp_path, USER, provider("anthropic", "http://file/v1/"))
    assert OPENCODE.upstream(begun) == "http://file"
    put(tmp_path, "other.json", provider("anthropic", "http://other"))
    named = start(tmp_path, *CLAUDE, OPENCODE_CONFIG=str(tmp_path / "other.json"))
    with pytest.raises(NotHookable, match="does not end with /v1"):
        OPENCODE.upstream(named)


def test_an_address_of_the_projects_is_not_heeded(tmp_path: Path) -> None:
    (tmp_path / "work" / ".git").mkdir(parents=True)
    put(tmp_path, "work/.opencode/opencode.json", provider("anthropic", "http://elsewhere/v1"))
    with pytest.raises(NotHookable, match="a file of the project"):
        OPENCODE.upstream(start(tmp_path, *CLAUDE))
    assert OPENCODE.upstream(start(tmp_path, *GPT)) == "https://api.openai.com/v1"


@pytest.mark.parametrize(
    ("package", "api", "upstream", "url"),
    [
        ("@ai-sdk/openai-compatible", "openai", "http://mine/v1", LISTENER),
        ("@ai-sdk/anthropic", "anthropic", "http://mine", f"{LISTENER}/v1"),
        ("@ai-sdk/openai", "responses", "http://mine/v1", LISTENER),
    ],
)
def test_a_provider_of_the_users_own_speaks_what_its_package_does(
    package: str, api: str, upstream: str, url: str, tmp_path: Path
) -> None:
    put(tmp_path, USER, provider("mine", "http://mine/v1", npm=package))
    begun = start(tmp_path, "-m", "mine/x")
    assert (spoken(begun), OPENCODE.upstream(begun)) == (api, upstream)
    assert content(OPENCODE.hook(begun, LISTENER, upstream)) == provider("mine", url)


def test_of_a_provider_that_is_not_known_who_starts_it_says_where_it_is(tmp_path: Path) -> None:
    begun = start(tmp_path, "-m", "openrouter/some/model")
    with pytest.raises(NotHookable, match="--upstream"):
        OPENCODE.upstream(begun)
    assert content(OPENCODE.hook(begun, LISTENER, "")) == provider("openrouter", LISTENER)


def test_the_settings_say_where_by_what_its_model_speaks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(tmp_path, "config/ctxmgr/config.toml", '[upstream]\nanthropic = "http://a"\nresponses = "http://r"\n')
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.chdir(tmp_path)
    flags = argparse.Namespace(upstream=None)
    for arguments, expected in ((CLAUDE, "http://a"), (GPT, "http://r")):
        assert proxying.upstream_of(flags, OPENCODE, start(tmp_path, *arguments)) == expected


def test_a_chatgpt_login_can_not_be_pointed_elsewhere(tmp_path: Path) -> None:
    put(tmp_path, ".local/share/opencode/auth.json", {"openai": {"type": "oauth"}, "anthropic": {"type": "api"}})
    for asked in (OPENCODE.upstream, lambda begun: OPENCODE.hook(begun, LISTENER, "")):
        with pytest.raises(NotHookable, match="ChatGPT"):
            asked(start(tmp_path, *GPT))
        asked(start(tmp_path, *CLAUDE))


@pytest.mark.parametrize("name", ["kilo.jsonc", "opencode.json"])
def test_kilo_is_pointed_elsewhere_by_its_own_names(name: str, tmp_path: Path) -> None:
    put(tmp_path, f".config/kilo/{name}", provider("anthropic", "http://own/v1") | {"model": CLAUDE[1]})
    begun = start(tmp_path, "run", "Hi")
    assert KILO.upstream(begun) == "http://own"
    made = KILO.hook(begun, LISTENER, "http://own")
    assert json.loads(made.environ["KILO_CONFIG_CONTENT"]) == provider("anthropic", f"{LISTENER}/v1")
    assert "OPENCODE_CONFIG_CONTENT" not in made.environ
    put(tmp_path, "work/.kilocode/kilo.json", provider("anthropic", "http://evil/v1"))
    with pytest.raises(NotHookable, match="a file of the project"):
        KILO.upstream(begun)
