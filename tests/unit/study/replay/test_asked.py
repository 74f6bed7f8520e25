"""The host that a replay stands in for, and the front: presets, what stands beside them, and one along its knob."""

import json
import re
from pathlib import Path

import pytest

from ctxmgr.cli import main, study
from ctxmgr.model import PriceTier, TieredPrices, policy_keys
from ctxmgr.study.driving import PEERS
from ctxmgr.study.driving.outcomes import HostLimits
from ctxmgr.study.probes import Stub
from ctxmgr.study.replay.command import ALL, HOSTS, MODELLED, NEVER_MS, VALUES, Front, HostModel, label
from tests.unit.study.replay.commands import begun

OWN_SUMMARIES = {"by": "ctxmgr", "model": "none"}


def test_the_command_offers_these_hosts_and_models_unless_told() -> None:
    assert study.HOSTS == HOSTS
    assert HOSTS[0] == MODELLED


def test_what_each_host_counts_and_tells_ctxmgr() -> None:
    warm = {"cacheTtlMs": NEVER_MS}
    for host, limits, policy in (
        (HostModel(overhead_tokens=7_000), HostLimits(7_000, 20_000), warm),
        (HostModel(keep_tokens=30_000), HostLimits(5_000, 30_000), warm),
        (HostModel(own_summaries=True), HostLimits(5_000, 20_000), {**warm, "compaction": OWN_SUMMARIES}),
        (HostModel(modelled=False, stays_warm=False), HostLimits(None, None), {}),
    ):
        assert (host.limits(64_000), host.policy()) == (limits, policy)
        assert isinstance(host.write(), Stub) == host.modelled
    assert HostModel().write() is not HostModel().write()  # each drive has its own


KEEPS = [(200_000, 20_000), (64_000, 20_000), (32_000, 8_000), (40_000, 11_808), (8_000, 2_000)]


def test_a_compaction_keeps_at_most_half_of_what_is_below_the_reserve() -> None:
    for window, tokens in KEEPS:
        assert HostModel().limits(window).keep_tokens == tokens, window


def test_a_replay_decides_by_the_tiers_too() -> None:
    prices = TieredPrices(3.0, 15.0, 0.3, 3.75, (PriceTier(40_000, 6.0, 20.0, 0.6, 7.5),))
    policy = HostModel(stays_warm=False).policy(prices)
    assert policy["prices"]["tiers"] == [
        {"aboveTokens": 40_000, "input": 6.0, "output": 20.0, "cacheRead": 0.6, "cacheWrite": 7.5}
    ]
    assert policy_keys.policy(policy).prices is not None


# the front


def test_each_value_of_the_knob_is_driven_once() -> None:
    whole = Front(ALL, True, (), {})
    assert whole.driven == ["lean", "careful"]  # balanced itself has the middle
    assert whole.knobs == {"balanced": 1700, "balanced lean": 330, "balanced careful": 3400}
    assert Front([None], True, (), {}).driven == list(VALUES)
    assert Front(["balanced"], False, (600, 600, 3400, "lean", 330), {"keep": "careful"}).knobs == {
        "balanced": 3400,
        "balanced lean": 330,
        "balanced 600": 600,
    }
    assert Front(["balanced"], False, (), {}).knobs == {}
    assert whole.figures("balanced lean") == {"knob": 330}
    assert whole.figures("off") == {}


# the page rounds to three decimals, the command to five, each by itself
ROUNDED = 0.0005 + 0.000005 + 1e-9


def test_the_picture_has_each_policy_at_the_figures_that_the_command_prints(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "page.html"
    arguments = ["--front", "--window", "24000", "--report", str(page), "--json"]
    assert main(["replay", str(begun(tmp_path, 80)), *arguments]) == 0
    rows = json.loads(capsys.readouterr().out)
    beside = rows[0]["beside"]
    assert [row["preset"] for row in rows] == [*ALL, *(label(value) for value in VALUES if value != "balanced")]
    assert [row["preset"] for row in beside] == [*PEERS]
    assert {row["preset"]: row.get("knob") for row in rows}["balanced"] == 1700
    text = page.read_text(encoding="utf-8")
    for row in (*rows, *beside):
        loop = row["measures"]["closedLoop"]
        says = rf"{re.escape(row['preset'])}: kept (-?\d\.\d{{3}}), billed (\d\.\d{{3}}) of the host alone"
        kept, billed = zip(*re.findall(rf"<title>{says}</title>", text), strict=True)
        assert len(kept) == 1  # of the one recording there is
        assert all(abs(float(shown) - row["measures"]["kept"]["share"]) <= ROUNDED for shown in kept)
        assert all(abs(float(shown) - loop["billedOfOff"]) <= ROUNDED for shown in billed)


def test_terminal_and_page_show_the_same_figures_under_the_same_names(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of two recordings: the table of each, and the one of both."""
    page = tmp_path / "page.html"
    files = [str(begun(tmp_path, messages)) for messages in (50, 70)]
    assert main(["replay", *files, "--preset", "balanced", "--window", "24000", "--report", str(page)]) == 0
    printed = [_cells(table, r"[│┃]") for table in re.findall(r"┏.*?└", capsys.readouterr().out, re.DOTALL)]
    tables = re.findall(r"<table>(.*?)</table>", page.read_text(encoding="utf-8"), re.DOTALL)
    first, second, both = printed
    assert both == _html_cells(tables[0])
    assert [first, second] == [_html_cells(table) for table in tables[1::2]]  # behind each stand more figures


def _cells(table: str, edge: str) -> list[list[str]]:
    """Rows of a terminal's table; a head that is folded has spaces."""
    lines = [re.split(edge, line)[1:-1] for line in table.splitlines() if re.match(edge, line)]
    heads = next(number for number, line in enumerate(lines) if line[1].strip()[:1].isdigit())
    head = ["".join(parts) for parts in zip(*lines[:heads], strict=True)]
    return [[re.sub(r"\s", "", cell) for cell in row] for row in (head, *lines[heads:])]


def _html_cells(table: str) -> list[list[str]]:
    rows = re.findall(r"<tr>(.*?)</tr>", table, re.DOTALL)
    found = [re.findall(r"<t[hd][^>]*>(?:<span[^>]*></span>)?(.*?)</t[hd]>", row) for row in rows]
    return [[re.sub(r"\s", "", cell) for cell in row] for row in found]
