"""Runs a program in this terminal behind a proxy of its own, and tells at the end what its calls came to.

Where the program can be told of an MCP server, its model has the tools of `ctxmgr mcp`:

1. The program's own MCP servers stay, but for one of its own that is named `ctxmgr`.
2. Address and token are in the environment of the program alone, not among its arguments, which others can see.
"""

import argparse
import asyncio
import importlib.util
import os
from collections.abc import Mapping

from ctxmgr import isolation, settings
from ctxmgr.mcp_server import TOKEN, URL
from ctxmgr.programs import launching, proxying, table
from ctxmgr.programs.program import Launch, Program, with_environ
from ctxmgr.programs.proxying import Keeping, WrongFlag, say
from ctxmgr.settings import Api

MODEL_TOOLS = isolation.command("mcp")


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
        of=Keeping(True, can_have_tools(program), program.name),
    )
    async with made:
        tidying = asyncio.create_task(asyncio.to_thread(proxying.tidy, made.settings))
        hooked = program.hook(launch, made.url, made.settings.upstream)
        hooked = with_tools(program, hooked, made.url, made.settings.tools_token)
        proxying.say_page(made)
        code = await launching.ended(file, hooked)
        await tidying
    for line in (*notices, *proxying.lines(made)):
        say(line)
    return code


def can_have_tools(program: Program) -> bool:
    """The extra `mcp` has to be installed."""
    return program.with_tools is not None and importlib.util.find_spec("mcp") is not None


def with_tools(program: Program, launch: Launch, base_url: str, token: str) -> Launch:
    """The launch with the tools in it, where the program can take them."""
    if program.with_tools is None or not token:
        return launch
    return with_environ(program.with_tools(launch, MODEL_TOOLS), **{URL: base_url, TOKEN: token})


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
    upstream = settings.read().settings_for(program.name).upstream.get(api)
    return upstream or program.upstream(launch)
