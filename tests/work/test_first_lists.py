"""A first list costs what it holds: one of four times as many messages takes about four times as many lines."""

import pytest

from tests.work import conversations
from tests.work.conversations import KEPT, Host, Json, said
from tests.work.counting import growth

SHORT, LONG = 40, 160  # steps
MORE = 1.1  # times as many lines a step: the ledger is looked through once more where facts are many


def dated(number: int) -> list[Json]:
    return [{**message, "timestamp": number} for message in said(number)]


@pytest.mark.parametrize("preset", KEPT)
def test_a_first_list_costs_what_it_holds(preset: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(conversations, "STEPS_A_TURN", 1)  # what grows with users' messages grows most
    monkeypatch.setattr(conversations, "said", dated)
    short, long = (Host(preset, "pi", KEPT[preset], steps, counted=True).first for steps in (SHORT, LONG))
    if long.total() > MORE * LONG / SHORT * short.total():
        pytest.fail(f"{short.total():,} -> {long.total():,} lines\n{growth(short, long)}")
