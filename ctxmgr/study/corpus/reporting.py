"""Computes the figures of a results folder: one query for each table, over its Parquet parts. Every run gives the
same values.

1. The report covers what the last run requested: its release, settings, policies and recordings.
2. In a mean each recording counts the same, whatever its length. `kept` is pooled, and shown with its mean and its
   worst value. Costs are shares of the cost under preset `off`. A recording without a figure is left out of that
   figure's mean. `ctxmgr replay` does the same, so its means are equal.
3. A result that is tried again (`lost`) counts only if nothing better came.
4. A comparison with other results covers the recordings that both have, policy by policy. Their content is the
   same; release and settings may differ. Worse is: a mean that moved by more than the threshold (closed cost up;
   kept, recall or probes down), more failed checks than before, a recording that no longer has figures, and
   whatever cannot be compared: a policy that only one side requested, one without a common recording, or a figure
   that no longer exists.

The terminal and the page show the same tables. The page of a single recording is that of `ctxmgr replay --report`.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import duckdb
import msgspec
from rich.console import Group

from ctxmgr.engine.presets import PRESETS
from ctxmgr.engine.retention import KEEP
from ctxmgr.model import Policy
from ctxmgr.study.console import TextTable, figure
from ctxmgr.study.corpus import tasks
from ctxmgr.study.corpus.results import LAST, RECORDINGS, LastRun, last_run, parts, table
from ctxmgr.study.corpus.sources import CorpusFault
from ctxmgr.study.corpus.tasks import BASE
from ctxmgr.study.driving import PEERS
from ctxmgr.study.figures import Figures, difference
from ctxmgr.study.observations import Ratio
from ctxmgr.study.report import PolicyPoint, escaped, page

# one table a folder, named `{rows}`: one row for each recording and policy
ROWS = """
CREATE TEMP TABLE {rows} AS
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
SELECT best.*, probe_share, list_position($policies, best.policy_digest) AS place,
    round(best.closed_dollars / nullif(base.closed_dollars, 0), 5) AS closed_of_off,
    round(best.billed_dollars / nullif(base.billed_dollars, 0), 5) AS billed_of_off,
    best.floor_dollars / nullif(base.billed_dollars, 0) AS floor_of_off,
    CASE WHEN best.raw_tokens < 20000 THEN 'below 20k' WHEN best.raw_tokens < 60000 THEN '20k to 60k'
        WHEN best.raw_tokens < 150000 THEN '60k to 150k' ELSE '150k and more' END AS length
FROM best LEFT JOIN probed USING (key)
LEFT JOIN best AS base ON base.digest = best.digest AND base.policy_digest = $base AND base.status = 'ok'
"""
# the compared figures, one row each; `place` is the policy's position, `number` the figure's
FIGURES = """
CREATE TEMP VIEW {rows}_figures AS
SELECT place, policy, digest, unnest([
    {{'number': 1, 'figure': 'closedOfOff', 'value': closed_of_off}},
    {{'number': 2, 'figure': 'kept', 'value': kept_share}},
    {{'number': 3, 'figure': 'recall', 'value': recall_share}},
    {{'number': 4, 'figure': 'probes', 'value': probe_share}}
], recursive := true) FROM {rows} WHERE status = 'ok'
"""
MEANS = """
SELECT {names} policy,
    count(*) FILTER (status = 'ok') AS recordings,
    round(avg(closed_of_off), 5) AS closedOfOff,
    round(avg(billed_of_off), 5) AS billedOfOff,
    round(avg(floor_of_off), 5) AS floorOfOff,
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
FROM rows
"""
ALL = MEANS.format(names="") + "GROUP BY place, policy ORDER BY place"
GROUPS = {  # name of the group: its query, with its order
    name: MEANS.format(names=f"{name} AS name,")
    + f"WHERE status = 'ok' GROUP BY {name}, place, policy ORDER BY {order}{name}, place"
    for name, order in (("host", ""), ("model", ""), ("length", "min(raw_tokens), "))
}
PROBES = """
SELECT policy, kind.kind AS kind, round(avg(round(kind.used_share, 5)), 5) AS used,
    sum(kind.used_count)::BIGINT AS usedProbes, round(avg(round(kind.every_share, 5)), 5) AS "all",
    sum(kind.every_count)::BIGINT AS allProbes
FROM (SELECT place, policy, unnest(probes) AS kind FROM rows)
GROUP BY place, policy, kind.kind ORDER BY kind.kind, place
"""
PAIRS = """
SELECT one.policy AS first, other.policy AS second, figure,
    list(one.value ORDER BY digest) AS ones, list(other.value ORDER BY digest) AS others
FROM rows_figures AS one JOIN rows_figures AS other USING (digest, figure, number)
WHERE one.place < other.place AND one.value IS NOT NULL AND other.value IS NOT NULL
GROUP BY one.place, one.policy, other.place, other.policy, number, figure
ORDER BY one.place, other.place, number
"""
WORST = """
SELECT policy, name, digest, host, model, raw_tokens AS rawTokens, call_count AS calls,
    closed_of_off AS closedOfOff, round(fetches_in_100, 3) AS fetchesIn100, round(kept_share, 5) AS kept,
    round(recall_share, 5) AS recall, round(probe_share, 5) AS probes, fault_count AS faults, faults AS said
FROM rows WHERE status = 'ok' AND policy <> $base AND closed_of_off IS NOT NULL
QUALIFY row_number() OVER (PARTITION BY digest ORDER BY closedOfOff DESC, place) = 1
ORDER BY closedOfOff DESC, digest LIMIT 10
"""
BAD = """
SELECT name, address, status, reason, count(*) AS policies FROM rows WHERE status <> 'ok'
GROUP BY name, address, status, reason, digest ORDER BY status, name, digest LIMIT 20
"""
# rule 4; `rows` are the current results, `earlier` the previous ones
CHANGES = """
WITH asked AS (
    SELECT policy, list_contains($new, policy) AS is_new, list_contains($old, policy) AS is_old,
        coalesce(list_position($new, policy), 1000 + list_position($old, policy)) AS place
    FROM (SELECT DISTINCT unnest($new || $old) AS policy)
), sides AS (
    SELECT policy, digest, now.fault_count AS faults_now, before.fault_count AS faults_before,
        now.digest IS NOT NULL AS has_now, before.digest IS NOT NULL AS has_before
    FROM (SELECT * FROM rows WHERE status = 'ok') AS now
    FULL JOIN (SELECT * FROM earlier WHERE status = 'ok') AS before USING (policy, digest)
), counted AS (
    SELECT asked.policy, asked.place, count(*) FILTER (has_now) AS now, count(*) FILTER (has_before) AS before,
        count(*) FILTER (has_now AND has_before) AS common, count(*) FILTER (has_before AND NOT has_now) AS gone,
        coalesce(sum(faults_now) FILTER (has_before), 0)::BIGINT AS faults_now,
        coalesce(sum(faults_before) FILTER (has_now), 0)::BIGINT AS faults_before
    FROM asked LEFT JOIN sides USING (policy) WHERE is_new AND is_old GROUP BY asked.policy, asked.place
), moved AS (
    SELECT policy, number, figure, count(now.value + before.value) AS recordings, avg(before.value) AS all_before,
        avg(before.value) FILTER (now.value IS NOT NULL) AS before,
        avg(now.value) FILTER (before.value IS NOT NULL) AS now
    FROM rows_figures AS now JOIN earlier_figures AS before USING (policy, digest, figure, number)
    GROUP BY policy, number, figure
)
SELECT policy, figure, recording_count, before, now, is_worse FROM (
    SELECT place, 0 AS number, policy, 'policy' AS figure, 0 AS recording_count,
        if(is_old, 'asked for', 'not asked for') AS before, if(is_new, 'asked for', 'not asked for') AS now,
        true AS is_worse
    FROM asked WHERE NOT (is_new AND is_old)
    UNION ALL SELECT place, 0, policy, 'recordings in common', 0, before::VARCHAR, now::VARCHAR, true
    FROM counted WHERE common = 0
    UNION ALL SELECT place, number, policy, figure, recordings, printf('%.4f', coalesce(moved.before, all_before)),
        coalesce(printf('%.4f', moved.now), 'none'),
        coalesce(if(figure = 'closedOfOff', moved.now - moved.before, moved.before - moved.now) > $threshold, true)
    FROM moved JOIN counted USING (policy) WHERE all_before IS NOT NULL
    UNION ALL SELECT place, 5, policy, 'faults', common, faults_before::VARCHAR, faults_now::VARCHAR,
        faults_now > faults_before
    FROM counted WHERE common > 0
    UNION ALL SELECT place, 6, policy, 'recordings without figures', gone, '0', gone::VARCHAR, true
    FROM counted WHERE common > 0 AND gone > 0
) ORDER BY place, number
"""


class CorpusReport(msgspec.Struct, frozen=True):
    """Everything that is shown. `groups`: rows of figures by what they group (host, model, length). `probes`: one
    row for each policy and kind. `pairs`: differences between two policies. `worst`: the recordings with the
    highest closed cost, each under its most expensive policy. `bad`: recordings without figures. `names`: of the
    policies, in the order requested.
    """

    names: list[str]
    all: list[Figures]
    groups: dict[str, list[Figures]]
    probes: list[Figures]
    pairs: list[Figures]
    worst: list[Figures]
    bad: list[Figures]
    release: str


class Queries:
    """One folder's last run, in the table `rows`. A context manager. Raises CorpusFault if there is nothing to
    report.
    """

    def __init__(self, folder: Path) -> None:
        # one thread, so that sums have a fixed order
        self._base = duckdb.connect(":memory:", config={"threads": 1})
        self._base.register("newest", table((), tasks.RECORDINGS))  # older results lack newer columns
        self.run = self.load(folder, "rows")

    def __enter__(self) -> "Queries":
        return self

    def __exit__(self, *fault: object) -> None:
        self._base.close()

    def load(self, folder: Path, name: str) -> LastRun:
        """Loads a folder's last run into the table `name`. Raises CorpusFault."""
        run = last_run(folder)
        files = [str(path) for path in parts(folder, RECORDINGS)]
        if not files:
            raise CorpusFault(f"{folder} has no results")
        given = {
            "files": files,
            "asked": str(folder / LAST),
            "release": run.release,
            "settings": run.settings_digest,
            "policies": [digest for _, digest in run.policies],
            "base": next(digest for name, digest in run.policies if name == BASE),
        }
        try:
            self._base.execute(ROWS.format(rows=name), given)
            self._base.execute(FIGURES.format(rows=name))
        except duckdb.Error as fault:
            raise CorpusFault(f"{folder} cannot be read: {fault}") from None
        return run

    def rows(self, query: str, given: Mapping[str, Any] | None = None) -> list[Figures]:
        result = self._base.execute(query, given)
        names = [column[0] for column in result.description or ()]
        return [dict(zip(names, row, strict=True)) for row in result.fetchall()]


def report(queries: Queries) -> CorpusReport:
    return CorpusReport(
        names=[name for name, _ in queries.run.policies],
        all=queries.rows(ALL),
        groups={name: queries.rows(query) for name, query in GROUPS.items()},
        probes=queries.rows(PROBES),
        pairs=[_pair(**row) for row in queries.rows(PAIRS)],
        worst=queries.rows(WORST, {"base": BASE}),
        bad=queries.rows(BAD),
        release=queries.run.release,
    )


def changes(queries: Queries, before: Path, threshold: float) -> list[Figures]:
    """Rule 4: one row for each policy and figure, in order. Raises CorpusFault."""
    earlier = queries.load(before, "earlier")
    new, old = ([name for name, _ in run.policies] for run in (queries.run, earlier))
    return queries.rows(CHANGES, {"new": new, "old": old, "threshold": threshold})


def _pair(first: str, second: str, figure: str, ones: list[float], others: list[float]) -> Figures:
    """The mean difference with its interval."""
    made = difference(list(zip(ones, others, strict=True)))
    return {"first": first, "second": second, "figure": figure} | {name: round(made[name], 5) for name in made}


COLUMNS = (  # head, figure, digits
    ("recordings", "recordings", 0),
    ("closed", "closedOfOff", 3),
    ("billed", "billedOfOff", 3),
    ("re-fetches", "fetchesIn100", 1),
    ("kept", "kept", 3),
    ("mean", "keptMean", 3),
    ("worst", "keptWorst", 3),
    ("in place", "inPlace", 3),
    ("recall", "recall", 3),
    ("probes", "probes", 3),
    ("epochs", "epochsIn100", 1),
    ("breaks", "unannouncedBreaks", 0),
    ("faults", "faults", 0),
    ("bad", "bad", 0),
)
WORST_COLUMNS = (
    ("tokens", "rawTokens", 0),
    ("calls", "calls", 0),
    ("closed", "closedOfOff", 3),
    ("re-fetches", "fetchesIn100", 1),
    ("kept", "kept", 3),
    ("faults", "faults", 0),
)
SPARE = ("mean", "breaks", "in place", "billed", "epochs", "bad", "recall")  # columns to drop on a narrow terminal
KEPT_OF = 100_000  # a share has five digits
TITLE = "Context policies on a corpus of recordings"
ABOUT = (
    "closed: cost of the input, including what the model fetches again, as a share of preset off; billed: "
    "without what it fetches again; re-fetches, epochs: per 100 calls; kept: share of what replies repeat that "
    "the list still had, over all recordings, with the mean and the worst of one; recall: share of the names "
    "in the next reply that the list had; in place: in an unchanged message; probes: share of questions about "
    "earlier work that the list answers; breaks: cache breaks outside an epoch; faults: failed checks; bad: "
    "recordings without figures"
)


def shown(report: CorpusReport) -> Iterator[TextTable]:
    """The tables of a report; empty ones are skipped."""
    yield _means("all recordings, each counting the same", report.all, ("policy",), ABOUT)
    for name, rows in report.groups.items():
        if len({row["name"] for row in rows}) > 1:
            yield _means(f"by {name}", rows, ("name", "policy"))
    if report.probes:
        yield _probes(report)
    if report.pairs:
        heads = ("first less second", "figure", "recordings", "mean", "95 % from", "to")
        figures = {name: head for head, name, _ in COLUMNS}
        pairs = [
            [f"{row['first']} - {row['second']}", figures[row["figure"]], str(row["recording_count"])]
            + [f"{row[name]:+.4f}" for name in ("mean", "low", "high")]
            for row in report.pairs
        ]
        yield TextTable("policies in pairs, on the same recordings", heads, pairs, text_columns=2)
    if report.worst:
        columns = ("recording", "policy", "host", *(head for head, _, _ in WORST_COLUMNS))
        worst = [[row["name"], row["policy"], row["host"], *_cells(row, WORST_COLUMNS)] for row in report.worst]
        yield TextTable("where it paid least", columns, worst, text_columns=3, spare=("host", "faults"))
    if report.bad:
        bad = [[row["name"], row["reason"], str(row["policies"])] for row in report.bad]
        yield TextTable("without figures", ("recording", "why", "policies"), bad, text_columns=2)


def text(report: CorpusReport, changes: Sequence[Figures], width: int) -> Group:
    """The report for a terminal of this width in characters."""
    tables = [*shown(report), *([_changes(changes)] if changes else [])]
    fitted = [table.fitted(width) for table in tables]
    without = dict.fromkeys(
        head for whole, table in zip(tables, fitted, strict=True) for head in whole.heads if head not in table.heads
    )
    note = [f"Not shown at {width} columns: {', '.join(without)}. --json has all figures."] if without else []
    return Group(*(table.rendered() for table in fitted), *note)


def _means(title: str, rows: Sequence[Figures], names: Sequence[str], about: str = "") -> TextTable:
    heads = (*names, *(head for head, _, _ in COLUMNS))
    cells = [[*(row[name] or "-" for name in names), *_cells(row, COLUMNS)] for row in rows]
    return TextTable(title, heads, cells, about, len(names), SPARE)


def _cells(row: Figures, columns: Sequence[tuple[str, str, int]]) -> list[str]:
    return [figure(row[name], digits) for _, name, digits in columns]


def _probes(report: CorpusReport) -> TextTable:
    kinds: dict[str, dict[str, Figures]] = {}
    for row in report.probes:
        kinds.setdefault(row["kind"], {})[row["policy"]] = row
    rows = []
    for kind, by_policy in kinds.items():
        most = max(row["usedProbes"] for row in by_policy.values())
        shares = [by_policy[name]["used"] if name in by_policy else None for name in report.names]
        rows.append([kind, str(most), *(figure(share, 3) for share in shares)])
    title = "memory probes of what was used later, by policy"
    return TextTable(title, ("kind", "probes", *report.names), rows)


def _changes(changes: Sequence[Figures]) -> TextTable:
    rows = [
        [*(str(row[name]) for name in ("policy", "figure", "recording_count", "before", "now"))]
        + (["worse"] if row["is_worse"] else [""])
        for row in changes
    ]
    heads = ("policy", "figure", "recordings", "before", "now", "")
    return TextTable("against the other results", heads, rows, text_columns=2)


# the page


def write(file: Path, report: CorpusReport) -> None:
    """Raises OSError."""
    head = f"<h1>{escaped(TITLE)}</h1>{page.soft(f'ctxmgr {report.release}')}"
    body = head + _front(report.all) + "".join(map(_table_html, shown(report)))
    file.write_text(page.document(TITLE, body), encoding="utf-8", newline="\n")


def _front(rows: Sequence[Figures]) -> str:
    """Cost against kept, by the figures of the table of all recordings."""
    floor = next((row["floorOfOff"] for row in rows if row["policy"] == BASE), None)
    return page.points_drawing(sorted(map(_point, rows), key=lambda point: point.knob or 0.0), floor)


def _point(row: Figures) -> PolicyPoint:
    held = Ratio(0, 0) if row["kept"] is None else Ratio(round(KEPT_OF * row["kept"]), KEPT_OF)
    name = row["policy"]
    return PolicyPoint(name, row["recordings"], row["billedOfOff"], held, _knob(name), name in PEERS)


def _knob(policy: str) -> float | None:
    """`keep` in tokens, of a preset that has it, with or without `:keep=VALUE` and nothing else; None otherwise."""
    preset, _, keys = policy.partition(":")
    name, _, value = keys.partition("=")
    if preset not in PRESETS or "keep" not in PRESETS[preset].policy_keys or name not in ("", "keep"):
        return None
    keep = value or Policy().keep
    return float(keep) if str(keep).isdecimal() else KEEP.get(str(keep))


def _table_html(table: TextTable) -> str:
    return page.text_table(table.title.capitalize(), table.heads, table.rows, table.caption, table.text_columns)
