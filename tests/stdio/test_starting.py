"""How lean a start is: what is loaded and compiled when the first `context`, of one message, is answered.

Counted are all modules of the process and all patterns that it compiled, the interpreter's and the standard
library's too. A bare interpreter with `asyncio` and `msgspec`, which nothing here can do without, has 158 and 19 by
Python 3.11; the limits leave some room for other versions.
"""

import ast
from pathlib import Path

import pytest

from tests.stdio.sidecar import MODEL, Sidecar, u

PROGRAM = str(Path(__file__).with_name("counted_serve.py"))
OURS, MODULES, PATTERNS = 198, 390, 60


def started(directory: Path, preset: str, planted: str = "", form: str = "pi") -> tuple[list[str], list[str]]:
    """The modules, and the patterns with the module for which each is."""
    file = directory / "counted"
    with Sidecar(directory / "state", program=(PROGRAM, str(file), planted)) as sidecar:
        sidecar.call("initialize", protocolVersion="1.0", messageFormat=form)
        sidecar.call("session_start", sessionId="s", model=MODEL, policy={"preset": preset})
        assert sidecar.call("context", sessionId="s", messages=[u("hello")])["unchanged"]
        sidecar.call("getStatus", sessionId="s")
    modules, patterns = ast.literal_eval(file.read_text(encoding="utf-8"))
    return modules, [f"{module}: {pattern}" for pattern, module in patterns]


def over(modules: list[str], patterns: list[str]) -> list[str]:
    """What is more than a start may take."""
    ours = [name for name in modules if name.partition(".")[0] == "ctxmgr"]
    counts = (("ours", ours, OURS), ("modules", modules, MODULES), ("patterns", patterns, PATTERNS))
    return [f"{len(some)} {name}: {some}" for name, some, most in counts if len(some) > most]


@pytest.mark.parametrize("preset", ["balanced", "turns"])
def test_a_start_loads_and_compiles_little(tmp_path: Path, preset: str) -> None:
    assert over(*started(tmp_path, preset)) == []


@pytest.mark.parametrize(
    ("planted", "told"),
    [
        ("ctxmgr.summarize", ["ours", "modules"]),
        ("argparse,html.parser,http.cookies,email.headerregistry,xml.dom.minidom", ["modules", "patterns"]),
    ],
)
def test_a_planted_import_is_found(tmp_path: Path, planted: str, told: list[str]) -> None:
    assert [fault.split()[1].removesuffix(":") for fault in over(*started(tmp_path, "balanced", planted))] == told
