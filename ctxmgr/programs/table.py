"""The known programs, and any other program by its API."""

from pathlib import PurePath

from ctxmgr.programs.claude import CLAUDE
from ctxmgr.programs.codex import CODEX
from ctxmgr.programs.gemini import GEMINI
from ctxmgr.programs.opencode import KILO, OPENCODE
from ctxmgr.programs.pi import PI
from ctxmgr.programs.program import Launch, Program, with_environ
from ctxmgr.programs.rows import AIDER, CLINE, COPILOT, CRUSH, GOOSE, QWEN
from ctxmgr.settings import APIS, Api

PROGRAMS = (CLAUDE, CODEX, OPENCODE, GEMINI, AIDER, CLINE, COPILOT, CRUSH, GOOSE, KILO, PI, QWEN)


def by_command(command: str) -> Program | None:
    """The program with this file name or path."""
    name = PurePath(command).name.removesuffix(".exe").lower()
    return next((program for program in PROGRAMS if program.command == name), None)


def by_api(api: Api, command: str) -> Program:
    """Any program that uses the usual variables of this API."""

    def upstream(start: Launch) -> str:
        addresses = (start.environ.get(variable) for variable in APIS[api].variables)
        return next(filter(None, addresses), APIS[api].vendor).rstrip("/")

    def hook(start: Launch, base_url: str, upstream: str) -> Launch:
        return with_environ(start, **dict.fromkeys(APIS[api].variables, base_url))

    name = PurePath(command).name
    return Program(name, name, name, api, upstream, hook)
