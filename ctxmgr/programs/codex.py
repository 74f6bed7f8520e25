"""Codex: uses OpenAI's Responses API, and is redirected by a configuration key on the command line (`-c`).

Rules (tested with 0.169.0):
1. It ignores the environment (OPENAI_BASE_URL). `-c KEY=VALUE` overrides the configuration file, and a later one,
   or one after a subcommand, overrides an earlier one.
2. With the built-in provider the key is `openai_base_url`; with one of the user's own it is its `base_url`. The
   provider is given by `-c model_provider=`, by the named profile, or by the file. With `--oss`, and with a
   provider without an address, there is nothing to redirect.
3. By default the built-in provider uses ChatGPT with a ChatGPT login, otherwise OpenAI. The login is known from
   `auth.json`, of which only the kind of login is read; if that file is elsewhere, the user must name the upstream.
4. A WebSocket that is refused with 426 is logged as an error, which `codex exec` prints. If the user has no log
   filter, a filter suppresses it; commands that the model runs do not inherit the filter.
5. An MCP server is a table of the configuration, which `-c` adds key by key to the existing ones. It is started
   with a few variables of the environment, and those named by `env_vars`. Its tools are ours, so they run without
   approval (`default_tools_approval_mode`).
"""

import itertools
import json
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from ctxmgr.mcp_server import TOKEN, URL
from ctxmgr.programs.program import (
    Launch,
    NotHookable,
    Program,
    flag,
    home,
    read_json,
    read_toml,
    table,
    with_environ,
)

BUILT_IN, BASE_URL = "openai", "openai_base_url"
EXEC = ("exec", "e")
LOG_FILTER, NO_NOTICE = "RUST_LOG", "error,codex_api::endpoint::responses_websocket=off"
EXCLUDED = "shell_environment_policy.exclude"
OWN, CHATGPT = "https://api.openai.com/v1", "https://chatgpt.com/backend-api/codex"


def upstream(start: Launch) -> str:
    """Its own upstream (rules 2 and 3)."""
    key = _key(start)
    overrides = dict(_overrides(start.arguments))
    if key in overrides:
        return str(overrides[key]).rstrip("/")
    config = _config(start)
    if key == BASE_URL:
        return str(config.get(BASE_URL) or (CHATGPT if _chatgpt(start) else OWN)).rstrip("/")
    name = key.split(".")[1]
    rows = [table(config.get("model_providers")).get(name), table(overrides.get("model_providers")).get(name)]
    rows.append(overrides.get(f"model_providers.{name}"))
    address = next((table(row)["base_url"] for row in reversed(rows) if table(row).get("base_url")), None)
    if not isinstance(address, str) or not address:
        raise NotHookable(f"Codex uses the provider {name}, which has no base_url: pass --upstream")
    return address.rstrip("/")


def hook(start: Launch, base_url: str, upstream: str) -> Launch:
    """Redirects it (rules 1 and 2). Our key comes after any argument that sets the whole provider, which would
    override it.
    """
    key = _key(start)
    options = list(_split(tuple(_without(start.arguments, key))))
    whole = {key.rsplit(".", 1)[0], "model_providers"} if key != BASE_URL else set()
    behind = [index for index, option in enumerate(options) if _is_override(option) and _set_by(option) in whole]
    index = behind[-1] + 1 if behind else 0
    options.insert(index, ("-c", f"{key}={json.dumps(base_url)}"))
    arguments = tuple(word for option in options for word in option)
    return _without_notice(msgspec.structs.replace(with_environ(start), arguments=arguments))


def _without_notice(start: Launch) -> Launch:
    """Suppresses the notice (rule 4)."""
    if LOG_FILTER in start.environ or not any(word in EXEC for word in start.arguments):
        return start
    overrides = dict(_overrides(start.arguments))
    excluded = overrides.get(EXCLUDED, table(_config(start).get("shell_environment_policy")).get("exclude"))
    names = [*(excluded if isinstance(excluded, list) else []), LOG_FILTER]
    arguments = ("-c", f"{EXCLUDED}={json.dumps(names)}", *_without(start.arguments, EXCLUDED))
    return with_environ(msgspec.structs.replace(start, arguments=arguments), **{LOG_FILTER: NO_NOTICE})


def _key(start: Launch) -> str:
    """The configuration key of the address."""
    if "--oss" in start.arguments:
        raise NotHookable("Codex runs a model on this machine (--oss), and ctxmgr cannot redirect that")
    config = _config(start)
    named = flag(start.arguments, "-p", "--profile") or str(config.get("profile"))
    profile = table(table(config.get("profiles")).get(named))
    overrides = dict(_overrides(start.arguments))
    providers = (layer.get("model_provider") for layer in (overrides, profile, config))
    name = next(filter(None, providers), BUILT_IN)
    return BASE_URL if name == BUILT_IN else f"model_providers.{name}.base_url"


def _config(start: Launch) -> dict[str, Any]:
    return read_toml(_folder(start) / "config.toml")


def _folder(start: Launch) -> Path:
    folder = start.environ.get("CODEX_HOME")
    return Path(folder) if folder else home(start) / ".codex"


def _chatgpt(start: Launch) -> bool:
    """The upstream of the built-in provider (rule 3)."""
    if start.environ.get("CODEX_API_KEY"):
        return False
    login = read_json(_folder(start) / "auth.json")
    return bool(login.get("tokens")) and not login.get("OPENAI_API_KEY") and login.get("auth_mode") != "apikey"


def _overrides(arguments: tuple[str, ...]) -> Iterator[tuple[str, Any]]:
    """Keys and values of `-c`."""
    for words in _split(arguments):
        if _is_override(words):
            key, _, text = words[-1].removeprefix("--config=").partition("=")
            try:
                yield key.strip(), tomllib.loads(f"value = {text}")["value"]
            except tomllib.TOMLDecodeError:
                yield key.strip(), text  # as in Codex


def _without(arguments: tuple[str, ...], key: str) -> Iterator[str]:
    for words in _split(arguments):
        if not (_is_override(words) and _set_by(words) == key):
            yield from words


def _set_by(words: tuple[str, ...]) -> str:
    """The key that an override sets."""
    return words[-1].removeprefix("--config=").partition("=")[0].strip()


def _split(arguments: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """Each argument; `-c` together with its value. Whatever comes after `--` is not an option."""
    rest = iter(arguments)
    for argument in rest:
        if argument == "--":
            yield (argument, *rest)
        elif argument in ("-c", "--config"):
            yield (argument, *itertools.islice(rest, 1))
        else:
            yield (argument,)


def _is_override(words: tuple[str, ...]) -> bool:
    return (words[0] in ("-c", "--config") and len(words) == 2) or words[0].startswith("--config=")


def with_tools(launch: Launch, command: tuple[str, ...]) -> Launch:
    """Adds the model's tools (rule 5)."""
    file, *arguments = command
    server = {
        "command": file,
        "args": arguments,
        "env_vars": [URL, TOKEN],
        "default_tools_approval_mode": "approve",
    }
    options = [("-c", f"mcp_servers.ctxmgr.{name}={json.dumps(value)}") for name, value in server.items()]
    words = (word for option in options for word in option)
    return msgspec.structs.replace(launch, arguments=(*words, *launch.arguments))


CODEX = Program(
    "codex",
    "Codex",
    "responses",
    upstream,
    hook,
    asks=("exec", "--skip-git-repo-check"),
    losses=("it uses HTTP for the whole session, because ctxmgr answers its WebSocket with 426",),
    tried="0.169.0",
    with_tools=with_tools,
)
