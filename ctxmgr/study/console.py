"""What people see: a console of `rich`, and recorded text made safe for it."""

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
    """Safe text for rich; brackets in it are no markup."""
    return Text(safe(text), style=style)


def figure(value: float | None, digits: int) -> str:
    """A figure in a cell; "-" where there is none."""
    return "-" if value is None else f"{value:,.{digits}f}"


def figures_table(title: str, heads: Sequence[str] = ()) -> Table:
    """An empty table of figures, whose columns stand close. `heads`: its columns, the first of names."""
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


NAME_COLUMNS = 24  # of a name, before the table leaves out a column for it


class TextTable(msgspec.Struct, frozen=True):
    """A table of texts. `text_columns`: so many columns hold words, the rest figures. `spare`: heads of columns
    that a narrow terminal does without, the first of them first."""

    title: str
    heads: Sequence[str]
    rows: Sequence[Sequence[str]]
    caption: str = ""
    text_columns: int = 1
    spare: Sequence[str] = ()

    def fitted(self, width: int) -> "TextTable":
        """Without the spare columns that lines of this width do not hold."""
        table = self
        for head in self.spare:
            if table._width() <= width:
                break
            table = table._without(head)
        return table

    def _width(self) -> int:
        """In characters; long names fold."""
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
    """For stdout unless told. Wide and without colours where it is no terminal; what cannot be encoded there
    is replaced."""
    stream = stream or sys.stdout
    if hasattr(stream, "reconfigure"):
        stream.reconfigure(errors="backslashreplace")
    made = Console(file=stream, highlight=False)
    if not made.is_terminal:
        made = Console(file=stream, highlight=False, width=PIPED_COLUMNS, no_color=True)
    return made


@contextmanager
def progress_bar(what: str, total: int) -> Iterator[Callable[[int], None]]:
    """A bar on stderr, where that is a terminal. What it gives is called with a count of what is done."""
    error = console(sys.stderr)
    if not error.is_terminal:
        yield lambda count: None
        return
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=error, transient=True) as bar:
        task = bar.add_task(safe(what).replace("[", "\\["), total=total)
        yield lambda count: bar.advance(task, count)
