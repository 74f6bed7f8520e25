"""Turns counts of what was found into text for people, and what was not into lines of JSON."""

import json
from collections.abc import Iterable, Iterator, Mapping

from rich.table import Table

from ctxmgr.study.finding.measuring import FindingCount
from ctxmgr.study.probes import MissedProbe


def finding_table(counts: Mapping[str, FindingCount]) -> Table:
    """One row a kind. Shares are of what was missed."""
    table = Table(title="what a model finds again that asks for it", title_justify="left")
    table.add_column("kind")
    for name in ("used", "missed", "archived", "found", "share", "in snippets"):
        table.add_column(name, justify="right")
    for kind, one in counts.items():
        share = "-" if one.share is None else f"{one.share:.3f}"
        table.add_row(
            kind,
            str(one.used_count),
            str(one.missed_count),
            str(one.archived_count),
            str(one.recovered_count),
            share,
            str(one.snippet_count),
        )
    return table


def failed_lines(recording: str, failed: Iterable[MissedProbe]) -> Iterator[str]:
    """One JSON object each; they hold conversation."""
    for one in failed:
        probe = one.probe
        fields = {"recording": recording, "kind": probe.kind, "question": probe.question, "answer": probe.answer}
        yield json.dumps({**fields, "hints": one.hints}, ensure_ascii=True)
