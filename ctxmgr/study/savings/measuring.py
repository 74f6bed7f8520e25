"""Turns one session into what it cost and what each policy would have made of it, in whatever process this runs.

1. Nothing raises: what can not be read or driven has a fault, which names a place and quotes nothing.
2. What it cost is what its provider counted, by the list prices of each call's model; where too few calls have a
   count, what the host alone is billed in `ctxmgr replay`.
3. What a policy would have cost is a share of that: closed-loop cost with the policy over closed-loop cost of the
   host alone, both by `ctxmgr replay` with this session's prices and overhead, which the figures name.
4. The overhead (system prompt and tools) is what the first counted call had beside its list; where none is counted,
   what `replay` assumes.
5. A model whose prices are not known has no cost. Its shares are by the prices that `replay` assumes.
"""

import json
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

import msgspec

from ctxmgr.closed_loop import PriceSheet, dollars
from ctxmgr.known_models import ModelFacts, Registry, shipped
from ctxmgr.model import PriceTier
from ctxmgr.plain_text import unquoted_fault_text
from ctxmgr.settings import models_file
from ctxmgr.study.driving import drive
from ctxmgr.study.figures import CodeLengths, Measures, closed_cost
from ctxmgr.study.observations import MessageCache, message_reader, total
from ctxmgr.study.recordings import Recording, UnreadableRecording, readers
from ctxmgr.study.replay import modelled
from ctxmgr.study.report import BASE
from ctxmgr.study.savings.agents import KeptSession
from ctxmgr.study.savings.stores import STORES

MOST_OVERHEAD_TOKENS = 60_000  # more than any agent's prompt and tools: a session that was resumed from elsewhere
MOST_UNCOUNTED = 0.1  # of the calls may lack a count, such as those that failed
Policies = Mapping[str, tuple[str, Mapping[str, Any]]]  # name to preset and keys of the policy


class PolicyFigures(msgspec.Struct, frozen=True, rename="camel"):
    """`share`: rule 3. `kept_bytes` of `repeated_bytes`: what `kept` is of."""

    share: float
    kept_bytes: int
    repeated_bytes: int


class MeasuredSession(msgspec.Struct, frozen=True, rename="camel"):
    """`dollars` None: rule 5; `is_counted`: by its provider (rule 2). `priced_as`: the row of known models,
    `is_known`: it is the model's own. `host`, `model` and `calls` of the recording. `fault` "" where it was
    measured."""

    session: KeptSession
    fault: str = ""
    host: str = ""
    model: str = ""
    calls: int = 0
    dollars: float | None = None
    is_counted: bool = False
    priced_as: str = ""
    is_known: bool = False
    overhead_tokens: int = 0
    policies: dict[str, PolicyFigures] = {}


def measured(session: KeptSession, policies: Policies, models: str | None) -> MeasuredSession:
    """`models`: a file of facts that go before what is known."""
    try:
        return _measured(session, policies, _registry(models))
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
    facts = registry.find(recorded.model)
    sheet = _sheet(recorded, known, facts)
    lengths = CodeLengths()

    def driven(preset: str, keys: Mapping[str, Any]) -> Measures:
        options = modelled(preset, keys, recorded.window, sheet, append=True, judged=False)
        return Measures(drive(recorded, options).observations, known, sheet, lengths)

    base = driven(BASE, {}).once(closed_cost.of_session)
    if not base.closed:
        raise UnreadableRecording(f"{recorded.name}: no call of a model")
    figures = {name: _figures(driven(*policy), base.closed) for name, policy in policies.items()}
    counted = _counted_dollars(recorded, registry)
    return MeasuredSession(
        session,
        host=recorded.host,
        model=recorded.model,
        calls=len(base.calls),
        dollars=None if facts.prices is None else base.billed if counted is None else counted,
        is_counted=counted is not None,
        priced_as=facts.row,
        is_known=facts.matched == "model",
        overhead_tokens=sheet.overhead_tokens,
        policies=figures,
    )


def _recorded(session: KeptSession) -> Recording:
    path = Path(session.path)
    source = readers.source_of(path.name, STORES[session.store].content(path, session.id))
    recorded = readers.read(source)
    if not isinstance(recorded, Recording):
        raise UnreadableRecording(f"{path.name}: a stream of events, which has no counts")
    return recorded


def _sheet(recorded: Recording, known: MessageCache, facts: ModelFacts) -> PriceSheet:
    """Rules 4 and 5."""
    sheet = PriceSheet() if facts.prices is None else PriceSheet(prices=facts.prices)
    listed = 0
    for entry in recorded.entries:
        if entry.role == "assistant" and (sent := sum(_input(json.loads(entry.message)))):
            overhead = min(max(0, sent - listed), MOST_OVERHEAD_TOKENS)
            return msgspec.structs.replace(sheet, overhead_tokens=overhead)
        listed += known.weight(entry.message) if entry.message else 0
    return sheet


def _figures(session: Measures, base_dollars: float) -> PolicyFigures:
    repeats = total(session.lengths.repeats(session.observations))
    closed = session.once(closed_cost.of_session).closed
    return PolicyFigures(closed / base_dollars, repeats.part, repeats.total)


def _counted_dollars(recorded: Recording, registry: Registry) -> float | None:
    """Rule 2; None where too few calls are counted, or one is of a model without prices."""
    sum_dollars, counted, calls = 0.0, 0, 0
    tiers = lru_cache(maxsize=16)(lambda model: registry.find(model).prices)
    for entry in recorded.entries:
        if entry.role == "assistant":
            message = json.loads(entry.message)
            new, read, written = _input(message)
            calls += 1
            counted += bool(new + read + written)
            if (prices := tiers(message.get("model") or recorded.model)) is None:
                return None
            sum_dollars += _dollars(prices.tier(new + read + written), new, read, written)
    return sum_dollars if counted and calls - counted <= MOST_UNCOUNTED * calls else None


def _dollars(tier: PriceTier, new: int, read: int, written: int) -> float:
    return dollars(tier, new=new, read=read, written=written)


def _input(message: Mapping[str, Any]) -> tuple[int, int, int]:
    """Tokens that its provider counted: neither read nor written, read from the cache, written to it."""
    usage = message.get("usage") or {}
    new, read, written = (int(usage.get(name) or 0) for name in ("input", "cacheRead", "cacheWrite"))
    return new, read, written
