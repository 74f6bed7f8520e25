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
        some = [policy["kinds"][kind] for policy in policies.values() if kind in policy["kinds"]]
        if some:
            cells = (_share(policy["kinds"].get(kind)) for policy in policies.values())
            counts = f"{some[0]['all']['probes']} ({some[0]['used']['probes']})"
            made.add_row(kind, counts, *cells)
    made.add_section()
    made.add_row("tokens a call", "", *(_number(policy["tokens"], 0) for policy in policies.values()))
    for name, packet_cells in _packet_rows([policy["packets"] for policy in policies.values()]):
        made.add_row(name, "", *packet_cells)
    points = max((policy["points"] for policy in policies.values()), default=0)
    made.caption = (
        f"how much of the answer the list holds, 0 to 1, asked at {points} calls of what the session used again "
        "later; where a host compacted,\nits summary copies what the user said, the files and the last words\n"
        "packet tokens: of calls with a packet; untrue: of the judged lines of packets, those that the recording "
        "does not bear out;\nunjudged: those of which it does not tell\n" + controls_line(checks)
    )
    return made


def _packet_rows(some: Sequence[Figures | None]) -> Iterator[tuple[str, list[str]]]:
    """Names of rows with their cells; none where no policy sent a packet."""
    if not any(packets and packets["packets"] for packets in some):
        return
    yield "packets", [_number(packets["packets"] if packets else None, 0) for packets in some]
    yield "packet tokens", [_number(packets["tokens"] if packets else None, 0) for packets in some]
    yield "over all calls", [_number(packets["tokensACall"] if packets else None, 0) for packets in some]
    yield "untrue lines", list(map(_untrue, some))
    yield (
        "unjudged lines",
        [f"{packets['unjudged']}/{packets['lines']}" if packets and packets["lines"] else NONE for packets in some],
    )
    for name in dict.fromkeys(name for packets in some if packets for name in packets["sections"]):
        yield f"untrue: {name}", [_untrue(packets["sections"].get(name) if packets else None) for packets in some]


def _untrue(lines: Figures | None) -> str:
    return f"{lines['untrue']}/{lines['judged']}" if lines and lines["lines"] else NONE


def controls_line(checks: Mapping[str, Figures]) -> str:
    """The mean over kinds of each control; of `figures.values`, by control."""
    parts = []
    for name, control in checks.items():
        shares = [both["all"]["share"] for both in control["kinds"].values() if both["all"]["share"] is not None]
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
                name: policy["kinds"][kind]["used"]["share"]
                for name, policy in policies.items()
                if kind in policy["kinds"] and policy["kinds"][kind]["used"]["share"] is not None
            }
        )
    ]
