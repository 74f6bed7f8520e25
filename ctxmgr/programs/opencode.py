"""opencode, and Kilo, which is built from it: each uses the API of its model's provider, and is redirected by
OPENCODE_CONFIG_CONTENT or KILO_CONFIG_CONTENT. They differ only in names (`Names`).

Rules (tested with opencode 1.18.33 and Kilo 7.7.9):
1. A model is named PROVIDER/MODEL. It is given by `--model`, otherwise by the configuration, otherwise by the last
   choice.
2. The configuration is merged from the user's file, the file in OPENCODE_CONFIG, the project's, and the text in
   OPENCODE_CONFIG_CONTENT; later ones override earlier ones. So our address is added to that text, for the one
   provider.
3. A provider's address: its `baseURL` in the configuration, otherwise in the environment, otherwise the vendor's. A
   call to Anthropic adds `/messages`, so its address ends with `/v1`. A project's file is not used, because it
   comes with the repository: then the user must name the upstream.
4. With a ChatGPT login its calls to OpenAI go to chatgpt.com, whatever the base URL. Of `auth.json` only the kind
   of login is read.
"""

import json
from collections.abc import Iterator
from functools import partial
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

USERS_FILE, PROJECT_FILES = "config.json", ("opencode.json", "opencode.jsonc")  # the last file has priority
V1 = "/v1"


class Names(msgspec.Struct, frozen=True):
    """`command`: of its file and its folders. `prefix`: of its variables. `files`: of a project's configuration,
    and `below`: the folders that may contain them too; in both, the last has priority.
    """

    title: str
    command: str
    prefix: str
    files: tuple[str, ...]
    below: tuple[str, ...]

    @property
    def text(self) -> str:
        return f"{self.prefix}_CONFIG_CONTENT"


class ModelProvider(msgspec.Struct, frozen=True):
    """A provider that opencode knows: its API, its address, and the variable that overrides the address."""

    api: Api
    url: str
    variable: str


KNOWN = {
    "anthropic": ModelProvider("anthropic", "https://api.anthropic.com/v1", "ANTHROPIC_BASE_URL"),
    "openai": ModelProvider("responses", "https://api.openai.com/v1", "OPENAI_BASE_URL"),
}
PACKAGES: dict[str, Api] = {  # for a provider of the user's own; others use chat completions
    "@ai-sdk/anthropic": "anthropic",
    "@ai-sdk/openai": "responses",
}


def speaks(names: Names, start: Launch) -> Api:
    """The API of its model's provider (rule 1)."""
    name = _provider(names, start)
    known = KNOWN.get(name)
    return known.api if known is not None else PACKAGES.get(str(_row(names, start, name).get("npm")), "openai")


def upstream(names: Names, start: Launch) -> str:
    """Its own upstream (rules 3 and 4)."""
    name = _provider(names, start)
    known = KNOWN.get(name)
    _refuse_login(names, start, name)
    for path in _project_files(names, start):
        if _address(read_json(path), name):
            raise NotHookable(f"{path}, a file of the project, sets a baseURL: pass --upstream if you trust it")
    addresses = (_address(config, name) for config in (_inline(names, start), *_own(names, start)))
    address = next(filter(None, addresses), "")
    if known is not None:
        address = address or start.environ.get(known.variable, "") or known.url
    if not address:
        raise NotHookable(f"the address of {names.title}'s provider {name} is unknown: pass it with --upstream")
    if speaks(names, start) != "anthropic":
        return address.rstrip("/")
    if not address.rstrip("/").endswith(V1):
        raise NotHookable(f"{address} does not end with {V1}, as ctxmgr expects of an address for Anthropic's API")
    return address.rstrip("/").removesuffix(V1)


def hook(names: Names, start: Launch, base_url: str, upstream: str) -> Launch:
    """Redirects it (rule 2)."""
    name = _provider(names, start)
    _refuse_login(names, start, name)
    config = _inline(names, start)
    providers = table(config.get("provider"))
    row = table(providers.get(name))
    options = {
        **table(row.get("options")),
        "baseURL": base_url + (V1 if speaks(names, start) == "anthropic" else ""),
    }
    whole = {**config, "provider": {**providers, name: {**row, "options": options}}}
    return with_environ(start, **{names.text: json.dumps(whole)})


def _provider(names: Names, start: Launch) -> str:
    """The provider of its model (rule 1)."""
    named = flag(start.arguments, "--model", "-m")
    files = [read_json(path) for path in reversed([*_project_files(names, start)])]
    configs = (_inline(names, start), *files, *_own(names, start))
    model = (
        named
        or next((str(config["model"]) for config in configs if config.get("model")), "")
        or _last(names, start)
    )
    if "/" not in model:
        raise NotHookable(f"the model of {names.title} is unknown: name it with --model PROVIDER/MODEL")
    return model.partition("/")[0]


def _last(names: Names, start: Launch) -> str:
    folder = _folder(names, start, "XDG_STATE_HOME", ".local/state")
    recent = read_json(folder / "model.json").get("recent")
    first = table(recent[0]) if isinstance(recent, list) and recent else {}
    return f"{first.get('providerID')}/" if first.get("providerID") else ""


def _inline(names: Names, start: Launch) -> dict[str, Any]:
    text = start.environ.get(names.text, "")
    if not text:
        return {}
    try:
        return table(parse_json(text))
    except ValueError:
        raise NotHookable(f"{names.text} is not valid JSON, so ctxmgr cannot add its address to it") from None


def _own(names: Names, start: Launch) -> Iterator[dict[str, Any]]:
    """The user's own configurations, highest priority first."""
    named = start.environ.get(f"{names.prefix}_CONFIG")
    if named:
        yield read_json(Path(start.directory) / named)
    for name in (*reversed(names.files), USERS_FILE):
        yield read_json(_folder(names, start, "XDG_CONFIG_HOME", ".config") / name)


def _project_files(names: Names, start: Launch) -> Iterator[Path]:
    """The project's files, highest priority last."""
    for below in ("", *names.below):
        for folder in work_folders(start):
            yield from (folder / below / name for name in names.files)


def _folder(names: Names, start: Launch, variable: str, usual: str) -> Path:
    folder = start.environ.get(variable)
    return (Path(folder) if folder else home(start) / usual) / names.command


def _row(names: Names, start: Launch, name: str) -> dict[str, Any]:
    """The configuration of a provider: the first that is not empty."""
    rows = (
        table(table(config.get("provider")).get(name)) for config in (_inline(names, start), *_own(names, start))
    )
    return next(filter(None, rows), {})


def _address(config: dict[str, Any], name: str) -> str:
    return str(table(table(table(config.get("provider")).get(name)).get("options")).get("baseURL") or "")


def _refuse_login(names: Names, start: Launch, name: str) -> None:
    """Raises NotHookable for a ChatGPT login (rule 4)."""
    logins = read_json(_folder(names, start, "XDG_DATA_HOME", ".local/share") / "auth.json")
    if name == "openai" and table(logins.get(name)).get("type") == "oauth":
        raise NotHookable(f"{names.title} is logged in to ChatGPT, and ignores any base URL: use an API key")


def _program(names: Names, tried: str) -> Program:
    losses = ("only calls to its model's provider go through ctxmgr: agents call other providers directly",)
    return Program(
        names.command,
        names.title,
        partial(speaks, names),
        partial(upstream, names),
        partial(hook, names),
        asks=("run",),
        losses=losses,
        tried=tried,
    )


OPENCODE = _program(Names("opencode", "opencode", "OPENCODE", PROJECT_FILES, (".opencode",)), "1.18.33")
KILO = _program(
    Names("Kilo", "kilo", "KILO", ("kilo.json", "kilo.jsonc", *PROJECT_FILES), (".kilocode", ".kilo")), "7.7.9"
)
