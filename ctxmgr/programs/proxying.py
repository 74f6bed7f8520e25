"""A proxy for the command line, made of flags and settings, with its output for people: alone, or with a program
that runs behind it in this terminal. At the program's end its calls are summed up.

If an MCP server can be added to the program, its model gets the tools of `ctxmgr mcp`:

1. The program's own MCP servers stay, except one that is named `ctxmgr`.
2. Address and token are only in the program's environment, not in its arguments, which others can see.

Beside a program, people are shown the proxy's page in their browser, and a warning before a prompt cache ends:

3. `opened` starts the command in BROWSER, otherwise the desktop's default. The browser gets no terminal, because
   one that draws in it would take the program's screen.
4. `ctxmgr proxy` prints the warning as a line; `ctxmgr run` puts it into the terminal's title, because the screen
   is the program's. The previous title is saved, and restored at the next call or when the program ends. Terminals
   without titles ignore both sequences.
"""

import argparse
import asyncio
import errno
import importlib.util
import os
import secrets
import shlex
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, TextIO

from ctxmgr import isolation, late, settings
from ctxmgr.devices import ArchiveFault, retention
from ctxmgr.hooks import IN_RUN
from ctxmgr.masking import without_secrets
from ctxmgr.mcp_server import TOKEN, URL
from ctxmgr.model import policy_keys
from ctxmgr.plain_text import safe
from ctxmgr.programs import rows
from ctxmgr.programs.program import Launch, NoProgram, NotHookable, Program, Unsaid, check, ended, with_environ
from ctxmgr.proxy import Proxy, ProxySettings
from ctxmgr.settings import APIS, Api

late.load()

WRONG_USAGE = 2
TOKEN_BYTES = 32  # of the model's tools, for one run
FLAGS = (
    "preset",
    "window",
    "keep_originals",
    "model_tools",
    "holdout",
    "compactions",
)  # also keys of a settings file


class WrongFlag(ValueError):
    """A flag or a settings file cannot be used; the text says which."""


class Keeping(NamedTuple):
    """A program's defaults: whether what is removed is archived, and whether the model has tools to get it back.
    `program`: its name, even if its calls have another; "" for any.
    """

    originals: bool
    tools: bool
    program: str = ""


NOTHING = Keeping(False, False)


def until_ended(parsed: argparse.Namespace) -> int:
    """Serves until the process is asked to end. Returns the exit code."""
    return exit_code(
        lambda: asyncio.run(_served(proxy(parsed, parsed.upstream, parsed.listen, tuple(parsed.name)), parsed.page))
    )


def exit_code(command: Callable[[], int]) -> int:
    """Runs a command and returns its exit code. If it cannot run as requested, prints the reason and returns
    another code.
    """
    try:
        return command()
    except (WrongFlag, settings.SettingsFault, NotHookable) as fault:
        say(str(fault))
        return WRONG_USAGE
    except NoProgram as fault:
        say(str(fault))
        return fault.code


def behind_dashes(words: Sequence[str], what: str) -> tuple[str, ...]:
    """The words after `--`. Raises WrongFlag, with this sentence, if there are none."""
    rest = tuple(words[1:] if words[:1] == ["--"] else words)
    if not rest:
        raise WrongFlag(what)
    return rest


def say(line: str) -> None:
    """Prints a line for people on standard error."""
    print(f"ctxmgr: {without_secrets(line)}", file=sys.stderr, flush=True)


def say_start(made: Proxy, what: str, opens_page: bool) -> None:
    """Prints one line with the address of the page. No other output contains the page's token."""
    print(f"ctxmgr: {without_secrets(what)}; page: {made.page_url}", file=sys.stderr, flush=True)
    if opens_page and not opened(made.page_url_once()):
        say("no browser was found for --page: open the address above")


def proxy(
    parsed: argparse.Namespace,
    upstream: str,
    listen: str = "127.0.0.1:0",
    names: Sequence[str] = (),
    say: Callable[[str], None] = say,
    of: Keeping = NOTHING,
) -> Proxy:
    """A proxy. `say` gets problems, one line each. `of`: the program that makes the calls. Raises WrongFlag and
    SettingsFault.
    """
    models = settings.models_file(parsed.models)
    layers = settings.read({name: getattr(parsed, name) for name in FLAGS}, models=models)
    host, port = _address(listen)

    def settings_for(speaker: str, model: str, is_subagent: bool) -> settings.ProgramSettings:
        return layers.settings_for(of.program or speaker, model, is_subagent)

    chosen = layers.settings_for(of.program or None)
    can_have_tools = of.tools and chosen.model_tools is not False
    keeps_originals = not parsed.observe and (
        of.originals if chosen.keep_originals is None else chosen.keep_originals
    )
    made = ProxySettings(
        _checked(upstream),
        settings_for,
        host,
        port,
        parsed.observe,
        tuple(name.lower() for name in names),
        parsed.state_dir or layers.settings_for().state_dir,
        say,
        parsed.models and os.path.abspath(parsed.models),
        keeps_originals,
        secrets.token_urlsafe(TOKEN_BYTES) if keeps_originals and can_have_tools else "",
        os.getcwd() if of.program else None,
    )
    return Proxy(made)


def tidy(made: ProxySettings) -> None:
    """Deletes originals of earlier runs that are too old or exceed the limit; those of open sessions stay."""
    if made.keeps_originals:
        limits = policy_keys.policy(made.settings_for("", "", False).policy).archive
        try:
            retention.tidy_originals(Path(made.directory), limits)
        except (ArchiveFault, OSError) as fault:
            made.say(f"old originals could not be deleted: {fault}")


def lines(made: Proxy) -> list[str]:
    """The sums of its calls, for people."""
    return [*made.rewriter.account.lines(made.settings.observe), *made.held_out, *made.cache_lines]


def _not_listening(made: ProxySettings, fault: OSError) -> str:
    where = f"{made.host}:{made.port}"
    if fault.errno == errno.EADDRINUSE:
        return f"{where} is in use by another program; --listen {made.host}:0 picks a free port"
    return f"cannot listen on {where}: {os.strerror(fault.errno) if fault.errno else fault}"


async def _served(made: Proxy, opens_page: bool) -> int:
    end = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        loop.add_signal_handler(number, end.set)
    try:
        async with made:
            what = "observing" if made.settings.observe else "pruning"
            say_start(made, f"listening on {made.url}, {what} calls to {made.settings.upstream}", opens_page)
            pauses = asyncio.create_task(watch(made, lambda line: say(line) if line else None))
            await end.wait()
            pauses.cancel()
    except OSError as fault:
        say(_not_listening(made.settings, fault))
        return 1
    for line in lines(made):
        say(line)
    return 0


def _address(listen: str) -> tuple[str, int]:
    host, _, port = listen.rpartition(":")
    if not host or not port.isdigit() or int(port) > 0xFFFF:
        raise WrongFlag(f"--listen {listen} is not HOST:PORT, for example 127.0.0.1:8484")
    return host.strip("[]"), int(port)


def _checked(upstream: str) -> str:
    upstream = upstream.strip()  # strips the line end of a file of variables
    if settings.is_address(upstream):
        return upstream.rstrip("/")
    if "@" in upstream.partition("//")[2].partition("/")[0]:
        raise WrongFlag("--upstream must contain no key or password: the program sends its own")
    raise WrongFlag(f"--upstream {upstream} is not an address, for example https://api.anthropic.com")


MODEL_TOOLS = isolation.command("mcp")


def run(parsed: argparse.Namespace, environ: Mapping[str, str] = os.environ) -> int:
    """Returns the program's exit code, or another one, with a line on standard error, if it could not be
    started.
    """
    return exit_code(lambda: asyncio.run(_ended(parsed, dict(environ))))


async def _ended(parsed: argparse.Namespace, environ: dict[str, str]) -> int:
    example = "put the program to run after --, for example: ctxmgr run -- claude"
    file, *arguments = behind_dashes(parsed.program, example)
    check(file, environ, [known.command for known in rows.PROGRAMS])
    launch = Launch(tuple(arguments), environ, os.getcwd())
    program = program_of(parsed.api, file, launch)
    notices: list[str] = []  # kept until the program ends, because the screen is the program's
    made = proxy(
        parsed,
        upstream_of(parsed, program, launch),
        say=notices.append,
        of=Keeping(True, can_have_tools(program), program.command),
    )
    async with made:
        tidying = asyncio.create_task(asyncio.to_thread(tidy, made.settings))
        hooked = program.hook(launch, made.url, made.settings.upstream)
        hooked = with_tools(program, hooked, made.url, made.settings.tools_token)
        what = "observes" if parsed.observe else "prunes"
        say_start(made, f"{what} the calls of {program.title} to {made.settings.upstream}", parsed.page)
        title = Title()
        pauses = asyncio.create_task(watch(made, title.show))
        try:
            code = await ended(file, with_environ(hooked, **{IN_RUN: "1"}))
        finally:
            pauses.cancel()
            title.show("")
        await tidying
    for line in (*notices, *lines(made)):
        say(line)
    return code


def can_have_tools(program: Program) -> bool:
    return program.with_tools is not None and importlib.util.find_spec("mcp") is not None


def with_tools(program: Program, launch: Launch, base_url: str, token: str) -> Launch:
    """The launch with the tools, if the program can have them."""
    if program.with_tools is None or not token:
        return launch
    return with_environ(program.with_tools(launch, MODEL_TOOLS), **{URL: base_url, TOKEN: token})


def program_of(api: Api | None, command: str, launch: Launch) -> Program:
    """The program of this command. `api`: the API named by a flag. Raises WrongFlag if that would not redirect a
    known program, because it ignores the usual variables.
    """
    known = rows.by_command(command)
    if known is None and api is None:
        raise WrongFlag(
            f"ctxmgr does not know {command}: name its API with --anthropic, --openai, --responses or --gemini"
        )
    if known is None:
        assert api is not None
        return rows.by_api(api, command)
    spoken = _spoken(known, launch)
    if api in (None, spoken):
        return known
    if spoken is not None:
        raise WrongFlag(f"{known.title} uses {APIS[spoken].title} here: remove --{api}")
    told = known.speaking(api) if known.speaking is not None else None
    if told is None:
        raise WrongFlag(f"{known.title} cannot be redirected by --{api}: choose its provider in its own settings")
    return told


def _spoken(program: Program, launch: Launch) -> Api | None:
    """The API that the program will use; None if nothing says it. Raises NotHookable."""
    try:
        return program.api(launch)
    except Unsaid:
        return None


def upstream_of(parsed: argparse.Namespace, program: Program, launch: Launch) -> str:
    """The upstream: a flag, otherwise the settings, otherwise the program's default."""
    if parsed.upstream:
        return str(parsed.upstream)
    api = program.api(launch)
    upstream = settings.read().settings_for(program.command).upstream.get(api)
    return upstream or program.upstream(launch)


DESKTOP = ("xdg-open", "open", "wslview")


def opened(url: str, environ: Mapping[str, str] = os.environ) -> bool:
    """Whether a browser was started. Does not wait for it."""
    named = map(_words, environ.get("BROWSER", "").split(os.pathsep))
    for command in (*filter(None, named), *([name] for name in DESKTOP)):
        path = shutil.which(command[0], path=environ.get("PATH"))
        if path is None:
            continue
        words = [word.replace("%s", url) for word in command[1:]]
        try:
            process = subprocess.Popen(
                [path, *words, *([] if words != command[1:] else [url])],
                env=dict(environ),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
        except OSError:
            continue
        threading.Thread(target=process.wait, daemon=True).start()
        return True
    return False


def _words(command: str) -> list[str]:
    """None of a command that cannot be read: another browser is tried."""
    try:
        return shlex.split(command)
    except ValueError:
        return []


POLL_SECONDS = 10.0
_ASIDE, _BACK = "\x1b[22;2t", "\x1b[23;2t"


async def _later() -> None:
    await asyncio.sleep(POLL_SECONDS)


async def watch(made: Proxy, show: Callable[[str], None], later: Callable[[], Awaitable[None]] = _later) -> None:
    """Calls `show` with a line when a prompt cache is about to end, and with "" when that is over. Runs until
    cancelled.
    """
    shown = False
    while True:
        await later()
        line = await made.pause()
        if bool(line) != shown:
            show(line)
            shown = bool(line)


class Title:
    """Shows a line in the title of the terminal `out`; does nothing if it is not a terminal."""

    def __init__(self, out: TextIO | None = None) -> None:
        self._out = sys.stderr if out is None else out
        self._is_set = False

    def show(self, line: str) -> None:
        if not self._out.isatty() or bool(line) == self._is_set:
            return
        self._is_set = bool(line)
        self._out.write(f"{_ASIDE}\x1b]2;ctxmgr: {safe(line)}\x07" if line else _BACK)
        self._out.flush()
