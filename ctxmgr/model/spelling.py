"""Normalises values that JSON can spell in several ways, for comparisons."""

from collections.abc import Mapping
from typing import Any

from ctxmgr.model.expressions import expression

SURROGATE = expression("[\ud800-\udfff]")  # unpaired in a Python string; not a character in UTF-8
_EXACT = 2.0**53  # above this, a float may not be the integer that it prints as


def without_surrogates(value: Any) -> Any:
    """The value with U+FFFD for each surrogate in its texts, including the names and texts of members."""
    if isinstance(value, str):
        return value if value.isascii() else SURROGATE.sub("\ufffd", value)
    if isinstance(value, Mapping):
        return {without_surrogates(name): without_surrogates(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [without_surrogates(inner) for inner in value]
    return value


def plain_numbers(value: Any) -> Any:
    """The value with `1`, `1.0` and `1e0` as the same number."""
    if isinstance(value, float):
        return int(value) if value.is_integer() and abs(value) < _EXACT else value
    if isinstance(value, list):
        return [plain_numbers(item) for item in value]
    if isinstance(value, dict):
        return {name: plain_numbers(item) for name, item in value.items()}
    return value
