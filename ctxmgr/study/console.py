"""Output for people: a `rich` console, and recorded text made safe for it."""

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TextIO

import msgspec
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

from ctxmgr.plain_text import PIPED_COLUMNS, safe


def plain(text: str, style: str = "") -> Text:
    """Safe text for rich; brackets in it are not markup."""
    return Text(safe(text), style=style)


def figure(value: float | None, digits: int) -> str:
    """A figure for a cell; "-" for None."""
    return "-" if value is None else f"{value:,.{digits}f}"


def figures_table(title: str, heads: Sequence[str] = ()) -> Table:
    """An empty table of figures with narrow gaps. `heads`: its columns, the first for names."""
    made = Table(
        title=plain(title),
        title_justify="left",
        caption_justify="left",
        header_style="bold",
        padding=(0, 0),
        pad_edge=False,
    )
    for number, head in enumerate(heads):
        made.add_column(head, justify="right" if number else "left", overflow="fold")
    return made


NAME_COLUMNS = 24  # of a name, before the table drops a column for it


class TextTable(msgspec.Struct, frozen=True):
    """A table of texts. `text_columns`: number of columns that contain words; the others contain figures. `spare`:
    heads of the columns that a narrow terminal drops, the first of them first.
    """

    title: str
    heads: Sequence[str]
    rows: Sequence[Sequence[str]]
    caption: str = ""
    text_columns: int = 1
    spare: Sequence[str] = ()

    def fitted(self, width: int) -> "TextTable":
        """The table without the spare columns that do not fit this width."""
        table = self
        for head in self.spare:
            if table._width() <= width:
                break
            table = table._without(head)
        return table

    def _width(self) -> int:
        """In characters. Long names wrap."""
        cells = zip(self.heads, *self.rows, strict=True)
        return (
            sum(1 + max(len(head), min(max(map(len, texts), default=0), NAME_COLUMNS)) for head, *texts in cells)
            + 1
        )

    def _without(self, head: str) -> "TextTable":
        at = list(self.heads).index(head)
        rows = [[*row[:at], *row[at + 1 :]] for row in self.rows]
        words = self.text_columns - (at < self.text_columns)
        heads = [*self.heads[:at], *self.heads[at + 1 :]]
        return msgspec.structs.replace(self, heads=heads, rows=rows, text_columns=words)

    def rendered(self) -> Table:
        made = figures_table(self.title, self.heads)
        made.caption = plain(self.caption) if self.caption else None
        for column in made.columns[1 : self.text_columns]:
            column.justify = "left"
        for row in self.rows:
            made.add_row(*map(plain, row))
        return made


def console(stream: TextIO | None = None) -> Console:
    """A console on stdout by default. Without a terminal it is wide and has no colours. Characters that cannot be
    encoded are replaced.
    """
    stream = stream or sys.stdout
    if hasattr(stream, "reconfigure"):
        stream.reconfigure(errors="backslashreplace")
    made = Console(file=stream, highlight=False)
    if not made.is_terminal:
        made = Console(file=stream, highlight=False, width=PIPED_COLUMNS, no_color=True)
    return made


@contextmanager
def progress_bar(what: str, total: int) -> Iterator[Callable[[int], None]]:
    """A progress bar on stderr if that is a terminal. Yields a function to call with the number of finished
    items.
    """
    error = console(sys.stderr)
    if not error.is_terminal:
        yield lambda count: None
        return
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=error, transient=True) as bar:
        task = bar.add_task(safe(what).replace("[", "\\["), total=total)
        yield lambda count: bar.advance(task, count)
