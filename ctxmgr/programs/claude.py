"""Claude Code: uses Anthropic's API, and is redirected by ANTHROPIC_BASE_URL.

Rules (tested with 2.1.330):
1. `env` of a settings file overrides the environment; among files, `--settings` overrides the project's, and that
   the user's. So if a file names a base URL, ours is also given by `--settings`.
2. Its own upstream: `--settings`, the user's settings file, the environment, Anthropic. A project's file is not
   used, because it comes with the repository, and Claude Code itself asks before it follows one: then the user must
   name the upstream.
3. With Bedrock, Vertex or Foundry it ignores the base URL.
4. A `--settings` with JSON gets our base URL added. One that names a file stays unchanged, because the file may
   contain a key, and arguments are visible to others: if it comes together with a settings file with a base URL,
   there is no way to redirect the program.
5. Behind a base URL that is not Anthropic's it may send every tool with the first prompt. If the upstream is
   Anthropic's own, ENABLE_TOOL_SEARCH=true keeps the default behaviour, unless the variable is set already.
6. Whether the base URL is Anthropic's own depends only on its host: with `http://` before that host, and an HTTP
   proxy, the proxy gets the call as Anthropic would, and can read it.
7. `--mcp-config` and `--allowedTools` take several values and may be repeated: all of them count. With `=` they
   take one value, and not the prompt after it. `${NAME}` in a server's `env` is the program's own variable.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import msgspec

from ctxmgr.mcp_server import TOKEN, URL
from ctxmgr.programs.program import Launch, NotHookable, Program, flag, home, read_json, table, with_environ

BASE_URL, TOOL_SEARCH = "ANTHROPIC_BASE_URL", "ENABLE_TOOL_SEARCH"
OWN = "https://api.anthropic.com"
CLOUDS = {  # see rule 3
    "CLAUDE_CODE_USE_BEDROCK": "Bedrock",
    "CLAUDE_CODE_USE_VERTEX": "Vertex",
    "CLAUDE_CODE_USE_FOUNDRY": "Foundry",
}
_FLAG = "--settings"
_CONFIGS, _ALLOWED = "--mcp-config", "--allowedTools"
_OFF = ("", "0", "false", "no", "off")


def upstream(start: Launch) -> str:
    """Its own upstream (rules 2 and 3)."""
    _refuse_clouds(start)
    for path in _project_files(start):
        if _environ(read_json(path)).get(BASE_URL):
            raise NotHookable(f"{path}, a file of the project, sets {BASE_URL}: pass --upstream if you trust it")
    environs = (_environ(_flag_settings(start)), _environ(read_json(_user_file(start))), start.environ)
    return next((str(environ[BASE_URL]) for environ in environs if environ.get(BASE_URL)), OWN).rstrip("/")


def hook(start: Launch, base_url: str, upstream: str) -> Launch:
    """Redirects it (rules 1, 4 and 5)."""
    _refuse_clouds(start)
    files = [read_json(path) for path in (_user_file(start), *_project_files(start))]
    in_files = [_environ(settings) for settings in (*files, _flag_settings(start))]
    own = urlsplit(upstream).hostname == urlsplit(OWN).hostname
    values = {BASE_URL: base_url}
    if own and not any(TOOL_SEARCH in environ for environ in (start.environ, *in_files)):
        values[TOOL_SEARCH] = "true"
    start = with_environ(start, **values)
    if not any(BASE_URL in environ for environ in in_files):
        return start
    text = flag(start.arguments, _FLAG)
    if text and not _is_json(text):
        raise NotHookable(
            f"a settings file of Claude Code sets {BASE_URL}, and {_FLAG} names another file: remove one of them"
        )
    given = _flag_settings(start)
    whole = {**given, "env": {**_environ(given), BASE_URL: base_url}}
    arguments = (_FLAG, json.dumps(whole), *_without_flag(start.arguments))
    return msgspec.structs.replace(start, arguments=arguments)


def variants(launch: Launch, listener: str) -> dict[str, Launch]:
    """Ways to start it for comparing its first request (rule 6). The key is invalid: no call may cost anything or
    contain a key of the user.
    """
    launch = msgspec.structs.replace(launch, arguments=("-p", "hi"))
    launch = with_environ(launch, ANTHROPIC_API_KEY="none", CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC="1")
    proxied = dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY"), listener)
    own = {**launch.environ, **proxied, BASE_URL: OWN.replace("https:", "http:")}
    return {
        "own": msgspec.structs.replace(launch, environ=own),
        "behind": with_environ(launch, **{BASE_URL: listener}),
        "run": hook(launch, listener, OWN),
    }


def _refuse_clouds(start: Launch) -> None:
    for environ in (start.environ, _environ(_flag_settings(start)), _environ(read_json(_user_file(start)))):
        for variable, cloud in CLOUDS.items():
            if str(environ.get(variable, "")).lower() not in _OFF:
                raise NotHookable(
                    f"Claude Code uses {cloud} because {variable} is set, and ignores any base URL: "
                    f"unset {variable} to use ctxmgr"
                )


def _user_file(start: Launch) -> Path:
    folder = start.environ.get("CLAUDE_CONFIG_DIR")
    return (Path(folder) if folder else home(start) / ".claude") / "settings.json"


def _project_files(start: Launch) -> Iterator[Path]:
    for name in ("settings.json", "settings.local.json"):
        path = Path(start.directory) / ".claude" / name
        if path != _user_file(start):
            yield path


def _environ(settings: dict[str, Any]) -> dict[str, Any]:
    return table(settings.get("env"))


def _flag_settings(start: Launch) -> dict[str, Any]:
    """The settings of the last `--settings`, which is JSON or a file."""
    text = flag(start.arguments, _FLAG)
    if not _is_json(text):
        return read_json(Path(start.directory) / text) if text else {}
    try:
        return table(json.loads(text))
    except ValueError:
        return {}


def _is_json(text: str) -> bool:
    return text.lstrip().startswith("{")


def _without_flag(arguments: tuple[str, ...]) -> Iterator[str]:
    rest = iter(arguments)
    for argument in rest:
        if argument == _FLAG:
            next(rest, None)
        elif not argument.startswith(f"{_FLAG}="):
            yield argument


def with_tools(launch: Launch, command: tuple[str, ...]) -> Launch:
    """Adds the model's tools (rule 7)."""
    file, *arguments = command
    server = {
        "type": "stdio",
        "command": file,
        "args": arguments,
        "env": {name: f"${{{name}}}" for name in (URL, TOKEN)},
    }
    config = json.dumps({"mcpServers": {"ctxmgr": server}})
    flags = (f"{_CONFIGS}={config}", f"{_ALLOWED}=mcp__ctxmgr")
    return msgspec.structs.replace(launch, arguments=(*flags, *launch.arguments))


CLAUDE = Program(
    "claude",
    "Claude Code",
    "anthropic",
    upstream,
    hook,
    asks=("-p",),
    losses=(
        "it may send all tools with the first prompt instead of deferring some: ENABLE_TOOL_SEARCH=true prevents "
        "that, and ctxmgr run sets it if the upstream is Anthropic",
        "it may assume a window of 200,000 tokens for a model with a million: end the model's name with [1m]",
        "Remote Control may be unavailable",
    ),
    tried="2.1.330",
    variants=variants,
    with_tools=with_tools,
)
