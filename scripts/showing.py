"""What `scripts/demo` shows: the real sidecar, driven through the project's recorded session.

A scripted agent once worked on a small repository, and really ran its tools. Here its host
goes through that session again, without ctxmgr's pruning and with it, and prints what a newcomer should see: how
the lists grow, why each cache epoch began, what the input costs, and what the model still knows.

    scripts/demo                    a model with a window of 100,000 tokens
    scripts/demo --window 64000     another one
"""

import argparse
import re
import sys
import tempfile
from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path

import msgspec
from rich import box
from rich.console import Console
from rich.padding import Padding
from rich.panel import Panel
from rich.progress import Progress
from rich.table import Table
from rich.text import Text

from ctxmgr.study.driving import ReplayOptions, ReplayResult, drive
from ctxmgr.study.figures import Figures, Measures, figures, value_at
from ctxmgr.study.observations import MessageCache, PriceSheet, message_reader
from ctxmgr.study.recordings import Recording, readers

SESSION = Path(__file__).parent.parent / "tests" / "sessions" / "greenhouse.jsonl"
WINDOW = 100_000  # tokens: this session of 147,000 fills it, as a day's work fills a larger one
WIDTH = 80  # columns: nothing is wider, whatever the terminal
ROWS = 10  # about so many calls are shown, and each that opened an epoch
BAR = 13  # characters of the longest bar
PACKET_LINES = 16
FEW = 3  # epochs whose sum is shown
STYLES = {"green": "green", "yellow": "yellow", "red": "red", "compact": "bold red"}
WHY = {
    "price": "keeping what was old had cost as much as a new start: it paid",
    "cold": "the provider's cache had run out: all is written anyway, so leaving is free",
    "red": "the window was filling up",
    "compaction": "the host compacted: the prefix was lost anyway",
}
_ARITHMETIC = re.compile(r"call (\d+), epoch (\d+): (\w+): (.*)", re.DOTALL)


class Run(msgspec.Struct, frozen=True):
    """One way through the session, and its figures."""

    outcome: ReplayResult
    measures: Figures


class Opened(msgspec.Struct, frozen=True):
    """An epoch: `call` opened it (from 1 on), `why`, and the `sum` as the report told it."""

    call: int
    epoch: int
    why: str
    sum: str


def main(arguments: Sequence[str] | None = None) -> int:
    """0; 1 where a check of the answers failed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--window", type=int, default=WINDOW, help="of the model, in tokens (default: %(default)s)")
    window = parser.parse_args(arguments).window
    console = Console(width=WIDTH, highlight=False)
    recording = readers.read(readers.source(SESSION))
    assert isinstance(recording, Recording)
    console.print(
        f"\n[bold]{recording.name}[/bold]: an agent's session of {len(recording.entries)} entries, gone through "
        f"twice with a real `ctxmgr serve` beside it, on a model with a window of {window:,} tokens.\n"
    )
    off, ours = gone_through(recording, window, console)
    if off.outcome.calls and ours.outcome.calls:  # else a failure tells why there are none
        show(console, off, ours)
    failures = [*off.outcome.failures, *ours.outcome.failures]
    for failure in failures:
        console.print(Text(f"failed: {failure}", style="red"))
    return 1 if failures else 0


def gone_through(recording: Recording, window: int, console: Console) -> tuple[Run, Run]:
    """The session under preset `off`, and under the default one."""
    ground = MessageCache(message_reader())
    runs = []
    with tempfile.TemporaryDirectory() as state, Progress(console=console, transient=True) as progress:
        for preset in ("off", "balanced"):
            task = progress.add_task(preset, total=len(recording.entries))
            folder = Path(state) / preset
            options = ReplayOptions(preset=preset, window=window, state_dir=folder, measure=True, spawn=True)
            outcome = drive(recording, options, partial(progress.advance, task))
            runs.append(Run(outcome, figures(Measures(outcome.observations, ground, PriceSheet()), None)))
    return runs[0], runs[1]


def show(console: Console, off: Run, ours: Run) -> None:
    epochs = opened(ours.outcome)
    _growth(console, off.outcome, ours.outcome, epochs)
    _sums(console, epochs)
    _events(console, "without ctxmgr", off.outcome)
    _events(console, "with ctxmgr", ours.outcome)
    _balance(console, off, ours, epochs)
    _packet(console, ours.outcome.packet)
    console.print(
        "\nThe same with a page of plots to look at, and any other recording of yours:\n"
        f"  [bold].venv/bin/ctxmgr replay {SESSION.relative_to(SESSION.parents[2])} \\\n"
        f"    --window {ours.outcome.window} --preset balanced --preset turns --report page.html[/bold]\n"
    )


def opened(outcome: ReplayResult) -> list[Opened]:
    """The epochs, as the reports announced them."""
    matches = (_ARITHMETIC.fullmatch(text) for text in outcome.arithmetic)
    return [Opened(int(match[1]), int(match[2]), match[3], match[4]) for match in matches if match]


def _growth(console: Console, off: ReplayResult, ours: ReplayResult, epochs: Sequence[Opened]) -> None:
    """The size of each list sent, without and with pruning."""
    table = Table(title="tokens sent to the model at each call", title_justify="left", box=box.SIMPLE_HEAD)
    for name in ("call", "without", "", "with", "", "zone", "epoch"):
        table.add_column(name, justify="left" if name in ("", "zone", "epoch") else "right", no_wrap=True)
    by_call = {epoch.call - 1: epoch for epoch in epochs}
    marks = [mark.call_index for mark in (*off.marks, *ours.marks)]
    count = min(len(off.calls), len(ours.calls))
    widest = max(1, *(call.after_tokens for call in (*off.calls, *ours.calls)))
    for number in shown(count, [*by_call, *marks]):
        before, now, epoch = off.calls[number].after_tokens, ours.calls[number], by_call.get(number)
        table.add_row(
            str(number + 1),
            f"{before:,}",
            Text("█" * round(BAR * before / widest), style="dim"),
            f"{now.after_tokens:,}",
            Text("█" * round(BAR * now.after_tokens / widest), style=STYLES[now.zone]),
            Text(now.zone, style=STYLES[now.zone]),
            Text(f"{epoch.epoch} {epoch.why}" if epoch else "", style="cyan"),
        )
    console.print(table)


def shown(count: int, changes: Iterable[int]) -> list[int]:
    """The calls to show, from 0 on: a few, the last, each at which the list changed, and the one before it."""
    every = max(1, count // ROWS)
    near = {number for change in changes for number in (change - 1, change) if 0 <= number < count}
    return sorted({*range(0, count, every), *near, *range(max(0, count - 1), count)})


def _sums(console: Console, epochs: Sequence[Opened]) -> None:
    """Why an epoch began, with the first sum of each kind."""
    if not epochs:
        console.print("No epoch was opened: every list went as it came.\n")
        return
    console.print(
        f"[bold]{len(epochs)} epochs[/bold]. Between them a list only grows at its end, and the provider reads it "
        "from its cache; what leaves does so at once, when that pays:"
    )
    first = {epoch.why: epoch for epoch in reversed(epochs)}
    for epoch in sorted(first.values(), key=lambda epoch: epoch.call)[:FEW]:
        times = sum(other.why == epoch.why for other in epochs)
        why = f": {WHY[epoch.why]}" if epoch.why in WHY else ""
        head = Text.assemble((epoch.why, "bold cyan"), f", {times} x{why}")
        console.print(Padding(head, (1, 0, 0, 2)))
        console.print(Padding(Text(f"call {epoch.call}: {epoch.sum}", style="dim"), (0, 0, 0, 4)))
    console.print()


def _events(console: Console, title: str, outcome: ReplayResult) -> None:
    """Compactions, and what was asked of the host."""
    if outcome.marks:
        console.print(f"[bold]what happened {title}[/bold]")
        for mark in outcome.marks:
            console.print(Text(f"  after call {mark.call_index:>3}  {mark.kind}  {mark.text}"))
        console.print()


def _balance(console: Console, off: Run, ours: Run, epochs: Sequence[Opened]) -> None:
    """The whole session: sizes, money, what could still be seen."""
    table = Table(title="the whole session", title_justify="left", box=box.SIMPLE_HEAD)
    for name in ("", "without", "with ctxmgr"):
        table.add_column(name, justify="left" if not name else "right", no_wrap=True)
    runs = (off, ours)
    calls = [run.outcome.calls for run in runs]
    table.add_row(
        "mean list sent, tokens", *(f"{sum(call.after_tokens for call in some) // len(some):,}" for some in calls)
    )
    table.add_row("largest", *(f"{max(call.after_tokens for call in some):,}" for some in calls))
    table.add_row("compactions asked for in time", *(str(run.outcome.requested) for run in runs))
    table.add_row("compactions the host was forced to", *(str(run.outcome.own) for run in runs), end_section=True)
    spent = [run.measures["money"] for run in runs]
    part = f"  ({spent[1] / spent[0]:.0%})" if spent[0] else ""
    table.add_row("billed input, dollars", f"{spent[0]:.2f}", f"{spent[1]:.2f}{part}")
    table.add_row("breaks of the cached prefix", *(str(run.measures["breaks"]) for run in runs), end_section=True)
    for name, path in KNOWN.items():
        table.add_row(name, *(_percent(value_at(run.measures, path)["share"]) for run in runs))
    table.rows[-1].end_section = True
    opening = {epoch.call for epoch in epochs}
    times = [(number in opening, call.seconds) for number, call in enumerate(calls[1], 1)]
    table.add_row("time a call, median", "", _middle([seconds for opens, seconds in times if not opens]))
    table.add_row("time of one that opens an epoch", "", _middle([seconds for opens, seconds in times if opens]))
    console.print(table)
    prices = ours.measures["prices"]
    note = (
        f"Input at {prices['input']:g} $ a million tokens, read from the cache at {prices['read']:g} of it, "
        f"written at {prices['write']:g}, cold after {prices['ttl_ms'] // 60_000} minutes. The recorded replies do "
        "not react to what is shown: the shares say what a reply would have missed."
    )
    console.print(Padding(Text(note, style="dim"), (0, 0, 1, 2)))


KNOWN = {
    "names a reply used that it could see": "recall.overall",
    "  in a message as it came": "recall.inPlace",
    "  of those last said long ago": "recall.far",
    "lines an edit replaced that it saw": "grounding",
    "the user's messages, word for word": "said.last",
}


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{share:.1%}"


def _middle(seconds: Sequence[float]) -> str:
    return f"{sorted(seconds)[len(seconds) // 2] * 1000:.1f} ms" if seconds else "-"


def _packet(console: Console, packet: str) -> None:
    """Its first lines, each cut to the width."""
    lines = [line for line in packet.split("\n") if line]
    if not lines:
        return
    title = f"the packet for what left, in the last list: {PACKET_LINES} of {len(lines)} lines"
    text = Text("\n".join(lines[:PACKET_LINES]), no_wrap=True, overflow="ellipsis")
    console.print(Panel(text, title=title, border_style="cyan"))


if __name__ == "__main__":
    sys.exit(main())
