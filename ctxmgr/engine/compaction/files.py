"""Turns tool calls and earlier summaries into the files that were read and changed, and those into text and back.

Rules:

1. A file is known from what a call did by the catalog of tools, from the details that a compaction or branch
   summary carries, and from the lists at the end of a previous summary. pi itself lists the paths of its own
   `read`, `write` and `edit`, whatever came of them: where a host weighs as pi does, so do we.
2. Details of a compaction that an extension wrote are not known to mean this: they are skipped, ours are not.
3. A file that was changed is no longer one that was only read.
4. Lists are sorted by UTF-16 units, as the host sorts.
5. A call that failed did nothing. One without a result may have. What a shell names from where it is, and a tool by
   its whole path, is one file (`paths.same`).
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from ctxmgr.engine.tools import EffectKind, ToolCall, outcome, paths, pi_file, tool_call
from ctxmgr.model.compaction import BranchEntry, BranchMessage, FileLists

READ, MODIFIED = "read-files", "modified-files"


def as_pi_lists(messages: Iterable[BranchMessage]) -> FileLists:
    """What pi itself lists of the calls of messages, to the last file (rule 1)."""
    files = (pi_file(block) for message in messages for block in message.view.blocks)
    return _by_kind([file for file in files if file is not None])


def of_messages(messages: Iterable[BranchMessage]) -> FileLists:
    """What the calls of messages did, and those that tools made by themselves (rules 1 and 5)."""
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
    """The files of a call. One that is taken away was changed: these lists have no other place for it."""
    for effect in call.effects:
        if effect.path and effect.kind in ("delete", "move"):
            yield "edit", effect.path
        elif effect.path:
            yield effect.kind, effect.path
        if effect.to:
            yield "write", effect.to


def of_details(entries: Iterable[BranchEntry]) -> FileLists:
    """What compactions and branch summaries carry (rule 2)."""
    carried = [entry.details for entry in entries if entry.details.ours or not entry.from_hook]
    return FileLists(
        read=_each(path for details in carried for path in details.read),
        edited=_each(path for details in carried for path in details.modified),
    )


def merged(*ops: FileLists) -> FileLists:
    """All of them, each path once, in the order they were first seen."""
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
    """The lists as they stand at the end of a summary, with blank lines before each; "" without a file."""
    blocks = zip((READ, MODIFIED), lists(ops), strict=True)
    return "".join(f"\n\n<{tag}>\n{chr(10).join(listing)}\n</{tag}>" for tag, listing in blocks if listing)


def details(ops: FileLists, ctxmgr: dict[str, Any] | None = None) -> dict[str, Any]:
    """The `details` of a summary of ours: pi's two lists, and under `ctxmgr` what else is to be kept.

    That member is always there: it marks the details as ours, so that the next compaction carries them on.
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
    """The summary without its lists: of what `rendered` added nothing is left, all else is as it was."""
    lines = summary.split("\n")
    gone: set[int] = set()
    for _, start, listing in _blocks(lines):
        gone.update(range(start, start + len(listing) + 2))
        if start and not lines[start - 1] and start - 1 not in gone:
            gone.add(start - 1)
    return "\n".join(line for number, line in enumerate(lines) if number not in gone) if gone else summary


def _blocks(lines: list[str]) -> list[tuple[str, int, list[str]]]:
    """(tag, line of its opening, paths) of each list. A blank line or another tag inside makes it none: that is
    prose which speaks of such a list."""
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
