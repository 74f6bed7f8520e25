"""Collects the files that tool calls and earlier summaries read and changed, and converts the lists to text and
back.

Rules:

1. Files come from what calls did according to the tool catalog, from the details of compactions and branch
   summaries, and from the lists at the end of a previous summary. pi lists the paths of its own `read`, `write` and
   `edit`, whatever their results; for a host that counts as pi does, so do we.
2. Details of a compaction that an extension wrote may mean something else and are skipped; ours are used.
3. A file that was changed does not count as only read.
4. Lists are sorted by UTF-16 units, as the host sorts.
5. A failed call did nothing. A call without a result may have. A relative path in a shell command and an absolute
   path of a tool may be one file (`paths.same`).
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from ctxmgr.engine.tools import EffectKind, ToolCall, outcome, paths, pi_file, tool_call
from ctxmgr.model.compaction import BranchEntry, BranchMessage, FileLists

READ, MODIFIED = "read-files", "modified-files"


def as_pi_lists(messages: Iterable[BranchMessage]) -> FileLists:
    """What pi lists for the calls of messages, to the last file (rule 1)."""
    files = (pi_file(block) for message in messages for block in message.view.blocks)
    return _by_kind([file for file in files if file is not None])


def of_messages(messages: Iterable[BranchMessage]) -> FileLists:
    """What the calls of messages did, and files that tools made by themselves (rules 1 and 5)."""
    done: list[list[tuple[EffectKind, str]]] = []
    latest: dict[str, tuple[ToolCall, list[tuple[EffectKind, str]]]] = {}
    for message in messages:
        for block in message.view.blocks:
            if block.kind == "call":
                call = tool_call(block.tool, block.arguments, block.declared)
                latest[block.call_id] = (call, list(_did(call)))
                done.append(latest[block.call_id][1])
            elif block.kind == "result" and block.call_id in latest:
                call, files = latest[block.call_id]
                if outcome(call, block.text, block.is_error, block.doubtful) == "failed":
                    files.clear()
        done.append([file for tool, path in message.nested for file in _did(tool_call(tool, {"path": path}))])
    effects = [file for files in done for file in files]
    whole = paths.same(path for _, path in effects)
    return _by_kind([(kind, whole.get(path, path)) for kind, path in effects])


def _by_kind(effects: Sequence[tuple[EffectKind, str]]) -> FileLists:
    return FileLists(
        *(_each(path for kind, path in effects if kind == wanted) for wanted in ("read", "write", "edit"))
    )


def _did(call: ToolCall) -> Iterator[tuple[EffectKind, str]]:
    """The files of a call. A moved or deleted file counts as changed: these lists have no other place for it."""
    for effect in call.effects:
        if effect.path and effect.kind in ("delete", "move"):
            yield "edit", effect.path
        elif effect.path:
            yield effect.kind, effect.path
        if effect.to:
            yield "write", effect.to


def of_details(entries: Iterable[BranchEntry]) -> FileLists:
    """The files in the details of compactions and branch summaries (rule 2)."""
    carried = [entry.details for entry in entries if entry.details.ours or not entry.from_hook]
    return FileLists(
        read=_each(path for details in carried for path in details.read),
        edited=_each(path for details in carried for path in details.modified),
    )


def merged(*ops: FileLists) -> FileLists:
    """All of them, each path once, in the order of first appearance."""
    return FileLists(
        _each(path for lists in ops for path in lists.read),
        _each(path for lists in ops for path in lists.written),
        _each(path for lists in ops for path in lists.edited),
    )


def lists(ops: FileLists) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """(files only read, files changed), each sorted."""
    modified = {*ops.edited, *ops.written}
    return _sorted(path for path in ops.read if path not in modified), _sorted(modified)


def rendered(ops: FileLists) -> str:
    """The lists at the end of a summary, with blank lines before each; "" without files."""
    blocks = zip((READ, MODIFIED), lists(ops), strict=True)
    return "".join(f"\n\n<{tag}>\n{chr(10).join(listing)}\n</{tag}>" for tag, listing in blocks if listing)


def details(ops: FileLists, ctxmgr: dict[str, Any] | None = None) -> dict[str, Any]:
    """The `details` of our summary: pi's two lists, and `ctxmgr` for everything else to keep.

    `ctxmgr` is always present: it marks the details as ours, so that the next compaction carries them on.
    """
    read, modified = lists(ops)
    return {"readFiles": list(read), "modifiedFiles": list(modified), "ctxmgr": ctxmgr or {}}


def listed(summary: str) -> FileLists:
    """The files that a summary lists in its blocks."""
    blocks = _blocks(summary.split("\n"))
    return FileLists(
        read=_each(path for tag, _, paths in blocks if tag == READ for path in paths),
        edited=_each(path for tag, _, paths in blocks if tag == MODIFIED for path in paths),
    )


def without_lists(summary: str) -> str:
    """The summary without its lists: removes exactly what `rendered` added."""
    lines = summary.split("\n")
    gone: set[int] = set()
    for _, start, listing in _blocks(lines):
        gone.update(range(start, start + len(listing) + 2))
        if start and not lines[start - 1] and start - 1 not in gone:
            gone.add(start - 1)
    return "\n".join(line for number, line in enumerate(lines) if number not in gone) if gone else summary


def _blocks(lines: list[str]) -> list[tuple[str, int, list[str]]]:
    """(tag, line of its opening, paths) of each list. A blank line or another tag inside disqualifies it: that is
    prose about such a list.
    """
    blocks = []
    tag, start = "", 0
    for number, line in enumerate(lines):
        if line in (f"<{READ}>", f"<{MODIFIED}>"):
            tag, start = line[1:-1], number
        elif tag and line == f"</{tag}>":
            blocks.append((tag, start, lines[start + 1 : number]))
            tag = ""
        elif not line or line.startswith("</"):
            tag = ""
    return blocks


def _each(paths: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(paths))


def _sorted(paths: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(paths, key=lambda path: path.encode("utf-16-be", "surrogatepass")))
