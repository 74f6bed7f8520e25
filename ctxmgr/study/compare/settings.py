"""Turns the arguments of `compare` into settings, or into what is wrong with them.

Rule: what makes two runs of a row differ is in its fingerprint, and nothing else. A row without a paid model is
done anew when ctxmgr's code has changed; a paid one is kept until ctxmgr's version changes.
"""

import os
from argparse import Namespace
from collections.abc import Mapping
from functools import cache
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal, get_args
from urllib.parse import urlsplit

import msgspec

from ctxmgr import __version__
from ctxmgr.devices import NO_ADDRESS, NOT_INSTALLED
from ctxmgr.model import CompactionPolicy, Endpoint, EndpointApi
from ctxmgr.model.compaction import CutBudget, Format, Strategy
from ctxmgr.settings import SettingsFault
from ctxmgr.study.metrics import PriceSheet
from ctxmgr.study.own_facts import OwnFacts, own_facts
from ctxmgr.study.price_text import price_sheet
from ctxmgr.study.recordings import DEFAULT_WINDOW

CHAIN_WINDOW = DEFAULT_WINDOW
SUMMARISER_WINDOW = 128_000  # tokens, as of an endpoint nobody described; no model: bounds nothing in practice

CHAT: EndpointApi = "chat"  # what an endpoint speaks unless it is said

ModelKind = Literal["none", "scripted", "endpoint"]


class InvalidArguments(Exception):
    """The arguments do not go together, or something they need is not there; the text says what."""


class Settings(msgspec.Struct, frozen=True):
    """`window`: of the summarising model; `chain_window`: that of the session's model in a chain, None without one.

    Tokens. `policy` has what is not set here: slices, retries, calls side by side. `sheet`: what summaries and
    chains are billed by. `probes_failed`: the file that takes the
    failed probes. `own_models`: a user's file of models; `has_prices`: they were given, so no file says them.
    """

    strategies: tuple[Strategy, ...]
    formats: tuple[Format, ...]
    cut_budget: CutBudget
    model: ModelKind = "none"
    endpoint: Endpoint | None = None
    window: int = SUMMARISER_WINDOW
    chain_window: int | None = None
    sheet: PriceSheet = PriceSheet()
    probes_failed: Path | None = None
    own_models: OwnFacts = OwnFacts()
    has_prices: bool = False
    policy: CompactionPolicy = CompactionPolicy()

    @property
    def limit(self) -> int:
        """Tokens of the list above which a chain compacts."""
        return (self.chain_window or CHAIN_WINDOW) - self.cut_budget.reserve_tokens

    def of_model(self, model: str) -> "Settings":
        """For a session of this model: by the prices that the user's file says of it, unless they were given."""
        facts = self.own_models.of(model)
        if facts is None or facts.prices is None or self.has_prices:
            return self
        return msgspec.structs.replace(self, sheet=msgspec.structs.replace(self.sheet, prices=facts.prices))

    def fingerprint(self, recording: str, strategy: Strategy, format: Format, weigher: str, other: str = "") -> str:
        """Of one row; `recording` is the digest of its content, `weigher` the name of the vocabulary. `other`: the
        digest of another recording, a control: where it differs nothing that was paid is done anew."""
        model: Any = None
        if strategy != "extractive":
            of = self.endpoint
            model = [self.model, self.window, of and [of.base_url, of.model]]
            if of is not None and of.api != CHAT:
                model.append(of.api)
        paid = model is not None and self.model == "endpoint"
        what = [
            __version__ if paid else _code(),
            [recording, strategy, format, weigher, self.chain_window],
            msgspec.to_builtins([self.cut_budget, self.policy.slices, self.policy.retries]),
            model,
        ]
        if other and not paid:
            what.append(other)
        if self.sheet != PriceSheet():
            what.append(msgspec.to_builtins(self.sheet))
        return sha256(msgspec.json.encode(what)).hexdigest()


def settings(parsed: Namespace, environment: Mapping[str, str] = os.environ) -> Settings:
    """Raises InvalidArguments."""
    kind: ModelKind = "endpoint" if parsed.endpoint else "scripted" if parsed.scripted else "none"
    policy = CompactionPolicy()
    try:
        own = own_facts(parsed.models)
    except SettingsFault as fault:
        raise InvalidArguments(str(fault)) from None
    facts = own.of(parsed.model) if parsed.model else None
    usual_window = SUMMARISER_WINDOW if facts is None else facts.usual_window
    made = Settings(
        strategies=_each(parsed.strategy) or _default(kind, parsed.chain),
        formats=_each(parsed.format) or (policy.format,),
        cut_budget=CutBudget(keep_recent_tokens=parsed.keep, reserve_tokens=policy.reserve_tokens),
        model=kind,
        endpoint=_endpoint(parsed, environment, usual_window),
        window=parsed.context_window or usual_window,
        chain_window=(parsed.window or CHAIN_WINDOW) if parsed.chain else None,
        sheet=price_sheet(parsed.prices, parsed.cache_ttl, parsed.overhead, parsed.cache),
        probes_failed=Path(parsed.probes_failed) if parsed.probes_failed else None,
        own_models=own,
        has_prices=parsed.prices is not None,
        policy=policy,
    )
    asking = [strategy for strategy in made.strategies if strategy != "extractive"]
    if asking and kind == "none":
        raise InvalidArguments(f"{asking[0]} needs a model: --endpoint URL --model NAME, or --scripted")
    if parsed.window and not parsed.chain:
        raise InvalidArguments("--window is for --chain")
    if made.chain_window is not None and made.limit <= parsed.keep:
        room = f"{made.chain_window:,} tokens less the {made.cut_budget.reserve_tokens:,} kept free for the reply"
        raise InvalidArguments(
            f"a window of {room} leaves no more than --keep {parsed.keep:,}: nothing would ever fit"
        )
    return made


def _default(kind: ModelKind, chain: bool) -> tuple[Strategy, ...]:
    return ("extractive",) if chain or kind == "none" else get_args(Strategy)


def _endpoint(parsed: Namespace, environment: Mapping[str, str], usual_window: int) -> Endpoint | None:
    if not parsed.endpoint:
        if parsed.model or parsed.api_key_env or parsed.api:
            raise InvalidArguments("--model, --api and --api-key-env are for --endpoint")
        return None
    if parsed.scripted:
        raise InvalidArguments("--endpoint and --scripted exclude each other")
    if not parsed.model:
        raise InvalidArguments("--endpoint needs --model NAME")
    if urlsplit(parsed.endpoint).scheme not in ("http", "https"):
        raise InvalidArguments(NO_ADDRESS.replace("the endpoint's baseUrl", "--endpoint"))
    if parsed.api_key_env and not environment.get(parsed.api_key_env, "").strip():
        raise InvalidArguments(f"the environment variable {parsed.api_key_env} is not set")
    if find_spec("httpx") is None:
        raise InvalidArguments(NOT_INSTALLED)
    return Endpoint(
        base_url=parsed.endpoint,
        model=parsed.model,
        api_key_env=parsed.api_key_env,
        context_window=parsed.context_window or usual_window,
        api=parsed.api or CHAT,
    )


def _each(names: list[Any] | None) -> tuple[Any, ...]:
    return tuple(dict.fromkeys(names or ()))


@cache
def _code() -> str:
    """The digest of all that cuts, writes and measures."""
    package = Path(__file__).parents[2]
    found = sorted(
        path
        for room in ("model", "engine", "formats", "summarize", "study")
        for path in (package / room).rglob("*.py")
    )
    return sha256(b"\0".join(path.name.encode() + b"\0" + path.read_bytes() for path in found)).hexdigest()
