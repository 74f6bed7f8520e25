"""Turns the bytes of a file of facts into a registry. For a bad file it says which row and which member is
wrong.
"""

import json
from collections import Counter
from collections.abc import Iterator
from functools import cache
from typing import Any

import msgspec

from ctxmgr.known_models.facts_file import CacheRow, FactsFile, FamilyRow, ModelRow, PricesRow, key
from ctxmgr.known_models.registry import Registry
from ctxmgr.model import misfit

MAX_BYTES = 4_000_000  # of a file: nobody writes a larger one
_MEMBERS = {
    "models": tuple[msgspec.Raw, ...],
    "families": tuple[msgspec.Raw, ...],
    "caches": dict[str, msgspec.Raw],
}


class BadFacts(ValueError):
    """A file of facts that cannot be used. The text is one sentence that names the row and the member."""


@cache
def shipped() -> Registry:
    """The facts that come with ctxmgr. Read once, on first use, so that a start does not wait for it."""
    import pkgutil

    content = pkgutil.get_data("ctxmgr", "data/models.json")
    assert content is not None
    return Registry(msgspec.json.decode(content, type=FactsFile))


def read(content: bytes) -> Registry:
    """The shipped facts, overridden by a user's own. Raises BadFacts."""
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
        tuple(_row(number, row) for number, row in enumerate(raw.get("models", ()))),
        tuple(_family(number, row) for number, row in enumerate(raw.get("families", ()))),
        {name: _cache(row, f"caches.{name}") for name, row in raw.get("caches", {}).items()},
    )
    _check_once("", content)
    _check_ids(facts)
    _check(facts)
    return shipped().with_facts(facts)


def _row(number: int, raw: msgspec.Raw) -> ModelRow:
    path = _path("models", number, raw, "id")
    _check_once(f"{path} ", bytes(raw))
    row: ModelRow = _decoded(raw, ModelRow, path)
    for name, prices in (("prices", row.prices), ("batch", row.batch)):
        if prices is not None:
            _check_tiers(f"{path} {name}.tiers", prices)
    if isinstance(row.cache, CacheRow):
        _check_marks(f"{path} cache.", row.cache)
    return row


def _family(number: int, raw: msgspec.Raw) -> FamilyRow:
    path = _path("families", number, raw, "name")
    _check_once(f"{path} ", bytes(raw))
    row: FamilyRow = _decoded(raw, FamilyRow, path)
    return row


def _cache(raw: msgspec.Raw, path: str) -> CacheRow:
    row: CacheRow = _decoded(raw, CacheRow, path)
    _check_marks(f"{path} ", row)
    return row


def _path(member: str, number: int, raw: msgspec.Raw, name: str) -> str:
    """Which row it is, with its name if it has one."""
    path = f"{member}[{number}]"
    try:
        value: Any = msgspec.json.decode(msgspec.json.decode(raw, type=dict[str, msgspec.Raw])[name])
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError, KeyError):
        value = None  # what is wrong with it is reported when the row is read
    return path + (f' ("{value}")' if isinstance(value, str) and value else "")


class _Members(tuple[tuple[str, Any], ...]):
    """The members of an object, each as often as it occurs."""


def _check_once(path: str, raw: bytes) -> None:
    """Checks that no member occurs twice, since the first would be ignored silently. Raises BadFacts."""
    try:
        double = next(_doubles(json.loads(raw, object_pairs_hook=_Members), ""), None)
    except (RecursionError, ValueError) as fault:
        raise BadFacts(f"{path.rstrip()}: {fault}") from None
    if double is not None:
        raise BadFacts(f"{path}{double}: it is there twice")


def _doubles(value: Any, path: str) -> Iterator[str]:
    """The paths of members that occur twice in their object."""
    if isinstance(value, _Members):
        counts = Counter(name for name, _ in value)
        for name, held in value:
            where = f"{path}.{name}" if path else name
            if counts[name] > 1:
                yield where
            yield from _doubles(held, where)
    elif isinstance(value, list):
        for number, held in enumerate(value):
            yield from _doubles(held, f"{path}[{number}]")


def _check_ids(facts: FactsFile) -> None:
    """Checks that no two rows are of the same model, and no two families have the same name."""
    rows: dict[str, str] = {}
    for number, row in enumerate(facts.models):
        path = f'models[{number}] ("{row.id}")'
        if (before := rows.setdefault(key(row), path)) != path:
            raise BadFacts(f"{path} id: {before} is of that model too")
    families: dict[str, str] = {}
    for number, family in enumerate(facts.families):
        if (before := families.setdefault(family.name, f"families[{number}]")) != f"families[{number}]":
            raise BadFacts(f'families[{number}] ("{family.name}") name: {before} has it too')


def _check_marks(path: str, rule: CacheRow) -> None:
    if rule.kind == "marks" and not rule.most_marks:
        raise BadFacts(
            f"{path}mostMarks: a cache of marks keeps nothing without one: say how many a request may set"
        )


def _check_tiers(path: str, prices: PricesRow) -> None:
    bounds = [tier.above_tokens for tier in prices.tiers]
    if len(set(bounds)) < len(bounds):
        raise BadFacts(f"{path}: two tiers apply above the same size: as many tokens")


def _check(facts: FactsFile) -> None:
    """Checks that everything a row names exists."""
    caches = {*shipped().caches, *facts.caches}
    families = {*shipped().families, *(family.name for family in facts.families)}
    for number, row in enumerate(facts.models):
        if isinstance(row.cache, str) and row.cache not in caches:
            raise BadFacts(f'models[{number}] ("{row.id}") cache: there is no cache rule "{row.cache}"')
        if row.family is not None and row.family not in families:
            raise BadFacts(f'models[{number}] ("{row.id}") family: there is no family "{row.family}"')
    for number, family in enumerate(facts.families):
        if family.cache not in caches:
            raise BadFacts(f'families[{number}] ("{family.name}") cache: there is no cache rule "{family.cache}"')


def _decoded(raw: msgspec.Raw, kind: Any, prefix: str) -> Any:
    try:
        return msgspec.json.decode(raw, type=kind)
    except (UnicodeDecodeError, RecursionError) as fault:
        raise BadFacts(f"{prefix}: {fault}") from None
    except msgspec.ValidationError as fault:
        wrong = misfit(fault, kind)
        member = wrong.path.lstrip(".")
        raise BadFacts(f"{prefix}{f' {member}' if member else ''}: {wrong.text}") from None
