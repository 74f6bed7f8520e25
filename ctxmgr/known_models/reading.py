"""Turns the bytes of a file of facts into a registry, and says of a bad one which row and which member is wrong."""

import re
from functools import cache
from typing import Any

import msgspec

from ctxmgr.known_models.facts_file import CacheRow, FactsFile, FamilyRow, ModelRow, PricesRow
from ctxmgr.known_models.registry import Registry

MAX_BYTES = 4_000_000  # of a file: more is none that somebody wrote
_MEMBERS = {
    "models": tuple[msgspec.Raw, ...],
    "families": tuple[msgspec.Raw, ...],
    "caches": dict[str, msgspec.Raw],
}


class BadFacts(ValueError):
    """A file of facts that can not be used; the text is one sentence that names the row and the member."""


@cache
def shipped() -> Registry:
    """What comes with ctxmgr. Read once, with the first question: a start does not wait for it."""
    import pkgutil

    content = pkgutil.get_data("ctxmgr", "data/models.json")
    assert content is not None
    return Registry(msgspec.json.decode(content, type=FactsFile))


def read(content: bytes) -> Registry:
    """A user's own facts before the shipped ones. Raises BadFacts."""
    if len(content) > MAX_BYTES:
        raise BadFacts(f"it is longer than {MAX_BYTES:,} bytes")
    try:
        whole: Any = msgspec.json.decode(content, type=dict[str, msgspec.Raw])
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as fault:
        raise BadFacts(f"it is no JSON object: {fault}") from None
    unknown = next((name for name in whole if name not in _MEMBERS), None)
    if unknown is not None:
        raise BadFacts(f'there is no member "{unknown}": it has {", ".join(_MEMBERS)}')
    raw = {name: _decoded(whole[name], kind, name) for name, kind in _MEMBERS.items() if name in whole}
    facts = FactsFile(
        tuple(_row(at, one) for at, one in enumerate(raw.get("models", ()))),
        tuple(_decoded(one, FamilyRow, f"families[{at}]") for at, one in enumerate(raw.get("families", ()))),
        {name: _decoded(one, CacheRow, f"caches.{name}") for name, one in raw.get("caches", {}).items()},
    )
    _check(facts)
    return shipped().with_facts(facts)


def _row(at: int, raw: msgspec.Raw) -> ModelRow:
    named: Any = _decoded(raw, Any, f"models[{at}]")
    id = named.get("id") if isinstance(named, dict) else None
    place = f"models[{at}]" + (f' ("{id}")' if isinstance(id, str) and id else "")
    row: ModelRow = _decoded(raw, ModelRow, place)
    for name, prices in (("prices", row.prices), ("batch", row.batch)):
        if prices is not None:
            _check_tiers(f"{place} {name}.tiers", prices)
    return row


def _check_tiers(place: str, prices: PricesRow) -> None:
    bounds = [one.above_tokens for one in prices.tiers]
    if len(set(bounds)) < len(bounds):
        raise BadFacts(f"{place}: two tiers begin above as many tokens")


def _check(facts: FactsFile) -> None:
    """That what is named is there."""
    caches = {*shipped().caches, *facts.caches}
    families = {*shipped().families, *(one.name for one in facts.families)}
    for at, row in enumerate(facts.models):
        if isinstance(row.cache, str) and row.cache not in caches:
            raise BadFacts(f'models[{at}] ("{row.id}") cache: there is no cache rule "{row.cache}"')
        if row.family is not None and row.family not in families:
            raise BadFacts(f'models[{at}] ("{row.id}") family: there is no family "{row.family}"')
    for at, family in enumerate(facts.families):
        if family.cache not in caches:
            raise BadFacts(f'families[{at}] cache: there is no cache rule "{family.cache}"')


def _decoded(raw: msgspec.Raw, kind: Any, place: str) -> Any:
    try:
        return msgspec.json.decode(raw, type=kind)
    except (UnicodeDecodeError, RecursionError) as fault:
        raise BadFacts(f"{place}: {fault}") from None
    except msgspec.ValidationError as fault:
        text, _, path = str(fault).partition(" - at `$")
        unknown = re.search(r"unknown field `([^`]+)`", text)
        if unknown is not None:
            path, text = f"{path.rstrip('`')}.{unknown[1]}", "there is no such member"
        member = path.rstrip("`").lstrip(".")
        raise BadFacts(f"{place}{f' {member}' if member else ''}: {text[:1].lower()}{text[1:]}") from None
