"""The id under which a session is saved, and the types that hooks share."""

from collections.abc import Callable, Mapping
from typing import Any

Fields = Mapping[str, Any]
"""A hook's event, as the program sends it."""

Cut = Callable[[str, str], str]
"""Turns a text, and its name in a result, into a shorter one, or the same."""


def session_id(fields: Fields) -> str:
    return f"hooks-{fields.get('session_id', '')}"
