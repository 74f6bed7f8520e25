"""Turns messages into stretches of work, a request each, and into counts of the files and names they worked with.

A *stretch* is a turn and the turns after it that ask for nothing new ("continue", "ok", a command, a picture):
what such a turn brought belongs to the request before it. Tool text is not read: of tools only the arguments of
calls count. A file that a command moved goes on under its new name, one that was deleted is counted no more. Knows
no facts, budgets or formats.
"""

import re
from collections import Counter
from collections.abc import Sequence

import msgspec

from ctxmgr.engine.ledger import REQUEST_WORDS
from ctxmgr.engine.text import (
    as_sent,
    count_words,
    identifiers,
    key_of,
    one_line,
    prose,
    sentences_of,
    shorten,
    without_packet,
)
from ctxmgr.model.compaction import BranchMessage

REQUEST_CHARACTERS = 1_200  # of one request, verbatim: prose holds little that is longer
COMMAND_CHARACTERS = 400  # of a call's argument that is read for names: more is a script or a file's text
REQUEST_HEAD = 0.6  # of a request that has to be cut; the rest is of its end, where it often says what is wanted
PASTED_SHARE = 0.8  # of a message's words that are left as the user's own: below it something was pasted
PASTED = " (pasted: "
_GONE_ON = re.compile(
    r"(?:(?:ok(?:ay)?|yes|yeah|alright|please|so|now|and|just|good|great|cool|nice|thanks|perfect) )*"
    r"(?:|(?:go on|go ahead|go for it|keep going|carry on|continue|proceed|do it|do that|resume"
    r"|still there)(?: please| now)?)"
)
_JUNK = re.compile(
    r"[\u2800-\u28ff]|^\s*\^+\s*$|^Node\.js v\d|\.\w{1,4}:\d+(?::\d+)?\)?\s*$|^Waiting for the debugger"
)  # a terminal's spinner, a caret under code, the end of a trace


class Stretch(msgspec.Struct):
    """One request and what came of it. `request` "" before the first; `message_index` is the place of its message.

    `texts` are the assistant's texts with their places; `changed` counts changes by path. `finished`: the last
    assistant message called no tool. `answered_index`: the place of the newest message in which the user went on
    with the request, -1 for none: what was asked before it is answered.
    """

    request: str
    message_index: int
    texts: list[tuple[int, str]] = []
    changed: dict[str, int] = {}
    finished: bool = False
    answered_index: int = -1


class WorkHistory(msgspec.Struct):
    """All that was done: stretches, and how often each path was read and changed and each name was said.

    `last_named` is the place of the last message that a name stood in, `changed_at` that of the last change by
    path. `removed_paths` maps a path that a command took away to its new one, "" for none. `by_name`: paths by last
    part.
    """

    stretches: list[Stretch] = []
    read: Counter[str] = msgspec.field(default_factory=Counter)
    changed: Counter[str] = msgspec.field(default_factory=Counter)
    named: Counter[str] = msgspec.field(default_factory=Counter)
    last_named: dict[str, int] = {}
    changed_at: dict[str, int] = {}
    removed_paths: dict[str, str] = {}
    size: int = 0
    by_name: dict[str, dict[str, None]] = {}


def of(
    messages: Sequence[BranchMessage],
    touched: dict[str, tuple[str, ...]],
    moved: dict[str, tuple[tuple[str, str], ...]],
) -> WorkHistory:
    """Read the messages once. `touched` maps a call's id to "read" or "changed", newline, path of each
    file, `moved` to the (old, new) paths of what it took away."""
    work = WorkHistory(size=len(messages))
    for at, message in enumerate(messages):
        view = message.view
        if view.role == "user" and view.opens_turn:
            _opened(work, at, "\n".join(block.text for block in view.blocks if block.kind == "text"))
        elif view.role == "assistant":
            _answered(work, at, message)
        for block in view.blocks:
            if block.kind != "result" or block.is_error:
                continue
            if block.call_id in touched:
                for what in touched[block.call_id]:
                    _touched(work, at, what)
            for old, new in moved.get(block.call_id, ()):
                _moved(work, at, old, new)
    return work


def _opened(work: WorkHistory, at: int, text: str) -> None:
    """Start a stretch at a user message that asks for something; else the one before goes on."""
    text = without_packet(text)
    if not text.strip():
        return
    request = request_of(text, long_too=not work.stretches)
    _name(work, at, request)
    asks = bool(request)
    if asks or not work.stretches:
        work.stretches.append(Stretch(request if asks else "", at))
    else:
        work.stretches[-1].answered_index = at


def open_request(messages: Sequence[BranchMessage]) -> str:
    """The newest request, where nobody answered it yet; "" else."""
    for message in reversed(messages):
        view = message.view
        if view.role == "assistant" and any(block.kind in ("text", "call") for block in view.blocks):
            return ""
        if view.role == "user" and view.opens_turn:
            asked = request_of("\n".join(block.text for block in view.blocks if block.kind == "text"))
            if asked:
                return asked
    return ""


def request_of(text: str, *, long_too: bool = False) -> str:
    """What a user's message asks for, on one line, the user's own words first; "" where it asks for nothing new
    ("continue", "ok")."""
    written = asked(text, long_too=long_too)
    request = one_line(written, len(written) + 1)
    if written and (count_words(request) < REQUEST_WORDS or _GONE_ON.fullmatch(key_of(request))):
        return ""
    if len(request) > REQUEST_CHARACTERS:
        head = shorten(request, int(REQUEST_CHARACTERS * REQUEST_HEAD))
        return f"{head} {_end(request, REQUEST_CHARACTERS - len(head) - 1)}"
    return _with_pasted(request, text, written)


def _with_pasted(request: str, text: str, written: str) -> str:
    """With what was pasted with it, behind it, where both are short: it says what the request is about."""
    own = set(written.splitlines())
    lines = [line for line in as_sent(text).splitlines() if line.strip() not in own and not _JUNK.search(line)]
    pasted = "\n".join(lines)
    if len(pasted) > REQUEST_CHARACTERS or count_words(pasted) < REQUEST_WORDS:
        return request
    pasted = one_line(pasted, len(pasted) + len(lines)).replace('"', "'")
    whole = f"{request}{PASTED}{pasted})" if request else pasted
    return whole if len(whole) <= REQUEST_CHARACTERS else request


def own_words(request: str) -> str:
    """A request without what was pasted with it."""
    return request.partition(PASTED)[0]


def _end(text: str, limit: int) -> str:
    """The last sentences of a text, at most `limit` characters."""
    tail = text[-limit:]
    said = sentences_of(tail)
    return " ".join(said[1:]) if len(said) > 1 else tail[tail.find(" ") + 1 :]


def asked(text: str, *, long_too: bool = False) -> str:
    """What a user wrote, without what is left of a paste when its obvious lines are out."""
    written = prose(text, long_too=long_too)
    lines = [line for line in written.splitlines() if not _JUNK.search(line)]
    if count_words(written) < PASTED_SHARE * count_words(text):  # the most was pasted: short lines are, too
        lines = [line for line in lines if count_words(line) >= REQUEST_WORDS]
    return "\n".join(dict.fromkeys(lines))


def _answered(work: WorkHistory, at: int, message: BranchMessage) -> None:
    if not work.stretches:
        work.stretches.append(Stretch("", at))
    stretch = work.stretches[-1]
    text = "\n".join(without_packet(block.text) for block in message.view.blocks if block.kind == "text").strip()
    calls = [block for block in message.view.blocks if block.kind == "call"]
    stretch.finished = not calls and bool(text)
    if text:
        stretch.texts.append((at, text))
        _name(work, at, text)
    for call in calls:
        for value in (call.arguments or {}).values():
            if isinstance(value, str) and len(value) <= COMMAND_CHARACTERS:
                _name(work, at, value)


def _name(work: WorkHistory, at: int, text: str) -> None:
    for name in identifiers(text):
        work.named[name] += 1
        work.last_named[name] = at


def _touched(work: WorkHistory, at: int, what: str) -> None:
    action, _, path = what.partition("\n")
    work.removed_paths.pop(path, None)
    work.by_name.setdefault(path.rpartition("/")[2], {})[path] = None
    if action == "read":
        work.read[path] += 1
        return
    work.changed[path] += 1
    work.changed_at[path] = at
    if work.stretches:
        changed = work.stretches[-1].changed
        changed[path] = changed.get(path, 0) + 1


def _moved(work: WorkHistory, at: int, old: str, new: str) -> None:
    """A file that has another name, or none: its counts go with it. What is relative to a directory that is not
    known is the one file that ends so, where only one does."""
    known = work.by_name.get(old.rpartition("/")[2], {})
    path = old if old in known else next((one for one in known if one.endswith(f"/{old}")), "")
    if not path or (path != old and sum(one.endswith(f"/{old}") for one in known) > 1):
        work.removed_paths[old] = new
        return
    if new and not new.startswith("/") and path != old:
        new = f"{path.removesuffix(old)}{new}"
    known.pop(path)
    work.removed_paths[path] = new
    changed, read = work.changed.pop(path, 0), work.read.pop(path, 0)
    work.changed_at.pop(path, None)
    if new:
        work.by_name.setdefault(new.rpartition("/")[2], {})[new] = None
        work.read[new] += read
        work.changed[new] += changed
        work.changed_at[new] = at
