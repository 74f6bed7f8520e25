"""Gemini CLI: uses the Gemini API, and is redirected by GOOGLE_GEMINI_BASE_URL.

Rules (tested with 0.61.0):
1. It uses the variable with an API key that was chosen (by `/auth`, which writes `security.auth.selectedType`). A
   key only in the environment is not enough: with a base URL and no screen it does not start. With a Google login,
   and with Vertex, it ignores the variable.
2. Its own upstream: the environment, the first `.env` file, Google. That file is the first from the working
   directory upwards, then in the home folder; in each folder `.gemini/.env` before `.env`. A file that is not the
   user's own comes with the project, and must not determine where the key is sent.
3. The project's settings override the user's. They may contain comments. Settings that cannot be read select no
   known login, and the decision stays with the program.
"""

import re
from collections.abc import Iterator
from pathlib import Path

from ctxmgr.programs.program import Launch, NotHookable, Program, home, last_match, read_json, table, with_environ

BASE_URL = "GOOGLE_GEMINI_BASE_URL"
OWN = "https://generativelanguage.googleapis.com"
FOLDER, SETTINGS, DOTENV = ".gemini", "settings.json", ".env"
KEY = "gemini-api-key"
OTHERS = {"vertex-ai": "Vertex"}  # any other choice is a login
VARIABLES = {"GOOGLE_GENAI_USE_GCA": "oauth-personal", "GOOGLE_GENAI_USE_VERTEXAI": "vertex-ai"}
_ADDRESS = re.compile(rf"^\s*(?:export\s+)?{BASE_URL}\s*=\s*['\"]?([^'\"#\s]*)", re.MULTILINE)


def upstream(start: Launch) -> str:
    """Its own upstream (rules 1 and 2)."""
    _refuse_others(start)
    address = start.environ.get(BASE_URL)
    if not address:
        path = next((dotenv for dotenv in _dotenvs(start) if dotenv.is_file()), None)
        address = last_match(path, _ADDRESS) if path is not None else ""
        if address and path is not None and path.parent not in (home(start), home(start) / FOLDER):
            raise NotHookable(f"{path}, a file of the project, sets {BASE_URL}: pass --upstream if you trust it")
    return (address or OWN).rstrip("/")


def hook(start: Launch, base_url: str, upstream: str) -> Launch:
    """Redirects it (rule 1)."""
    _refuse_others(start)
    return with_environ(start, **{BASE_URL: base_url})


def _refuse_others(start: Launch) -> None:
    files = [folder / FOLDER / SETTINGS for folder in (Path(start.directory), home(start))]
    settings = [read_json(path) for path in files]
    chosen = next((selected for content in settings if (selected := _selected(content))), "")
    if not chosen and any(path.exists() and not content for path, content in zip(files, settings, strict=True)):
        return  # See rule 3.
    by_environ = (kind for name, kind in VARIABLES.items() if start.environ.get(name) == "true")
    chosen = chosen or next(by_environ, "")
    if not chosen:
        raise NotHookable(
            "Gemini CLI uses a base URL only if an API key is selected: start gemini once and select one with "
            '/auth (or set security.auth.selectedType to "gemini-api-key" in its settings)'
        )
    if chosen != KEY:
        speaks = OTHERS.get(chosen, "Google with your login")
        raise NotHookable(
            f"Gemini CLI uses {speaks}, and ignores any base URL: select an API key with /auth to use ctxmgr"
        )


def _selected(settings: dict[str, object]) -> str:
    return str(table(table(settings.get("security")).get("auth")).get("selectedType") or "")


def _dotenvs(start: Launch) -> Iterator[Path]:
    """The files that may have its variables, in order of precedence (rule 2)."""
    directory = Path(start.directory)
    for folder in (directory, *directory.parents, home(start)):
        yield folder / FOLDER / DOTENV
        yield folder / DOTENV


GEMINI = Program(
    "gemini",
    "Gemini CLI",
    "gemini",
    upstream,
    hook,
    asks=("-p",),
    losses=(
        "it ignores any base URL while you are logged in with Google: select an API key with /auth",
        "in a container sandbox it cannot reach this machine's loopback address",
    ),
    tried="0.61.0",
)
