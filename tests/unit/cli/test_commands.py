"""The command line: every row is a command with an example, and no table is loaded before it is needed."""

import os
import pkgutil
import shlex
import subprocess
import sys

import pytest

from ctxmgr.cli import main, parser, serve
from ctxmgr.cli.commands import COMMANDS
from ctxmgr.extras import needs

SESSIONS = [f"sessions {action}" for action in ("list", "show", "export", "delete")]


def test_help_ends_with_an_example_that_is_taken(capsys: pytest.CaptureFixture[str]) -> None:
    for asked in [*COMMANDS, "conform host-side", "conform server-side", *SESSIONS]:
        with pytest.raises(SystemExit) as ended:
            main([*asked.split(), "--help"])
        assert ended.value.code == 0, asked
        lead, example = " ".join(capsys.readouterr().out.split()).rsplit("for example: ", 1)
        assert lead.startswith(f"usage: ctxmgr {asked}"), asked
        program, *words = shlex.split(example.partition(" > ")[0])  # what a shell would take
        assert (program, words[: len(asked.split())]) == ("ctxmgr", asked.split()), asked
        assert callable(pkgutil.resolve_name(parser(words[0]).parse_args(words).run)), asked


MISSING = "no-such-file"


def test_a_file_that_is_not_there_is_said_in_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    for arguments in [
        ["replay", MISSING],
        ["compare", MISSING],
        ["drive", MISSING],
        ["inspect", MISSING],
        ["conform", "host-side", MISSING],
        ["conform", "server-side", MISSING],
    ]:
        assert main(arguments) == 2, arguments
        assert capsys.readouterr().err == f"ctxmgr {arguments[0]}: no such file: {MISSING}\n", arguments


def test_output_to_a_full_disk_ends_in_one_line() -> None:
    words = [sys.executable, "-m", "ctxmgr", "describe"]
    with open("/dev/full", "w") as full:
        done = subprocess.run(words, stdout=full, stderr=subprocess.PIPE, encoding="utf-8", check=False)
    assert (done.returncode, done.stderr) == (1, "ctxmgr: No space left on device\n")


def test_a_command_that_can_not_be_started_is_said_in_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["conform", "host-side", "--command", "./no-such-program"]) == 2
    said = capsys.readouterr().err
    assert said.startswith("ctxmgr conform: the command cannot be started: ./no-such-program: ")
    assert (said.count("\n"), "--command names it" in said, "Errno" in said) == (1, True, False)


def test_help_names_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--help"])
    printed = " ".join(capsys.readouterr().out.split())
    assert [name for name, summary in COMMANDS.items() if f"{name} {summary}" not in printed] == []


def test_without_a_command_it_prints_its_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 2
    said = capsys.readouterr()
    assert (said.out, said.err.split()[:2]) == ("", ["usage:", "ctxmgr"])
    assert [name for name in COMMANDS if f" {name} " not in said.err] == []


def test_wrong_usage_is_2(capsys: pytest.CaptureFixture[str]) -> None:
    for arguments in [["nonsense"], ["nonsense", "serve"], ["conform"], ["forget"]]:
        with pytest.raises(SystemExit) as caught:
            main(arguments)
        assert caught.value.code == 2, arguments
        said = capsys.readouterr().err
        assert said.startswith("ctxmgr"), arguments
        assert (said.count("\n"), said.count("; for example: ctxmgr ")) == (1, 1), arguments


def test_a_value_that_is_none_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    for arguments, says in [
        (["replay", "f", "--window", "0"], "--window: '0' is not a number of tokens, such as"),
        (["replay", "f", "--prices", "nan,0,0"], "--prices: 'nan,0,0' is not INPUT,READ,WRITE"),
        (
            ["replay", "f", "--knob", "0"],
            "--knob: '0' is not lean, balanced, careful or a number of tokens",
        ),
        (["replay", "f", "--policy", "keep=0"], "--policy: invalid"),
        (["replay", "f", "--policy", "keep"], "--policy: 'keep' is not KEY=VALUE"),
        (["replay", "f", "--policy", "mood=good"], "--policy: invalid"),
        (["replay", "f", "--overhead", "-1"], "--overhead: '-1' is not a number of tokens, such as 0,"),
        (["drive", "f", "--timeout", "0"], "--timeout: '0' is not a number of seconds above 0 and below 86,400"),
    ]:
        with pytest.raises(SystemExit) as caught:
            main(arguments)
        assert caught.value.code == 2, arguments
        assert says in capsys.readouterr().err, arguments


def test_no_other_command_is_loaded() -> None:
    code = (
        "import sys; from ctxmgr.cli.commands import parser; parser('serve');"
        "print(sorted(name for name in sys.modules if name.startswith('ctxmgr.')))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    loaded = ["ctxmgr.cli", *(f"ctxmgr.cli.{name}" for name in ("arguments", "commands", "serve", "started"))]
    assert done.stdout.strip() == str(loaded)


PLAIN = [
    [],
    ["--state-dir", "/tmp/x"],
    ["--record", "a b", "--state-dir", ""],
    ["--record", "1", "--record", "2"],
    ["--models", "own.json"],
]


def test_a_plain_serve_is_read_as_argparse_reads_it() -> None:
    for arguments in PLAIN:
        read = serve.plain(arguments)
        assert read is not None, arguments
        parsed = vars(parser("serve").parse_args(["serve", *arguments]))
        assert {**vars(read), "run": "ctxmgr.cli.serve:run"} == parsed, arguments


def test_a_plain_serve_waits_for_neither_argparse_nor_a_format() -> None:
    code = (
        "import sys; from ctxmgr.cli import main; main(['serve', '--state-dir', '/nonexistent']);"
        "late = ('argparse', 'ctxmgr.formats.pi_messages', 'ctxmgr.formats.message_format', 'ctxmgr.session');"
        "print([name for name in late if name in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, stdin=subprocess.DEVNULL, timeout=60)
    assert done.stderr.strip() == b"[]"


@pytest.mark.parametrize("arguments", [["--help"], ["describe"]])
def test_it_ends_quietly_where_nobody_reads_what_it_prints(arguments: list[str]) -> None:
    read, write = os.pipe()
    os.close(read)
    buffered = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    command = [sys.executable, "-m", "ctxmgr", *arguments]
    try:
        done = subprocess.run(command, stdout=write, stderr=subprocess.PIPE, env=buffered, timeout=60)
    finally:
        os.close(write)
    assert (done.returncode, done.stderr) == (1, b"")


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("proxy --upstream http://x --port 1", "there is no option --port; did you mean --listen?"),
        ("proxy --upstream http://x --port=1", "there is no option --port; did you mean --listen?"),
        ("proxy --upstream http://x --host 0.0.0.0", "there is no option --host; did you mean --listen?"),
        ("proxy --upstream http://x --lisen 127.0.0.1:1", "there is no option --lisen; did you mean --listen?"),
        ("proxy --port 1", "missing: --upstream; there is no option --port; did you mean --listen?"),
        ("run --base-url http://x", "there is no option --base-url; did you mean --upstream?"),
        ("run --observ -- claude", "there is no option --observ; did you mean --observe?"),
        ("sessions list --jso", "there is no option --jso; did you mean --json?"),
        ("sessions show s --fulll", "there is no option --fulll; did you mean --full?"),
        ("search x --port 3", "there is no option --port; for example: ctxmgr search "),
        ("inspect a b", "unexpected argument: b; for example: ctxmgr inspect "),
        ("serv", "there is no command 'serv'; did you mean serve?"),
        ("nonsense", "there is no command 'nonsense'; the commands are serve, mcp, "),
        ("claude -p hello", "there is no command 'claude'; did you mean ctxmgr run -- claude -p hello?"),
        ("sessions lst", "there is no action 'lst'; did you mean list?"),
        (
            "replay f --preset balancd",
            "--preset: 'balancd' is not one of off, tools, turns, balanced; did you mean",
        ),
        ("savings --agent claud", "; did you mean claude?"),
        ("forget", "missing: SESSION; for example: ctxmgr forget "),
    ],
)
def test_a_misspelled_name_is_refused_with_the_one_that_may_be_meant(
    words: str, says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as caught:
        main(words.split())
    said = capsys.readouterr().err
    assert (caught.value.code, said.count("\n")) == (2, 1)
    assert says in said


@pytest.mark.parametrize(
    "words",
    [
        "run --window 200k -- claude",
        "ab --window 200k -- hello",
        "proxy --upstream http://x --window 200k",
        "replay f --window 200k --overhead 5k --host-keep 20k --knob 200k",
        "compare f --keep 20k --context-window 200k --overhead 5k",
        "corpus run f --out o --window 200k",
    ],
)
def test_every_option_that_takes_tokens_reads_them_as_people_write_them(words: str) -> None:
    parsed = vars(parser(words.split()[0]).parse_args(words.split()))
    counts = {"window": 200_000, "overhead": 5_000, "host_keep": 20_000, "keep": 20_000, "context_window": 200_000}
    given = {word.lstrip("-").replace("-", "_") for word in words.split() if word.startswith("--")} & set(counts)
    assert given
    assert {name: parsed[name] for name in given} == {name: counts[name] for name in given}


@pytest.mark.parametrize("package", ["anyio", "mcp", "pydantic"])
def test_without_a_package_of_its_extra_mcp_says_what_to_install(
    package: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    for module in [name for name in sys.modules if name.startswith(f"{package}.")]:
        monkeypatch.delitem(sys.modules, module)
    monkeypatch.setitem(sys.modules, package, None)
    monkeypatch.delitem(sys.modules, "ctxmgr.mcp_server.server", raising=False)
    monkeypatch.delattr("ctxmgr.mcp_server.server", raising=False)
    assert main(["mcp"]) == 2
    assert f"this command {needs('proxy')}" in capfd.readouterr().err
