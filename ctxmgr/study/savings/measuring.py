"""Computes what one session cost, and what it would have cost under each policy, in whatever process this runs.

1. Nothing raises: a session that cannot be read or driven has a fault, which names a location and quotes nothing.
2. The cost of a session is what its provider counted, at the list prices of each call's model. If too few calls
   have a count, it is what `ctxmgr replay` bills for the host alone.
3. The cost under a policy is a share of that: closed-loop cost with the policy over closed-loop cost of the host
   alone, both by `ctxmgr replay` with this session's prices, overhead and window.
4. The overhead (system prompt and tools) is what the first counted call had beside its list; without counts, what
   `replay` assumes. The window is the recording's; if it has none, and a call was longer than what `replay`
   assumes, the model's.
5. A session of a model without known prices has no cost. Its shares use the prices that `replay` assumes.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import msgspec

from ctxmgr.closed_loop import PriceSheet, dollars
from ctxmgr.known_models import ModelFacts, Registry, shipped
from ctxmgr.model import TieredPrices
from ctxmgr.plain_text import unquoted_fault_text
from ctxmgr.settings import models_file
from ctxmgr.study.driving import ReplayResult, drive, drive_alone
from ctxmgr.study.figures import CodeLengths, Measures, closed_cost
from ctxmgr.study.observations import MessageCache, message_reader, total
from ctxmgr.study.recordings import NoConversation, Recording, UnreadableRecording, readers
from ctxmgr.study.replay import modelled
from ctxmgr.study.report import BASE
from ctxmgr.study.savings.agents import STORES, KeptSession

MOST_OVERHEAD_TOKENS = 60_000  # more than any agent's prompt and tools: a session resumed from elsewhere
MOST_UNCOUNTED = 0.1  # of the calls may lack a count, such as failed calls


class CountedCall(msgspec.Struct, frozen=True, gc=False):
    """One reply: its `model`, and its input in tokens: uncached, `read` from the cache, and `written` to it; all 0
    if nothing was counted. `listed_tokens`: of the list before it, as counted here.
    """

    model: str
    new: int
    read: int
    written: int
    listed_tokens: int

    @property
    def input_tokens(self) -> int:
        return self.new + self.read + self.written


def counted_calls(recorded: Recording, weigh: Callable[[bytes], int]) -> list[CountedCall]:
    """All calls, oldest first. `weigh`: returns the tokens of a message's bytes."""
    found, listed = [], 0
    for entry in recorded.entries:
        if entry.role == "assistant":
            message = json.loads(entry.message)
            usage = message.get("usage") or {}
            new, read, written = (int(usage.get(name) or 0) for name in ("input", "cacheRead", "cacheWrite"))
            found.append(CountedCall(message.get("model") or recorded.model, new, read, written, listed))
        listed += weigh(entry.message) if entry.message else 0
    return found


def cost(calls: Sequence[CountedCall], prices_of: Callable[[str], TieredPrices | None]) -> float | None:
    """The cost in dollars, each call at its model's prices; None if too few are counted, or a model has no
    prices.
    """
    counted = [call for call in calls if call.input_tokens]
    prices_of = cache(prices_of)
    if len(calls) - len(counted) > MOST_UNCOUNTED * len(calls):
        return None
    bills = [_bill(call, prices) for call in counted if (prices := prices_of(call.model))]
    return sum(bills) if len(bills) == len(counted) else None


def _bill(call: CountedCall, prices: TieredPrices) -> float:
    return dollars(prices.tier(call.input_tokens), new=call.new, read=call.read, written=call.written)


def overhead_tokens(calls: Sequence[CountedCall]) -> int | None:
    """The tokens that the first counted call had beside its list; None if no call is counted."""
    first = next((call for call in calls if call.input_tokens), None)
    return None if first is None else min(max(0, first.input_tokens - first.listed_tokens), MOST_OVERHEAD_TOKENS)


def longest_tokens(calls: Sequence[CountedCall]) -> int:
    return max((call.input_tokens for call in calls), default=0)


Policies = Mapping[str, tuple[str, Mapping[str, Any]]]  # name to preset and keys of the policy


class PolicyFigures(msgspec.Struct, frozen=True, rename="camel"):
    """`share`: rule 3. `kept_bytes` of `repeated_bytes`: the ratio behind `kept`."""

    share: float
    kept_bytes: int
    repeated_bytes: int


class MeasuredSession(msgspec.Struct, frozen=True, rename="camel"):
    """`dollars`: None by rule 5. `is_counted`: by its provider (rule 2). `priced_as`: the row of known models;
    `is_known`: that row is exactly this model. `host`, `model` and `calls`: of the recording. `fault`: "" if it was
    measured. `is_empty`: no model was called in it. `alone`: of the host without ctxmgr. `floor_share`: the least
    that any policy costs that sends every message, as a share of the host alone's cost.
    """

    session: KeptSession
    fault: str = ""
    is_empty: bool = False
    host: str = ""
    model: str = ""
    calls: int = 0
    dollars: float | None = None
    is_counted: bool = False
    priced_as: str = ""
    is_known: bool = False
    window_tokens: int = 0
    overhead_tokens: int = 0
    policies: dict[str, PolicyFigures] = {}
    alone: PolicyFigures | None = None
    floor_share: float | None = None


def measured(session: KeptSession, policies: Policies, models: str | None) -> MeasuredSession:
    """`models`: a file of facts that override the known ones."""
    try:
        return _measured(session, policies, _registry(models))
    except NoConversation as fault:
        return MeasuredSession(session, fault.unquoted, is_empty=True)
    except UnreadableRecording as fault:
        return MeasuredSession(session, fault.unquoted)
    except Exception as fault:  # noqa: BLE001  rule 1
        return MeasuredSession(session, unquoted_fault_text(fault))


@lru_cache(maxsize=1)
def _registry(models: str | None) -> Registry:
    return models_file(models) or shipped()


def _measured(session: KeptSession, policies: Policies, registry: Registry) -> MeasuredSession:
    recorded = _recorded(session)
    known = MessageCache(message_reader())
    calls = counted_calls(recorded, known.weight)
    facts = registry.find(recorded.model)
    sheet, window, lengths = _sheet(calls, facts), _window(recorded, calls, facts), CodeLengths()

    def driven(preset: str, keys: Mapping[str, Any], by: Callable[..., ReplayResult] = drive) -> Measures:
        options = modelled(preset, keys, window, sheet, append=True)
        return Measures(by(recorded, options).observations, known, sheet, lengths)

    alone = driven(BASE, {}, drive_alone)
    base = alone.once(closed_cost.of_session)
    if not base.closed:
        raise NoConversation(f"{recorded.name}: it contains no model call")
    counted = cost(calls, lambda model: registry.find(model).prices)
    return MeasuredSession(
        session,
        host=recorded.host,
        model=recorded.model,
        calls=len(base.calls),
        dollars=None if facts.prices is None else base.billed if counted is None else counted,
        is_counted=counted is not None,
        priced_as=facts.row,
        is_known=facts.matched == "model",
        window_tokens=window,
        overhead_tokens=sheet.overhead_tokens,
        policies={name: _figures(driven(*policy), base.closed) for name, policy in policies.items()},
        alone=_figures(alone, base.closed),
        floor_share=closed_cost.floor_dollars(alone.observations, known, sheet) / base.closed,
    )


def _recorded(session: KeptSession) -> Recording:
    path = Path(session.path)
    source = readers.source_of(path.name, STORES[session.store].content(path, session.id))
    recorded = readers.read(source)
    if not isinstance(recorded, Recording):
        raise UnreadableRecording(f"{path.name}: a stream of events has no usage counts")
    return recorded


def _sheet(calls: Sequence[CountedCall], facts: ModelFacts) -> PriceSheet:
    """Rules 4 and 5."""
    sheet = PriceSheet() if facts.prices is None else PriceSheet(prices=facts.prices)
    overhead = overhead_tokens(calls)
    return sheet if overhead is None else msgspec.structs.replace(sheet, overhead_tokens=overhead)


def _window(recorded: Recording, calls: Sequence[CountedCall], facts: ModelFacts) -> int:
    """Rule 4."""
    is_longer = not recorded.says_window and longest_tokens(calls) > recorded.window
    return max(recorded.window, facts.window) if is_longer else recorded.window


def _figures(session: Measures, base_dollars: float) -> PolicyFigures:
    repeats = total(session.lengths.repeats(session.observations))
    closed = session.once(closed_cost.of_session).closed
    return PolicyFigures(closed / base_dollars, repeats.part, repeats.total)
