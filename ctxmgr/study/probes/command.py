"""What `replay --probes` does beside the drives: asks, aggregates over recordings, writes failures to a file, and
shows the kinds by policy.
"""

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import msgspec
from rich.table import Table

from ctxmgr.devices import private_file
from ctxmgr.study.console import figure, figures_table, plain
from ctxmgr.study.figures import Figures
from ctxmgr.study.observations import MessageCache, Observation, message_reader
from ctxmgr.study.probes import figures
from ctxmgr.study.probes.figures import KINDS, Scores
from ctxmgr.study.probes.probing import probed
from ctxmgr.study.recordings import Recording, Stream
from ctxmgr.study.report import RecordingSheet

NONE = "-"


class Probing:
    """All recordings of one command. `failed`: the file for the failed probes, or None."""

    def __init__(self, failed: str | None) -> None:
        self._failed = failed
        self._scores: dict[str, list[Scores]] = {}
        self._lines: list[str] = []
        self.recordings = 0

    def figures_of(
        self, recorded: Recording | Stream, window: int, lists: Mapping[str, Sequence[Observation]]
    ) -> Figures:
        """Figures by policy, for `--json`; none for a stream, which has no whole list. `lists`: what each preset's
        drive sent (`lists_of`).
        """
        if not isinstance(recorded, Recording):
            return {}
        weigh = MessageCache(message_reader()).weight
        grades_by_policy = probed(recorded, window, lists, weigh)
        self.recordings += 1
        self._lines += (
            failed_line(recorded.name, policy, failure)
            for policy, grades in grades_by_policy.items()
            for failure in figures.failures(grades)
        )
        scores_by_policy = {name: figures.scores(grades) for name, grades in grades_by_policy.items()}
        for name, scores in scores_by_policy.items():
            self._scores.setdefault(name, []).append(scores)
        return {"policies": {name: figures.values(scores) for name, scores in scores_by_policy.items()}}

    def means(self) -> Figures:
        """Over recordings; empty for fewer than two."""
        if self.recordings < 2:
            return {}
        return {"policies": {name: figures.values(figures.means(some)) for name, some in self._scores.items()}}

    def written(self) -> None:
        """The failed probes, one JSON object per line, readable only by their owner: they contain conversation.
        Raises OSError.
        """
        if self._failed is not None:
            write_failed(Path(self._failed), self._lines)


def write_failed(path: Path, lines: Sequence[str]) -> None:
    """One JSON object per line, readable only by its owner. Raises OSError."""
    with os.fdopen(private_file(str(path)), "w", encoding="utf-8", newline="\n") as file:
        file.writelines(f"{line}\n" for line in lines)


def failed_line(recording: str, policy: str, failure: Figures) -> str:
    """`failure`: of `figures.failures`."""
    return json.dumps({"recording": recording, "policy": policy, **failure}, ensure_ascii=True)


def drawn(sheet: RecordingSheet, probes: Figures) -> RecordingSheet:
    """The report's sheet with the kinds by policy: the used share of each."""
    kinds = []
    for kind in KINDS:
        used = {
            name: policy["kinds"][kind]["used"]["share"]
            for name, policy in probes.get("policies", {}).items()
            if kind in policy["kinds"]
        }
        shares = {name: share for name, share in used.items() if share is not None}
        kinds += [(kind, shares)] if shares else []
    return msgspec.structs.replace(sheet, kinds=tuple(kinds))


# what people see


def probes_table(title: str, policies: Mapping[str, Figures]) -> Table:
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
    made.add_row("tokens a call", "", *(figure(policy["tokens"], 0) for policy in policies.values()))
    for name, packet_cells in _packet_rows([policy["packets"] for policy in policies.values()]):
        made.add_row(name, "", *packet_cells)
    points = max((policy["points"] for policy in policies.values()), default=0)
    made.caption = (
        f"how much of the answer the list holds, 0 to 1, asked at {points} calls of what the session used again "
        "later; where a host compacted,\nits summary copies what the user said, the files and the last words\n"
        "packet tokens: of calls with a packet; untrue: of the judged lines of packets, those that the recording "
        "does not bear out;\nunjudged: those of which it does not tell"
    )
    return made


def _packet_rows(some: Sequence[Figures | None]) -> Iterator[tuple[str, list[str]]]:
    """Names of rows with their cells; none if no policy sent a packet."""
    if not any(packets and packets["packets"] for packets in some):
        return
    for name, key in (("packets", "packets"), ("packet tokens", "tokens"), ("over all calls", "tokensACall")):
        yield name, [figure(packets[key] if packets else None, 0) for packets in some]
    yield "untrue lines", list(map(_untrue, some))
    yield (
        "unjudged lines",
        [f"{packets['unjudged']}/{packets['lines']}" if packets and packets["lines"] else NONE for packets in some],
    )
    for name in dict.fromkeys(name for packets in some if packets for name in packets["sections"]):
        yield f"untrue: {name}", [_untrue(packets["sections"].get(name) if packets else None) for packets in some]


def _untrue(lines: Figures | None) -> str:
    return f"{lines['untrue']}/{lines['judged']}" if lines and lines["lines"] else NONE


def _share(both: Figures | None) -> str:
    return NONE if both is None else figure(both["used"]["share"], 3)
