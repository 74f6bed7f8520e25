"""The command `demo`: replays the session that ships with this package twice through a spawned sidecar, and
shows the results.

1. A scripted agent produced the session with real tools in a small repository. The host is the one of `ctxmgr
   replay`, so the bill equals that in the guides.
2. It shows one list before and after, what replaces a shortened message, the packet, and the bill. Nothing is wider
   than WIDTH.
3. The list is that of the call with the most tokens removed, among those with a packet if there are any.
4. A list is shown in stretches: runs of messages that were treated the same way, that is kept, shortened or
   removed. Each shortened message, and each kept user message, is a stretch of its own. The packet precedes the
   message that follows it in the list that was sent.
"""

import argparse
import json
import shutil
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Literal

import msgspec
from rich import box
from rich.console import Console
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from ctxmgr.extras import install, is_installed
from ctxmgr.plain_text import complain
from ctxmgr.study.console import plain, progress_bar
from ctxmgr.study.driving import ReplayResult, drive
from ctxmgr.study.figures import Figures, Measures, figures, value_at
from ctxmgr.study.observations import (
    PACKET,
    SUMMARY,
    MessageCache,
    Observation,
    PriceSheet,
    ProjectedMessage,
    message_reader,
)
from ctxmgr.study.recordings import HostMessage, Recording, pi_host, readers
from ctxmgr.study.replay import modelled

__all__ = ["run"]

Fate = Literal["kept", "shortened", "removed", "packet"]
NAMES = {
    "user": "user message",
    "assistant": "reply",
    "toolResult": "tool result",
    SUMMARY: "summary by the agent",
}
SUBJECTS = ("path", "file_path", "command", "pattern", "query")  # arguments that name the subject of a call


class Stretch(msgspec.Struct, frozen=True):
    """`first` and `last` of its messages, from 1; 0 for the packet. `tokens`: in the agent's list and as sent.
    `sent_text`: what replaces a shortened result; the packet's text.
    """

    fate: Fate
    first: int
    last: int
    what: str
    tokens: int
    sent_tokens: int
    sent_text: str = ""


def pruned_call(outcome: ReplayResult) -> int | None:
    """The index of the call to show: one that begins an epoch and, if possible, has a packet; among these the call
    with the most tokens removed. None if no list was changed.
    """
    sights, calls = outcome.observations, outcome.calls
    begun = [
        number for number in range(1, len(sights)) if sights[number].epoch_number != sights[number - 1].epoch_number
    ]
    with_packet = [
        number for number in begun if any(one.index == PACKET for one in sights[number].projected_messages)
    ]
    return max(with_packet or begun, key=lambda n: calls[n].before_tokens - calls[n].after_tokens, default=None)


def stretches(sight: Observation, tokens: Callable[[bytes], int]) -> list[Stretch]:
    """In the order of the list. `tokens` counts a message by its bytes."""
    sent = {message.index: message for message in sight.projected_messages if message.index != PACKET}
    subjects = _subjects(sight.items)
    made: list[Stretch] = []
    for (fate, _), run in groupby(enumerate(sight.items), key=lambda one: _kind(one[1], one[0], sent)):
        indexes = [index for index, _ in run]
        items = [sight.items[index] for index in indexes]
        made.append(
            Stretch(
                fate,
                indexes[0] + 1,
                indexes[-1] + 1,
                _what(items, subjects),
                sum(tokens(item.raw) for item in items),
                sum(tokens(sent[index].raw) for index in indexes if index in sent),
                pi_host.text_of(json.loads(sent[indexes[0]].raw)) if fate == "shortened" else "",
            )
        )
    for following, message in _packets(sight.projected_messages, len(sight.items)):
        text = pi_host.text_of(json.loads(message.raw))
        packet = Stretch("packet", 0, 0, "what was removed, in short", 0, tokens(message.raw), text)
        place = next((number for number, one in enumerate(made) if one.last > following), len(made))
        made.insert(place, packet)
    return made


def _kind(item: HostMessage, index: int, sent: dict[int, ProjectedMessage]) -> tuple[Fate, int]:
    """What happened to a message, and a number that all messages of a stretch share."""
    message = sent.get(index)
    if message is None:
        return "removed", 0
    if not message.same:
        return "shortened", index
    return "kept", index if item.role == "user" else -1


def _packets(sent: Sequence[ProjectedMessage], count: int) -> Iterator[tuple[int, ProjectedMessage]]:
    """Each packet with the index of the message that follows it, `count` if none does."""
    for place, message in enumerate(sent):
        if message.index == PACKET:
            yield next((later.index for later in sent[place:] if later.index != PACKET), count), message


def _what(items: Sequence[HostMessage], subjects: dict[str, str]) -> str:
    """Describes a single message by its text or subject, and several by the number of messages of each role."""
    if len(items) > 1:
        counts = Counter(NAMES.get(item.role, "other message") for item in items)
        return ", ".join(f"{count} {name if count == 1 else _plural(name)}" for name, count in counts.most_common())
    (item,) = items
    if item.role == "toolResult":
        return (
            f"result of {subjects.get(item.message.get('toolCallId', ''), item.message.get('toolName', 'a tool'))}"
        )
    called = ", ".join(subjects[call["id"]] for call in item.calls)
    says = pi_host.text_of(item.message) or (f"calls {called}" if called else "")
    return _line(f"{NAMES.get(item.role, 'message')}: {says}".removesuffix(": "))


def _line(text: str) -> str:
    return " ".join(text.split())


def _plural(name: str) -> str:
    return {"reply": "replies", NAMES[SUMMARY]: "summaries by the agent"}.get(name, f"{name}s")


def _subjects(items: Sequence[HostMessage]) -> dict[str, str]:
    """By call id: the tool and its subject, such as "read src/a.py"."""
    named = {}
    for item in items:
        for call in item.calls:
            arguments = call.get("arguments") or {}
            about = next((str(arguments[key]) for key in SUBJECTS if arguments.get(key)), "")
            named[call["id"]] = _line(f"{call['name']} {about}")
    return named


SESSION = Path(__file__).parent / "greenhouse.jsonl"
WINDOW = 64_000  # tokens: the session exceeds it, as a long one exceeds a larger window
LEAST_WINDOW = 16_000  # tokens: system prompt and tools take 5,000 of them
WIDTH = 80  # columns
ROWS = 16  # of the list at most
PACKET_LINES, SENT_LINES = 14, 6
STYLES = {"kept": "green", "shortened": "yellow", "removed": "red", "packet": "cyan"}


class Run(msgspec.Struct, frozen=True):
    """One drive of the session, and its figures."""

    outcome: ReplayResult
    measures: Figures


def run(parsed: argparse.Namespace) -> int:
    """Returns 0; 1 if a check of an answer failed; 2 if the window is too small."""
    if parsed.window < LEAST_WINDOW:
        return complain("demo", f"--window {parsed.window}: this session needs at least {LEAST_WINDOW:,} tokens", 2)
    console = Console(width=WIDTH, highlight=False)
    recording = readers.read(readers.source(SESSION))
    assert isinstance(recording, Recording)
    console.print(
        f"\nA recorded session of a coding agent ([bold]{len(recording.entries)} entries[/bold]) is replayed twice "
        "through a real `ctxmgr serve`: once with pruning off, once with the default preset. The model has a "
        f"window of {parsed.window:,} tokens. Nothing leaves this machine, and no model is called.\n"
    )
    off, balanced = replayed(recording, parsed.window)
    if off.outcome.calls and balanced.outcome.calls:  # otherwise the failures below say why there are none
        show(console, off, balanced)
    failures = [*off.outcome.failures, *balanced.outcome.failures]
    for failure in failures:
        console.print(plain(f"failed: {failure}", "red"))
    return 1 if failures else 0


def replayed(recording: Recording, window: int) -> tuple[Run, Run]:
    """The session with preset `off`, and with `balanced`."""
    ground, sheet = MessageCache(message_reader()), PriceSheet()
    runs, base = [], None
    with tempfile.TemporaryDirectory() as state:
        for preset in ("off", "balanced"):
            options = modelled(preset, {}, window, sheet, state_dir=Path(state) / preset, spawn=True)
            with progress_bar(f"replaying with preset {preset}", len(recording.entries)) as advanced:
                outcome = drive(recording, options, partial(advanced, 1))
            measures = Measures(outcome.observations, ground, sheet)
            base = base or measures
            runs.append(Run(outcome, figures(measures, base)))
    return runs[0], runs[1]


def show(console: Console, off: Run, balanced: Run) -> None:
    number = pruned_call(balanced.outcome)
    if number is None:
        console.print("Nothing was removed: the session fits this window.\n")
    else:
        _list(console, balanced.outcome, number)
    _bill(console, off, balanced)
    _next(console)


def _next(console: Console) -> None:
    """The commands to try next; before them those that install ctxmgr, unless the next ones work already."""
    console.print("\nNext, with your own sessions and your own agent:")
    if shutil.which("ctxmgr") is None or not is_installed("proxy"):
        for line in (
            "python3 -m venv ~/.venvs/ctxmgr",
            f"~/.venvs/ctxmgr/bin/{install('proxy', 'study')}",
            "export PATH=~/.venvs/ctxmgr/bin:$PATH",
        ):
            console.print(plain(f"  {line}"), soft_wrap=True)
    console.print(
        "  [bold]ctxmgr savings[/bold]                   what they cost, and what they would have cost\n"
        "  [bold]ctxmgr run --observe -- claude[/bold]   changes no request, reports the savings\n"
    )


def _list(console: Console, outcome: ReplayResult, number: int) -> None:
    """The list before one call and as it was sent, and the packet in it."""
    call, sight = outcome.calls[number], outcome.observations[number]
    console.print(
        f"[bold]One list, before and after[/bold]: model call {number + 1} of {len(outcome.calls)}. The agent has "
        f"{len(sight.items)} messages,\n{call.before_tokens:,} tokens. ctxmgr sends {call.after_tokens:,} tokens."
    )
    if call.before_tokens > outcome.window:
        console.print("That exceeds the window: without ctxmgr, the agent would have compacted it.")
    found = stretches(sight, MessageCache(message_reader()).weight)
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1), pad_edge=False, expand=True)
    table.add_column("messages", justify="right", no_wrap=True)
    table.add_column("", no_wrap=True)
    table.add_column("what", no_wrap=True, overflow="ellipsis", ratio=1)
    table.add_column("tokens", justify="right", no_wrap=True)
    table.add_column("sent", justify="right", no_wrap=True)
    for row in shown(found, ROWS):
        table.add_row(*_cells(row) if isinstance(row, Stretch) else ("", "...", plain(row, "dim"), "", ""))
    console.print(table)
    shortened = max((one for one in found if one.fate == "shortened"), key=lambda one: one.tokens, default=None)
    if shortened is not None:
        console.print(
            f"In place of message {shortened.first}, this is sent (its count, with ~, is a faster estimate):"
        )
        for line in excerpt(shortened.sent_text, SENT_LINES):
            console.print(plain(f"  {line}", "yellow"), no_wrap=True, overflow="ellipsis")
        console.print()
    for packet in (one for one in found if one.fate == "packet"):
        text = plain("\n".join(excerpt(packet.sent_text, PACKET_LINES)))
        text.no_wrap, text.overflow = True, "ellipsis"
        console.print(Panel(text, title="the packet, each line cut to this width", border_style=STYLES["packet"]))
    console.print()


def excerpt(text: str, most: int) -> list[str]:
    """The lines of a text without empty ones; of more than `most` lines the first ones, and the number of the
    others.
    """
    lines = [line for line in text.split("\n") if line.strip()]
    return lines if len(lines) <= most else [*lines[: most - 1], f"... {len(lines) - most + 1} more lines"]


def shown(found: Sequence[Stretch], most: int) -> list[Stretch | str]:
    """About `most` rows: of a longer list its start, its end and the packet, with a line for each gap."""
    if len(found) <= most:
        return list(found)
    head, tail = most // 3, len(found) - (most - most // 3)
    rows: list[Stretch | str] = []
    for is_shown, some in groupby(
        enumerate(found), key=lambda one: one[0] < head or one[0] >= tail or one[1].fate == "packet"
    ):
        part = [stretch for _, stretch in some]
        rows += part if is_shown else [_together(part)]
    return rows


def _together(some: Sequence[Stretch]) -> str:
    counts = {fate: sum(one.last - one.first + 1 for one in some if one.fate == fate) for fate in STYLES}
    said = ", ".join(f"{count} {fate}" for fate, count in counts.items() if count)
    return f"{some[-1].last - some[0].first + 1} more: {said}"


def _cells(one: Stretch) -> tuple[str | Text, ...]:
    numbers = f"{one.first}-{one.last}" if one.last > one.first else str(one.first or "")
    before = f"{one.tokens:,}" if one.first else ""
    after = "" if one.fate == "removed" else f"{one.sent_tokens:,}"
    return numbers, Text(one.fate, style=STYLES[one.fate]), plain(one.what), before, after


def _bill(console: Console, off: Run, balanced: Run) -> None:
    """The whole session: sizes, compactions, money, and what the lists held."""
    runs = (off, balanced)
    table = Table(
        title="The bill of the whole session", title_justify="left", title_style="bold", box=box.SIMPLE_HEAD
    )
    for name in ("", "without", "with ctxmgr"):
        table.add_column(name, justify="right" if name else "left", no_wrap=True)
    means = (sum(call.after_tokens for call in one.outcome.calls) // len(one.outcome.calls) for one in runs)
    table.add_row("tokens sent at each call, mean", *(f"{mean:,}" for mean in means))
    largest = (max(call.after_tokens for call in one.outcome.calls) for one in runs)
    table.add_row("  largest", *(f"{one:,}" for one in largest))
    table.add_row("compactions", *(str(one.outcome.compacted) for one in runs), end_section=True)
    for name, path in DOLLARS.items():
        first, second = (value_at(one.measures, path) for one in runs)
        part = f" ({second / first:.0%})" if first else ""
        table.add_row(name, f"${first:.2f}", f"${second:.2f}{part}")
    table.rows[-1].end_section = True
    for name, path in HELD.items():
        table.add_row(name, *(_percent(value_at(one.measures, path)["share"]) for one in runs))
    console.print(table)
    prices = balanced.measures["prices"]
    console.print(
        f"  Input costs ${prices['input']:g} a million tokens, a cache read {prices['read']:g} of that, "
        f"a cache write {prices['write']:g}.\n  Shorter sessions, and models with cheaper cache reads, save less.",
        style="dim",
    )


DOLLARS = {
    "input, dollars": "closedLoop.billed",
    "  and what the model has to read again": "closedLoop.closed",
}
HELD = {
    "old text that replies repeat, still in the list": "kept",
    "the user's messages, word for word": "said.last",
}


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{max(0.0, share):.0%}"
