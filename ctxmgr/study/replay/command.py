"""The command `replay`: handles each file by its kind, and shows one view or one JSON document of the results.

The *modelled* host is the host for which closed-loop cost is defined. It is the same for every recording and
policy.
1. It reports as usage its list as counted by ctxmgr, the reply and the overhead. It compacts like pi.
2. A compaction keeps the newest 20,000 tokens, but at most half of what fits above its reserve. Its summary copies
   what the user said, all files and the last words (`Stub`), so any loss comes from the cut and not from a bad
   summary.
3. Its cache is never cold, and ctxmgr's policy says so: `closed` bills a warm cache.

The *recorded* host behaves as in the recording: with the recorded usage, and with pauses after which the cache is
cold. Its summary has pi's structure.

The *front* is one preset at several values of its knob, beside the presets that are driven anyway.
4. Its values are those requested, or `VALUES`, the named points of the policy's `keep`; one of these is the
   default.
5. If the preset is driven anyway, it already has a value of the knob, which is not driven twice.
6. A named point and its number are the same value, shown by name.
"""

import json
import tempfile
from argparse import Namespace
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, get_args

import msgspec
from rich.console import Console
from rich.table import Table

from ctxmgr.engine.retention import KEEP, told_tokens
from ctxmgr.model import KeepPoint, Policy, Preset, PriceTier, TieredPrices
from ctxmgr.plain_text import complain, fault_text, missing_text, unwritable_text
from ctxmgr.settings import SettingsFault
from ctxmgr.study import conformance
from ctxmgr.study.console import console, plain, progress_bar
from ctxmgr.study.driving import PEERS, HostLimits, ReplayOptions, ReplayResult, drive
from ctxmgr.study.driving import peers as beside
from ctxmgr.study.figures import Figures, of_totals, totals
from ctxmgr.study.observations import Observation, PriceSheet
from ctxmgr.study.price_text import OwnFacts, own_facts, price_sheet
from ctxmgr.study.probes import Probing, Stub, drawn, lists_of, probes_table
from ctxmgr.study.recordings import Recording, Source, Stream, UnreadableRecording, Write, pi_host, readers
from ctxmgr.study.replay import tables
from ctxmgr.study.report import BASE, RecordingSheet, page

MODELLED, RECORDED = HOSTS = ("modelled", "recorded")
NEVER_MS = 10**12  # 30 years: longer than any recording
KNOBBED = "balanced"  # the preset that `keep` belongs to
KEY = "keep"
ALL: tuple[str, ...] = get_args(Preset)
VALUES: tuple[KeepPoint, ...] = get_args(KeepPoint)

Keep = KeepPoint | int


class HostModel(msgspec.Struct, frozen=True):
    """`modelled`: rules 1 and 2. `stays_warm`: rule 3. `keep_tokens`: what a compaction keeps, None for the host's
    own number. `overhead_tokens`: system prompt and tools of each request. `own_summaries`: ctxmgr writes them,
    without a model.
    """

    modelled: bool = True
    stays_warm: bool = True
    keep_tokens: int | None = None
    overhead_tokens: int = 5_000
    own_summaries: bool = False

    def limits(self, window: int) -> HostLimits:
        """`window` in tokens."""
        keep = default_keep_tokens(window) if self.modelled else None
        return HostLimits(self.overhead_tokens if self.modelled else None, self.keep_tokens or keep)

    def policy(self, prices: TieredPrices | None = None) -> dict[str, Any]:
        """The policy keys for this host's cache, and for who writes its summaries. `prices`: of the sheet that
        bills its calls; they override the known prices of the recorded model.
        """
        writing = {"compaction": {"by": "ctxmgr", "model": "none"}} if self.own_summaries else {}
        billed = {} if prices is None else {"prices": _keys(prices)}
        return {**({"cacheTtlMs": NEVER_MS} if self.stays_warm else {}), **billed, **writing}

    def write(self) -> Write | None:
        """What writes the summaries of one drive. It has state, so each drive needs its own."""
        return Stub() if self.modelled else None


def modelled(
    preset: str, keys: Mapping[str, Any], window_tokens: int, sheet: PriceSheet, **more: Any
) -> ReplayOptions:
    """Options of a measured drive with the modelled host (rules 1 to 3), billed by this sheet. `keys`: of the
    policy. `more`: of `ReplayOptions`.
    """
    host = HostModel(overhead_tokens=sheet.overhead_tokens)
    return ReplayOptions(
        preset=preset,
        window=window_tokens,
        measure=True,
        policy={**host.policy(sheet.prices), **keys},
        host=host.limits(window_tokens),
        write=host.write(),
        **more,
    )


def _keys(prices: TieredPrices) -> dict[str, Any]:
    """Prices as keys of a policy."""
    tiers = [{"aboveTokens": tier.above_tokens, **_four(tier)} for tier in prices.tiers]
    return {**_four(prices), **({"tiers": tiers} if tiers else {})}


def _four(of: TieredPrices | PriceTier) -> dict[str, float]:
    four = of.input, of.output, of.cache_read, of.cache_write
    return dict(zip(("input", "output", "cacheRead", "cacheWrite"), four, strict=True))


def default_keep_tokens(window: int) -> int:
    """Tokens that a compaction of the modelled host keeps."""
    return min(pi_host.KEEP_TOKENS, pi_host.compacts_above(window) // 2)


def label(knob: Keep) -> str:
    """The name of the preset at this value."""
    return f"{KNOBBED} {_named(knob)}"


def _named(knob: Keep) -> Keep:
    return next((point for point in VALUES if KEEP[point] == knob), knob)


class Front:
    """`asked`: presets that are driven anyway. `whole`: whether the whole front is requested. `some`: requested
    values. `policy`: keys given.
    """

    def __init__(
        self, asked: Sequence[str | None], whole: bool, some: Sequence[Keep], policy: Mapping[str, Any]
    ) -> None:
        values = sorted({_named(value) for value in (*some, *(VALUES if whole else ()))}, key=told_tokens)
        own = told_tokens(policy.get(KEY, Policy().keep))
        is_driven = KNOBBED in asked
        self.driven = [value for value in values if not (is_driven and told_tokens(value) == own)]
        self.knobs: dict[str, float] = {label(value): told_tokens(value) for value in self.driven}
        if values and is_driven:
            self.knobs[KNOBBED] = own

    def figures(self, name: str) -> dict[str, float]:
        """Additional plain values of a policy: its `keep` in tokens, if it belongs to the front."""
        return {"knob": self.knobs[name]} if name in self.knobs else {}


FINDINGS_SHOWN = 50


class ReplayRequest(NamedTuple):
    """The options for each file."""

    parsed: Namespace
    own_models: OwnFacts
    probing: Probing | None


def run(parsed: Namespace) -> int:
    """Returns 0 if all is well, 1 if something differs or failed, 2 for wrong usage."""
    wrong = _wrong_usage(parsed)
    try:
        own = own_facts(parsed.models)
    except SettingsFault as fault:
        wrong = wrong or str(fault)
    if wrong:
        return complain("replay", wrong, 2)
    probing = Probing(parsed.probes_failed) if parsed.probes else None
    request = ReplayRequest(parsed, own, probing)
    out = console()
    parts: list[list[Figures]] = []
    sheets: list[RecordingSheet] = []
    for path in map(Path, parsed.files):
        parts.append(_file_figures(path, request, sheets))
        if not parsed.json:
            _show(out, parts[-1])
    together = _together(parts)
    code = int(any(figures["failures"] for part in parts for figures in part))
    try:
        if parsed.report is not None:
            Path(parsed.report).write_text(page.page(sheets, together=together), encoding="utf-8", newline="\n")
        if probing is not None:
            probing.written()
    except OSError as fault:
        code = complain("replay", f"{fault.filename or 'a file'} cannot be written: {fault.strerror}", 1)
    _show_together(out, parts, together, parsed, probing.means() if probing else {})
    return code


def _wrong_usage(parsed: Namespace) -> str | None:
    if missing := missing_text(parsed.files):
        return missing
    if parsed.no_measures and any((parsed.peers, parsed.front, parsed.probes, parsed.report)):
        return "--peers, --front, --probes and --report need the measures: remove --no-measures"
    if parsed.probes_failed and not parsed.probes:
        return "--probes-failed needs --probes"
    written = filter(None, (parsed.report, parsed.probes_failed))
    return next(filter(None, map(unwritable_text, written)), None)


def _together(parts: Sequence[Sequence[Figures]]) -> list[Figures]:
    """Figures over all recordings, if several were measured."""
    measured = [[*part, *part[0]["beside"]] for part in parts if "measures" in part[0]]
    return totals(measured, BASE) if len(measured) > 1 else []


def _show_together(
    out: Console,
    parts: Sequence[Sequence[Figures]],
    together: Sequence[Figures],
    parsed: Namespace,
    probes: Mapping[str, Any],
) -> None:
    """Prints what spans recordings; with `--json` everything."""
    if parsed.json:
        whole = [figures for part in parts for figures in part]
        whole += [{"totals": together, "failures": []}] if together else []
        whole += [{"probes": probes, "failures": []}] if probes else []
        print(json.dumps(whole, indent=1, ensure_ascii=True))
    elif together:
        out.print(of_totals(together).rendered("all recordings together"))
        if probes:
            out.print(probes_table("memory probes: means over recordings", probes["policies"]))


def _file_figures(path: Path, asked_for: ReplayRequest, sheets: list[RecordingSheet]) -> list[Figures]:
    """The figures of a file. Any error becomes a failure of this file, and does not affect the others."""
    try:
        source = readers.source(path)
        if source.warning:
            complain("replay", source.warning, 0)
        update = asked_for.parsed.update
        if readers.kind(source).name == "transcript":
            return _transcript(path, source, update, asked_for.own_models)
        if update:
            raise UnreadableRecording(f"{path.name}: --update is for transcripts, this is a recording")
        return _recording(source, asked_for, sheets)
    except UnreadableRecording as fault:
        failure = str(fault)
    except Exception as fault:  # noqa: BLE001  it is reported, and sets the exit code
        failure = f"{path.name}: {fault_text(fault)}"
    return [{"file": path.name, "failures": [failure]}]


def _transcript(path: Path, source: Source, update: bool, own: OwnFacts) -> list[Figures]:
    result = conformance.replay(source.name, source.content, rewrite=update, models=own.registry)
    if update:
        path.write_bytes(result.text)
    names = ("line", "what", "path", "recorded", "now")
    findings = [dict(zip(names, msgspec.structs.astuple(finding), strict=True)) for finding in result.findings]
    texts = [f"line {finding['line']}: {finding['what']} differs at {finding['path']}" for finding in findings]
    return [
        {
            "file": source.name,
            "hostLines": result.host_lines,
            "compared": result.compared_count,
            "updated": update and result.text != source.content,
            "differences": findings,
            "failures": texts,
        }
    ]


def _recording(source: Source, asked_for: ReplayRequest, sheets: list[RecordingSheet]) -> list[Figures]:
    """A measured recording is also driven with `off`, since costs are shares of its cost; `sheets` then gets one
    more.
    """
    recorded = readers.read(source)
    parsed, probing = asked_for.parsed, asked_for.probing
    facts = asked_for.own_models.of(recorded.model)
    # an argument overrides what the host recorded, that overrides the user's file, and that the default
    window = parsed.window or recorded.window
    if parsed.window is None and facts is not None and not recorded.says_window:
        window = facts.usual_window
    modelled = parsed.host == MODELLED
    host = HostModel(modelled, modelled, parsed.host_keep, parsed.overhead, parsed.own_summaries)
    prices = parsed.prices or (None if facts is None else facts.prices)
    sheet = price_sheet(prices, parsed.cache_ttl, parsed.overhead, parsed.cache, parsed.fetch)
    asked = parsed.preset or (ALL if parsed.front else [None])
    measured = not parsed.no_measures
    front = Front(asked, parsed.front, parsed.knob or (), dict(parsed.policy or ()))
    outcomes = []
    lists: dict[str, list[Observation]] = {}
    wanted: list[tuple[str | None, Keep | None]] = [
        (preset, None) for preset in [*asked, *([BASE] if measured and BASE not in asked else [])]
    ]
    wanted += [(KNOBBED, knob) for knob in front.driven if measured]
    for preset, knob in wanted:
        with tempfile.TemporaryDirectory(prefix="ctxmgr-replay-") as state:
            options = ReplayOptions(
                preset=preset,
                window=window,
                models=asked_for.own_models.path,
                append=parsed.append,
                recorded_compactions=parsed.recorded_compactions,
                state_dir=Path(state),
                record=_record_file(parsed.record, source.name, preset)
                if knob is None and preset in asked
                else None,
                measure=measured,
                policy={
                    **host.policy(sheet.prices),
                    **dict(parsed.policy or ()),
                    **({} if knob is None else {KEY: knob}),
                },
                label=None if knob is None else label(knob),
                host=host.limits(window),
                write=host.write(),
                own_summaries=host.own_summaries,
            )
            outcomes.append(_driven(recorded, options))
            if probing is not None:
                lists[outcomes[-1].preset] = lists_of(outcomes[-1], options, partial(_driven, recorded))
    out = [tables.of_drive(outcome) for outcome in outcomes]
    if measured:
        all_beside = bool(parsed.report or parsed.front)
        peers = _peers(recorded, parsed, window, host) if all_beside or parsed.peers else []
        worked = tables.work(recorded, outcomes, sheet, peers, front.knobs)
        for row, more in zip(out, worked.figures, strict=True):
            row |= {"measures": more} | front.figures(row["preset"])
        out[0] |= {"beside": worked.beside, "floor": worked.floor_figures}
        page = msgspec.structs.replace(worked.sheet, verdict=tables.verdict(out))
        if probing is not None:
            out[0]["probes"] = probing.figures_of(recorded, outcomes[0].window, lists)
            page = drawn(page, out[0]["probes"])
        sheets.append(page)
    return out


def _peers(recorded: Recording | Stream, parsed: Namespace, window: int, host: HostModel) -> list[ReplayResult]:
    """Skipped for a stream of events, which is no session that others could be driven through."""
    if isinstance(recorded, Stream):
        return []
    options = ReplayOptions(
        window=window, recorded_compactions=parsed.recorded_compactions, host=host.limits(window)
    )
    return [beside.driven(recorded, name, msgspec.structs.replace(options, write=host.write())) for name in PEERS]


def _driven(recorded: Recording | Stream, options: ReplayOptions) -> ReplayResult:
    """Shows a progress bar on stderr if that is a terminal."""
    total = len(recorded.events if isinstance(recorded, Stream) else recorded.entries)
    with progress_bar(f"{recorded.name} {options.preset or ''}", total) as advanced:
        return drive(recorded, options, lambda: advanced(1))


def _record_file(directory: str | None, name: str, preset: str | None) -> Path | None:
    if directory is None:
        return None
    Path(directory).mkdir(parents=True, exist_ok=True, mode=0o700)
    return Path(directory) / f"{Path(name).stem}-{preset or 'default'}.jsonl"


def _show(out: Console, some: Sequence[Figures]) -> None:
    first = some[0]
    if "preset" in first:
        out.print(tables.brief(some))
    elif "differences" not in first:
        for text in first["failures"]:
            out.print(plain(text, "red"))
    elif first["updated"]:
        out.print(plain(f"{first['file']}: rewritten from {first['hostLines']} lines from the host"))
    elif not first["differences"]:
        says = f"{first['hostLines']} lines from the host, {first['compared']} lines from ctxmgr: no difference"
        out.print(plain(f"{first['file']}: {says}"))
    else:
        _show_differences(out, first["file"], first["differences"])


def _show_differences(out: Console, name: str, differences: Sequence[Mapping[str, Any]]) -> None:
    table = Table(title=plain(f"{name}: {len(differences)} differences"), title_justify="left")
    table.add_column("line", justify="right")
    for head in ("what", "first differs at", "recorded", "now"):
        table.add_column(head, overflow="fold")
    for finding in differences[:FINDINGS_SHOWN]:
        line, *texts = finding.values()
        table.add_row(str(line or "end"), *map(plain, texts))
    out.print(table)
    if len(differences) > FINDINGS_SHOWN:
        out.print(f"and {len(differences) - FINDINGS_SHOWN} more")
