"""What is known of a program, what its files say where it is about to be started, and its start in this terminal.

`upstream` is the address that it would speak to by itself, all of it that stands before what a call adds
(`/v1/messages` of Anthropic's, `/responses` and `/chat/completions` of OpenAI's, `/v1beta/models/...` of Google's).
`hook` puts another in its place.

A program is started, and its end waited for: input, output and screen are its own.

1. What a key sends (interrupt, quit, stop) the terminal sends to both: it is the program's to deal with, and this
   process goes on until the program has ended. What is sent to this process alone (end, hang-up) is passed on.
2. The exit code is the program's; of one that a signal ended 128 and the signal's number, as shells have it.

`installed` asks whether a program is on this machine, and which version: it is started for `--version` alone.
"""

import asyncio
import difflib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import msgspec

from ctxmgr.settings import Api

LOOPBACK = ("127.0.0.1", "localhost")
_PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY")
MAX_BYTES = 1 << 20  # of a program's file that is read
_BESIDE = re.compile(r'("(?:\\.|[^"\\])*")|//[^\n]*|/\*.*?\*/|,(?=\s*[}\]])', re.DOTALL)  # comments, commas at ends


class NotHookable(Exception):
    """The program cannot be pointed at a base URL as it is set up; the text is a sentence, with what to do."""


class Unsaid(NotHookable):
    """Nothing says which provider a program takes."""


class Launch(msgspec.Struct, frozen=True):
    """How a program is started: its arguments without its own name, its environment, its working directory."""

    arguments: tuple[str, ...]
    environ: dict[str, str]
    directory: str


class Program(msgspec.Struct, frozen=True):
    """One that people run. `command`: its file's name; `api`: what it speaks.

    `asks`: arguments by which it answers the prompt that follows them, and ends.

    `upstream(start)` and `hook(start, base_url, upstream)` may raise NotHookable. `losses`: sentences on what works
    differently behind a base URL that is not its vendor's. `tried`: the version that this was tried with.
    `variants(launch, listener)`: ways to start it, by name, so that what it sends first can be compared; in "own"
    it believes to speak to its vendor, and the listener is its proxy. `speaks(start)`: of one that speaks several,
    what it will; it may raise NotHookable, too. `with_tools(launch, command)`: with the MCP server that this
    command starts, which needs the program's environment; None: it cannot be told of one. `speaking(api)`: of one
    that speaks several and does not say which, the same program as one that speaks this; None if it does not.
    """

    name: str
    title: str
    command: str
    api: Api
    upstream: Callable[[Launch], str]
    hook: Callable[[Launch, str, str], Launch]
    asks: tuple[str, ...] = ()
    losses: tuple[str, ...] = ()
    tried: str = ""
    variants: Callable[[Launch, str], dict[str, Launch]] | None = None
    speaks: Callable[[Launch], Api] | None = None
    with_tools: Callable[[Launch, tuple[str, ...]], Launch] | None = None
    speaking: "Callable[[Api], Program | None] | None" = None


def with_environ(start: Launch, **values: str) -> Launch:
    """With these variables; loopback is not sent through a proxy that the environment names."""
    environ = {**start.environ, **values}
    for proxy, exempt in ((_PROXIES, "NO_PROXY"), (tuple(name.lower() for name in _PROXIES), "no_proxy")):
        if any(environ.get(name) for name in proxy):
            hosts = [host for host in environ.get(exempt, "").split(",") if host]
            environ[exempt] = ",".join([*hosts, *(host for host in LOOPBACK if host not in hosts)])
    return msgspec.structs.replace(start, environ=environ)


def with_flags(start: Launch, *words: str) -> Launch:
    """With these in front of its own arguments."""
    return msgspec.structs.replace(start, arguments=(*words, *start.arguments))


def home(start: Launch) -> Path:
    return Path(start.environ.get("HOME") or Path.home())


def flag(arguments: tuple[str, ...], *names: str) -> str:
    """What the last of these flags says, in the next argument or behind `=`; "" without one."""
    last = ""
    for index, argument in enumerate(arguments):
        name, _, value = argument.partition("=")
        if argument in names:
            last = "".join(arguments[index + 1 : index + 2])
        elif name in names:
            last = value
    return last


def work_folders(start: Launch) -> list[Path]:
    """From the work tree's root, which is where its repository is, down to where the program is started."""
    here = Path(start.directory)
    above = [here, *here.parents]
    root = next((depth for depth, folder in enumerate(above) if (folder / ".git").exists()), 0)
    return above[root::-1]


def read_json(path: Path) -> dict[str, Any]:
    """{} where there is no such file, or it cannot be read."""
    return _read(path, parse_json)


def parse_json(text: str) -> Any:
    """With comments and commas at ends, as some programs allow them. Raises ValueError."""
    try:
        return json.loads(text)
    except ValueError:
        return json.loads(_BESIDE.sub(lambda match: match[1] or "", text))


def read_toml(path: Path) -> dict[str, Any]:
    """{} where there is no such file, or it cannot be read."""
    return _read(path, tomllib.loads)


def _read(path: Path, parse: Callable[[str], Any]) -> dict[str, Any]:
    try:
        if not path.is_file() or path.stat().st_size > MAX_BYTES:
            return {}
        value = parse(path.read_text("utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def table(value: Any) -> dict[str, Any]:
    """The value where it is a table, else none."""
    return value if isinstance(value, dict) else {}


FROM_THE_TERMINAL = ("SIGINT", "SIGQUIT")
PASSED_ON = ("SIGTERM", "SIGHUP", "SIGUSR1", "SIGUSR2")
NOT_FOUND, NOT_RUN = 127, 126  # exit codes, as shells have them


class NoProgram(Exception):
    """It cannot be started. `code`: what to exit with."""

    def __init__(self, text: str, code: int) -> None:
        super().__init__(text)
        self.code = code


def check(file: str, environ: Mapping[str, str], known: Iterable[str] = ()) -> None:
    """Raises NoProgram where this file cannot be run. `known`: names of which it may be a misspelled one."""
    if shutil.which(file, path=environ.get("PATH")) is not None:
        return
    if os.path.isfile(file) and os.path.dirname(file):
        raise NoProgram(f"{file} is not executable", NOT_RUN)
    where = "" if os.path.dirname(file) else " on PATH"
    close = difflib.get_close_matches(file, list(known), 1)
    raise NoProgram(
        f"there is no program '{file}'{where}{f'; did you mean {close[0]}?' if close else ''}", NOT_FOUND
    )


async def ended(file: str, launch: Launch, quiet: bool = False) -> int:
    """Runs this file so to its end; its exit code. `quiet`: nothing is typed to it, and what it prints goes to
    standard error. Raises NoProgram."""
    loop = asyncio.get_running_loop()
    heard: list[signal.Signals] = []
    for name in FROM_THE_TERMINAL:
        loop.add_signal_handler(signal.Signals[name], lambda: None)
    for name in PASSED_ON:  # before there is a program too
        loop.add_signal_handler(signal.Signals[name], heard.append, signal.Signals[name])
    try:
        pipes: dict[str, Any] = {"stdin": subprocess.DEVNULL, "stdout": sys.stderr} if quiet else {}
        process = await asyncio.create_subprocess_exec(
            file, *launch.arguments, env=launch.environ, cwd=launch.directory, **pipes
        )
    except FileNotFoundError:
        raise NoProgram(f"there is no program '{file}'", NOT_FOUND) from None
    except OSError as fault:
        raise NoProgram(f"{file} cannot be run: {fault.strerror}", NOT_RUN) from None
    for name in PASSED_ON:
        loop.add_signal_handler(signal.Signals[name], _send, process, signal.Signals[name])
    for number in heard:
        _send(process, number)
    code = await process.wait()
    for name in (*FROM_THE_TERMINAL, *PASSED_ON):
        loop.remove_signal_handler(signal.Signals[name])
    return 128 - code if code < 0 else code


def _send(process: asyncio.subprocess.Process, number: signal.Signals) -> None:
    if process.returncode is None:
        process.send_signal(number)


VERSION_SECONDS = 20.0  # that a large program may take to start once, on a slow disk
MAX_VERSION_CHARACTERS = 80  # of its answer


class Installed(msgspec.Struct, frozen=True):
    """`version`: the first line that it says of itself; None: it could not be asked."""

    path: str
    version: str | None


def installed(program: Program, environ: Mapping[str, str]) -> Installed | None:
    """None where it is not on PATH."""
    path = shutil.which(program.command, path=environ.get("PATH"))
    if path is None:
        return None
    try:
        done = subprocess.run(
            [path, "--version"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=VERSION_SECONDS,
            env=dict(environ),
        )
    except (OSError, subprocess.TimeoutExpired):
        return Installed(path, None)
    first = done.stdout.decode("utf-8", "replace").strip().partition("\n")[0]
    return Installed(path, first[:MAX_VERSION_CHARACTERS] if done.returncode == 0 and first else None)
