"""What README.md and the first guides say: the pasted code runs, the marks of a summary are recognized, and the
figures agree.
"""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import get_args

import pytest

from ctxmgr.formats import FORMATS
from ctxmgr.model.api.since import PROTOCOL_VERSION
from ctxmgr.model.compaction import Format, Strategy
from ctxmgr.programs import PROGRAMS, Program
from ctxmgr.proxy.account import Account, BilledCall

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
GUIDES = ROOT / "docs" / "guide"
FIRST_HOST, COMPACTIONS, SAVINGS = (
    (GUIDES / f"{name}.md").read_text(encoding="utf-8") for name in ("first-host", "compactions", "savings")
)
GUIDE = (ROOT / "protocol" / "README.md").read_text(encoding="utf-8")
MOST_README_LINES = 110
BOUND = 60  # seconds; only a failing one takes so long
_HOST = re.compile(r"^```python\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_PASTE = re.compile(r"^```sh\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_MARKS = re.compile(r"^\| `(\w+)` \| (`\{.*)$", re.MULTILINE)
_SAID = re.compile(r"^call (\d+): (\d+) messages, (\d+) sent, asked for: (.*)$", re.MULTILINE)
DEAF = [sys.executable, "-c", "pass"]


def host() -> str:
    (text,) = _HOST.findall(FIRST_HOST)
    return str(text)


def ran(tmp_path: Path, text: str) -> "subprocess.CompletedProcess[str]":
    """With a folder of its own to save sessions in."""
    file = tmp_path / "host.py"
    file.write_text(text, encoding="utf-8")
    env = {**os.environ, "PYTHONPATH": str(ROOT), "HOME": str(tmp_path), "XDG_STATE_HOME": str(tmp_path / "state")}
    run = [sys.executable, "-W", "error", str(file)]
    return subprocess.run(run, env=env, capture_output=True, encoding="utf-8", timeout=BOUND, check=False)


def test_the_host_gets_its_pruned_list(tmp_path: Path) -> None:
    done = ran(tmp_path, host())
    assert (done.returncode, done.stderr) == (0, "")
    calls = [(int(held), int(sent), asked) for _, held, sent, asked in _SAID.findall(done.stdout)]
    assert len(calls) == 16
    assert all(asked == "[]" for _, _, asked in calls)
    assert calls[0][:2] == (3, 1)
    assert calls[-1][1] < calls[-1][0] - 5  # whole turns were left out
    assert len(list(tmp_path.rglob("s1-*.jsonl"))) == 1


def test_the_host_goes_on_without_it(tmp_path: Path) -> None:
    """The same with a sidecar that ends at once."""
    deaf = host().replace('format="openai")', f'format="openai", sidecar=SpawnedSidecar({DEAF!r}))')
    assert deaf != host()
    done = ran(tmp_path, f"from ctxmgr.client import SpawnedSidecar\n{deaf}")
    assert done.returncode == 0
    calls = _SAID.findall(done.stdout)
    assert [(int(held), int(sent), asked) for _, held, sent, asked in calls][-1] == (32, 31, "None")


def marks() -> list[tuple[str, str]]:
    return [(form, text) for form, cell in _MARKS.findall(FIRST_HOST) for text in re.findall(r"`(\{.*?\})`", cell)]


@pytest.mark.parametrize(("form", "text"), marks())
def test_a_mark_of_a_summary_is_heard(form: str, text: str) -> None:
    message = json.loads(text)
    view = FORMATS[form].view(json.dumps(message).encode())
    assert view.summary == ("branch" if message["role"] == "branchSummary" else "compaction")


@pytest.mark.parametrize("form", FORMATS)
def test_a_format_has_a_mark_or_says_that_it_has_none(form: str) -> None:
    assert (f"| `{form}` | none" in FIRST_HOST) != (form in {marked for marked, _ in marks()})


def test_the_words_of_format_and_strategy_are_listed() -> None:
    assert f"`format`: {', '.join(f'`{word}`' for word in get_args(Format))}." in COMPACTIONS
    table = COMPACTIONS.partition("| `strategy` |")[2].partition("\n\n")[0]
    assert tuple(re.findall(r"^\| `([\w-]+)` \|", table, re.MULTILINE)) == get_args(Strategy)


def test_the_first_page_lists_each_format() -> None:
    (paragraph,) = re.findall(r"^`initialize.messageFormat` names.*?\n\n", FIRST_HOST, re.DOTALL | re.MULTILINE)
    assert [form for form in (*FORMATS, "auto") if f"`{form}`" not in paragraph] == []


def test_the_paste_speaks_the_newest_protocol_and_is_answered(tmp_path: Path) -> None:
    (text,) = _PASTE.findall(FIRST_HOST)
    command, _, rest = text.partition("\n")
    assert command == ".venv/bin/ctxmgr serve --state-dir /tmp/ctxmgr-try <<'END'"
    run = [sys.executable, "-P", "-m", "ctxmgr", "serve", "--state-dir", str(tmp_path)]
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        run, input=rest.removesuffix("END\n"), env=env, capture_output=True, text=True, timeout=BOUND
    )
    said = [json.loads(line) for line in done.stdout.splitlines()]
    answers = {message["id"]: message for message in said if "id" in message}
    assert [number for number in range(1, 6) if "result" not in answers[number]] == []
    assert answers[1]["result"]["protocolVersion"] == PROTOCOL_VERSION
    assert f'"protocolVersion":"{PROTOCOL_VERSION}"' in rest
    assert "Never touch the database schema" in json.dumps(answers[5]["result"])


RUN = [
    program for program in PROGRAMS if program.command != "cline"
]  # which `ctxmgr run` cannot point at its proxy


@pytest.mark.parametrize("program", RUN, ids=lambda program: program.command)
def test_each_agent_that_is_known_is_named(program: Program) -> None:
    (line,) = re.findall(r"^    ctxmgr run -- claude .*$", README, re.MULTILINE)
    assert program.command in re.findall(r"[\w-]+", line)


def test_the_lines_at_the_end_of_a_run_are_those_that_it_prints() -> None:
    account = Account()
    for _ in range(2):
        account.count(BilledCall(1, 2, 3, dollars=1.0), BilledCall(2, 3, 4, dollars=2.0), rewritten=True)
    printed = [f"    ctxmgr: {line}" for line in account.lines(observed=False)]
    shown = re.findall(r"^    ctxmgr: .*$", README, re.MULTILINE)
    assert [_without_numbers(line) for line in shown] == [_without_numbers(line) for line in printed]


def _without_numbers(line: str) -> str:
    return re.sub(r"[\d.,]*\d", "#", line)


def test_what_to_expect_is_what_the_guide_of_savings_shows() -> None:
    lines = re.findall(r"^\| (?:under |over )?\d.* \|$", SAVINGS.partition("## What is read")[0], re.MULTILINE)
    assert len(lines) == 4
    for line in lines:
        length, _, cheap, ours, _, dear, also, _ = (cell.strip() for cell in line.strip("|").split("|"))
        assert f"\n| {length} | {_told(cheap, ours)} | {_told(dear, also)} |\n" in README


def _told(cost: str, ours: str) -> str:
    """A cell of the guide, such as "$2.20 (-1 %)", in README's words."""
    dollars, _, share = ours.partition(" (")
    return f"{cost} becomes {dollars}: {share.strip('-)')} less" if share else f"{cost}, nothing saved"


def test_what_balanced_costs_and_keeps_is_what_its_page_shows() -> None:
    page = (ROOT / "docs" / "explanation" / "what-stays.md").read_text(encoding="utf-8")
    billed, kept = re.findall(r"^\| `balanced` \| (\.\d+) \| (\.\d+) \|", page, re.MULTILINE)[0]
    said = f"lowers the cost of input to {float(billed):.2f}, and {float(kept):.2f} of what replies repeat is still"
    assert said in " ".join(README.split())


def test_it_is_read_in_minutes() -> None:
    assert len(README.splitlines()) <= MOST_README_LINES
    assert len(GUIDE.splitlines()) <= 400


def test_every_link_leads_somewhere() -> None:
    for text, folder in ((README, ROOT), (GUIDE, ROOT / "protocol")):
        found = re.findall(r"\]\((?!https?:)([^)#]*)(?:#[^)]*)?\)", text)
        assert found
        assert [link for link in found if link and not (folder / link).exists()] == []
