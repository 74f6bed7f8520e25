"""What README.md and the guides say: the host runs as it stands, the marks of a summary are heard, the figures are
those that the tests hold."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import get_args

import pytest

from ctxmgr.cli.commands import COMMANDS
from ctxmgr.formats import FORMATS
from ctxmgr.model.compaction import Format, Strategy
from ctxmgr.model.policy import Preset

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
GUIDES = ROOT / "docs" / "guide"
FIRST_HOST, COMPACTIONS = (
    (GUIDES / f"{name}.md").read_text(encoding="utf-8") for name in ("first-host", "compactions")
)
GUIDE = (ROOT / "protocol" / "README.md").read_text(encoding="utf-8")
FIGURES = json.loads((ROOT / "tests" / "outcome" / "figures.json").read_text(encoding="utf-8"))
MARGIN = 0.02  # of a figure that README shows
MOST_LINES = 15  # of code
BOUND = 60  # seconds; only a failing one takes so long
_HOST = re.compile(r"^```python\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_MARKS = re.compile(r"^\| `(\w+)` \| (`\{.*)$", re.MULTILINE)
_SAID = re.compile(r"^call (\d+): (\d+) messages, (\d+) sent, asked for: (.*)$", re.MULTILINE)
DEAF = [sys.executable, "-c", "pass"]


def host() -> str:
    (text,) = _HOST.findall(README)
    return str(text)


def ran(tmp_path: Path, text: str) -> "subprocess.CompletedProcess[str]":
    """With a folder of its own to save sessions in."""
    file = tmp_path / "host.py"
    file.write_text(text, encoding="utf-8")
    env = {**os.environ, "PYTHONPATH": str(ROOT), "HOME": str(tmp_path), "XDG_STATE_HOME": str(tmp_path / "state")}
    run = [sys.executable, "-W", "error", str(file)]
    return subprocess.run(run, env=env, capture_output=True, encoding="utf-8", timeout=BOUND, check=False)


def test_the_host_is_short() -> None:
    assert len([line for line in host().splitlines() if line]) <= MOST_LINES


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
    assert README.count(f"`{form}` (") == 1


def test_the_words_of_format_and_strategy_are_listed() -> None:
    assert f"`format`: {', '.join(f'`{word}`' for word in get_args(Format))}." in COMPACTIONS
    table = COMPACTIONS.partition("| `strategy` |")[2].partition("\n\n")[0]
    assert tuple(re.findall(r"^\| `([\w-]+)` \|", table, re.MULTILINE)) == get_args(Strategy)


@pytest.mark.parametrize("preset", get_args(Preset))
def test_a_preset_has_its_row(preset: str) -> None:
    assert f"\n| `{preset}`" in README


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_is_listed(command: str) -> None:
    assert f"\n    ctxmgr {command} " in README


def test_it_is_read_in_minutes() -> None:
    assert len(README.splitlines()) <= 200
    assert len(GUIDE.splitlines()) <= 400


_PROOF = re.compile(r"^\| (\w+), (\d+)k \| (.*) \|$", re.MULTILINE)
SHOWN = ("billed", "closed", "recall", "probe goal", "probe constraint", "probe tasks")


def test_its_figures_are_those_that_the_tests_hold() -> None:
    rows = _PROOF.findall(README)
    assert len(rows) == 6
    for session, thousands, cells in rows:
        held = FIGURES[f"{session} {thousands}000 balanced modelled"]
        assert [float(cell) for cell in cells.split(" | ")] == pytest.approx(
            [held[one] for one in SHOWN], abs=MARGIN
        )


def test_every_link_leads_somewhere() -> None:
    for text, folder in ((README, ROOT), (GUIDE, ROOT / "protocol")):
        found = re.findall(r"\]\((?!https?:)([^)#]*)(?:#[^)]*)?\)", text)
        assert found
        assert [link for link in found if link and not (folder / link).exists()] == []
