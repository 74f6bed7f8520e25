"""Turns the bytes of a file of facts into a registry, and says of a bad one which row and which member is wrong."""

import json
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from typing import Any

import msgspec

from ctxmgr.known_models.facts_file import CacheRow, FactsFile, FamilyRow, ModelRow, PricesRow, key
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
        tuple(_family(at, one) for at, one in enumerate(raw.get("families", ()))),
        {name: _cache(one, f"caches.{name}") for name, one in raw.get("caches", {}).items()},
    )
    _check_once("", content)
    _check_ids(facts)
    _check(facts)
    return shipped().with_facts(facts)


def _row(at: int, raw: msgspec.Raw) -> ModelRow:
    place = _place("models", at, raw, "id")
    _check_once(f"{place} ", bytes(raw))
    row: ModelRow = _decoded(raw, ModelRow, place)
    for name, prices in (("prices", row.prices), ("batch", row.batch)):
        if prices is not None:
            _check_tiers(f"{place} {name}.tiers", prices)
    if isinstance(row.cache, CacheRow):
        _check_marks(f"{place} cache.", row.cache)
    return row


def _family(at: int, raw: msgspec.Raw) -> FamilyRow:
    place = _place("families", at, raw, "name")
    _check_once(f"{place} ", bytes(raw))
    row: FamilyRow = _decoded(raw, FamilyRow, place)
    return row


def _cache(raw: msgspec.Raw, place: str) -> CacheRow:
    row: CacheRow = _decoded(raw, CacheRow, place)
    _check_marks(f"{place} ", row)
    return row


def _place(member: str, at: int, raw: msgspec.Raw, name: str) -> str:
    """Which row it is, with its name where it has one."""
    place = f"{member}[{at}]"
    try:
        told: Any = msgspec.json.decode(msgspec.json.decode(raw, type=dict[str, msgspec.Raw])[name])
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError, KeyError):
        told = None  # what is wrong with it is told where the row is read
    return place + (f' ("{told}")' if isinstance(told, str) and told else "")


class _Members(tuple[tuple[str, Any], ...]):
    """Of an object, each as often as it stands there."""


def _check_once(place: str, raw: bytes) -> None:
    """That no member is there twice: of two the last would hold, and nobody would be told."""
    try:
        double = next(_doubles(json.loads(raw, object_pairs_hook=_Members), ""), None)
    except (RecursionError, ValueError) as fault:
        raise BadFacts(f"{place.rstrip()}: {fault}") from None
    if double is not None:
        raise BadFacts(f"{place}{double}: it is there twice")


def _doubles(value: Any, path: str) -> Iterator[str]:
    """The paths of members that stand twice in their object."""
    if isinstance(value, _Members):
        counts = Counter(name for name, _ in value)
        for name, held in value:
            where = f"{path}.{name}" if path else name
            if counts[name] > 1:
                yield where
            yield from _doubles(held, where)
    elif isinstance(value, list):
        for at, held in enumerate(value):
            yield from _doubles(held, f"{path}[{at}]")


def _check_ids(facts: FactsFile) -> None:
    """That no two rows are of one model, and no two families of one name."""
    rows: dict[str, str] = {}
    for at, row in enumerate(facts.models):
        place = f'models[{at}] ("{row.id}")'
        if (before := rows.setdefault(key(row), place)) != place:
            raise BadFacts(f"{place} id: {before} is of that model too")
    families: dict[str, str] = {}
    for at, family in enumerate(facts.families):
        if (before := families.setdefault(family.name, f"families[{at}]")) != f"families[{at}]":
            raise BadFacts(f'families[{at}] ("{family.name}") name: {before} has it too')


def _check_marks(place: str, rule: CacheRow) -> None:
    if rule.kind == "marks" and not rule.most_marks:
        raise BadFacts(
            f"{place}mostMarks: a cache of marks keeps nothing without one: say how many a request may set"
        )


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
            raise BadFacts(f'families[{at}] ("{family.name}") cache: there is no cache rule "{family.cache}"')


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
