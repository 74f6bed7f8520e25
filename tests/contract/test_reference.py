"""The reference holds together: links lead somewhere, every method and state is on it, examples are as meant."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import pytest

from ctxmgr.engine.pressure import latch
from ctxmgr.model.saved.state import LatchState
from ctxmgr.wire import errors
from ctxmgr.wire.methods import TABLE
from ctxmgr.wire.spec import schema
from scripts.generating import diagrams, everything, excerpts, reference, tables
from tests.contract.behaviours import MANIFEST

PROTOCOL = Path(__file__).parents[2] / "protocol"
TRANSCRIPTS = everything.committed(PROTOCOL)
CORPUS = everything.written_by_hand(PROTOCOL)
PAGE = reference.page(schema.document(), TRANSCRIPTS, CORPUS, MANIFEST)
_FENCED = re.compile(r"```.*?```", re.DOTALL)
_LINK = re.compile(r"\]\(([^)\s]+)\)")
NAMES = {row.name for row in TABLE}
INSIDE = ("msgspec", "Python", "pytest", "ctxmgr.engine", "ctxmgr/", ".py:", "None", "__")


def headings(page: str) -> list[str]:
    return [line.lstrip("#").strip() for line in _FENCED.sub("", page).split("\n") if line.startswith("#")]


def broken(page: str) -> list[str]:
    """Links that lead nowhere, and anchors that lead to two places."""
    anchors = [tables.slug(heading) for heading in headings(page)]
    found = [f"#{one} is there twice" for one in set(anchors) if anchors.count(one) > 1]
    for target in _LINK.findall(_FENCED.sub("", page)):
        file, _, anchor = target.partition("#")
        if (anchor and not file and anchor not in anchors) or (file and not (PROTOCOL / file).exists()):
            found.append(target)
    return found


def test_every_link_leads_somewhere() -> None:
    assert broken(PAGE) == []


@pytest.mark.parametrize(
    ("old", "new"),
    [("(#the-latch)", "(#the-lach)"), ("(schema.json)", "(scheme.json)"), ("## The zones", "## Status")],
)
def test_a_planted_fault_in_a_link_is_found(old: str, new: str) -> None:
    assert old in PAGE
    assert broken(PAGE.replace(old, new))


def test_what_goes_both_ways_stands_with_both_senders() -> None:
    """By the transcripts, not by the table: what ctxmgr sends and what a host sends."""
    sent: dict[str, set[str]] = {"host": set(), "ctxmgr": set()}
    for text in TRANSCRIPTS.values():
        for line in text.splitlines()[1:]:
            item = json.loads(line)
            message = item.get("message")
            if isinstance(message, dict) and message.get("method") in NAMES:
                sent[item["from"]].add(message["method"])
    both = sorted(sent["host"] & sent["ctxmgr"])
    assert both == ["$/cancelRequest"] == [row.name for row in TABLE if row.both_ways]
    of_host, _, of_ctxmgr = section("## Methods").partition("| ctxmgr sends |")
    for name in both:
        assert f"[`{name}`]" in of_host
        assert f"[`{name}`]" in of_ctxmgr
        assert "host ↔ ctxmgr" in section(f"### `{name}`")


def test_every_method_has_a_place_with_all_it_takes() -> None:
    for row in TABLE:
        assert f"\n### `{row.name}`\n" in PAGE
        part = section(f"### `{row.name}`")
        assert row.summary in part
        for member in schema.types()[row.params.__name__].get("properties", {}):
            assert f"| `{member}` |" in part
        assert ("**Answer**" in part) == (row.kind != "notification")
        for code in row.errors:
            assert str(code) in part


def section(heading: str) -> str:
    return PAGE.split(f"\n{heading}\n")[1].split("\n### ")[0]


def test_every_method_but_the_empty_ones_has_an_example() -> None:
    without = {row.name for row in TABLE if "**Example**" not in section(f"### `{row.name}`")}
    assert without == set()


def test_every_type_error_and_behaviour_is_on_it() -> None:
    for name in schema.types():
        assert f"\n### {name}\n" in PAGE or f"`{name}`" in PAGE, name
    for code, text in errors.MEANINGS.items():
        assert f"| {code} |" in PAGE
        assert text in PAGE
    for name, one in MANIFEST.items():
        assert f"(transcripts/{name}.jsonl) | {one.sentence}" in PAGE


def test_nothing_of_the_inside_is_on_it() -> None:
    prose = _FENCED.sub("", PAGE)
    assert [word for word in INSIDE if word in prose.replace("__proto__", "")] == []
    assert "{{" not in PAGE


def test_tables_are_whole() -> None:
    """Every row of a table has as many cells as its head."""
    cells: int | None = None
    for line in _FENCED.sub("", PAGE).split("\n"):
        if not line.startswith("|"):
            cells = None
            continue
        count = len(re.findall(r"(?<!\\)\|", line)) - 1
        cells = cells or count
        assert count == cells, line


def test_a_part_that_is_not_filled_is_found(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    prose = reference.PROSE.read_text(encoding="utf-8")
    for planted in (prose + "{{colour}}", prose.replace("{{errors}}", "")):
        path = tmp_path / "reference.md"
        path.write_text(planted, encoding="utf-8")
        monkeypatch.setattr(reference, "PROSE", path)
        with pytest.raises(ValueError, match="differ"):
            reference.page(schema.document(), TRANSCRIPTS, CORPUS, MANIFEST)


# diagrams


def test_every_row_of_the_latch_is_drawn() -> None:
    drawn = diagrams.latch_states()
    arrows = set()
    for source, target, events, effect in re.findall(r"    (\w+) --> (\w+): ([\w, ]+?)(?: / ([\w ]+))?\n", drawn):
        arrows |= {(source, event, target, effect) for event in events.split(", ")}
    rows = {(state, event, *following) for (state, event), following in latch.TABLE.items()}
    third = {(state, event, "resting", "third failure") for state, event, _, effect in rows if effect == "back off"}
    assert arrows == rows | third


def test_every_word_of_the_latch_is_explained() -> None:
    assert set(diagrams.EVENTS) == set(get_args(latch.Event))
    assert set(diagrams.EFFECTS) | {""} == set(get_args(latch.Effect))
    assert set(diagrams.STATES) == set(get_args(LatchState))


def test_zones_are_drawn_where_they_begin() -> None:
    drawn = diagrams.zone_states()
    assert re.findall(r"(\w+) --> (\w+): from (\d+)%", drawn) == [
        ("green", "yellow", "50"),
        ("yellow", "red", "70"),
        ("red", "compact", "90"),
    ]


def test_a_zone_out_of_order_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(diagrams, "ZONES", ("green", "red", "yellow", "compact"))
    with pytest.raises(ValueError, match="does not follow"):
        diagrams.zone_states()


# excerpts


def lines(*said: tuple[str, dict[str, Any]]) -> str:
    return "".join(json.dumps({"from": sender, "message": message}) + "\n" for sender, message in said)


def asked(id: int, method: str = "getStatus", **params: Any) -> tuple[str, dict[str, Any]]:
    return "host", {"id": id, "method": method, "params": params}


def told(id: int, **result: Any) -> tuple[str, dict[str, Any]]:
    return "ctxmgr", {"id": id, "result": result}


def test_the_exchange_with_most_members_is_shown() -> None:
    text = lines(asked(1, sessionId="s"), told(1, a=1), asked(2, sessionId="s"), told(2, a=1, b=2))
    found = excerpts.best({"t": text}, {})["getStatus"]
    assert found.answer == {"id": 2, "result": {"a": 1, "b": 2}}
    assert found.place == "t, lines 3 and 4"


def test_of_equals_the_shortest_is_shown() -> None:
    text = lines(asked(1, sessionId="long" * 9), told(1, a=1), asked(2, sessionId="s"), told(2, a=2))
    assert excerpts.best({"t": text}, {})["getStatus"].place == "t, lines 3 and 4"


def test_errors_are_no_example() -> None:
    text = lines(asked(1, sessionId="s"), ("ctxmgr", {"id": 1, "error": {"code": -1, "message": "no"}}))
    assert "getStatus" not in excerpts.best({"t": text}, {})


def test_the_corpus_stands_in() -> None:
    case = {"method": "exit", "direction": "to ctxmgr", "why": "", "params": {}}
    found = excerpts.best({}, {"corpus/accept/exit.json": json.dumps(case)})["exit"]
    assert (found.place, found.said["method"], found.answer) == ("corpus/accept/exit.json", "exit", None)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("short", "short"),
        ("x" * 88, "x" * 88),
        ("x" * 1_000, "x" * 56 + " … (1,000 characters)"),
        ([1, 2, 3, 4], [1, 2, 3, 4]),
        ([1, 2, 3, 4, 5], [1, 2, "… 3 more"]),
        ({"a": {"b": ["y" * 100] * 9}}, {"a": {"b": ["y" * 56 + " … (100 characters)"] * 2 + ["… 7 more"]}}),
    ],
)
def test_shortened(value: Any, expected: Any) -> None:
    assert excerpts.shortened(value) == expected


def blocks() -> Iterator[str]:
    yield from re.findall(r"```jsonc\n(.*?)```", PAGE, re.DOTALL)


def test_examples_are_json_and_fit() -> None:
    for block in blocks():
        assert max(map(len, block.split("\n"))) <= excerpts.WIDTH + 14, block  # a text may stand out
        for part in re.split(r"^// .*$", block, flags=re.MULTILINE)[1:]:
            json.loads(part)


@pytest.mark.parametrize(
    ("shape", "expected"),
    [
        ({}, "any"),
        ({"type": "integer", "minimum": 1, "maximum": 5}, "integer ≥ 1 and ≤ 5"),
        ({"type": "number", "exclusiveMinimum": 0}, "number > 0"),
        ({"type": "number", "maximum": 2**53}, "number ≤ 2⁵³"),
        ({"const": "2.0"}, '`"2.0"`'),
        ({"$ref": "#/$defs/Status"}, "[Status](#status)"),
        ({"$ref": "#/$defs/Mode"}, '[`"on"` or `"off"`](#mode)'),
        ({"type": "array", "items": {"$ref": "#/$defs/Edit"}}, "list of [Edit](#edit)"),
        ({"type": "array", "items": {"anyOf": [{"type": "string"}, {"type": "null"}]}}, "list of (string or null)"),
        ({"type": "object", "additionalProperties": {"type": "number"}}, "object of number"),
    ],
)
def test_type(shape: dict[str, Any], expected: str) -> None:
    assert tables.type_of(shape, tables.short(schema.types())) == expected
