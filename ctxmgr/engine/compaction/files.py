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

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any

from ctxmgr.engine.tools import EffectKind, ToolCall, outcome, paths, pi_file, tool_call
from ctxmgr.engine.tools.shell import window
from ctxmgr.model.compaction import BranchEntry, BranchMessage, FileLists

READ, MODIFIED = "read-files", "modified-files"


def as_pi_lists(messages: Iterable[BranchMessage]) -> FileLists:
    """What pi itself lists of the calls of messages, to the last file (rule 1)."""
    found = [file for message in messages for block in message.view.blocks if (file := pi_file(block)) is not None]
    return FileLists(*(_each(path for kind, path in found if kind == one) for one in ("read", "write", "edit")))


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
                elif (opened := window(block.text)) is not None:
                    files += [(effect.kind, opened[0]) for effect in call.effects if not effect.path]
        done.append([file for tool, path in message.nested for file in _did(tool_call(tool, {"path": path}))])
    found = [file for files in done for file in files]
    whole = paths.same(path for _, path in found)
    return FileLists(
        *(_each(whole.get(path, path) for kind, path in found if kind == one) for one in ("read", "write", "edit"))
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
    carried = [one.details for one in entries if one.details.ours or not one.from_hook]
    return FileLists(
        read=_each(path for one in carried for path in one.read),
        edited=_each(path for one in carried for path in one.modified),
    )


def merged(*ops: FileLists) -> FileLists:
    """All of them, each path once, in the order they were first seen."""
    return FileLists(
        _each(path for one in ops for path in one.read),
        _each(path for one in ops for path in one.written),
        _each(path for one in ops for path in one.edited),
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
    found = []
    tag, start = "", 0
    for number, line in enumerate(lines):
        if line in (f"<{READ}>", f"<{MODIFIED}>"):
            tag, start = line[1:-1], number
        elif tag and line == f"</{tag}>":
            found.append((tag, start, lines[start + 1 : number]))
            tag = ""
        elif not line or line.startswith("</"):
            tag = ""
    return found


def _each(paths: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(paths))


def _sorted(paths: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(paths, key=lambda path: path.encode("utf-16-be", "surrogatepass")))


# Turns text into the identifiers in it, as they stand there: paths, names of code, codes of errors, flags.
#
# The one reading of what a text names, for everything that asks: what may be referred to (`balanced`), what ties
# sentences together (`extractive`), what a stretch of work is about (`compaction`). Rules:
#
# 1. An identifier is a run of letters, digits and the marks that code and paths are joined by, which no plain word
#    looks like: it has such a mark, a digit or a capital inside. A range of two hashes is none.
# 2. Words that are joined by dashes alone are prose ("long-lived"), but a flag is none.
# 3. Marks at its ends, and line numbers, are no part of it, nor what a search printed behind a line number
#    ("a.go-12-func"). What begins a path ("/", "./", "~/") is, as it is written; `bare` is without.
# 4. It begins where a word does: not within a number or a hash ("78ef1d0a"), nor with the letter that a line end is
#    spelled by in JSON ("\nSetting"). Before a small letter that is told by other escapes in the text, for a path
#    of Windows is written so too.
# 5. One time through the text: nothing here takes longer than in the length of it.


SHORTEST, LONGEST = 4, 120  # characters: `i.e` is no name, and what is longer was pasted

_RUN = re.compile(r"--[a-z][\w-]++(?![$@~./])|(?:(?<![A-Za-z0-9_])[A-Za-z_]|[$@~./])[\w$@~./-]{3,}")
_MARKED = re.compile(r"[a-z0-9][A-Z]|[A-Za-z0-9][_./-]+[A-Za-z0-9]|[A-Z]{2,}[a-z0-9]|[A-Za-z]\d")
_LETTERS = re.compile(r"[A-Za-z]{2}|^[A-Z]\d{3,5}$")  # E501, but not x = 12
_ENDS = "./-~@"
_SEARCHED = re.compile(r"(?<=\.)([A-Za-z]\w{0,4})-\d+(?:-.*)?$")  # what `grep -C` prints of a file and a line
_ESCAPED = re.compile(r"\\[nrt](?![a-z])")
_RANGE = re.compile(r"[0-9a-f]{4,}\.{2,3}[0-9a-f]{4,}")  # of two states of a file, as `git diff` prints them
_QUOTED = ('\\"', "\\n\\n", "\\r\\n")  # JSON in a string
# of ASCII what stands in no run; what is beyond is left to the expression
_BETWEEN = re.sub(r"[\w$@~./-]", "", "".join(map(chr, range(ord("\x80"))))).encode()
_PARTED = bytes.maketrans(_BETWEEN, b" " * len(_BETWEEN))


def identifiers(text: str) -> list[str]:
    """Each time that one stands there, in their order."""
    runs = map(_told, _RUN.findall(_spelled(text)))
    return [run.rstrip(_ENDS) for run in runs if _is_flag(run) or is_name(run.strip(_ENDS))]


def bare(text: str) -> frozenset[str]:
    """Without what begins a path, each once. A flag is here where its name is one."""
    words = set(_spelled(text).encode("utf-8", "surrogatepass").translate(_PARTED).split())
    found = [
        (_known_names if len(word) <= LONGEST else _names_in)(word)
        for word in words
        if not ((word.isalpha() and (word.islower() or word.istitle())) or word.isdigit())  # by rule 1 it has none
    ]
    return frozenset().union(*found)


def without(text: str) -> str:
    """The text with a blank in the place of each identifier: the words that are none."""
    return _RUN.sub(lambda run: " " if _is_flag(run[0]) or is_name(run[0].strip(_ENDS)) else run[0], text)


def _names_in(word: bytes) -> frozenset[str]:
    """The names in what stands between two characters that are in none."""
    runs = map(_told, _RUN.findall(word.decode("utf-8", "surrogatepass")))
    return frozenset(name for run in runs if is_name(name := run.strip(_ENDS)))


_known_names = lru_cache(maxsize=1 << 13)(_names_in)  # a session says the same names again and again


def _spelled(text: str) -> str:
    """With blanks where line ends and tabs are spelled as in JSON."""
    if "\\" not in text:
        return text
    if any(mark in text for mark in _QUOTED):
        return text.replace("\\n", "  ").replace("\\r", "  ").replace("\\t", "  ")
    return _ESCAPED.sub("  ", text)


def _told(run: str) -> str:
    return _SEARCHED.sub(r"\1", run) if "-" in run else run


def _is_flag(run: str) -> bool:
    return run.startswith("--") and len(run.rstrip(_ENDS)) >= SHORTEST


def is_name(text: str) -> bool:
    """Is all of this one, by rule 1?"""
    if not SHORTEST <= len(text) <= LONGEST or _MARKED.search(text) is None:
        return False
    if ".." in text and _RANGE.fullmatch(text):
        return False
    joined = "-" in text and not ("/" in text or "." in text or "_" in text)  # "long-lived" is prose
    return _LETTERS.search(text) is not None and not joined
