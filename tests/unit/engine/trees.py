"""Turns a session written down in a few letters into entries of a pi tree, and into the branch they make.

    path(u("fix it"), a("looking", call("read", path="x")), r("text"), compacted("so far", kept="e1"), u("go on"))

Entries are e1, e2, ... in a line, each the child of the one before it.
"""

from collections.abc import Sequence
from typing import Any

import msgspec

from ctxmgr.formats.pi_tree import branch
from ctxmgr.model.compaction import BranchEntry, BranchMessage
from tests.notation import Json, Said, written

MADE = "2026-01-02T03:04:05.678Z"


class Node(msgspec.Struct, frozen=True):
    """An entry that is no message: its fields without id and parent."""

    fields: Json


def meta(type: str = "model_change", **fields: Any) -> Node:
    return Node({"type": type, **fields})


def compacted(summary: str, kept: str, **fields: Any) -> Node:
    return Node({"type": "compaction", "summary": summary, "firstKeptEntryId": kept, "tokensBefore": 9, **fields})


def left_behind(summary: str, **fields: Any) -> Node:
    return Node({"type": "branch_summary", "fromId": "e1", "summary": summary, **fields})


def custom(text: str, **fields: Any) -> Node:
    return Node({"type": "custom_message", "customType": "n", "content": text, "display": True, **fields})


def omitted(target: str) -> Node:
    return Node({"type": "context_edit", "targetId": target, "replacement": None})


def replaced(target: str, content: Any) -> Node:
    return Node({"type": "context_edit", "targetId": target, "replacement": {"content": content}})


def prompt(text: str, **fields: Any) -> Said:
    return Said({"role": "system", "content": text, "timestamp": 1, **fields})


def entries(*steps: Said | Node) -> list[Json]:
    """The entries of a line, as a host has them."""
    said = iter(written(*(step for step in steps if isinstance(step, Said))))
    found: list[Json] = []
    for number, step in enumerate(steps, 1):
        fields = {"type": "message", "message": next(said)} if isinstance(step, Said) else step.fields
        parent = f"e{number - 1}" if number > 1 else None
        found.append({"id": f"e{number}", "parentId": parent, "timestamp": MADE, **fields})
    return found


def raws(*steps: Said | Node) -> list[bytes]:
    return [msgspec.json.encode(one) for one in entries(*steps)]


def path(*steps: Said | Node) -> tuple[BranchEntry, ...]:
    return branch.branch(raws(*steps), None)


def texts(messages: Sequence[BranchMessage]) -> list[str]:
    """What each message says, and the calls it makes."""
    return [
        " ".join((one.content.text or "", *(tool for tool, _ in one.content.calls))).strip() for one in messages
    ]
