"""What JSON spells in several ways, in one: for whoever compares what was said, not how."""

from collections.abc import Mapping
from typing import Any

from ctxmgr.model.expressions import expression

SURROGATE = expression("[\ud800-\udfff]")  # unpaired in a string of Python's, and no character of UTF-8
_EXACT = 2.0**53  # above it a float is not surely the integer that it prints as


def without_surrogates(value: Any) -> Any:
    """The value with U+FFFD for each surrogate in its texts, those of its members and their names too."""
    if isinstance(value, str):
        return value if value.isascii() else SURROGATE.sub("\ufffd", value)
    if isinstance(value, Mapping):
        return {without_surrogates(name): without_surrogates(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [without_surrogates(inner) for inner in value]
    return value


def plain_numbers(value: Any) -> Any:
    """The value of which `1`, `1.0` and `1e0` are one number."""
    if isinstance(value, float):
        return int(value) if value.is_integer() and abs(value) < _EXACT else value
    if isinstance(value, list):
        return [plain_numbers(item) for item in value]
    if isinstance(value, dict):
        return {name: plain_numbers(item) for name, item in value.items()}
    return value
