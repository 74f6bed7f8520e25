"""Runs a program in this terminal behind a proxy of its own, and tells at the end what its calls came to."""

import argparse
import asyncio
import os
from collections.abc import Mapping

from ctxmgr import settings
from ctxmgr.programs import launching, model_tools, proxying, table
from ctxmgr.programs.program import Api, Launch, Program
from ctxmgr.programs.proxying import Keeping, WrongFlag, say


def run(parsed: argparse.Namespace, environ: Mapping[str, str] = os.environ) -> int:
    """The program's exit code; another one, and a line on standard error, where it could not be started."""
    return proxying.exit_code(lambda: asyncio.run(_ended(parsed, dict(environ))))


async def _ended(parsed: argparse.Namespace, environ: dict[str, str]) -> int:
    example = "what to run stands behind --, such as: ctxmgr run -- claude"
    file, *arguments = proxying.behind_dashes(parsed.program, example)
    program, launch = _program(parsed.api, file), Launch(tuple(arguments), environ, os.getcwd())
    notices: list[str] = []  # the screen is the program's until its end
    made = proxying.proxy(
        parsed,
        upstream_of(parsed, program, launch),
        say=notices.append,
        of=Keeping(True, model_tools.are_there(program), program.name),
    )
    async with made:
        tidying = asyncio.create_task(asyncio.to_thread(proxying.tidy, made.settings))
        hooked = program.hook(launch, made.url, made.settings.upstream)
        hooked = model_tools.given(program, hooked, made.url, made.settings.tools_token)
        proxying.say_page(made)
        code = await launching.ended(file, hooked)
        await tidying
    for line in (*notices, *proxying.lines(made)):
        say(line)
    return code


def _program(api: Api | None, command: str) -> Program:
    """What is said by a flag goes before what is known."""
    known = table.by_command(command)
    if api is not None and (known is None or known.api != api):
        return table.by_api(api, command)
    if known is None:
        raise WrongFlag(
            f"{command} is not known: say what it speaks, with --anthropic, --openai, --responses or --gemini"
        )
    return known


def upstream_of(parsed: argparse.Namespace, program: Program, launch: Launch) -> str:
    """A flag, else the settings, else where the program would go."""
    if parsed.upstream:
        return str(parsed.upstream)
    api = program.api if program.speaks is None else program.speaks(launch)
    said = settings.read().settings_for(program.name).upstream.get(api)
    return said or program.upstream(launch)
