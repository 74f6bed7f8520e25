"""Runs a program in this terminal behind a proxy of its own, and tells at the end what its calls came to."""

import argparse
import asyncio
import os
from collections.abc import Mapping

from ctxmgr import settings
from ctxmgr.programs import launching, proxying, table
from ctxmgr.programs.launching import NoProgram
from ctxmgr.programs.program import Api, Launch, NotHookable, Program
from ctxmgr.programs.proxying import WRONG_USAGE, WrongFlag, say


def run(parsed: argparse.Namespace, environ: Mapping[str, str] = os.environ) -> int:
    """The program's exit code; another one, and a line on standard error, where it could not be started."""
    command = parsed.program[1:] if parsed.program[:1] == ["--"] else parsed.program
    try:
        if not command:
            raise WrongFlag("what to run stands behind --, such as: ctxmgr run -- claude")
        program = _program(parsed.api, command[0])
        launch = Launch(tuple(command[1:]), dict(environ), os.getcwd())
        return asyncio.run(_ended(parsed, program, command[0], launch))
    except (WrongFlag, settings.SettingsFault, NotHookable) as fault:
        say(str(fault))
        return WRONG_USAGE
    except NoProgram as fault:
        say(str(fault))
        return fault.code


async def _ended(parsed: argparse.Namespace, program: Program, file: str, launch: Launch) -> int:
    notices: list[str] = []  # the screen is the program's until its end
    made = proxying.proxy(parsed, upstream_of(parsed, program, launch), say=notices.append)
    async with made:
        hooked = program.hook(launch, made.url, made.settings.upstream)
        code = await launching.ended((file, *hooked.arguments), hooked.environ)
    for line in (*notices, *proxying.lines(made)):
        say(line)
    return code


def _program(api: Api | None, command: str) -> Program:
    """What is said by a flag goes before what is known."""
    known = table.by_command(command)
    if api is not None and (known is None or known.api != api):
        return table.by_api(api, command)
    if known is None:
        raise WrongFlag(f"{command} is not known: say what it speaks, with --anthropic, --openai or --responses")
    return known


def upstream_of(parsed: argparse.Namespace, program: Program, launch: Launch) -> str:
    """A flag, else the settings, else where the program would go."""
    if parsed.upstream:
        return str(parsed.upstream)
    said = settings.read().settings_for(program.name).upstream.get(program.api)
    return said or program.upstream(launch)
