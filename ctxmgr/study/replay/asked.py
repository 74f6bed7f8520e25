"""Turns how a replay is asked for into the host that it stands in for, and into the points of the front.

The *modelled* host is the one that closed-loop cost is defined for: the same for every recording and every policy.
1. Its usage is its list as ctxmgr weighs it, the reply and the overhead. It compacts as pi does.
2. A compaction keeps the newest 20 000 tokens, at most half of what is below its reserve. Its summary copies what
   the user said, all files and the last words (`Stub`): what is lost is lost by the cut, not by a bad summary.
3. Its cache is never cold, and ctxmgr is told so: `closed` bills a warm cache.

The *recorded* host counts as the recording did: by the usage that was recorded, and with pauses after which the
cache is cold. Its summary has pi's structure.

The *front* is one preset at several values of its knob, beside the presets that are driven anyway.
4. Its values are those asked for, or `VALUES`, the points of the policy's `keep`; one of these is the default.
5. Where the preset is driven anyway it has a value of the knob already: that is not driven twice.
6. A point and its number are one value, and told by the point.
"""

from collections.abc import Mapping, Sequence
from typing import Any, get_args

import msgspec

from ctxmgr.engine.retention import KEEP, told_tokens
from ctxmgr.model import KeepPoint, Policy, Preset, PriceTier, TieredPrices
from ctxmgr.study.driving import HostLimits
from ctxmgr.study.probes import Stub
from ctxmgr.study.recordings import Write, pi_host

MODELLED, RECORDED = HOSTS = ("modelled", "recorded")
NEVER_MS = 10**12  # 30 years: longer than any recording
KNOBBED = "balanced"  # the preset that `keep` is of
KEY = "keep"
ALL: tuple[str, ...] = get_args(Preset)
VALUES: tuple[KeepPoint, ...] = get_args(KeepPoint)

Keep = KeepPoint | int


class HostModel(msgspec.Struct, frozen=True):
    """`modelled`: rules 1 and 2; `stays_warm`: rule 3. `keep_tokens` of a compaction, None for the host's own
    number. `overhead_tokens`: of system prompt and tools in each request. `own_summaries`: ctxmgr
    writes them, without a model."""

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
        """What ctxmgr is told of this host's cache, and of who writes its summaries. `prices`: of the sheet that
        its calls are billed by, whatever is known of the recorded model's."""
        writing = {"compaction": {"by": "ctxmgr", "model": "none"}} if self.own_summaries else {}
        billed = {} if prices is None else {"prices": _keys(prices)}
        return {**({"cacheTtlMs": NEVER_MS} if self.stays_warm else {}), **billed, **writing}

    def write(self) -> Write | None:
        """Who writes the summaries of one drive: it has a memory, so each drive has one of its own."""
        return Stub() if self.modelled else None


def _keys(prices: TieredPrices) -> dict[str, Any]:
    """As a policy has them."""
    tiers = [{"aboveTokens": tier.above_tokens, **_four(tier)} for tier in prices.tiers]
    return {**_four(prices), **({"tiers": tiers} if tiers else {})}


def _four(of: TieredPrices | PriceTier) -> dict[str, float]:
    four = of.input, of.output, of.cache_read, of.cache_write
    return dict(zip(("input", "output", "cacheRead", "cacheWrite"), four, strict=True))


def default_keep_tokens(window: int) -> int:
    """Tokens that a compaction of the modelled host keeps."""
    return min(pi_host.KEEP_TOKENS, pi_host.compacts_above(window) // 2)


def label(knob: Keep) -> str:
    """What the preset is called at this value."""
    return f"{KNOBBED} {_named(knob)}"


def _named(knob: Keep) -> Keep:
    return next((point for point in VALUES if KEEP[point] == knob), knob)


class Front:
    """`asked`: presets that are driven anyway; `whole`: whether the whole front is. `policy`: keys given."""

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
        """What a policy's plain values have more: its `keep` in tokens, where it is of the front."""
        return {"knob": self.knobs[name]} if name in self.knobs else {}
