"""A program that is run behind a proxy: terminal, arguments, signals and end are its own."""

import contextlib
import http.client
import json
import os
import pty
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from ctxmgr.cli import main
from ctxmgr.hooks import IN_RUN

BOUND = 60.0  # seconds; only a failing test waits so long
PAGE = re.compile(r"ctxmgr: prunes the calls of .*; page: (http://127\.0\.0\.1:\d+)/ctxmgr/\?token=([\w-]{43})")
LISTENING = re.compile(
    r"ctxmgr: listening on (\S+), pruning calls to (\S+); page: (\S+)/ctxmgr/\?token=([\w-]{43})\n"
)
RUN = (sys.executable, "-m", "ctxmgr", "run", "--openai", "--")


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    """Nothing of whoever tests."""
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "PYTHONPATH") if name in os.environ}
    return {**kept, "HOME": str(tmp_path), "XDG_STATE_HOME": str(tmp_path / "state")}


def ran(environ: dict[str, str], *command: str, run: tuple[str, ...] = RUN) -> "subprocess.CompletedProcess[str]":
    return subprocess.run([*run, *command], env=environ, capture_output=True, text=True, timeout=BOUND, check=False)


def said(done: "subprocess.CompletedProcess[str]") -> list[str]:
    """What came on standard error after the line at the start."""
    first, *lines = done.stderr.splitlines()
    assert PAGE.fullmatch(first)
    return lines


def python(script: str) -> tuple[str, ...]:
    return sys.executable, "-c", script


def test_arguments_input_output_and_exit_code_are_the_programs_and_its_environment_names_the_proxy(
    environ: dict[str, str],
) -> None:
    """It is not told the address of the page; hooks that it starts know that ctxmgr runs it."""
    script = "import json, os, sys; print(json.dumps([sys.argv[1:], sys.stdin.read(), dict(os.environ)])); exit(7)"
    command = [*RUN, *python(script), "--help", "--", "a b"]
    done = subprocess.run(command, env=environ, input="typed", capture_output=True, text=True, timeout=BOUND)
    assert done.returncode == 7
    assert said(done) == ["ctxmgr: no model call was made"]
    page = PAGE.match(done.stderr)
    assert page is not None
    arguments, typed, told = json.loads(done.stdout)
    assert (arguments, typed) == (["--help", "--", "a b"], "typed")
    assert told["OPENAI_BASE_URL"] == told["OPENAI_API_BASE"]
    assert told["OPENAI_BASE_URL"].startswith(page[1])
    assert told[IN_RUN] == "1"
    assert page[2] not in done.stdout
    assert done.stderr.count(page[2]) == 1


def test_a_proxy_starts_with_one_line_and_opens_its_page_by_an_address_that_works_once(
    environ: dict[str, str], upstream: str, tmp_path: Path
) -> None:
    """The browser is a script that passes its argument on; nothing that it prints is seen."""
    named = tmp_path / "named"
    os.mkfifo(named)
    browser = tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\necho to the terminal\necho "$1" > {named}\n')
    browser.chmod(0o700)
    command = [sys.executable, "-m", "ctxmgr", "proxy", "--page", "--upstream", upstream]
    with subprocess.Popen(
        command, env={**environ, "BROWSER": str(browser)}, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stderr is not None
        assert process.stdout is not None
        line = LISTENING.fullmatch(process.stderr.readline())
        url = named.read_text().strip()
        assert line is not None
        listening, before, page, token = line.groups()
        assert (listening, before) == (page, upstream)
        assert url.startswith(f"{page}/ctxmgr/?once=")
        assert token not in url
        statuses = [status(one) for one in (url, url, f"{page}/ctxmgr/?", f"{page}/ctxmgr/?token={token}")]
        process.terminate()
        assert process.stdout.read() == ""
        assert process.stderr.read() == "ctxmgr: no model call was made\n"
    assert statuses == [303, 401, 401, 303]


def test_a_program_that_is_killed_ends_as_a_shell_says_it_and_a_missing_browser_is_said(
    environ: dict[str, str],
) -> None:
    bare = {**environ, "PATH": os.path.dirname(sys.executable), "BROWSER": " :'unclosed"}
    done = ran(bare, *python("import os; os.kill(os.getpid(), 15)"), run=(*RUN[:-1], "--page", "--"))
    assert done.returncode == 128 + 15
    assert said(done)[0] == "ctxmgr: no browser was found for --page: open the address above"


def test_a_port_that_is_taken_is_said_in_one_line(
    environ: dict[str, str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(os, "environ", environ)
    with contextlib.closing(socket.create_server(("127.0.0.1", 0))) as taken:
        port = taken.getsockname()[1]
        assert main(["proxy", "--listen", f"127.0.0.1:{port}", "--upstream", "http://127.0.0.1:1"]) == 1
    in_use = f"ctxmgr: 127.0.0.1:{port} is in use by another program; --listen 127.0.0.1:0 picks a free port\n"
    assert capsys.readouterr().err == in_use


def status(url: str) -> int:
    parts = urlsplit(url)
    with contextlib.closing(http.client.HTTPConnection(parts.netloc, timeout=BOUND)) as connection:
        connection.request("GET", f"{parts.path}?{parts.query}")
        return connection.getresponse().status


CALLING = (
    "import json, os, urllib.request\n"
    "messages = [{'role': 'user', 'content': 'Hello'}] * 4\n"
    "body = json.dumps({'model': 'gpt-5.5', 'messages': messages}).encode()\n"
    "url = os.environ['OPENAI_BASE_URL'] + '/chat/completions'\n"
    "print(urllib.request.urlopen(url, body).read().decode())\n"
)


@pytest.fixture
def upstream(tmp_path: Path) -> Iterator[str]:
    """The address of a provider that counts 1,000 tokens."""
    provider = tmp_path / "provider.py"
    provider.write_text(
        "import http.server, json\n"
        "class Handler(http.server.BaseHTTPRequestHandler):\n"
        "    def do_POST(self):\n"
        "        self.rfile.read(int(self.headers['content-length']))\n"
        "        usage = {'prompt_tokens': 1000, 'completion_tokens': 5, 'total_tokens': 1005}\n"
        "        body = json.dumps({'usage': usage, 'path': self.path}).encode()\n"
        "        self.send_response(200)\n"
        "        self.send_header('content-length', str(len(body)))\n"
        "        self.end_headers()\n"
        "        self.wfile.write(body)\n"
        "    def log_message(self, *_): pass\n"
        "server = http.server.HTTPServer(('127.0.0.1', 0), Handler)\n"
        "print(server.server_port, flush=True)\n"
        "server.serve_forever()\n"
    )
    with subprocess.Popen([sys.executable, str(provider)], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        yield f"http://127.0.0.1:{process.stdout.readline().strip()}/v1"
        process.kill()


def test_a_call_goes_to_where_the_program_would_have_gone_and_three_lines_tell_of_it_by_the_programs_settings(
    environ: dict[str, str], upstream: str, tmp_path: Path
) -> None:
    settings, agent = tmp_path / "config.toml", tmp_path / "some-agent"
    settings.write_text("[programs.some-agent.prices]\ninput = 2000\n")
    agent.write_text(f"#!{sys.executable}\n{CALLING}")
    agent.chmod(0o700)
    done = ran({**environ, "OPENAI_BASE_URL": upstream, "CTXMGR_CONFIG": str(settings)}, str(agent))
    assert '"path": "/v1/chat/completions"' in done.stdout
    *_, calls, sent, saved = done.stderr.splitlines()  # a machine that is busy has more to tell before them
    assert calls == "ctxmgr: 1 call, 0 with a pruned list"
    assert sent.startswith("ctxmgr: sent 1,000 tokens ($2.06)")  # output in proportion
    assert saved.startswith("ctxmgr: saved nothing")


@pytest.mark.parametrize(
    ("command", "text", "code"),
    [
        (("nonsense",), "there is no program 'nonsense' on PATH", 127),
        (("goose",), "there is no program 'goose' on PATH", 127),
        (("claud",), "there is no program 'claud' on PATH; did you mean claude?", 127),
        (("/no/such/agent",), "there is no program '/no/such/agent'", 127),
        ((__file__,), f"{__file__} is not executable", 126),
        (("sh",), "ctxmgr does not know sh: name its API with --anthropic, --openai, --responses or --gemini", 2),
        ((), "put the program to run after --, for example: ctxmgr run -- claude", 2),
    ],
)
def test_what_cannot_be_run_is_said_in_one_line(
    capsys: pytest.CaptureFixture[str], command: tuple[str, ...], text: str, code: int
) -> None:
    assert main(["run", "--", *command]) == code
    assert capsys.readouterr().err == f"ctxmgr: {text}\n"


@pytest.fixture
def terminal() -> Iterator[tuple[int, int]]:
    ours, theirs = pty.openpty()
    yield ours, theirs
    os.close(ours)


def on(terminal: tuple[int, int], environ: dict[str, str], script: str) -> subprocess.Popen[bytes]:
    """The program in a session of its own, whose terminal this is."""
    leading = (
        "import os, sys, fcntl, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0); os.execv(sys.argv[1], sys.argv[1:])"
    )
    theirs = terminal[1]
    command = [sys.executable, "-c", leading, *RUN, *python(script)]
    process = subprocess.Popen(
        command, env=environ, stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True
    )
    os.close(theirs)
    return process


def until(ours: int, text: bytes) -> bytes:
    seen = b""
    while text not in seen:
        seen += os.read(ours, 1 << 12)
    return seen


def test_the_terminal_and_its_interrupts_are_the_programs(
    terminal: tuple[int, int], environ: dict[str, str]
) -> None:
    script = (
        "import os, signal\n"
        "print([os.isatty(one) for one in (0, 1, 2)], os.tcgetpgrp(0) == os.getpgrp())\n"
        "signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])\n"
        "print('ready', flush=True)\n"
        "signal.sigwait([signal.SIGINT])\n"
        "exit(int(input('and? ')))\n"
    )
    with on(terminal, environ, script) as process:
        assert b"[True, True, True] True" in until(terminal[0], b"ready")
        os.write(terminal[0], b"\x03")
        until(terminal[0], b"and? ")
        os.write(terminal[0], b"5\n")
        until(terminal[0], b"was made")
        assert process.wait(BOUND) == 5


def test_signals_to_ctxmgr_alone_are_passed_on(environ: dict[str, str]) -> None:
    script = (
        "import os, signal, sys\n"
        "signal.signal(signal.SIGHUP, lambda *_: os.write(1, b'hung up\\n'))\n"
        "signal.signal(signal.SIGTERM, lambda *_: sys.exit(9))\n"
        "print('ready', flush=True)\n"
        "while True: signal.pause()\n"
    )
    with subprocess.Popen([*RUN, *python(script)], env=environ, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        process.send_signal(signal.SIGHUP)
        assert process.stdout.readline() == b"hung up\n"
        process.send_signal(signal.SIGTERM)
        assert process.wait(BOUND) == 9
