"""The reference holds together: links lead somewhere, every method and state is on it, examples are as meant."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

from ctxmgr.engine.pressure import latch
from ctxmgr.model.saved.state import LatchState
from ctxmgr.wire import errors
from ctxmgr.wire.methods import TABLE
from scripts.generating import diagrams, everything, excerpts, reference, tables
from scripts.generating.spec import schema
from tests.contract.behaviours import MANIFEST

PROTOCOL = Path(__file__).parents[2] / "protocol"
TRANSCRIPTS = everything.committed(PROTOCOL)
CORPUS = everything.written_by_hand(PROTOCOL)
PAGE = reference.page(schema.document(), TRANSCRIPTS, CORPUS, MANIFEST)
_FENCED = re.compile(r"```.*?```", re.DOTALL)
_LINK = re.compile(r"\]\(([^)\s]+)\)")
NAMES = {row.name for row in TABLE}
TYPES = schema.types()
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
        for member in TYPES[row.params.__name__].get("properties", {}):
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
    for name in TYPES:
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


# excerpts


def blocks() -> Iterator[str]:
    yield from re.findall(r"```jsonc\n(.*?)```", PAGE, re.DOTALL)


def test_examples_are_json_and_fit() -> None:
    for block in blocks():
        assert max(map(len, block.split("\n"))) <= excerpts.WIDTH + 14, block  # a text may stand out
        for part in re.split(r"^// .*$", block, flags=re.MULTILINE)[1:]:
            json.loads(part)
