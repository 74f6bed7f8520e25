"""The programs that are known, and any other by what it speaks."""

from pathlib import PurePath

from ctxmgr.programs.claude import CLAUDE
from ctxmgr.programs.codex import CODEX
from ctxmgr.programs.gemini import GEMINI
from ctxmgr.programs.opencode import OPENCODE
from ctxmgr.programs.program import Api, Launch, Program, with_environ

PROGRAMS = (CLAUDE, CODEX, OPENCODE, GEMINI)
VARIABLES: dict[Api, tuple[str, ...]] = {  # the usual ones, the first of them that is set holds
    "anthropic": ("ANTHROPIC_BASE_URL",),
    "openai": ("OPENAI_BASE_URL", "OPENAI_API_BASE"),
    "responses": ("OPENAI_BASE_URL", "OPENAI_API_BASE"),
    "gemini": ("GOOGLE_GEMINI_BASE_URL",),
}
VENDORS: dict[Api, str] = {
    "anthropic": "https://api.anthropic.com",
    "openai": "https://api.openai.com/v1",
    "responses": "https://api.openai.com/v1",
    "gemini": "https://generativelanguage.googleapis.com",
}


def by_command(command: str) -> Program | None:
    """The program that this file's name or path is of."""
    name = PurePath(command).name.removesuffix(".exe").lower()
    return next((one for one in PROGRAMS if one.command == name), None)


def by_api(api: Api, command: str) -> Program:
    """Any program that heeds the usual variables of this API."""

    def upstream(start: Launch) -> str:
        said = (start.environ.get(variable) for variable in VARIABLES[api])
        return next(filter(None, said), VENDORS[api]).rstrip("/")

    def hook(start: Launch, base_url: str, upstream: str) -> Launch:
        return with_environ(start, **dict.fromkeys(VARIABLES[api], base_url))

    name = PurePath(command).name
    return Program(name, name, name, api, upstream, hook)
