"""Which sessions compare reads: recorded compactions, exports, streams of events."""

import json
from pathlib import Path
from typing import Any

from tests.unit.engine.trees import compacted, entries
from tests.unit.study.compare.command.running import KEEP, Compare, shares, turn


def test_a_recorded_compaction_is_carried_on(tmp_path: Path, compare: Compare) -> None:
    talk = [message for number in range(1, 5) for message in turn(number)]
    more = [message for number in range(5, 9) for message in turn(number)]
    summary = "## Goal\nKeep the oldestThing alive.\n\n<read-files>\nsrc/older.py\n</read-files>"
    lines = [{"type": "session", "version": 3, "id": "s"}, *entries(*talk, compacted(summary, kept="e19"), *more)]
    path = tmp_path / "compacted.jsonl"
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    (row,) = compare(path, *KEEP)["rows"]
    text = (tmp_path / "out" / row["file"]).read_text()
    assert "oldestThing" in text
    assert "src/older.py" in text


def test_an_export_and_the_oldest_format_are_read(tmp_path: Path, compare: Compare) -> None:
    first = [message for number in range(1, 7) for message in turn(number)]
    more = [message for number in range(7, 11) for message in turn(number)]
    nodes = entries(*first, compacted("## Goal\nMend it", kept="e25"), *more)
    tree, export, oldest = (tmp_path / name for name in ("tree.jsonl", "export.json", "oldest.jsonl"))
    fork = {**nodes[-1], "id": "fork", "parentId": "e1"}
    export.write_text(json.dumps({"header": {}, "entries": [*nodes, fork], "leafId": nodes[-1]["id"]}))
    for path, kept in ((tree, nodes), (oldest, [without_ids(node) for node in nodes])):
        lines = [{"type": "session", "id": "s"}, *kept]
        path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    rows = compare(tree, export, oldest, *KEEP)["rows"]
    assert len({row["replacedTokens"] for row in rows}) == 1
    assert shares(rows[0]) == shares(rows[1]) == shares(rows[2])


def without_ids(node: dict[str, Any]) -> dict[str, Any]:
    """As version 1 has it: what a compaction keeps is told by its place in the file."""
    names = ("type", "timestamp", "message", "summary", "tokensBefore")
    kept = {"firstKeptEntryIndex": int(node["firstKeptEntryId"][1:])} if "firstKeptEntryId" in node else {}
    return {**{name: node[name] for name in names if name in node}, **kept}


def test_a_stream_of_events_gives_the_tree_of_its_last_compaction_or_its_last_list(
    tmp_path: Path, compare: Compare
) -> None:
    nodes = entries(*(message for number in range(1, 7) for message in turn(number)))
    messages = [node["message"] for node in nodes]
    events = {
        "list.jsonl": {"event": "context", "payload": {"messages": messages}},
        "tree.jsonl": {"event": "session_before_compact", "payload": {"preparation": {}, "branchEntries": nodes}},
    }
    for name, event in events.items():
        (tmp_path / name).write_text(json.dumps(event) + "\n")
    first, second = compare(*(tmp_path / name for name in events), *KEEP)["rows"]
    assert shares(first) == shares(second)
