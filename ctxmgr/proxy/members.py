"""Reads JSON one level deep: what stands inside stays as it was spelled."""

import msgspec

UNREADABLE = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
_members = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode
_elements = msgspec.json.Decoder(list[msgspec.Raw]).decode


def members(raw: bytes) -> dict[str, msgspec.Raw] | None:
    """Of a JSON object, in their order; None where it is none or can not be read."""
    try:
        return _members(raw)
    except UNREADABLE:
        return None


def member(raw: bytes, name: str) -> bytes:
    """One member of a JSON object; b"" where there is none."""
    return bytes((members(raw) or {}).get(name, b""))


def elements(raw: bytes) -> list[msgspec.Raw] | None:
    """Of a JSON list; None where it is none or can not be read."""
    try:
        return _elements(raw)
    except UNREADABLE:
        return None
