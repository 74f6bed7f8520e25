"""Turns scores into the table that people see: kinds by policy, the used probes; and the controls in a line."""

from collections.abc import Iterator, Mapping, Sequence

from rich.table import Table

from ctxmgr.study.console import figures_table, plain
from ctxmgr.study.figures import Figures
from ctxmgr.study.probes.figures import KINDS

NONE = "-"


def probes_table(title: str, policies: Mapping[str, Figures], checks: Mapping[str, Figures]) -> Table:
    """Of `figures.values`, by policy."""
    made = figures_table(title)
    made.add_column("kind")
    made.add_column("probes (used)", justify="right")
    for name in policies:
        made.add_column(plain(name), justify="right")
    for kind in KINDS:
        some = [one["kinds"][kind] for one in policies.values() if kind in one["kinds"]]
        if some:
            cells = (_share(one["kinds"].get(kind)) for one in policies.values())
            counts = f"{some[0]['all']['probes']} ({some[0]['used']['probes']})"
            made.add_row(kind, counts, *cells)
    made.add_section()
    made.add_row("tokens a call", "", *(_number(one["tokens"], 0) for one in policies.values()))
    for name, packet_cells in _packet_rows([one["packets"] for one in policies.values()]):
        made.add_row(name, "", *packet_cells)
    points = max((one["points"] for one in policies.values()), default=0)
    made.caption = (
        f"how much of the answer the list holds, 0 to 1, asked at {points} calls of what the session used again "
        "later; where a host compacted,\nits summary copies what the user said, the files and the last words\n"
        "packet tokens: of calls with a packet; untrue: of the judged lines of packets, those that the recording "
        "does not bear out;\nunjudged: those of which it does not tell\n" + controls_line(checks)
    )
    return made


def _packet_rows(some: Sequence[Figures | None]) -> Iterator[tuple[str, list[str]]]:
    """Names of rows with their cells; none where no policy sent a packet."""
    if not any(one and one["packets"] for one in some):
        return
    yield "packets", [_number(one["packets"] if one else None, 0) for one in some]
    yield "packet tokens", [_number(one["tokens"] if one else None, 0) for one in some]
    yield "over all calls", [_number(one["tokensACall"] if one else None, 0) for one in some]
    yield "untrue lines", list(map(_untrue, some))
    yield "unjudged lines", [f"{one['unjudged']}/{one['lines']}" if one and one["lines"] else NONE for one in some]
    for name in dict.fromkeys(name for one in some if one for name in one["sections"]):
        yield f"untrue: {name}", [_untrue(one["sections"].get(name) if one else None) for one in some]


def _untrue(lines: Figures | None) -> str:
    return f"{lines['untrue']}/{lines['judged']}" if lines and lines["lines"] else NONE


def controls_line(checks: Mapping[str, Figures]) -> str:
    """The mean over kinds of each control; of `figures.values`, by control."""
    parts = []
    for name, one in checks.items():
        shares = [both["all"]["share"] for both in one["kinds"].values() if both["all"]["share"] is not None]
        parts.append(f"{name} {_number(sum(shares) / len(shares) if shares else None, 3)}")
    return f"controls, mean of kinds: {', '.join(parts)}"


def _share(both: Figures | None) -> str:
    return NONE if both is None else _number(both["used"]["share"], 3)


def _number(value: float | None, digits: int) -> str:
    return NONE if value is None else f"{value:,.{digits}f}"


def rows(policies: Mapping[str, Figures]) -> Sequence[tuple[str, Mapping[str, float]]]:
    """For a drawing: each kind with its used share by policy."""
    return [
        (kind, shares)
        for kind in KINDS
        if (
            shares := {
                name: one["kinds"][kind]["used"]["share"]
                for name, one in policies.items()
                if kind in one["kinds"] and one["kinds"][kind]["used"]["share"] is not None
            }
        )
    ]
