"""Turns a call that changes files into the texts that it puts there, as far as they stand in its arguments.

Rules:

1. Of a write the whole text, of an edit its new text; of several edits of one file all of them, in order, as the
   later ones left them, with a line of "…" between places.
2. Of a patch the lines that it adds, whether it stands in an argument, a script or a heredoc.
3. Of a shell the heredoc that it sends to a file. What it prints otherwise is not taken.
4. A path is told as the call's effects have it.
"""

from collections.abc import Iterator

from ctxmgr.engine.tools import codex_exec, families, patches
from ctxmgr.engine.tools.arguments import CallArguments
from ctxmgr.engine.tools.catalog import call_of_block, catalog_of
from ctxmgr.engine.tools.effects import CHANGES, ToolCall
from ctxmgr.engine.tools.shell import documents
from ctxmgr.model import Block


def written(block: Block) -> dict[str, str]:
    """Path into text, of each file that a call puts text into; none for what is no call."""
    call = call_of_block(block)
    if call is None:
        return {}
    given = catalog_of(block.declared).arguments(block.tool, block.arguments or {})
    texts: dict[str, list[str]] = {}
    for path, old, text in _texts(given):
        there = texts.setdefault(_as_changed(path, call), [])
        again = next((at for at, one in enumerate(there) if old and old in one), None)
        if again is not None:
            there[again] = there[again].replace(old, text, 1)
        else:
            there.append(text)
    told = ((path, [one for one in parts if one.strip()]) for path, parts in texts.items())
    return {path: "\n…\n".join(parts) for path, parts in told if parts}


def _texts(given: CallArguments) -> Iterator[tuple[str, str, str]]:
    """(path, the text that it replaces or "", the new one)."""
    if given.has("command", "input") and not given.path:
        yield from ((path, "", text) for path, text in _of_lines(given))
        return
    if given.patch is not None:
        yield from ((path or given.path, "", text) for path, text in patches.added(given.patch))
        return
    for part in given.parts:
        text = part.text("new text", "content")
        if text is not None and (part.path or given.path):
            yield part.path or given.path, part.text("old text") or "", text
    text = given.text("new text", "content")
    if text is not None and given.path:
        yield given.path, given.text("old text") or "", text


def _of_lines(given: CallArguments) -> Iterator[tuple[str, str]]:
    """Of a command line, or of a script that hands some to a shell."""
    line = families.command(given)
    argv = next((value for value in given.values("command") if isinstance(value, list)), ())
    patch = next((one for one in (line, *argv) if isinstance(one, str) and patches.is_patch(one)), None)
    if patch is not None:
        yield from patches.added(patch)
    elif not given.has("command") and codex_exec.is_script(line):
        done = codex_exec.run(line)
        for text in done.patches:
            yield from patches.added(text)
        for inner, _ in done.commands:
            yield from _of_line(inner)
    else:
        yield from _of_line(line)


def _of_line(line: str) -> Iterator[tuple[str, str]]:
    for path, text in documents(line):
        if patches.is_patch(text):
            yield from patches.added(text)
        elif path:
            yield path, text


def _as_changed(path: str, call: ToolCall) -> str:
    """Rule 4: a shell names a file from where it is."""
    changed = [one.to or one.path for one in call.effects if one.kind in CHANGES]
    if path in changed:
        return path
    return next((one for one in changed if one.endswith(f"/{path.lstrip('./')}")), path)
