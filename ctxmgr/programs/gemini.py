"""Gemini CLI: speaks to the Gemini API, is pointed elsewhere by GOOGLE_GEMINI_BASE_URL.

Rules (of 0.61.0, tried):
1. The variable is heeded with an API key that was chosen (`/auth`, which writes `security.auth.selectedType`). A
   key in the environment alone is not enough: with a base URL beside it and no screen it does not start. With a
   login of Google's, and with Vertex, the variable is not heeded at all.
2. Where it would go: the environment, the `.env` file that it finds, Google. That file is the first from the
   working directory up, then at home; in each folder `.gemini/.env` before `.env`. One that is not the user's own
   comes with the project, and does not say where the key goes.
3. Of its settings the project's go before the user's. They may hold comments: what cannot be read chooses nothing
   that is known, and it is left to the program.
"""

import re
from collections.abc import Iterator
from pathlib import Path

from ctxmgr.programs.program import MAX_BYTES, Launch, NotHookable, Program, home, read_json, table, with_environ

BASE_URL = "GOOGLE_GEMINI_BASE_URL"
OWN = "https://generativelanguage.googleapis.com"
FOLDER, SETTINGS, DOTENV = ".gemini", "settings.json", ".env"
KEY = "gemini-api-key"
OTHERS = {"vertex-ai": "Vertex"}  # any other that is chosen is a login
VARIABLES = {"GOOGLE_GENAI_USE_GCA": "oauth-personal", "GOOGLE_GENAI_USE_VERTEXAI": "vertex-ai"}
_ADDRESS = re.compile(rf"^\s*(?:export\s+)?{BASE_URL}\s*=\s*['\"]?([^'\"#\s]*)", re.MULTILINE)


def upstream(start: Launch) -> str:
    """Rules 1 and 2."""
    _refuse_others(start)
    address = start.environ.get(BASE_URL)
    if not address:
        path = next((dotenv for dotenv in _dotenvs(start) if dotenv.is_file()), None)
        address = _address(path) if path is not None else ""
        if address and path is not None and path.parent not in (home(start), home(start) / FOLDER):
            raise NotHookable(f"{path} sets {BASE_URL}, and it comes with the project: name the upstream yourself")
    return (address or OWN).rstrip("/")


def hook(start: Launch, base_url: str, upstream: str) -> Launch:
    """Rule 1."""
    _refuse_others(start)
    return with_environ(start, **{BASE_URL: base_url})


def _refuse_others(start: Launch) -> None:
    files = [folder / FOLDER / SETTINGS for folder in (Path(start.directory), home(start))]
    settings = [read_json(path) for path in files]
    chosen = next((selected for content in settings if (selected := _selected(content))), "")
    if not chosen and any(path.exists() and not content for path, content in zip(files, settings, strict=True)):
        return  # rule 3
    by_environ = (kind for name, kind in VARIABLES.items() if start.environ.get(name) == "true")
    chosen = chosen or next(by_environ, "")
    if not chosen:
        raise NotHookable(
            "Gemini CLI heeds a base URL only with an API key that was chosen: start gemini once, and choose "
            'to use one with /auth (or set security.auth.selectedType to "gemini-api-key" in its settings)'
        )
    if chosen != KEY:
        speaks = OTHERS.get(chosen, "Google with your login")
        raise NotHookable(
            f"Gemini CLI speaks to {speaks}, and no base URL changes that: choose an API key with /auth to go "
            "through ctxmgr"
        )


def _selected(settings: dict[str, object]) -> str:
    return str(table(table(settings.get("security")).get("auth")).get("selectedType") or "")


def _dotenvs(start: Launch) -> Iterator[Path]:
    """Rule 2: where its variables may stand, in its order."""
    directory = Path(start.directory)
    for folder in (directory, *directory.parents, home(start)):
        yield folder / FOLDER / DOTENV
        yield folder / DOTENV


def _address(path: Path) -> str:
    try:
        text = path.read_text("utf-8", "replace") if path.stat().st_size <= MAX_BYTES else ""
    except OSError:
        return ""
    addresses = _ADDRESS.findall(text)
    return str(addresses[-1]) if addresses else ""


GEMINI = Program(
    "gemini",
    "Gemini CLI",
    "gemini",
    "gemini",
    upstream,
    hook,
    asks=("-p",),
    losses=(
        "a login with Google heeds no base URL: an API key must be chosen, with /auth",
        "in a sandbox that is a container this machine's loopback is out of its reach",
    ),
    tried="0.61.0",
)
