"""Draws the zones and the latch as Mermaid state diagrams, from the tables that the code runs."""

import itertools

from ctxmgr.engine.pressure import latch, zone
from ctxmgr.model import ZONES, Policy
from ctxmgr.model.saved import LatchState

WINDOWS = (16_000, 32_000, 128_000, 200_000, 1_000_000)  # tokens: windows of existing models

EVENTS: dict[latch.Event, str] = {
    "high": "a `turn_end` with a reading in red or worse",
    "calm": f"{latch.CALM_READINGS} readings in a row below {zone.CALM_MARGIN} of the red threshold",
    "over": "the cooldown has passed",
    "lost": f"no outcome within {latch.OUTCOME_WITHIN} `turn_end`s",
    "accepted": "the host answered `requestCompaction` with `accepted: true`",
    "refused": "the host answered `accepted: false`, or an error",
    "failed": "`session_compact_failed`",
    "compacted": "`session_compact`",
    "overflow": "a `turn_end` whose message says that the context was too long, at most once per user message",
}
EFFECTS: dict[latch.Effect, str] = {
    "ask": "a compaction is requested",
    "back off": f"one more failure in a row. A cooldown of {latch.COOLDOWN_FIRST} `turn_end`s begins, twice as "
    f"long with each failure; number {latch.FAILURES_TO_REST} rests the latch instead",
    "forgive": "failures are forgotten",
}
STATES: dict[LatchState, str] = {
    "idle": "nothing has been requested",
    "asked": "a compaction was requested, and ctxmgr waits for the outcome",
    "cooldown": "it was refused or failed. Nothing is requested for a while",
    "resting": "it failed too often. Nothing is requested until the pressure has fallen or the host has compacted",
}


def latch_states() -> str:
    arrows: dict[tuple[str, str, str], list[str]] = {}
    for (state, event), (following, effect) in latch.TABLE.items():
        rests = effect == "back off"
        arrows.setdefault((state, following, effect), []).append(event)
        if rests:
            arrows.setdefault((state, "resting", "third failure"), []).append(event)
    lines = ["stateDiagram-v2", "    [*] --> idle"]
    for (before, after, done), events in arrows.items():
        label = ", ".join(events) + (f" / {done}" if done else "")
        lines.append(f"    {before} --> {after}: {label}")
    return _mermaid(lines)


def latch_words() -> str:
    states = [f"| `{state}` | {STATES[state]} |" for state in STATES]
    events = [f"| `{event}` | {EVENTS[event]} |" for event in EVENTS]
    effects = [f"| `{effect}` | {EFFECTS[effect]} |" for effect in EFFECTS]
    return "\n".join(
        [
            *("| state | meaning |", "|---|---|", *states, ""),
            *("| event | meaning |", "|---|---|", *events, ""),
            *("| effect | meaning |", "|---|---|", *effects, ""),
        ]
    )


def zone_states() -> str:
    """Each zone and the next one, with the share where it begins, checked against `zone_of`."""
    thresholds = zone.thresholds(Policy(), WINDOWS[-1])
    lines = ["stateDiagram-v2", "    direction LR", f"    [*] --> {ZONES[0]}"]
    for lower, higher in itertools.pairwise(ZONES):
        begins = getattr(thresholds, higher)
        if (zone.zone_of(begins, thresholds), zone.zone_of(begins - 1, thresholds)) != (higher, lower):
            raise ValueError(f"{higher} does not follow {lower}")
        share = f"{begins / thresholds.usable:.0%} of usable"
        lines += [f"    {lower} --> {higher}: from {share}", f"    {higher} --> {lower}: below"]
    return _mermaid(lines)


def zone_table() -> str:
    """Thresholds of the default policy in tokens, for some windows."""
    rows = ["| window | usable | yellow from | red from | compact from | `promise` |", "|---|---|---|---|---|---|"]
    for window in WINDOWS:
        limits = zone.thresholds(Policy(), window)
        numbers = (window, limits.usable, round(limits.yellow), round(limits.red), round(limits.compact))
        rows.append("| " + " | ".join(f"{number:,}" for number in numbers) + f" | {str(limits.promise).lower()} |")
    return "\n".join(rows) + "\n"


def _mermaid(lines: list[str]) -> str:
    return "```mermaid\n" + "\n".join(lines) + "\n```\n"
