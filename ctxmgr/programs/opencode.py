"""opencode: speaks what the provider of its model speaks, is pointed elsewhere by OPENCODE_CONFIG_CONTENT.

Rules (of 1.18.33, tried):
1. A model is named PROVIDER/MODEL. Which one it takes is said by `--model`, else by the configuration, else by the
   one that was chosen last.
2. Its configuration is put together from the user's file, the file that OPENCODE_CONFIG names, the project's, and
   the text of OPENCODE_CONFIG_CONTENT; what comes later goes before. So ours is put into that text, beside what is
   there, for the one provider alone.
3. Where a provider is: its `baseURL` in the configuration, else in the environment, else the vendor's. To
   Anthropic's a call adds `/messages`, so it ends with `/v1`. A project's file is not heeded, for it comes with the
   repository: then who starts it must say where to.
4. With a ChatGPT login its calls to OpenAI go to chatgpt.com, whatever the base URL. Of `auth.json` nothing is read
   but whether it is one.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from ctxmgr.programs.program import (
    Launch,
    NotHookable,
    Program,
    flag,
    home,
    parse_json,
    read_json,
    table,
    with_environ,
    work_folders,
)
from ctxmgr.settings import Api

TEXT, FILE = "OPENCODE_CONFIG_CONTENT", "OPENCODE_CONFIG"
FILES = ("config.json", "opencode.json", "opencode.jsonc")
V1 = "/v1"


class ModelProvider(msgspec.Struct, frozen=True):
    """One that opencode knows by itself: what it speaks, where it is, and the variable that says otherwise."""

    api: Api
    url: str
    variable: str


KNOWN = {
    "anthropic": ModelProvider("anthropic", "https://api.anthropic.com/v1", "ANTHROPIC_BASE_URL"),
    "openai": ModelProvider("responses", "https://api.openai.com/v1", "OPENAI_BASE_URL"),
}
PACKAGES: dict[str, Api] = {  # that speak to a provider of the user's own; others speak chat completions
    "@ai-sdk/anthropic": "anthropic",
    "@ai-sdk/openai": "responses",
}


def speaks(start: Launch) -> Api:
    """Rule 1."""
    name = _provider(start)
    known = KNOWN.get(name)
    return known.api if known is not None else PACKAGES.get(str(_row(start, name).get("npm")), "openai")


def upstream(start: Launch) -> str:
    """Rules 3 and 4."""
    name = _provider(start)
    known = KNOWN.get(name)
    _refuse_login(start, name)
    for path in _project_files(start):
        if _address(read_json(path), name):
            raise NotHookable(f"{path} sets a baseURL, and it comes with the project: name the upstream yourself")
    addresses = (_address(config, name) for config in (_inline(start), *_own(start)))
    address = next(filter(None, addresses), "")
    if known is not None:
        address = address or start.environ.get(known.variable, "") or known.url
    if not address:
        raise NotHookable(f"where opencode's provider {name} is, is not known: name it with --upstream")
    if speaks(start) != "anthropic":
        return address.rstrip("/")
    if not address.rstrip("/").endswith(V1):
        raise NotHookable(f"{address} does not end with {V1}, by which ctxmgr knows a call of Anthropic's")
    return address.rstrip("/").removesuffix(V1)


def hook(start: Launch, base_url: str, upstream: str) -> Launch:
    """Rule 2."""
    name = _provider(start)
    _refuse_login(start, name)
    config = _inline(start)
    providers = table(config.get("provider"))
    row = table(providers.get(name))
    options = {**table(row.get("options")), "baseURL": base_url + (V1 if speaks(start) == "anthropic" else "")}
    whole = {**config, "provider": {**providers, name: {**row, "options": options}}}
    return with_environ(start, **{TEXT: json.dumps(whole)})


def _provider(start: Launch) -> str:
    """Of the model that it takes: rule 1."""
    named = flag(start.arguments, "--model", "-m")
    files = [read_json(path) for path in reversed([*_project_files(start)])]
    configs = (_inline(start), *files, *_own(start))
    model = named or next((str(config["model"]) for config in configs if config.get("model")), "") or _last(start)
    if "/" not in model:
        raise NotHookable("which model opencode takes is not known: name it with --model PROVIDER/MODEL")
    return model.partition("/")[0]


def _last(start: Launch) -> str:
    folder = _folder(start, "XDG_STATE_HOME", ".local/state")
    recent = read_json(folder / "model.json").get("recent")
    first = table(recent[0]) if isinstance(recent, list) and recent else {}
    return f"{first.get('providerID')}/" if first.get("providerID") else ""


def _inline(start: Launch) -> dict[str, Any]:
    text = start.environ.get(TEXT, "")
    if not text:
        return {}
    try:
        return table(parse_json(text))
    except ValueError:
        raise NotHookable(f"{TEXT} is no JSON, and ctxmgr has to put its own address into it") from None


def _own(start: Launch) -> Iterator[dict[str, Any]]:
    """The user's own files, what goes before first."""
    named = start.environ.get(FILE)
    if named:
        yield read_json(Path(start.directory) / named)
    for name in reversed(FILES):
        yield read_json(_folder(start, "XDG_CONFIG_HOME", ".config") / name)


def _project_files(start: Launch) -> Iterator[Path]:
    """What goes before last."""
    for below in ("", ".opencode"):
        for folder in work_folders(start):
            yield from (folder / below / name for name in FILES[1:])


def _folder(start: Launch, variable: str, usual: str) -> Path:
    folder = start.environ.get(variable)
    return (Path(folder) if folder else home(start) / usual) / "opencode"


def _row(start: Launch, name: str) -> dict[str, Any]:
    """What the configuration says of a provider, the first that says anything."""
    rows = (table(table(config.get("provider")).get(name)) for config in (_inline(start), *_own(start)))
    return next(filter(None, rows), {})


def _address(config: dict[str, Any], name: str) -> str:
    return str(table(table(table(config.get("provider")).get(name)).get("options")).get("baseURL") or "")


def _refuse_login(start: Launch, name: str) -> None:
    """Rule 4."""
    logins = read_json(_folder(start, "XDG_DATA_HOME", ".local/share") / "auth.json")
    if name == "openai" and table(logins.get(name)).get("type") == "oauth":
        raise NotHookable("opencode is logged in to ChatGPT, and its calls go there whatever the base URL")


OPENCODE = Program(
    "opencode",
    "opencode",
    "opencode",
    "anthropic",
    upstream,
    hook,
    asks=("run",),
    losses=("only the provider of its model is pointed at ctxmgr: what agents ask of others goes there straight",),
    tried="1.18.33",
    speaks=speaks,
)
