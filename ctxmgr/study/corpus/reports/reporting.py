"""Turns a folder of results into figures, by queries over its Parquet parts. Plain values, the same in every run.

1. What is reported is what the last run asked for: its release, its settings, its policies, its recordings.
2. A recording counts once in a mean, whatever its length; `kept` is pooled, with its mean and its worst beside it.
   Costs are shares of what preset `off` costs on it. One without a figure is left out of that figure's mean. So
   `ctxmgr replay` does it, and its means are the same.
3. A result that was tried again (`lost`) counts only where nothing better came.
"""

from collections.abc import Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

import duckdb
import msgspec

from ctxmgr.study.corpus import schema
from ctxmgr.study.corpus.results import CALLS, LAST, RECORDINGS, LastRun, ResultsFault, last_run, parts
from ctxmgr.study.corpus.rows import RecordingRow
from ctxmgr.study.corpus.tasks import BASE
from ctxmgr.study.figures import difference

Figures = dict[str, Any]
WORST = 10
BAD_SHOWN = 20
LENGTHS = ((20_000, "below 20k"), (60_000, "20k to 60k"), (150_000, "60k to 150k"))  # tokens of conversation
LONGEST = "150k and more"
PAIRED = ("closedOfOff", "kept", "recall", "probes")

MEANS = """
    count(*) FILTER (status = 'ok') AS recordings,
    round(avg(round(closed_dollars / nullif(base_closed, 0), 5)), 5) AS closedOfOff,
    round(avg(round(billed_dollars / nullif(base_billed, 0), 5)), 5) AS billedOfOff,
    round(avg(round(fetches_in_100, 3)), 5) AS fetchesIn100,
    round(sum(kept_bytes) / nullif(sum(repeated_bytes), 0), 5) AS kept,
    round(avg(round(kept_share, 5)), 5) AS keptMean,
    round(min(kept_share), 5) AS keptWorst,
    round(avg(round(in_place_share, 5)), 5) AS inPlace,
    round(avg(round(recall_share, 5)), 5) AS recall,
    round(avg(round(far_share, 5)), 5) AS far,
    round(avg(probe_share), 5) AS probes,
    coalesce(sum(call_count), 0)::BIGINT AS calls,
    round(100 * sum(epoch_count) / nullif(sum(call_count), 0), 3) AS epochsIn100,
    coalesce(sum(unannounced_count), 0)::BIGINT AS unannouncedBreaks,
    coalesce(sum(fault_count), 0)::BIGINT AS faults,
    count(*) FILTER (status <> 'ok') AS bad
"""
ROWS = """
CREATE TEMP VIEW rows AS
WITH best AS (
    SELECT * FROM (
        SELECT * FROM read_parquet($files, union_by_name = true) UNION ALL BY NAME SELECT * FROM newest
    )
    WHERE release = $release AND settings_digest = $settings AND list_contains($policies, policy_digest)
        AND digest IN (SELECT digest FROM read_parquet($asked))
    QUALIFY row_number() OVER (PARTITION BY key ORDER BY status = 'lost', status, address) = 1
), probed AS (
    SELECT key, avg(kind.used_share) AS probe_share
    FROM (SELECT key, unnest(probes) AS kind FROM best) GROUP BY key
)
SELECT best.*, probe_share, base.closed_dollars AS base_closed, base.billed_dollars AS base_billed,
    list_position($policies, best.policy_digest) AS place, {lengths} AS length
FROM best LEFT JOIN probed USING (key)
LEFT JOIN best AS base ON base.digest = best.digest AND base.policy_digest = $base AND base.status = 'ok'
"""


class CorpusReport(msgspec.Struct, frozen=True):
    """All that is shown. `groups`: rows of figures by what they are of (host, model, length); `probes`: a row a
    policy and kind; `pairs`: differences of two policies; `worst`: recordings by closed cost, each under the
    policy that paid least on it; `bad`: those without
    figures; `names`: of the policies, in the order in which they were asked for."""

    names: tuple[str, ...]
    all: tuple[Figures, ...]
    groups: dict[str, tuple[Figures, ...]]
    probes: tuple[Figures, ...]
    pairs: tuple[Figures, ...]
    worst: tuple[Figures, ...]
    bad: tuple[Figures, ...]
    release: str


class Queries:
    """One folder's last run. A context manager. Raises ResultsFault where there is nothing to report."""

    def __init__(self, folder: Path) -> None:
        self.run: LastRun = last_run(folder)
        files = [str(path) for path in parts(folder, RECORDINGS)]
        if not files:
            raise ResultsFault(f"{folder} has no results")
        self.calls = [str(path) for path in parts(folder, CALLS)]
        self._base = duckdb.connect(":memory:", config={"threads": 1})  # sums in one order
        cases = " ".join(f"WHEN best.raw_tokens < {below} THEN '{name}'" for below, name in LENGTHS)
        given = {
            "files": files,
            "asked": str(folder / LAST),
            "release": self.run.release,
            "settings": self.run.settings_digest,
            "policies": [digest for _, digest in self.run.policies],
            "base": next(digest for name, digest in self.run.policies if name == BASE),
        }
        self._base.register("newest", schema.table((), RecordingRow))  # older results lack columns that came since
        text = ROWS.format(lengths=f"CASE {cases} ELSE '{LONGEST}' END")
        try:
            self._base.execute(text.replace("TEMP VIEW", "TEMP TABLE"), given)
        except duckdb.Error as fault:
            self._base.close()
            raise ResultsFault(f"{folder} can not be read: {fault}") from None

    def __enter__(self) -> "Queries":
        return self

    def __exit__(self, *fault: object) -> None:
        self._base.close()

    def rows(self, query: str, given: Sequence[Any] = ()) -> list[Figures]:
        """Of the table `rows`: a recording and policy each."""
        found = self._base.execute(query, given)
        names = [column[0] for column in found.description or ()]
        return [dict(zip(names, row, strict=True)) for row in found.fetchall()]


def report(folder: Path) -> CorpusReport:
    """Raises ResultsFault."""
    with Queries(folder) as queries:
        names = tuple(name for name, _ in queries.run.policies)
        return CorpusReport(
            names=names,
            all=tuple(queries.rows(f"SELECT policy, {MEANS} FROM rows GROUP BY place, policy ORDER BY place")),
            groups={of: _grouped(queries, of) for of in ("host", "model", "length")},
            probes=tuple(queries.rows(_PROBES)),
            pairs=tuple(_pairs(queries, names)),
            worst=tuple(queries.rows(_WORST, [BASE])),
            bad=tuple(queries.rows(_BAD)),
            release=queries.run.release,
        )


def by_recording(queries: Queries) -> dict[str, dict[str, Figures]]:
    """Policy, then digest, then the figures that are compared."""
    out: dict[str, dict[str, Figures]] = {}
    for row in queries.rows(_PAIRED):
        out.setdefault(row["policy"], {})[row["digest"]] = row
    return out


def _grouped(queries: Queries, of: str) -> tuple[Figures, ...]:
    order = "min(raw_tokens)" if of == "length" else of
    return tuple(
        queries.rows(
            f"SELECT {of} AS name, policy, {MEANS} FROM rows WHERE status = 'ok' "
            f"GROUP BY {of}, place, policy ORDER BY {order}, {of}, place"
        )
    )


def _pairs(queries: Queries, names: Sequence[str]) -> list[Figures]:
    found = by_recording(queries)
    out = []
    for first, second in combinations(names, 2):
        here, there = found.get(first, {}), found.get(second, {})
        both = sorted(here.keys() & there.keys())
        for figure in PAIRED:
            values = [(here[digest][figure], there[digest][figure]) for digest in both]
            made = difference([one for one in values if None not in one])
            if made is not None:
                out.append({"first": first, "second": second, "figure": figure, **_rounded(made)})
    return out


def _rounded(value: msgspec.Struct) -> Figures:
    found = msgspec.to_builtins(value)
    return {name: round(one, 5) for name, one in found.items()}


_PROBES = """
SELECT policy, kind.kind AS kind, round(avg(round(kind.used_share, 5)), 5) AS used,
    sum(kind.used_count)::BIGINT AS usedProbes, round(avg(round(kind.every_share, 5)), 5) AS "all",
    sum(kind.every_count)::BIGINT AS allProbes
FROM (SELECT place, policy, unnest(probes) AS kind FROM rows)
GROUP BY place, policy, kind.kind ORDER BY kind.kind, place
"""
_PAIRED = """
SELECT policy, digest, round(closed_dollars / nullif(base_closed, 0), 5) AS closedOfOff, kept_share AS kept,
    recall_share AS recall, probe_share AS probes, fault_count AS faults
FROM rows WHERE status = 'ok' ORDER BY place, digest
"""
_WORST = f"""
SELECT policy, name, digest, host, model, raw_tokens AS rawTokens, call_count AS calls,
    round(closed_dollars / nullif(base_closed, 0), 5) AS closedOfOff, round(fetches_in_100, 3) AS fetchesIn100,
    round(kept_share, 5) AS kept, round(recall_share, 5) AS recall, round(probe_share, 5) AS probes,
    fault_count AS faults, faults AS said
FROM rows WHERE status = 'ok' AND policy <> ? AND base_closed > 0
QUALIFY row_number() OVER (PARTITION BY digest ORDER BY closedOfOff DESC, place) = 1
ORDER BY closedOfOff DESC, digest LIMIT {WORST}
"""
_BAD = f"""
SELECT name, address, status, reason, count(*) AS policies FROM rows WHERE status <> 'ok'
GROUP BY name, address, status, reason, digest ORDER BY status, name, digest LIMIT {BAD_SHOWN}
"""
