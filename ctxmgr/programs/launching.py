"""Starts a program in this terminal and waits for its end: input, output and screen are its own.

1. What a key sends (interrupt, quit, stop) the terminal sends to both: it is the program's to deal with, and this
   process goes on until the program has ended. What is sent to this process alone (end, hang-up) is passed on.
2. The exit code is the program's; of one that a signal ended 128 and the signal's number, as shells have it.

`installed` asks whether a program is on this machine, and which version: it is started for `--version` alone.
"""

import asyncio
import shutil
import signal
import subprocess
import sys
from collections.abc import Mapping
from typing import Any

import msgspec

from ctxmgr.programs.program import Launch, Program

FROM_THE_TERMINAL = ("SIGINT", "SIGQUIT")
PASSED_ON = ("SIGTERM", "SIGHUP", "SIGUSR1", "SIGUSR2")
NOT_FOUND, NOT_RUN = 127, 126  # exit codes, as shells have them


class NoProgram(Exception):
    """It can not be started. `code`: what to exit with."""

    def __init__(self, text: str, code: int) -> None:
        super().__init__(text)
        self.code = code


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
        raise NoProgram(f"{file}: there is no such program", NOT_FOUND) from None
    except OSError as fault:
        raise NoProgram(f"{file}: {fault.strerror}", NOT_RUN) from None
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
