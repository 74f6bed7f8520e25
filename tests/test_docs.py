"""What the pages below docs/ say that the program could contradict. `scripts/docs` holds their links."""

import json
import os
import re
import subprocess
import sys
import xml.etree.ElementTree as Xml
from pathlib import Path

import pytest

from ctxmgr.engine.retention.prefix_cost import Offer, PrefixChange, best_change, cost
from ctxmgr.model import Rates, policy
from ctxmgr.model.compaction import Strategy
from ctxmgr.wire.methods import TABLE

DOCS = Path(__file__).parents[1] / "docs"
PAGES = sorted(DOCS.rglob("*.md"))
ARCHITECTURE = DOCS.parent / "ARCHITECTURE.md"
DRAWN = sorted((DOCS / "diagrams").iterdir())
FIGURES = json.loads((DOCS.parent / "tests" / "outcome" / "figures.json").read_text(encoding="utf-8"))
MARGIN = 0.02  # of a figure that the page of proof shows
SHOWN = ("billed", "closed", "recall", "probe goal", "probe constraint", "probe tasks")
SVG = "{http://www.w3.org/2000/svg}"
_PROOF = re.compile(r"^\| (\w+), (\d+)k \| (.*) \|$", re.MULTILINE)
_METHOD = re.compile(r"methods/[a-z]+\.md#([\w-]+)")


def text(name: str) -> str:
    return (DOCS / f"{name}.md").read_text(encoding="utf-8")


def test_the_sum_of_the_example_is_right() -> None:
    """60,000 tokens from the first change on, all cached, of which 40,000 leave."""
    page = text("explanation/arithmetic")
    changing = cost(60_000, 60_000, 20_000, Rates())

    def due(calls: int) -> PrefixChange:
        found = best_change(lambda index: (60_000, 60_000), [Offer(0, 40_000, calls, {}, "")], Rates())
        assert found is not None
        return found

    assert f"so changing costs | **{changing:,.0f}** |" in page
    assert f"and saves, on each call, 40,000 × 0.1 | **{due(1).accrued:,.0f}** |" in page
    assert due(5).cost == changing
    assert due(4).gain < 0 < due(5).gain  # "after five calls. If four are left, it does not"


@pytest.mark.parametrize(
    ("number", "printed"), [(0, "1 green 23\n"), (1, "1 answered green\n")], ids=["session", "client"]
)
def test_the_examples_in_python_run(number: int, printed: str, tmp_path: Path) -> None:
    example = re.findall(r"^```python\n(.*?)^```$", text("guide/python"), re.DOTALL | re.MULTILINE)[number]
    run = [sys.executable, "-W", "error", "-c", example]
    env = {**os.environ, "PYTHONPATH": str(DOCS.parent)}
    done = subprocess.run(run, cwd=tmp_path, env=env, capture_output=True, text=True, check=False, timeout=60)
    out = done.stdout.removeprefix("starting\n")  # which it tells where the machine is too busy to start in time
    assert (done.returncode, done.stderr, out) == (0, "", printed)


@pytest.mark.parametrize("preset", policy.Preset.__args__)  # type: ignore[attr-defined]
def test_each_preset_is_in_the_guide(preset: str) -> None:
    assert f"| `{preset}`" in text("guide/presets")


@pytest.mark.parametrize("strategy", Strategy.__args__)  # type: ignore[attr-defined]
def test_each_strategy_is_told_of_in_the_guide(strategy: str) -> None:
    assert f"| `{strategy}` |" in text("guide/compactions")


def test_the_shares_of_the_zones_are_the_defaults() -> None:
    zones, page = policy.Zones(), text("explanation/pressure")
    drawing = (DOCS / "diagrams" / "zones.svg").read_text(encoding="utf-8")
    for name in ("yellow", "red", "compact"):
        assert f"| {name} | {getattr(zones, name):.2f} of usable |" in page
        assert f">{getattr(zones, name):.2f}<" in drawing


def test_methods_that_are_linked_are_there() -> None:
    guides = [page for page in PAGES if "reference" not in page.parts]
    linked = {name for page in guides for name in _METHOD.findall(page.read_text(encoding="utf-8"))}
    assert linked
    assert linked <= {re.sub(r"\W", "", row.name.lower()) for row in TABLE}


def test_each_method_is_on_a_page_that_the_index_links() -> None:
    index = text("reference/methods")
    for row in TABLE:
        page = re.search(rf"\[`{re.escape(row.name)}`\]\((methods/[a-z]+)\.md#", index)
        assert page is not None, row.name
        assert f"\n## `{row.name}`\n" in text(f"reference/{page[1]}")


@pytest.mark.parametrize("path", DRAWN, ids=[path.name for path in DRAWN])
def test_a_drawing_is_told_to_those_who_can_not_see_it_and_is_used(path: Path) -> None:
    root = Xml.parse(path).getroot()
    assert root.tag == f"{SVG}svg"
    assert all(len(root.findtext(f"{SVG}{part}") or "") > 10 for part in ("title", "desc"))
    assert any(f"diagrams/{path.name})" in page.read_text(encoding="utf-8") for page in (*PAGES, ARCHITECTURE))


def test_the_figures_of_the_proof_are_those_that_the_tests_hold() -> None:
    rows = _PROOF.findall(text("explanation/proof"))
    assert len(rows) == 6
    for session, thousands, cells in rows:
        held = FIGURES[f"{session} {thousands}000 balanced modelled"]
        assert [float(cell) for cell in cells.split(" | ")] == pytest.approx(
            [held[one] for one in SHOWN], abs=MARGIN
        )


PRINTED = (
    "rejected a list from ctxmgr and accepted the program's own",
    "is in use by another program",
    "there is no program '",
    "ctxmgr stopped pruning, its sidecar failed",
    "ctxmgr prunes again",
)


@pytest.mark.parametrize("printed", PRINTED)
def test_a_line_that_troubleshooting_quotes_is_printed(printed: str) -> None:
    folders = [DOCS.parent / "ctxmgr" / name for name in ("cli", "programs", "proxy")]
    sources = [path.read_text(encoding="utf-8") for folder in folders for path in folder.rglob("*.py")]
    assert printed in text("guide/troubleshooting")
    assert any(printed in source for source in sources)
