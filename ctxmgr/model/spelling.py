"""What JSON spells in several ways, in one: for whoever compares what was said, not how."""

from typing import Any

_EXACT = 2.0**53  # above it a float is not surely the integer that it prints as


def plain_numbers(value: Any) -> Any:
    """The value of which `1`, `1.0` and `1e0` are one number."""
    if isinstance(value, float):
        return int(value) if value.is_integer() and abs(value) < _EXACT else value
    if isinstance(value, list):
        return [plain_numbers(item) for item in value]
    if isinstance(value, dict):
        return {name: plain_numbers(item) for name, item in value.items()}
    return value
