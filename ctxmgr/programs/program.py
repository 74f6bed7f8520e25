"""What is known of a program, what its files say before a start, and its start in this terminal.

`upstream` is the address that it would use by default, up to what a call adds (`/v1/messages` for Anthropic,
`/responses` and `/chat/completions` for OpenAI, `/v1beta/models/...` for Google). `hook` replaces it.

A program is started and its end awaited; input, output and screen belong to it.

1. The terminal sends a key's signal (interrupt, quit, stop) to both processes: the program handles it, and this
   process continues until the program has ended. A signal to this process alone (terminate, hang-up) is passed on.
2. The exit code is the program's; for one that a signal ended, 128 plus the signal's number, as in shells.

`installed` finds out whether a program is on this machine, and its version, by starting it with `--version`.
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
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from ctxmgr.settings import Api

LOOPBACK = ("127.0.0.1", "localhost")
_PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY")
MAX_BYTES = 1 << 20  # limit for reading a program's file
# comments, trailing commas
_BESIDE = re.compile(r'("(?:\\.|[^"\\])*")|//[^\n]*|/\*.*?\*/|,(?=\s*[}\]])', re.DOTALL)


class NotHookable(Exception):
    """The program's setup does not allow a base URL. The text is a sentence that says what to do."""


class Unsaid(NotHookable):
    """Nothing says which provider a program uses."""


class Launch(msgspec.Struct, frozen=True):
    """How a program is started: its arguments without its own name, its environment, its working directory."""

    arguments: tuple[str, ...]
    environ: dict[str, str]
    directory: str


class Program(msgspec.Struct, frozen=True):
    """A program that people run. `command`: the name of its file. `speaks`: the API that it uses; for a program
    with several, `speaks(start)` is the one that it will use, and may raise NotHookable.

    `asks`: arguments with which it answers the prompt after them, and ends.

    `upstream(start)` and `hook(start, base_url, upstream)` may raise NotHookable. `losses`: sentences on what works
    differently behind a base URL that is not its vendor's. `tried`: the version that was tested. `variants(launch,
    listener)`: ways to start it, by name, for comparing its first request; in "own" it seems to use its vendor, and
    the listener is its HTTP proxy. `with_tools(launch, command)`: adds an MCP server that this command starts,
    which needs the program's environment; None if that is impossible. `speaking(api)`: for a program with several
    APIs whose choice is unknown, the same program with this API; None if it does not have it.
    """

    command: str
    title: str
    speaks: Api | Callable[[Launch], Api]
    upstream: Callable[[Launch], str]
    hook: Callable[[Launch, str, str], Launch]
    asks: tuple[str, ...] = ()
    losses: tuple[str, ...] = ()
    tried: str = ""
    variants: Callable[[Launch, str], dict[str, Launch]] | None = None
    with_tools: Callable[[Launch, tuple[str, ...]], Launch] | None = None
    speaking: "Callable[[Api], Program | None] | None" = None

    def api(self, start: Launch) -> Api:
        """The API that it will use. Raises NotHookable."""
        return self.speaks if isinstance(self.speaks, str) else self.speaks(start)


def with_environ(start: Launch, **values: str) -> Launch:
    """The launch with these variables; loopback addresses bypass a proxy that the environment names."""
    environ = {**start.environ, **values}
    for proxy, exempt in ((_PROXIES, "NO_PROXY"), (tuple(name.lower() for name in _PROXIES), "no_proxy")):
        if any(environ.get(name) for name in proxy):
            hosts = [host for host in environ.get(exempt, "").split(",") if host]
            environ[exempt] = ",".join([*hosts, *(host for host in LOOPBACK if host not in hosts)])
    return msgspec.structs.replace(start, environ=environ)


def with_flags(start: Launch, *words: str) -> Launch:
    """The launch with these flags before its own arguments."""
    return msgspec.structs.replace(start, arguments=(*words, *start.arguments))


def home(start: Launch) -> Path:
    return Path(start.environ.get("HOME") or Path.home())


def flag(arguments: tuple[str, ...], *names: str) -> str:
    """The value of the last of these flags, in the next argument or after `=`; "" without one."""
    last = ""
    for index, argument in enumerate(arguments):
        name, _, value = argument.partition("=")
        if argument in names:
            last = "".join(arguments[index + 1 : index + 2])
        elif name in names:
            last = value
    return last


def work_folders(start: Launch) -> list[Path]:
    """The folders from the root of the repository's work tree down to the working directory."""
    here = Path(start.directory)
    above = [here, *here.parents]
    root = next((depth for depth, folder in enumerate(above) if (folder / ".git").exists()), 0)
    return above[root::-1]


def read_json(path: Path) -> dict[str, Any]:
    """{} if the file is missing or cannot be read."""
    return _read(path, parse_json)


def parse_json(text: str) -> Any:
    """Parses JSON with comments and trailing commas, as some programs allow them. Raises ValueError."""
    try:
        return json.loads(text)
    except ValueError:
        return json.loads(_BESIDE.sub(lambda match: match[1] or "", text))


def read_toml(path: Path) -> dict[str, Any]:
    """{} if the file is missing or cannot be read."""
    return _read(path, tomllib.loads)


def _read(path: Path, parse: Callable[[str], Any]) -> dict[str, Any]:
    try:
        if not path.is_file() or path.stat().st_size > MAX_BYTES:
            return {}
        value = parse(path.read_text("utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def last_match(path: Path, pattern: re.Pattern[str]) -> str:
    """The last match of the pattern's group in a file; "" without one, or if the file cannot be read."""
    try:
        text = path.read_text("utf-8", "replace") if path.stat().st_size <= MAX_BYTES else ""
    except OSError:
        return ""
    return next(reversed(pattern.findall(text)), "")


def table(value: Any) -> dict[str, Any]:
    """The value if it is a table, otherwise an empty one."""
    return value if isinstance(value, dict) else {}


FROM_THE_TERMINAL = ("SIGINT", "SIGQUIT")
PASSED_ON = ("SIGTERM", "SIGHUP", "SIGUSR1", "SIGUSR2")
NOT_FOUND, NOT_RUN = 127, 126  # exit codes, as in shells


class NoProgram(Exception):
    """The program cannot be started. `code`: the exit code."""

    def __init__(self, text: str, code: int) -> None:
        super().__init__(text)
        self.code = code


def check(file: str, environ: Mapping[str, str], known: Sequence[str] = ()) -> None:
    """Raises NoProgram if this file cannot be run. `known`: names for a suggestion in case of a typo."""
    if shutil.which(file, path=environ.get("PATH")) is not None:
        return
    if os.path.isfile(file) and os.path.dirname(file):
        raise NoProgram(f"{file} is not executable", NOT_RUN)
    where = "" if os.path.dirname(file) else " on PATH"
    close = [] if file in known else difflib.get_close_matches(file, known, 1)
    raise NoProgram(
        f"there is no program '{file}'{where}{f'; did you mean {close[0]}?' if close else ''}", NOT_FOUND
    )


async def ended(file: str, launch: Launch, quiet: bool = False) -> int:
    """Runs this file until it ends and returns its exit code. `quiet`: it gets no input, and its output goes to
    standard error. Raises NoProgram.
    """
    loop = asyncio.get_running_loop()
    heard: list[signal.Signals] = []
    for name in FROM_THE_TERMINAL:
        loop.add_signal_handler(signal.Signals[name], lambda: None)
    for name in PASSED_ON:  # signals before the program has started
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


VERSION_SECONDS = 20.0  # enough for the first start of a large program from a slow disk
MAX_VERSION_CHARACTERS = 80  # of its output


class Installed(msgspec.Struct, frozen=True):
    """`version`: the first line of its output; None if it could not be started."""

    path: str
    version: str | None


def installed(program: Program, environ: Mapping[str, str]) -> Installed | None:
    """The program on PATH; None if it is not there."""
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
