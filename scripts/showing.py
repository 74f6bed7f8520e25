"""What `scripts/demo` shows: the real sidecar, driven through the project's recorded session.

A scripted agent once worked on a small repository, and really ran its tools (`scripts/record`). Here its host
goes through that session again, without ctxmgr's pruning and with it, and prints what a newcomer should see.
"""

import sys
import tempfile
from pathlib import Path

from rich.console import Console
from rich.panel import Panel
from rich.progress import Progress
from rich.table import Table
from rich.text import Text

from ctxmgr.study import readers
from ctxmgr.study.drive import Options, drive
from ctxmgr.study.outcomes import Call, Outcome
from ctxmgr.study.recordings import Recording

SESSION = Path(__file__).parent.parent / "tests" / "sessions" / "greenhouse.jsonl"
WINDOW = 64_000  # tokens: small enough that this short session fills it
ROWS = 24  # about so many calls are shown, with every change of zone
STYLES = {"green": "green", "yellow": "yellow", "red": "red", "compact": "bold red"}


def main() -> int:
    console = Console()
    recording = readers.read(readers.source(SESSION))
    assert isinstance(recording, Recording)
    console.print(
        f"\n[bold]{recording.name}[/bold]: an agent's session of {len(recording.entries)} entries, gone through"
    )
    console.print(f"twice with a real `ctxmgr serve` beside it, on a model with a window of {WINDOW:,} tokens.\n")
    with tempfile.TemporaryDirectory() as state, Progress(console=console, transient=True) as progress:
        runs = []
        for preset in ("off", "turns"):
            task = progress.add_task(preset, total=len(recording.entries))
            options = Options(preset=preset, window=WINDOW, state_dir=Path(state) / preset)
            runs.append(drive(recording, options, lambda task=task: progress.advance(task)))
    off, turns = runs
    _growth(console, off, turns)
    _events(console, turns)
    console.print(Panel(Text(turns.packet), title="the packet in the last list that had one", border_style="cyan"))
    _totals(console, off, turns)
    failures = [*off.failures, *turns.failures]
    for failure in failures:
        console.print(f"[red]failed:[/red] {failure}")
    return 1 if failures else 0


def _growth(console: Console, off: Outcome, turns: Outcome) -> None:
    """The size of each list sent, without and with pruning."""
    table = Table(
        title="tokens sent to the model, without and with ctxmgr; turns dropped, results edited",
        title_justify="left",
    )
    for name in ("call", "without", "", "with", "", "zone", "dropped", "edited"):
        table.add_column(name, justify="left" if name in ("", "zone") else "right")
    room = max(8, (console.width - 72) // 2)  # characters of the longest bar
    widest = max(call.after for call in (*off.calls, *turns.calls))
    for number in _shown(turns.calls):
        if number < len(off.calls):
            without, now = off.calls[number].after, turns.calls[number]
            table.add_row(
                str(number + 1),
                f"{without:,}",
                Text("█" * round(room * without / widest), style="dim"),
                f"{now.after:,}",
                Text("█" * round(room * now.after / widest), style=STYLES[now.zone]),
                Text(now.zone, style=STYLES[now.zone]),
                str(now.dropped),
                str(now.distilled + now.pruned),
            )
    console.print(table)


def _shown(calls: list[Call]) -> list[int]:
    every = max(1, len(calls) // ROWS)
    changes = {number for number in range(1, len(calls)) if calls[number].zone != calls[number - 1].zone}
    return sorted(changes | set(range(0, len(calls), every)) | {len(calls) - 1})


def _events(console: Console, turns: Outcome) -> None:
    console.print("[bold]what happened[/bold]")
    zone = ""
    marks = list(turns.marks)
    for number, call in enumerate(turns.calls):
        while marks and marks[0].call <= number:
            mark = marks.pop(0)
            console.print(f"  after call {mark.call:>3}  [bold]{mark.kind}[/bold]  {mark.text}")
        if call.zone != zone:
            console.print(f"  at call    {number + 1:>3}  zone {call.zone}", style=STYLES[call.zone])
            zone = call.zone
    for mark in marks:
        console.print(f"  after call {mark.call:>3}  [bold]{mark.kind}[/bold]  {mark.text}")
    console.print()


def _totals(console: Console, off: Outcome, turns: Outcome) -> None:
    table = Table(title="the whole session", title_justify="left")
    for name in ("", "without", "with ctxmgr"):
        table.add_column(name, justify="left" if not name else "right")
    runs = (off, turns)
    table.add_row(
        "mean list sent, tokens", *(f"{sum(one.after for one in run.calls) // len(run.calls):,}" for run in runs)
    )
    table.add_row("largest list sent, tokens", *(f"{max(one.after for one in run.calls):,}" for run in runs))
    table.add_row("compactions asked for in time", *(str(run.requested) for run in runs))
    table.add_row("compactions forced on the host", *(str(run.own) for run in runs))
    middle = sorted(call.seconds for call in turns.calls)[len(turns.calls) // 2]
    table.add_row("time a call, median", "", f"{middle * 1000:.1f} ms")
    console.print(table)
    console.print(
        "Try: [bold].venv/bin/ctxmgr replay tests/sessions/greenhouse.jsonl --preset turns --preset tools[/bold]\n"
    )


if __name__ == "__main__":
    sys.exit(main())
