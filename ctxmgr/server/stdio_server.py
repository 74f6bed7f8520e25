"""Serves one host on the standard streams. This is the front end of `ctxmgr serve`."""

import asyncio
import contextlib
import functools
import gc
import os
import signal
import sys

from ctxmgr.devices import stdio
from ctxmgr.server.config import Setup
from ctxmgr.server.runtime import DRAIN_SECONDS, Parts, Runtime

SIGNALS = [getattr(signal, name) for name in ("SIGTERM", "SIGINT", "SIGHUP") if hasattr(signal, name)]
EXIT_BY_SIGNAL = 128  # plus its number: what a shell shows for a process that a signal ended
FILES = 65_536  # requested descriptors
# objects; nearly all are immutable and in no cycle, and a long list creates a million
COLLECT_AFTER = (20_000, 20, 20)
SWITCH_SECONDS = 0.001  # switch interval of the interpreter's lock: the event loop waits less for a thread


def serve(setup: Setup) -> int:
    """Runs until the host ends. Returns the exit code."""
    sys.setswitchinterval(SWITCH_SECONDS)
    gc.freeze()
    gc.set_threshold(*COLLECT_AFTER)
    gc.enable()
    _allow_many_files()
    try:
        front = _Front(setup)
    except OSError as fault:
        _say(f"{fault.filename!r} cannot be written: {fault.strerror}; --record names the file of a transcript")
        return 2
    except ValueError as fault:
        _say(f"--store: {fault}")
        return 2
    return asyncio.run(front.run())


class _Front:
    def __init__(self, setup: Setup) -> None:
        self.runtime = Runtime(setup, self._send, _say)
        self._leaving = False  # after a signal

    async def run(self) -> int:
        runtime, loop = self.runtime, asyncio.get_running_loop()
        source, sink = stdio.claim()
        self.output = stdio.OutputWriter(sink, functools.partial(loop.call_soon_threadsafe, self._lost))
        runtime.start()
        for number in SIGNALS:
            if signal.getsignal(number) != signal.SIG_IGN:  # ignored under `nohup`
                with contextlib.suppress(NotImplementedError):  # Windows has no signal handlers on an event loop
                    loop.add_signal_handler(number, self._signalled, number)
        stdio.InputReader(loop, source, runtime.receive)
        code = await runtime.ended
        await runtime.close()
        self.output.close(DRAIN_SECONDS)
        runtime.close_transcript()
        return code

    def _send(self, parts: Parts) -> None:
        self.output.write(parts)

    def _signalled(self, number: int) -> None:
        """Saves and answers what arrived, then ends. A second signal ends the process at once."""
        if self._leaving:  # it arrived together with the first
            os._exit(EXIT_BY_SIGNAL + number)
        self._leaving = True
        for other in SIGNALS:
            if asyncio.get_running_loop().remove_signal_handler(other):
                signal.signal(other, lambda second, _: os._exit(EXIT_BY_SIGNAL + second))
        self.runtime.leave(EXIT_BY_SIGNAL + number)

    def _lost(self) -> None:
        if not self.runtime.ended.done():
            _say("the host closed its end of the output")
            self.runtime.end(1)


def _allow_many_files() -> None:
    """Raises the limit of file descriptors. Each session holds two, so without it the 500th could not be saved."""
    with contextlib.suppress(ImportError, OSError, ValueError):  # Windows; limits that the system refuses
        import resource

        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        wanted = FILES if hard == resource.RLIM_INFINITY else min(FILES, hard)
        if soft < wanted:
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def _say(text: str) -> None:
    """Writes one line to stderr. If stderr is closed or full, the line is dropped."""
    line = f"ctxmgr: {text}".encode("utf-8", "replace")[: stdio.DIRECT_BYTES] + b"\n"
    try:
        if stdio.writable(2):
            os.write(2, line)
    except OSError:
        return
