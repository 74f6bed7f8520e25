"""Parses what people write on a command line: numbers of tokens (200000, 200_000, 200,000, 200k, 1M or 1.5M), and
values of policy keys.
"""

import contextlib
import json
import re
from typing import Any

UNITS = {"": 1, "k": 1_000, "m": 1_000_000}
_COUNT = re.compile(r"(\d[\d_,]*(?:\.\d+)?)([km]?)", re.IGNORECASE | re.ASCII)


def token_count(text: str) -> int:
    """Raises ValueError if the text is no whole number of tokens."""
    match = _COUNT.fullmatch(text.strip())
    if match is None:
        raise ValueError(text)
    count = float(re.sub("[_,]", "", match[1])) * UNITS[match[2].lower()]
    if not count.is_integer():
        raise ValueError(text)
    return int(count)


def policy_value(text: str) -> Any:
    """A number of tokens, otherwise JSON, otherwise the text itself."""
    with contextlib.suppress(ValueError):
        return token_count(text)
    try:
        return json.loads(text)
    except ValueError:
        return text
