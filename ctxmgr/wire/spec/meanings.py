"""What each type and member of the protocol means, in words for a host author. Loaded only when asked for.

A type is looked up as "Type", a member as "Type.member", then as "*.member". A type that is not here has its
docstring. `PolicyKeys` and its parts say what `Policy` and its parts say.
"""

from ctxmgr.wire.spec import (
    meanings_of_answers,
    meanings_of_calls,
    meanings_of_compactions,
    meanings_of_policy,
    meanings_of_recovery,
)

MEANINGS: dict[str, str] = {
    **meanings_of_calls.MEANINGS,
    **meanings_of_answers.MEANINGS,
    **meanings_of_compactions.MEANINGS,
    **meanings_of_recovery.MEANINGS,
    **meanings_of_policy.MEANINGS,
}


def meaning(name: str) -> str | None:
    """Of a type or of a member; None where there is nothing to say beyond the docstring."""
    found = where(name)
    return MEANINGS[found] if found else None


def where(name: str) -> str | None:
    """The key under which it stands."""
    kind, _, member = name.partition(".")
    places = [name, f"{kind.removesuffix('Keys')}.{member}", f"*.{member}"] if member else [name]
    if not member and kind.endswith("Keys"):
        places.append(kind.removesuffix("Keys"))
    return next((place for place in places if place in MEANINGS), None)
