"""The bench: its arithmetic, its table and the bytes it prepares. Nothing here measures anything."""

import importlib
import json
import sys
from pathlib import Path
from types import ModuleType

import msgspec

ROOT = Path(__file__).parents[2]


def part(name: str) -> ModuleType:
    """A module of scripts/benching; the folder of a script is on the path only while it runs."""
    sys.path.insert(0, str(ROOT / "scripts"))
    try:
        return importlib.import_module(f"benching.{name}")
    finally:
        sys.path.remove(str(ROOT / "scripts"))


floor, prepared, table = part("floor"), part("prepared"), part("table")


def test_a_ratio_is_taken_round_by_round() -> None:
    figure = table.figure("x", "ms", [1.0, 20.0, 3.0], [2.0, 40.0, 3.0])
    assert (figure.ratio.middle, figure.ratio.low, figure.ratio.high) == (0.5, 0.5, 1.0)
    assert (figure.ours.middle, figure.ours.low, figure.ours.high) == (3.0, 1.0, 20.0)
    assert figure.met is None


def test_a_goal_is_met_or_missed() -> None:
    for goal, ours, base, met in [
        (("ratio", "at most", 1.0), [2.0], [2.0], True),
        (("ratio", "at most", 1.0), [2.1], [2.0], False),
        (("ratio", "at least", 0.8), [8.0], [10.0], True),
        (("ratio", "at least", 0.8), [7.9], [10.0], False),
        (("ours", "at most", 35.0), [35.0], [], True),
        (("ours", "at most", 35.0), [36.0], [100.0], False),
        (("ratio", "at most", 1.0), [1.0], [], False),  # nothing to compare with: no goal is met
    ]:
        assert table.figure("x", "ms", ours, base, table.Goal(*goal)).met is met, goal


def test_frames_say_their_length_and_hold_the_request() -> None:
    grown = prepared.growing(5_000, 1)
    for parts in (
        prepared.context(7, "a", grown.upto(0), "messages"),
        prepared.appended(7, "a", 3, b"3.abc", grown.between(0, 1)),
        prepared.request(7, "getStatus", {"sessionId": "a"}),
    ):
        header, _, body = b"".join(parts).partition(b"\r\n\r\n")
        assert header == b"Content-Length: %d" % len(body)
        request = json.loads(body)
        assert (request["id"], request["params"]["sessionId"]) == (7, "a")


def test_the_floor_echoes_the_list_byte_for_byte() -> None:
    for kind in ["whole", "appended"]:
        grown = prepared.growing(5_000, 1)
        if kind == "whole":
            sent, parts = grown.upto(1), prepared.context(7, "a", grown.upto(1))
        else:
            sent, parts = grown.between(0, 1), prepared.appended(7, "a", 3, b"3.abc", grown.between(0, 1))
        answer = b"".join(floor.answer(b"".join(parts[1:])))
        assert bytes(sent) in answer, kind
        assert msgspec.json.decode(answer)["id"] == 7, kind
