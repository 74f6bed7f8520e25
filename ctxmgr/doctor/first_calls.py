"""A program's first call, caught on this machine: what it sends where it believes to speak to its vendor, and what
behind a base URL. Nothing of it goes any further, and it is started with no key and no settings of the user's.

Each call is answered with an error, and the program is ended.
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

from ctxmgr.model import estimate
from ctxmgr.programs import Launch, Program

SECONDS = 60.0  # that a program may take to its first call
POLL_SECONDS = 0.2  # between looks whether it has ended without one
ANSWER = b'{"type":"error","error":{"type":"invalid_request_error","message":"caught by ctxmgr doctor"}}'


class FirstCall(msgspec.Struct, frozen=True):
    """`tool_tokens`: an estimate of all tools that are not deferred. `betas`: the names in `anthropic-beta`."""

    tool_count: int
    deferred_count: int
    tool_tokens: int
    betas: frozenset[str]


def first_calls(program: Program, path: str, environ: Mapping[str, str]) -> dict[str, FirstCall | None]:
    """The program's own variants by name, each with its first call; None where there came none."""
    assert program.variants is not None
    with tempfile.TemporaryDirectory(prefix="ctxmgr-doctor-", ignore_cleanup_errors=True) as folder:
        bare = Launch((), {"PATH": environ.get("PATH", os.defpath), "HOME": folder}, folder)
        calls = {}
        for name in program.variants(bare, ""):
            with _listener() as (url, caught):  # one each: what a program that was ended asked is read late
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
    """On the loopback, a base URL and a proxy in one."""
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

        def do_CONNECT(self) -> None:  # all but the call stays here
            self.send_response(403)
            self.end_headers()
            self.close_connection = True

        do_GET = do_HEAD = do_CONNECT

        def log_message(self, format: str, *args: Any) -> None:
            """Nothing of it is for people."""

    class Quiet(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, request: Any, client_address: Any) -> None:
            """A program that was ended in the middle of a request."""

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
    """None of what is no main call: those have tools."""
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
