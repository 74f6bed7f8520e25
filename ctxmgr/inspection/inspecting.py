"""The command `inspect`: shows a snapshot file to people, with its secrets masked. Takes no lock and writes
nothing.
"""

from argparse import Namespace
from collections import Counter
from collections.abc import Collection, Sequence
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from ctxmgr import settings
from ctxmgr.devices import default_state_dir, snapshots
from ctxmgr.engine.caching import gap
from ctxmgr.engine.memory import current
from ctxmgr.inspection import naming
from ctxmgr.known_models import Registry, shipped
from ctxmgr.masking import secrets_in, without_secrets
from ctxmgr.model.saved import KINDS, Latch, State
from ctxmgr.plain_text import complain, table, write
from ctxmgr.session import in_use, journal, ledger_updates, policy_in_force
from ctxmgr.settings import SettingsFault, models_file

SUMMARY_CHARACTERS = 400  # of a raw summary, unless shown in full
TEXT_CHARACTERS = 160  # of a fact
RANKS = {kind: rank for rank, kind in enumerate(KINDS)}


def run(parsed: Namespace) -> int:
    """Returns 0 if the file is intact; 1 if it is broken or has a torn tail, or if the facts of models cannot be
    used; 2 if there is no such file.
    """
    path = Path(parsed.file)
    try:
        path = path if path.exists() else _of_session(parsed.file)
    except naming.NotOne as none:
        return complain("inspect", str(none) if none.is_ambiguous else f"no such file: {parsed.file}", 2)
    except SettingsFault as unusable:
        return complain("inspect", str(unusable), 2)
    try:
        models = models_file(parsed.models) or shipped()
    except SettingsFault as unusable:
        return complain("inspect", str(unusable), 1)
    reading = snapshots.read(path)
    faults = [reading.fault] if reading.fault else []
    if reading.torn_bytes and not reading.fault:
        faults.append(f"{reading.torn_bytes} bytes after the last whole line cannot be read")
    if not reading.bodies and not faults:
        faults.append("the file is empty: the session has saved nothing yet")
    if reading.bodies and not reading.fault:
        try:
            state, strange = journal.restore(reading.bodies)
        except journal.UnreadableJournal as unreadable:
            faults.append(str(unreadable))
        else:
            known = secrets_in([msgspec.json.decode(body) for body in reading.bodies])
            _show(state, (len(reading.bodies), len(strange)), parsed.full, models, known)
    for fault in faults:
        write(fault)
    return 1 if faults else 0


def _of_session(named: str) -> Path:
    """The snapshot of the session with this id or prefix of an id. Raises NotOne, SettingsFault."""
    directory = Path(settings.read().settings_for().state_dir or default_state_dir())
    path = directory / snapshots.file_name(naming.meant(directory, named))
    if not path.exists():
        raise naming.NotOne("only its originals are kept")
    return path


def _show(state: State, lines: tuple[int, int], full: bool, models: Registry, known: Collection[str]) -> None:
    """`lines`: the number of lines, and how many of them are of an unknown kind. `known`: secrets to mask, since a
    fact may contain only the value of a secret that is named elsewhere.
    """
    write(f"session {state.session_id}\n")
    print(table(_head(state, *lines, models)))
    if state.overrides:
        write(f"\npolicy set for this session: {msgspec.json.encode(state.overrides).decode()}")
    _facts(state, full, known)
    if state.away:
        write(f"\nfacts not shown: {len(state.away)} on other branches")
    for number, summary in enumerate(state.summaries, 1):
        title = f"{summary.kind} summary {number} of {len(state.summaries)}, {_moment(summary.time_ms)}"
        write(f"\n{title}, {len(summary.text):,} characters\n")
        text = without_secrets(summary.text, known)
        write(text if full else _short(text, SUMMARY_CHARACTERS))


def _head(state: State, lines: int, strange: int, models: Registry) -> list[tuple[str, str]]:
    model, meter = state.model, state.meter
    totals = msgspec.structs.asdict(state.totals).items()
    kinds = Counter(decision.kind for decision in state.decisions.values())
    reading = "unknown"
    if meter.reading_tokens is not None:
        reading = f"{meter.reading_tokens:,} tokens by the provider, {meter.base:,} by ctxmgr's estimate"
    scales = "; ".join(f"estimates for {name} times {ratio:.3f}" for name, ratio in meter.ratios.items())
    return [
        ("lines", f"{lines}, {strange} of an unknown kind" if strange else str(lines)),
        ("events (seq)", str(state.seq)),
        ("newest time", _moment(state.clock)),
        ("model", f"{model.id}, window {model.window:,} tokens"),
        ("pruning", "on" if state.enabled else "off"),
        ("compaction", _request(state.latch)),
        ("last call", reading),
        ("calibration", scales or "none yet"),
        ("provider's cache", _cache(state, models)),
        ("resume packet", "in the next list" if state.resume else "not needed"),
        ("decisions", ", ".join(f"{count} {kind}" for kind, count in sorted(kinds.items())) or "none"),
        ("entries", _entries(state.trail)),
        ("totals", ", ".join(f"{name.replace('_', ' ')} {count:,}" for name, count in totals if count) or "none"),
    ]


def _request(latch: Latch) -> str:
    """Whether ctxmgr has requested a compaction, or when it may."""
    failures = f"{latch.failure_count} failed in a row"
    match latch.state:
        case "asked":
            return "requested, not done yet"
        case "cooldown":
            return f"{failures}; none is requested for {latch.wait} more model calls"
        case "resting":
            return f"{failures}; none is requested until the list is much smaller"
        case _:
            return "not requested"


def _entries(trail: Sequence[str]) -> str:
    """The host's entries on the branch in use."""
    return f"{len(trail):,} on this branch, newest {trail[-1]}" if trail else "the host names none"


def _cache(state: State, models: Registry) -> str:
    """What the provider read from its cache, of what it should have read by the current rule. Uses only the policy
    set for this session, since the policy that a host gives all its sessions is not saved.
    """
    model = in_use(state.model, policy_in_force({}, state).policy, models)
    calls, rule, lifetime = state.cache.calls, model.terms_by(state).cache, model.lifetime(state)
    if not calls or state.cache.model != state.model.id:
        return "no calls compared yet"
    expected, read = sum(call.expected_tokens for call in calls), sum(call.read_tokens for call in calls)
    lives = f"a cached prefix is kept for {lifetime.lifetime_ms / 1000:,.0f} s ({lifetime.source})"
    gap_text = gap(state.cache, rule, lifetime, model.documented_ms(state))
    return "; ".join(filter(None, (f"{read:,} of {expected:,} tokens read at {len(calls)} calls", lives, gap_text)))


def _facts(state: State, full: bool, known: Collection[str]) -> None:
    learned = (*state.facts, *state.pending)
    facts = learned if full else current(ledger_updates.ledger(state))
    unbound = f", {len(state.pending)} of them not yet linked to an entry" if state.pending else ""
    holding = "" if full else f"{len(facts)} current facts of "
    title = f"{holding}{len(learned)} {'facts ' if full else ''}learned{unbound}"
    write(f"\n{title}{'' if full else ' (--full shows all)'}\n")

    rows = [("slot", "status", "source", "when", "entry", "text")]
    before = ""
    for fact in sorted(facts, key=lambda fact: (RANKS[fact.kind], fact.time_ms, fact.seq, fact.order)):
        text = without_secrets(f"{fact.text} ({fact.detail})" if fact.detail else fact.text, known)
        when = _moment(fact.time_ms) if fact.time_ms else f"event {fact.seq}"
        slot = fact.kind if fact.kind != before else ""
        text = text if full else _short(text, TEXT_CHARACTERS)
        rows.append((slot, fact.status, fact.source, when, fact.entry or "", text))
        before = fact.kind
    print(table(rows))


def _moment(time_ms: int) -> str:
    if not time_ms:
        return "unknown"
    try:
        return datetime.fromtimestamp(time_ms / 1000, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
    except (ValueError, OverflowError, OSError):
        return str(time_ms)


def _short(text: str, limit: int) -> str:
    return text if len(text) <= limit else f"{text[:limit]} ... ({len(text) - limit:,} characters more)"
