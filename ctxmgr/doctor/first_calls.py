"""What a base URL changes in the programs on this machine: compares their first calls with and without one.

Each program is started without keys and without the user's settings. Its first call is caught on this machine and
answered with an error, so that nothing is sent anywhere; then the program is killed.
"""

import contextlib
import json
import os
import queue
import signal
import subprocess
import tempfile
import threading
from collections.abc import Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import msgspec

from ctxmgr.doctor.checks import Diagnosis, Surroundings
from ctxmgr.model import estimate
from ctxmgr.programs import PROGRAMS, Launch, Program, installed

SECONDS = 60.0  # for a program's first call
POLL_SECONDS = 0.2  # between checks whether it has ended without one
ANSWER = b'{"type":"error","error":{"type":"invalid_request_error","message":"caught by ctxmgr doctor"}}'


class FirstCall(msgspec.Struct, frozen=True):
    """`tool_tokens`: an estimate for all tools that are not deferred. `betas`: the names in `anthropic-beta`."""

    tool_count: int
    deferred_count: int
    tool_tokens: int
    betas: frozenset[str]


def first_calls(program: Program, path: str, environ: Mapping[str, str]) -> dict[str, FirstCall | None]:
    """The first call of each of the program's variants, by name; None if no call came."""
    assert program.variants is not None
    with tempfile.TemporaryDirectory(prefix="ctxmgr-doctor-", ignore_cleanup_errors=True) as folder:
        bare = Launch((), {"PATH": environ.get("PATH", os.defpath), "HOME": folder}, folder)
        calls = {}
        for name in program.variants(bare, ""):
            with _listener() as (url, caught):  # one for each, since a killed program's request may be read late
                calls[name] = _first(path, program.variants(bare, url)[name], caught)
        return calls


def _first(path: str, launch: Launch, caught: "queue.SimpleQueue[FirstCall]") -> FirstCall | None:
    silent = subprocess.DEVNULL
    process = subprocess.Popen(
        [path, *launch.arguments],
        stdin=silent,
        stdout=silent,
        stderr=silent,
        env=launch.environ,
        cwd=launch.directory,
        start_new_session=True,
    )
    try:
        for _ in range(round(SECONDS / POLL_SECONDS)):
            has_ended = process.poll() is not None
            with contextlib.suppress(queue.Empty):
                return caught.get(timeout=POLL_SECONDS)
            if has_ended:
                break
        return None
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


@contextlib.contextmanager
def _listener() -> Iterator[tuple[str, "queue.SimpleQueue[FirstCall]"]]:
    """A listener on loopback: a base URL and a proxy in one."""
    caught: queue.SimpleQueue[FirstCall] = queue.SimpleQueue()

    class Catching(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length") or 0))
            call = _call(body, self.headers.get("anthropic-beta", ""))
            if call is not None:
                caught.put(call)
            self.send_response(400)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(ANSWER)))
            self.end_headers()
            self.wfile.write(ANSWER)

        def do_CONNECT(self) -> None:  # everything but the call is refused
            self.send_response(403)
            self.end_headers()
            self.close_connection = True

        do_GET = do_HEAD = do_CONNECT

        def log_message(self, format: str, *args: Any) -> None:
            """Logs nothing."""

    class Quiet(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, request: Any, client_address: Any) -> None:
            """Ignores a program that was killed during a request."""

    server = Quiet(("127.0.0.1", 0), Catching)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", caught
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def _call(body: bytes, betas: str) -> FirstCall | None:
    """None for a side call: main calls have tools."""
    try:
        tools = json.loads(body).get("tools")
    except (ValueError, AttributeError):
        return None
    if not isinstance(tools, list) or not tools:
        return None
    deferred = [tool for tool in tools if isinstance(tool, dict) and tool.get("defer_loading")]
    rest = [tool for tool in tools if tool not in deferred]
    names = frozenset(name.strip() for name in betas.split(",") if name.strip())
    return FirstCall(len(tools), len(deferred), estimate(json.dumps(rest)), names)


MORE = 1.05  # times the tokens of tools: from here on it counts as a loss
LARGE_WINDOW = "context-1m"  # how the beta of a window of a million tokens begins


def comparing(surroundings: Surroundings) -> Iterator[Diagnosis]:
    if not surroundings.compare:
        return
    for program in PROGRAMS:
        there = installed(program, surroundings.environ) if program.variants else None
        if there is None:
            continue
        calls = first_calls(program, there.path, surroundings.environ)
        own = calls.pop("own")
        if own is None:
            text = "it made no call, so the effect of a base URL is unknown"
            yield Diagnosis("warn", program.title, text, f"see whether `{program.command} -p hi` works")
            continue
        yield Diagnosis("ok", program.title, f"first call to its provider: {_tools_text(own)}")
        for name, call in calls.items():
            yield _compared(program.title, WAYS[name], own, call)


WAYS = {"behind": "behind a base URL", "run": "with ctxmgr run"}


def _compared(title: str, way: str, own: FirstCall, call: FirstCall | None) -> Diagnosis:
    if call is None:
        return Diagnosis("warn", title, f"{way}: it made no call")
    if call.tool_tokens > MORE * own.tool_tokens:
        more = call.tool_tokens - own.tool_tokens
        advice = "set ENABLE_TOOL_SEARCH=true, and check that the upstream accepts it"
        return Diagnosis("warn", title, f"{way}: {_tools_text(call)}: {more:,} more tokens of tools", advice)
    lost = sorted(own.betas - call.betas)
    if any(name.startswith(LARGE_WINDOW) for name in lost):
        text = f"{way}: it no longer requests a window of a million tokens"
        return Diagnosis("warn", title, text, "end the name of the model with [1m]")
    without = f", without the betas {', '.join(lost)}" if lost else ", and the same betas"
    return Diagnosis("ok", title, f"{way}: the same tools{without}")


def _tools_text(call: FirstCall) -> str:
    return f"{call.tool_count} tools, {call.deferred_count} of them deferred, the rest {call.tool_tokens:,} tokens"
