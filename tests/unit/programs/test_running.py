"""A program that is run behind a proxy: terminal, arguments, signals and end are its own."""

import contextlib
import http.client
import json
import os
import pty
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from ctxmgr.hooks import IN_RUN

BOUND = 60.0  # seconds; only a failing test waits so long
PAGE = re.compile(r"ctxmgr: what it does is shown at (http://127\.0\.0\.1:\d+)/ctxmgr/\?token=([\w-]{43})")
RUN = (sys.executable, "-m", "ctxmgr", "run", "--openai", "--")


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    """Nothing of whoever tests."""
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "PYTHONPATH") if name in os.environ}
    return {**kept, "HOME": str(tmp_path), "XDG_STATE_HOME": str(tmp_path / "state")}


def ran(environ: dict[str, str], *command: str, run: tuple[str, ...] = RUN) -> "subprocess.CompletedProcess[str]":
    return subprocess.run([*run, *command], env=environ, capture_output=True, text=True, timeout=BOUND, check=False)


def said(done: "subprocess.CompletedProcess[str]") -> list[str]:
    """What came on standard error after the address of its page."""
    first, *lines = done.stderr.splitlines()
    assert PAGE.fullmatch(first)
    return lines


def python(script: str) -> tuple[str, ...]:
    return sys.executable, "-c", script


def test_a_program_that_is_killed_ends_as_a_shell_says_it(environ: dict[str, str]) -> None:
    assert ran(environ, *python("import os; os.kill(os.getpid(), 15)")).returncode == 128 + 15


def test_arguments_input_output_and_exit_code_are_the_programs_and_its_environment_names_the_proxy(
    environ: dict[str, str],
) -> None:
    """It is not told the address of the page."""
    script = "import json, os, sys; print(json.dumps([sys.argv[1:], sys.stdin.read(), dict(os.environ)])); exit(7)"
    command = [*RUN, *python(script), "--help", "--", "a b"]
    done = subprocess.run(command, env=environ, input="typed", capture_output=True, text=True, timeout=BOUND)
    assert done.returncode == 7
    assert said(done) == ["ctxmgr: no call of a conversation came through"]
    page = PAGE.match(done.stderr)
    assert page is not None
    arguments, typed, told = json.loads(done.stdout)
    assert (arguments, typed) == (["--help", "--", "a b"], "typed")
    assert told["OPENAI_BASE_URL"] == told["OPENAI_API_BASE"]
    assert told["OPENAI_BASE_URL"].startswith(page[1])
    assert page[2] not in done.stdout
    assert done.stderr.count(page[2]) == 1


def test_hooks_know_that_the_program_is_run_by_ctxmgr(environ: dict[str, str]) -> None:
    assert ran(environ, *python(f"import os; print(os.environ[{IN_RUN!r}])")).stdout == "1\n"


def test_a_proxy_tells_the_address_that_opens_its_page(environ: dict[str, str], upstream: str) -> None:
    command = [sys.executable, "-m", "ctxmgr", "proxy", "--upstream", upstream]
    with subprocess.Popen(command, env=environ, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        listening, told = process.stderr.readline(), process.stderr.readline()
        page = PAGE.match(told)
        assert page is not None
        assert listening == f"ctxmgr: listening on {page[1]}, before {upstream}\n"
        statuses = [status(f"{page[1]}/ctxmgr/{query}") for query in ("", f"?token={page[2]}")]
        process.terminate()
        assert page[2] not in process.stderr.read()
    assert statuses == [401, 303]


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


def test_a_call_goes_to_where_the_program_would_have_gone_and_three_lines_tell_of_it(
    environ: dict[str, str], upstream: str
) -> None:
    done = ran({**environ, "OPENAI_BASE_URL": upstream}, *python(CALLING))
    assert '"path": "/v1/chat/completions"' in done.stdout
    *_, calls, sent, saved = done.stderr.splitlines()  # a machine that is busy has more to tell before them
    assert calls == "ctxmgr: 1 call of a conversation, 0 with another list"
    assert sent.startswith("ctxmgr: sent 1,000 tokens ($0.01)")
    assert saved.startswith("ctxmgr: saved 0 tokens")


def test_what_is_set_for_a_program_holds_for_its_calls_whatever_they_call_themselves(
    environ: dict[str, str], upstream: str, tmp_path: Path
) -> None:
    settings, agent = tmp_path / "config.toml", tmp_path / "some-agent"
    settings.write_text("[programs.some-agent.prices]\ninput = 2000\n")
    agent.write_text(f"#!{sys.executable}\n{CALLING}")
    agent.chmod(0o700)
    done = ran({**environ, "OPENAI_BASE_URL": upstream, "CTXMGR_CONFIG": str(settings)}, str(agent))
    assert said(done)[1].startswith("ctxmgr: sent 1,000 tokens ($2.06)")  # output in proportion


@pytest.mark.parametrize(
    ("command", "text"),
    [(("nosuch",), "nosuch is not known: say what it speaks"), ((), "what to run stands behind --")],
)
def test_what_can_not_be_run_is_told_in_one_line(
    environ: dict[str, str], command: tuple[str, ...], text: str
) -> None:
    done = ran(environ, *command, run=(sys.executable, "-m", "ctxmgr", "run", "--"))
    assert done.returncode == 2
    assert text in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_program_that_is_not_there_ends_with_127(environ: dict[str, str]) -> None:
    done = ran(environ, "nosuch")
    assert (done.returncode, said(done)) == (127, ["ctxmgr: nosuch: there is no such program"])


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


def test_the_terminal_is_the_programs(terminal: tuple[int, int], environ: dict[str, str]) -> None:
    script = "import os; print([os.isatty(one) for one in (0, 1, 2)], os.tcgetpgrp(0) == os.getpgrp())"
    with on(terminal, environ, script) as process:
        assert b"[True, True, True] True" in until(terminal[0], b"came through")
        assert process.wait(BOUND) == 0


def test_an_interrupt_at_the_terminal_is_the_programs_to_deal_with(
    terminal: tuple[int, int], environ: dict[str, str]
) -> None:
    script = (
        "import signal\n"
        "signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])\n"
        "print('ready', flush=True)\n"
        "signal.sigwait([signal.SIGINT])\n"
        "exit(int(input('and? ')))\n"
    )
    with on(terminal, environ, script) as process:
        until(terminal[0], b"ready")
        os.write(terminal[0], b"\x03")
        until(terminal[0], b"and? ")
        os.write(terminal[0], b"5\n")
        until(terminal[0], b"came through")
        assert process.wait(BOUND) == 5


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_to_ctxmgr_alone_is_passed_on(environ: dict[str, str], number: signal.Signals) -> None:
    script = (
        "import signal, sys\n"
        f"signal.signal({int(number)}, lambda *_: sys.exit(9))\n"
        "print('ready', flush=True)\n"
        "signal.pause()\n"
    )
    with subprocess.Popen([*RUN, *python(script)], env=environ, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        process.send_signal(number)
        assert process.wait(BOUND) == 9
