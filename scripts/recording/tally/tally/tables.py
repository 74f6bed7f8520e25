"""Tables of text: cells into columns of the same width."""

from collections.abc import Iterable, Sequence


def table(rows: Iterable[Sequence[str]], align: str) -> str:
    """`align`: one letter a column, l or r."""
    lines = [list(row) for row in rows]
    widths = [max((len(line[at]) for line in lines), default=0) for at in range(len(align))]
    return "\n".join(row_text(line, widths, align) for line in lines)


def row_text(cells: Sequence[str], widths: Sequence[int], align: str) -> str:
    parts = [cell.rjust(width) if side == "r" else cell.ljust(width) for cell, width, side in zip(cells, widths, align)]
    return "  ".join(parts).rstrip()


def bar(share: float, width: int = 20) -> str:
    """A bar of signs; what is over the plan is told by a plus."""
    full = min(width, round(share * width))
    return "#" * full + "." * (width - full) + ("+" if share > 1 else "")
