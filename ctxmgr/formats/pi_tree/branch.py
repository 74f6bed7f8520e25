"""Turns the entries of a pi session tree into a branch: what each entry gives to a model.

Rules (pi 0.87.1, the session as it projects it):

1. The path is walked from the leaf to the root by `parentId`. What can not be read is no entry; a circle or a
   missing parent ends the walk.
2. The newest edit of an entry counts: null omits it, anything else is its new content where it is a user's, an
   assistant's, a tool's or a custom message. Of what is in the model's list, edits outside of it do not count.
3. Nothing here raises on any entry. What one entry gives by itself is `pi_entry`'s.

Knows nothing of cuts, weights or summaries to come.
"""

from collections.abc import Sequence
from typing import Any

import msgspec

from ctxmgr.formats.pi_tree import entries, entry
from ctxmgr.formats.pi_tree import message as pi_message
from ctxmgr.formats.pi_tree.entry import UNREADABLE, RawEntry, members, message_of, soft
from ctxmgr.formats.pi_tree.js_spelling import value
from ctxmgr.model.compaction import BranchEntry, BranchMessage, places_in_list

_encode = msgspec.json.Encoder().encode


def branch(raws: Sequence[bytes], leaf: str | None) -> tuple[BranchEntry, ...]:
    """The path from the root to `leaf` (None: the last entry), edits applied, oldest first.

    `raws` is the whole tree in the host's order, one entry each. A leaf that is not there gives an empty path.
    """
    nodes = [node for node in map(entry.node, raws) if node is not None]
    path = entries.path(nodes, leaf)
    return _edited([entry.entry(node) for node in path], path)


def _edited(found: Sequence[BranchEntry], nodes: Sequence[RawEntry]) -> tuple[BranchEntry, ...]:
    """The entries of a path with its edits applied (rule 2)."""
    edits = [place for place, one in enumerate(found) if one.kind == "edit" and one.target]
    if not edits:
        return tuple(found)
    listed = frozenset(places_in_list(found))
    anywhere = {found[place].target: nodes[place].fields for place in edits}
    inside = {found[place].target: nodes[place].fields for place in edits if place in listed}
    changed = list(found)
    for place, one in enumerate(found):
        edit = (inside if place in listed else anywhere).get(one.id)
        if edit is None or not one.messages:
            continue
        messages = _after(one.messages, edit.get("replacement", b""))
        if messages is not one.messages:
            changed[place] = msgspec.structs.replace(one, messages=messages, unedited=one.messages)
    return tuple(changed)


def _after(messages: tuple[BranchMessage, ...], replacement: bytes) -> tuple[BranchMessage, ...]:
    """The messages of an entry after its edit; as they were where the edit can not be read."""
    if replacement == b"null":
        return ()
    try:
        content = members(replacement)["content"]
        plain = value(content)
    except (*UNREADABLE, KeyError):
        return messages
    return tuple(_with_content(message, content, plain) for message in messages)


def _with_content(message: BranchMessage, content: bytes, plain: Any) -> BranchMessage:
    fields = {name: msgspec.Raw(one) for name, one in members(message.raw).items()}
    role = soft({"role": bytes(fields.get("role", b"null"))}, "role")
    if not isinstance(role, str) or role not in pi_message.EDITABLE:
        return message
    if isinstance(plain, str) and role in ("assistant", "toolResult"):
        content = b'[{"type":"text","text":' + content + b"}]"
    fields["content"] = msgspec.Raw(content)
    return message_of(_encode(fields))
