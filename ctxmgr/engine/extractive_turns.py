"""Turns messages into what each request came to, and into counts of the files and names they worked with.

A *stretch* is a turn and the turns after it that ask for nothing new ("continue", "ok", a command, a picture):
what such a turn brought belongs to the request before it. Tool text is not read: of tools only the arguments of
calls count. Knows no facts, budgets or formats.
"""

import re
from collections import Counter
from collections.abc import Sequence

import msgspec

from ctxmgr.engine.packet import is_packet
from ctxmgr.engine.packet_text import one_line
from ctxmgr.engine.prose import prose
from ctxmgr.engine.salient import LEAST_WORDS, Spoken, best, finds, joined, names, skipped, spoken, stands
from ctxmgr.engine.wording import plain, sentences, shorten, unfenced
from ctxmgr.model.branch import BranchMessage

REQUEST_CHARACTERS = 1_200  # of one request, verbatim: prose holds little that is longer
CLOSING_CHARACTERS = 520  # of what a stretch came to: about 130 tokens
LEAST_REQUEST_WORDS = 3  # as a request fact needs
COMMAND_CHARACTERS = 400  # of a call's argument that is read for names: more is a script or a file's text
MOST_CHANGED = 8  # files named where nothing else tells what a request came to
MOST_HEADS = 4
HEAD_CHARACTERS = 80
PASTED_SHARE = 0.8  # of a message's words that are left as the user's own: below it something was pasted
GONE_ON = frozenset(("go on", "go ahead", "keep going", "carry on", "please continue", "please go on", "do it"))
_HEADING = re.compile(r"^#{1,4}\s+(\S.*)$", re.MULTILINE)
_JUNK = re.compile(
    r"[\u2800-\u28ff]|^\s*\^+\s*$|^Node\.js v\d|\.\w{1,4}:\d+(?::\d+)?\)?\s*$|^Waiting for the debugger"
)  # a terminal's spinner, a caret under code, the end of a trace


class Stretch(msgspec.Struct):
    """One request and what came of it. `request` "" before the first; `at` is the place of its message.

    `said` are the assistant's texts with their places; `changed` counts changes by path. `finished`: the last
    assistant message called no tool.
    """

    request: str
    at: int
    said: list[tuple[int, str]] = []
    changed: dict[str, int] = {}
    finished: bool = False


class Work(msgspec.Struct):
    """All that was done: stretches, and how often each path was read and changed and each name was said.

    `last_named` is the place of the last message that a name stood in.
    """

    stretches: list[Stretch] = []
    read: Counter[str] = msgspec.field(default_factory=Counter)
    changed: Counter[str] = msgspec.field(default_factory=Counter)
    named: Counter[str] = msgspec.field(default_factory=Counter)
    last_named: dict[str, int] = {}
    size: int = 0


def of(messages: Sequence[BranchMessage], touched: dict[str, str]) -> Work:
    """Read the messages once. `touched` maps a call's id to "read" or "changed", newline, path (from facts)."""
    work = Work(size=len(messages))
    for at, message in enumerate(messages):
        view = message.view
        if view.role == "user" and view.opens_turn:
            _opened(work, at, "\n".join(unit.text for unit in view.units if unit.kind == "text"))
        elif view.role == "assistant":
            _answered(work, at, message)
        for unit in view.units:
            if unit.kind == "result" and unit.call_id in touched and not unit.is_error:
                _touched(work, touched[unit.call_id])
    return work


def _opened(work: Work, at: int, text: str) -> None:
    """Start a stretch at a user message that asks for something; else the one before goes on."""
    if is_packet(text):
        return
    request = one_line(asked(text, long_too=not work.stretches), REQUEST_CHARACTERS)
    _name(work, at, request)
    asks = len(request.split()) >= LEAST_REQUEST_WORDS and request.casefold().strip(" .!") not in GONE_ON
    if asks or not work.stretches:
        work.stretches.append(Stretch(request if asks else "", at))


def asked(text: str, *, long_too: bool = False) -> str:
    """What a user wrote, without what is left of a paste when its obvious lines are out."""
    written = prose(text, long_too=long_too)
    lines = [line for line in written.splitlines() if not _JUNK.search(line)]
    if len(written.split()) < PASTED_SHARE * len(text.split()):  # the most was pasted: short lines are, too
        lines = [line for line in lines if len(line.split()) >= LEAST_REQUEST_WORDS]
    return "\n".join(dict.fromkeys(lines))


def _answered(work: Work, at: int, message: BranchMessage) -> None:
    if not work.stretches:
        work.stretches.append(Stretch("", at))
    stretch = work.stretches[-1]
    text = "\n".join(
        unit.text for unit in message.view.units if unit.kind == "text" and not is_packet(unit.text)
    ).strip()
    calls = [unit for unit in message.view.units if unit.kind == "call"]
    stretch.finished = not calls and bool(text)
    if text:
        stretch.said.append((at, text))
        _name(work, at, text)
    for call in calls:
        for value in (call.arguments or {}).values():
            if isinstance(value, str) and len(value) <= COMMAND_CHARACTERS:
                _name(work, at, value)


def _name(work: Work, at: int, text: str) -> None:
    for name in names(text):
        work.named[name] += 1
        work.last_named[name] = at


def _touched(work: Work, what: str) -> None:
    action, _, path = what.partition("\n")
    if action == "read":
        work.read[path] += 1
        return
    work.changed[path] += 1
    if work.stretches:
        changed = work.stretches[-1].changed
        changed[path] = changed.get(path, 0) + 1


def closing(stretch: Stretch, weights: dict[str, float], told: Sequence[str] = ()) -> tuple[str, str]:
    """What a stretch came to, at length and in one sentence; ("", "") where nothing tells.

    From its last text that states something; where the stretch broke off, the best of all it found; else what
    its last text is headed, and what was changed.
    """
    if not stretch.finished:
        return _broken_off(stretch, weights, told)
    for at, text in reversed(stretch.said):
        said = spoken(text, at)
        if said:
            return _from(said, weights, told)
    heads = [one_line(head, HEAD_CHARACTERS) for _, text in stretch.said[-1:] for head in _HEADING.findall(text)]
    text = joined(dict.fromkeys([*heads[:MOST_HEADS], *_changed(stretch)]))
    return text, text


def _broken_off(stretch: Stretch, weights: dict[str, float], told: Sequence[str]) -> tuple[str, str]:
    said = [one for at, text in stretch.said for one in spoken(text, at) if finds(one)]
    chosen = best(said, weights, characters=CLOSING_CHARACTERS // 2, without=told)
    changed = _changed(stretch)
    brief = changed or [one.text for one in chosen[-1:]]
    return joined([*(one.text for one in chosen), *changed]), joined(brief)


def _changed(stretch: Stretch) -> list[str]:
    names = list(dict.fromkeys(path.rpartition("/")[2] for path in stretch.changed))
    more = f" and {len(names) - MOST_CHANGED} more" if len(names) > MOST_CHANGED else ""
    return [f"changed {', '.join(names[:MOST_CHANGED])}{more}"] if names else []


def _from(said: list[Spoken], weights: dict[str, float], told: Sequence[str]) -> tuple[str, str]:
    """The sentence that leads, and the best of the others, in their order.

    The lead is the first that is no list item and leans on nothing before it, where there is one.
    """
    order = sorted(said, key=lambda one: (one.listed or one.leans, one.listed, one.place))
    lead = order[0]
    others = [one for one in said if one is not lead]
    chosen = best(others, weights, characters=CLOSING_CHARACTERS - len(lead.text), without=(lead.text, *told))
    shown = sorted((lead, *chosen), key=lambda one: one.place)
    return joined(one.text for one in shown), lead.text


def last_words(stretch: Stretch, limit: int) -> str:
    """The last thing said, narration and questions too: where the work stood when it was cut."""
    for _, text in reversed(stretch.said):
        lines = [plain(line) for line in unfenced(text) if not skipped(line)]
        found = [one for line in lines for one in sentences(line) if len(one.split()) >= LEAST_WORDS]
        stated = [one for one in found if stands(one)]
        if found:
            return shorten(
                one_line((stated or found)[-1] if stretch.finished else found[-1], limit).rstrip(":"), limit
            )
    return ""
