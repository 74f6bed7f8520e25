"""Scripts against ctxmgr: in process for what a line does, the example scripts and the command with real ones."""

import os
import re
import sys
from pathlib import Path

import pytest

from ctxmgr.cli import main
from ctxmgr.server.effects import Found
from ctxmgr.study.hostscript import scripts
from ctxmgr.study.hostscript.scripted_calls import Failed
from ctxmgr.study.hostscript.scripted_host import Ran, ScriptedHost
from ctxmgr.study.hostscript.scripts import parse
from ctxmgr.study.spawning.client import Framing, TimedOut
from ctxmgr.study.spawning.inprocess import Driver
from ctxmgr.wire.framing import frame

EXAMPLES = Path(__file__).parents[4] / "protocol" / "examples"
START = """
> initialize capabilities={requestCompaction: "whenIdle"} policy={tokenizer: "estimate"}
> session_start window=40000
"""


class InProcess:
    """A command whose process is this one. A wait for what is not there ends at once. `saved` outlives it."""

    def __init__(self, saved: dict[str, list[bytes]], framing: Framing, tail: bytes = b"") -> None:
        self.driver = Driver(framing=framing, found={name: Found(tuple(lines)) for name, lines in saved.items()})
        self.saved, self.framing, self.tail = saved, framing, tail
        self.out: list[bytes] = []
        self.ended = False

    def write(self, chunk: bytes) -> None:
        self._say(self.driver.feed(chunk))

    def end_input(self) -> None:
        self._say(self.driver.eof())
        self.ended = True

    def read(self, seconds: float) -> bytes:
        if self.out:
            return self.out.pop(0)
        if self.ended or self.driver.ended is not None:
            tail, self.tail = self.tail, b""
            return tail
        raise TimedOut("nothing")

    def wait(self, seconds: float) -> int:
        return self.driver.ended or 0

    def kill(self) -> None:
        self.saved |= self.driver.saved

    def stderr(self) -> str:
        return ""

    def _say(self, bodies: list[bytes]) -> None:
        self.out += [b"".join(frame(self.framing, [body])) for body in bodies]


def run(text: str, framing: Framing = "content-length", tail: bytes = b"") -> Ran:
    saved: dict[str, list[bytes]] = {}

    def start(number: int) -> InProcess:
        return InProcess(saved, framing, tail)

    host = ScriptedHost(start, framing, 1.0, "/nowhere", lambda sender, body: None)  # type: ignore[arg-type]
    return host.run(parse(text))


def test_the_example_of_the_page_holds() -> None:
    page = scripts.__doc__ or ""
    example = "\n".join(re.findall(r"(?m)^    .*$", page.split("\n\n")[1]))
    ran = run(example)
    assert (ran.steps, ran.answered, ran.held) == (10, 3, 2)


@pytest.mark.parametrize("framing", ["content-length", "ndjson"])
@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.script")), ids=lambda path: path.stem)
def test_the_examples_hold(path: Path, framing: Framing) -> None:
    assert run(path.read_text(), framing).held > 2


@pytest.mark.parametrize(
    "text",
    [
        "< {restored: false, ...}\n< {seq: 0, ...}",  # two lines about one answer
        "check $.status.zone \"green\"\nlet zone = $.status.zone\n> getStatus\n< {zone: $zone, ...}",
        "> @a getStatus\n> @b getStatus sessionId=none\n< @b error -32001\n< @a {zone: ..., ...}",
        "> setPolicy policy={x: 1}\n< error\ncheck $.data.path \"$.policy.x\"",
        'raw {"jsonrpc":"2.0","id":9,"method":"getStatus","params":{"sessionId":"s"}}\n< {zone: ..., ...}',
        'raw {"jsonrpc":"2.0","method":"getStatus"}\n> getStatus',  # it may have no answer
        "> @lost getStatus\nkill\nrestart",
        ">> turn_end tokens=1 message={role: \"assistant\", content: []}\n> getStatus\n< {seq: 1, ...}",
        'user "a"\nassistant "b"\nmessages $list[1:]\ncheck $list [{role: "assistant", timestamp: 2000, ...}]',
        'user "a"\nmessage {role: "odd"}\ncheck $entries [..., {id: "e2", parentId: "e1", ...}]',
        'summary "s"\nassistant "" call a\nresult error "no"\ncheck $list[2] {isError: true, ...}',
        "repeat 3 as i\n  repeat $i\n    user \"${i}\"\n  end\nend\ncheck $list[5].content \"3\"",
        "repeat 2\n  > context append=new\n  user \"x\"\nend\ncheck $.report.turnsKept 1",
        "kill\nrestart" + START + "< {restored: true, ...}",
        "restart" + START,
        "> shutdown\n>> exit\nends 0",
        "close\nends",
        "> rpc.discover\n< {openrpc: ..., ...}",
        "check $stateDir \"/nowhere\"",
    ],
)  # fmt: skip
def test_what_holds(text: str) -> None:
    assert run(START + text).answered >= 2


@pytest.mark.parametrize(
    ("text", "line", "words", "path"),
    [
        ("> getStatus\n< {zone: \"red\", ...}", 5, "not what was expected", "$.zone"),
        ("> getStatus\n< error", 5, "other kind", ""),
        ("> setPolicy policy={x: 1}\n< {...}", 5, "other kind", ""),
        ("> setPolicy policy={x: 1}\n< error -32001", 5, "another code", "$.code"),
        ("> setPolicy policy={x: 1}\n> getStatus", 4, "`setPolicy` was answered with an error", ""),
        ("> setPolicy policy={x: 1}", 4, "`setPolicy` was answered with an error", ""),
        ("? requestCompaction", 4, "did not come within 1 s", ""),
        ("?? $/progress", 4, "did not come", ""),
        ("assistant \"a\"\n>> turn_end tokens=39000", 5, "no line takes it", ""),
        ("assistant \"a\"\n>> turn_end tokens=39000\n? requestCompaction {tokens: 1}", 6, "not what", "$.tokens"),
        ("= {accepted: true}", 4, "`? METHOD` comes first", ""),
        ("< @x {}", 4, "no request @x is open", ""),
        ("cancel @x", 4, "no open request", ""),
        ("check $nobody 1", 4, "nothing has been named `$nobody`", ""),
        ("check $.no.such 1", 4, "there is no `$.no.such`", ""),
        ("> turn_end", 4, "no reply", ""),
        ("result \"x\"", 4, "no call without a result", ""),
        ("message 1", 4, "this is no message", ""),
        ("kill\n> getStatus", 5, "`restart` comes first", ""),
        ("> shutdown\n>> exit\nends 3", 6, "another code", ""),
        ("raw nonsense", 4, "an answer came to nothing", ""),
        ("repeat \"x\"\nend", 4, "how often is a whole number", ""),
    ],
)  # fmt: skip
def test_what_fails(text: str, line: int, words: str, path: str) -> None:
    with pytest.raises(Failed, match=re.escape(words)) as caught:
        run(START + text)
    assert (caught.value.step.line, caught.value.path) == (line, path)


def test_what_stands_on_the_output_and_is_no_message_is_a_failure() -> None:
    with pytest.raises(Failed, match="is no message"):
        run("> initialize", tail=b"Traceback: owl\r\n\r\n")
    with pytest.raises(Failed, match="is no message"):
        run("> initialize", framing="ndjson", tail=b"[1]\n")


def test_a_cancelled_request_is_awaited() -> None:
    held = """
> initialize capabilities={complete: true} policy={tokenizer: "estimate", compaction: {keepRecentTokens: 50}}
> session_start window=40000
repeat 4
  user "Mend it."
  assistant "Mended. " * 20
end
> compact sessionId="s" entries=$entries
? complete
cancel
< error -32800
?? $/cancelRequest
"""
    with pytest.raises(Failed, match="no line takes it"):  # the other `complete`, of the turn that is split
        run(held)
    assert run(held.replace("?? $/", "answer complete {}\n?? $/")).answered == 3


def test_the_command_drives_a_real_process(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    record = tmp_path / "talk.jsonl"
    crash = str(EXAMPLES / "a-crash.script")
    assert main(["drive", crash, "--framing", "ndjson", "--show", "--record", str(record)]) == 0
    out = capsys.readouterr().out
    assert "3 expectations held" in out
    assert '-> {"jsonrpc":"2.0","id":1,"method":"initialize"' in out
    second = tmp_path / "talk-2.jsonl"
    assert (record.stat().st_mode & 0o777, second.stat().st_mode & 0o777) == (0o600, 0o600)
    assert main(["replay", str(record), str(second)]) == 0


def test_a_failure_is_reported_in_full(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    script = tmp_path / "wrong.script"
    script.write_text('> initialize\n< {\n  policy: {preset: "tools", ...},\n  ...\n}\n')
    assert main(["drive", str(script)]) == 1
    out = capsys.readouterr().out
    assert f"{script}, line 2: the answer is not what was expected" in out
    assert re.search(r"at +\$\.policy\.preset\n +expected +\"tools\"\n +came +\"balanced\"", out)
    assert re.search(r"the last messages\n +-> .*\"initialize\".*\n +<- ", out)


def test_any_command_is_driven_and_recorded(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A program of ten lines that answers everything with its params."""
    peer = tmp_path / "peer.py"
    peer.write_text(
        "import json, sys\n"
        "for line in sys.stdin:\n"
        "    one = json.loads(line)\n"
        "    if 'id' in one:\n"
        "        answer = {'jsonrpc': '2.0', 'id': one['id'], 'result': one['params']}\n"
        "        print(json.dumps(answer), flush=True)\n"
    )
    script, record = tmp_path / "a.script", tmp_path / "talk.jsonl"
    script.write_text("> echo a=1\n< {a: 1}\n>> exit\nclose\nends 0\n")
    command = ["--framing", "ndjson", "--record", str(record), "--command", sys.executable, str(peer)]
    assert main(["drive", str(script), *command]) == 0
    assert record.read_text().count("\n") == 4
    assert record.stat().st_mode & 0o777 == 0o600
    script.write_text("> echo\n>> exit\n")
    assert main(["drive", str(script), "--timeout", "0.2", "--command", sys.executable, str(peer)]) == 1
    assert "the answer to `echo` (line 1)" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("text", "more", "words"),
    [
        ("owl", [], "line 1: no step begins with: owl"),
        ("> a", ["--command", "/no/such/program"], "can not be started"),
        (None, [], "can not be read"),
    ],
)
def test_wrong_usage_is_2(
    text: str | None, more: list[str], words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    script = tmp_path / "a.script"
    if text is not None:
        script.write_text(text)
    assert main(["drive", str(script), *more]) == 2
    assert words in capsys.readouterr().err


def test_help_shows_the_language(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["drive", "--help"])
    assert caught.value.code == 0
    assert "What a line leaves out is filled in" in capsys.readouterr().out


@pytest.mark.skipif(not hasattr(os, "killpg"), reason="process groups are POSIX")
def test_what_a_wrapper_started_is_killed_with_it(tmp_path: Path) -> None:
    """A shell between: `kill` must reach ctxmgr itself, or the next one finds the session locked."""
    script = tmp_path / "a.script"
    script.write_text(f"{START}\nkill\nrestart\n{START}\n< {{restored: true, ...}}\n")
    shell = ["--command", "sh", "-c", f"{sys.executable} -m ctxmgr serve; exit 7"]
    assert main(["drive", str(script), *shell]) == 0
