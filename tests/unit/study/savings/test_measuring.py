"""What a session cost, and what each policy would have made of it: the figures of `ctxmgr replay`."""

import json
from pathlib import Path
from typing import Any

import pytest

from ctxmgr.cli import main
from ctxmgr.known_models import shipped
from ctxmgr.study.savings.agents import KeptSession
from ctxmgr.study.savings.measuring import MOST_OVERHEAD_TOKENS, MeasuredSession, Policies, measured
from tests.unit.study.replay.commands import begun
from tests.unit.study.savings import made

POLICIES: Policies = {point: ("balanced", {"keep": point}) for point in ("careful", "balanced", "lean")}
WITHIN = 0.02  # of what `replay` says


def of(tmp_path: Path, content: bytes, models: str | None = None) -> MeasuredSession:
    return measured(KeptSession("", str(made.put(tmp_path / "s", content))), POLICIES, models)


def replayed(capsys: pytest.CaptureFixture[str], file: str, found: MeasuredSession) -> dict[str, Any]:
    """What `replay` says of the session, by policy."""
    knobs = [part for point in POLICIES for part in ("--knob", point)]
    prices = shipped().find(found.model).prices
    given = ["--overhead", str(found.overhead_tokens), "--window", str(found.window_tokens)]
    if prices is not None:
        shares = (prices.input, prices.cache_read / prices.input, prices.cache_write / prices.input, prices.output)
        given += ["--prices", ",".join(f"{share:g}" for share in shares)]
    assert main(["replay", file, "--preset", "off", *knobs, *given, "--json"]) == 0
    return {row["preset"]: row["measures"] for row in json.loads(capsys.readouterr().out)}


def test_the_figures_are_those_of_replay(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = begun(tmp_path, 150)
    found = measured(KeptSession("", str(file)), POLICIES, None)
    says = replayed(capsys, str(file), found)
    for point, figures in found.policies.items():
        row = says[f"balanced {point}"]
        assert figures.share == pytest.approx(row["closedLoop"]["closedOfOff"], abs=WITHIN)
        kept = figures.kept_bytes / figures.repeated_bytes
        assert kept == pytest.approx(row["kept"]["share"], abs=WITHIN)
    alone, off = found.alone, says["off"]
    assert alone is not None
    assert alone.share == 1
    assert alone.kept_bytes / alone.repeated_bytes == pytest.approx(off["kept"]["share"], abs=WITHIN)
    assert found.floor_share is not None
    assert 0 < found.floor_share < 1
    assert found.calls == says["off"]["closedLoop"]["calls"]
    assert min(figures.share for figures in found.policies.values()) < 0.98  # there is something to agree on


def test_it_cost_what_its_provider_counted_at_list_prices(tmp_path: Path) -> None:
    found = of(tmp_path, made.claude(3))
    written = made.sent(2)
    read = made.sent(0) + made.sent(1)
    assert found.dollars == pytest.approx((written * 3.75 + read * 0.3) / 1e6)
    assert (found.is_counted, found.is_known, found.calls, found.host) == (True, True, 3, "Claude Code")


def test_each_call_is_billed_by_the_prices_of_its_own_model(tmp_path: Path) -> None:
    whole = made.claude(3)
    at = whole.rindex(made.CLAUDE_MODEL.encode())
    mixed = whole[:at] + b"claude-opus-4-5" + whole[at + len(made.CLAUDE_MODEL) :]
    found = of(tmp_path, mixed)
    last = made.TOKENS_A_STEP * 6.25 + made.sent(1) * 0.5
    assert found.dollars == pytest.approx((made.sent(1) * 3.75 + made.sent(0) * 0.3 + last) / 1e6)


def test_without_a_count_it_cost_what_replay_bills(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = of(tmp_path, made.claude(5, has_usage=False))
    billed = replayed(capsys, str(tmp_path / "s"), found)["off"]["closedLoop"]["billed"]
    assert found.dollars == pytest.approx(billed, abs=0.0001)
    assert not found.is_counted
    assert found.overhead_tokens == 5_000


def test_the_overhead_is_what_the_first_call_had_beside_its_list(tmp_path: Path) -> None:
    assert made.OVERHEAD - 50 < of(tmp_path, made.claude(2)).overhead_tokens < made.OVERHEAD
    resumed = made.claude(2).replace(
        b'"cache_creation_input_tokens": 9000', b'"cache_creation_input_tokens": 900000'
    )
    assert of(tmp_path, resumed).overhead_tokens == MOST_OVERHEAD_TOKENS


def test_the_window_is_the_models_where_a_call_was_longer_than_what_is_assumed(tmp_path: Path) -> None:
    model, usual = "claude-opus-4-6", made.claude(2, "claude-opus-4-6")
    longer = usual.replace(b'"cache_creation_input_tokens": 9000', b'"cache_creation_input_tokens": 300000')
    assert shipped().find(model).window == 1_000_000
    assert [of(tmp_path, content).window_tokens for content in (usual, longer)] == [200_000, 1_000_000]
    assert of(tmp_path, made.codex(2)).window_tokens == 258_400  # which the recording says


def test_a_model_that_nobody_knows_has_no_cost_and_keeps_its_shares(tmp_path: Path) -> None:
    found = of(tmp_path, made.claude(3, "acme-1"))
    assert (found.dollars, found.fault) == (None, "")
    assert set(found.policies) == set(POLICIES)


def test_a_model_like_no_row_is_billed_as_the_nearest_and_that_is_told(tmp_path: Path) -> None:
    found = of(tmp_path, made.claude(3, "claude-opus-9"))
    assert found.dollars
    assert not found.is_known
    assert found.priced_as.startswith("claude-opus")


def test_a_file_of_models_goes_before_what_is_known(tmp_path: Path) -> None:
    models = made.put(tmp_path / "models.json", b'{"models":[{"id":"acme-1","prices":{"input":10,"output":1}}]}')
    found = of(tmp_path, made.claude(1, "acme-1"), str(models))
    assert found.dollars == pytest.approx(made.sent(0) * 10 / 1e6)


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        (b"", "is empty"),
        (b"\x00\xff secret", "not UTF-8"),
        (b"secret", "not JSON"),
        (b'{"secret": 1}\n', "is neither"),
        (made.pi(0), "it contains no model call"),
        (made.lines({"event": "context", "payload": {}, "ctx": {}}), "a stream of events"),
    ],
)
def test_what_can_not_be_measured_says_why_and_quotes_nothing(tmp_path: Path, content: bytes, fault: str) -> None:
    found = of(tmp_path, content)
    assert fault in found.fault
    assert "secret" not in found.fault


def test_what_holds_no_call_of_a_model_is_told_from_what_can_not_be_read(tmp_path: Path) -> None:
    assert [of(tmp_path, content).is_empty for content in (made.claude(0), made.pi(0), b"broken")] == [
        True,
        True,
        False,
    ]


def test_a_file_that_has_gone_is_a_fault(tmp_path: Path) -> None:
    assert measured(KeptSession("", str(tmp_path / "gone")), POLICIES, None).fault.startswith("FileNotFoundError")
