"""Turns the arguments of `compare` into settings, or into what is wrong with them.

The fingerprint of a row contains exactly what can change its result. A row without a paid model is computed again
when ctxmgr's code has changed; a paid one is kept until ctxmgr's version changes.
"""

import os
from argparse import Namespace
from collections.abc import Iterator, Mapping
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any, get_args
from urllib.parse import urlsplit

import msgspec

from ctxmgr import __version__
from ctxmgr.devices import NO_ADDRESS
from ctxmgr.extras import is_installed, needs
from ctxmgr.model import CompactionPolicy, Endpoint
from ctxmgr.model.compaction import WITHOUT_MODEL, CutBudget, Format, Strategy, uses_model
from ctxmgr.plain_text import unwritable_text
from ctxmgr.settings import SettingsFault
from ctxmgr.study.observations import PriceSheet
from ctxmgr.study.price_text import OwnFacts, own_facts, price_sheet

# tokens, assumed for an endpoint with an unknown window; without a model it limits nothing in practice
SUMMARISER_WINDOW = 128_000


class InvalidArguments(Exception):
    """The arguments do not fit together, or something they need is missing. The text says what."""


class Settings(msgspec.Struct, frozen=True):
    """`endpoint`: the model that writes summaries; `window`: its window, in tokens.

    `policy`: what has no argument: slices, retries, concurrent calls. `sheet`: the prices of summaries.
    `probes_failed`: the file for failed probes. `own_models`: the user's model file. `has_prices`: prices were
    given as an argument and override that file.
    """

    strategies: tuple[Strategy, ...]
    formats: tuple[Format, ...]
    cut_budget: CutBudget
    endpoint: Endpoint | None = None
    window: int = SUMMARISER_WINDOW
    sheet: PriceSheet = PriceSheet()
    probes_failed: Path | None = None
    own_models: OwnFacts = OwnFacts()
    has_prices: bool = False
    policy: CompactionPolicy = CompactionPolicy()

    @property
    def model(self) -> str:
        return "none" if self.endpoint is None else self.endpoint.model

    def of_model(self, model: str) -> "Settings":
        """The settings for a session of this model: with the prices of the user's file, unless prices were
        given.
        """
        facts = self.own_models.of(model)
        if facts is None or facts.prices is None or self.has_prices:
            return self
        return msgspec.structs.replace(self, sheet=msgspec.structs.replace(self.sheet, prices=facts.prices))

    def fingerprint(self, recording: str, strategy: Strategy, format: Format, weigher: str) -> str:
        """The fingerprint of one row. `recording`: digest of its content. `weigher`: the name of the vocabulary."""
        policy, of = self.policy, self.endpoint
        row: list[Any] = [recording, strategy, format, weigher, self.sheet]
        row += [self.cut_budget, policy.slices, policy.retries]
        if uses_model(strategy):
            row += [__version__, self.window, of and [of.base_url, of.model, of.api]]
        else:
            row += [_code()]
        return sha256(msgspec.json.encode(row)).hexdigest()


def settings(parsed: Namespace, environment: Mapping[str, str] = os.environ) -> Settings:
    """Raises InvalidArguments."""
    try:
        own = own_facts(parsed.models)
    except SettingsFault as fault:
        raise InvalidArguments(str(fault)) from None
    facts = own.of(parsed.model) if parsed.model else None
    window = parsed.context_window or (SUMMARISER_WINDOW if facts is None else facts.usual_window)
    policy, every = CompactionPolicy(), get_args(Strategy)
    usual = every if parsed.endpoint else (WITHOUT_MODEL,)
    made = Settings(
        strategies=tuple(dict.fromkeys(parsed.strategy or usual)),
        formats=tuple(dict.fromkeys(parsed.format or (policy.format,))),
        cut_budget=CutBudget(keep_recent_tokens=parsed.keep, reserve_tokens=policy.reserve_tokens),
        endpoint=Endpoint(
            base_url=parsed.endpoint,
            model=parsed.model,
            api_key_env=parsed.api_key_env,
            context_window=window,
            api=parsed.api or "chat",
        )
        if parsed.endpoint and parsed.model
        else None,
        window=window,
        sheet=price_sheet(parsed.prices, parsed.cache_ttl, parsed.overhead, parsed.cache),
        probes_failed=Path(parsed.probes_failed) if parsed.probes_failed else None,
        own_models=own,
        has_prices=parsed.prices is not None,
        policy=policy,
    )
    for is_wrong, text in _faults(parsed, made, environment):
        if is_wrong:
            raise InvalidArguments(text)
    return made


def _faults(parsed: Namespace, made: Settings, environment: Mapping[str, str]) -> Iterator[tuple[bool, str]]:
    """Each possible fault: whether it is there, and its text."""
    asking = list(filter(uses_model, made.strategies))
    if parsed.endpoint:
        is_http = urlsplit(parsed.endpoint).scheme in ("http", "https")
        key = parsed.api_key_env
        yield not parsed.model, "--endpoint needs --model NAME"
        yield not is_http, NO_ADDRESS.replace("the endpoint's baseUrl", "--endpoint")
        yield bool(key) and not environment.get(key, "").strip(), f"the environment variable {key} is not set"
        yield not is_installed("endpoint"), f"--endpoint {needs('endpoint')}"
    else:
        of_model = bool(parsed.model or parsed.api_key_env or parsed.api)
        yield of_model, "--model, --api and --api-key-env are for --endpoint"
        yield bool(asking), f"{''.join(asking[:1])} needs a model: --endpoint URL --model NAME"
    why = unwritable_text(parsed.probes_failed) if parsed.probes_failed else ""
    yield bool(why), why


@cache
def _code() -> str:
    """The digest of all code that cuts, writes and measures."""
    package = Path(__file__).parents[2]
    paths = sorted(
        path
        for folder in ("model", "engine", "formats", "summarize", "study")
        for path in (package / folder).rglob("*.py")
    )
    return sha256(b"\0".join(path.name.encode() + b"\0" + path.read_bytes() for path in paths)).hexdigest()
