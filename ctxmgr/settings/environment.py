"""Turns variables of the environment into settings: a fixed list, each with the key that it sets.

An empty variable counts as none.
"""

import difflib
import tomllib
from collections.abc import Callable, Mapping
from typing import Any

from ctxmgr.settings import keys
from ctxmgr.settings.files import NAMED_BY
from ctxmgr.settings.keys import APIS, KeyFault, KeyPath, SettingsFault

LIKENESS = 0.85  # from which on a name counts as a slip of another: all of them begin alike


def _value(text: str) -> str | int | float | bool:
    """A number, true or false, as TOML has them; else a text."""
    try:
        value = tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return text.strip()
    return value if isinstance(value, int | float) else text.strip()


def _names(text: str) -> list[str] | bool:
    """Of a list with commas; or true or false, where the key takes that."""
    value = _value(text.lower())
    return value if isinstance(value, bool) else [name.strip() for name in text.split(",") if name.strip()]


VARIABLES: dict[str, tuple[KeyPath, Callable[[str], Any]]] = {
    "CTXMGR_PRESET": (("preset",), str),
    "CTXMGR_WINDOW": (("window",), _value),
    "CTXMGR_EFFECTIVE_WINDOW": (("effectiveWindow",), _value),
    "CTXMGR_RESERVE": (("reserve",), _value),
    "CTXMGR_KEEP": (("keep",), _value),
    "CTXMGR_COST_VERSUS_RECALL": (("costVersusRecall",), _value),  # of older releases, without effect
    "CTXMGR_PROTECTED_TOOLS": (("protectedTools",), _names),
    "CTXMGR_PROTECTED_INSTRUCTIONS": (("protectedInstructions",), _names),
    "CTXMGR_STATE_DIR": (("state_dir",), str),
    **{f"CTXMGR_UPSTREAM_{api.upper()}": (("upstream", api), str) for api in APIS},
}


def values(environ: Mapping[str, str]) -> dict[str, dict[str, Any]]:
    """What each variable that is set sets, as a table of settings. SettingsFault."""
    tables = {}
    for variable, (path, parse) in VARIABLES.items():
        text = environ.get(variable)
        if not text:
            continue
        tables[variable] = nested(path, parse(text))
        try:
            keys.check(tables[variable])
        except KeyFault as fault:
            raise SettingsFault(f"{variable}: {fault.text}") from None
    return tables


def nested(path: KeyPath, value: Any) -> dict[str, Any]:
    """The table that holds one value at this path."""
    for name in reversed(path):
        value = {name: value}
    table: dict[str, Any] = value
    return table


def meant_variable(name: str) -> str | None:
    """Of a variable that sets nothing: the one of ours that it is nearly spelled as."""
    if not name.startswith("CTXMGR_") or name in (*VARIABLES, NAMED_BY):
        return None
    return next(iter(difflib.get_close_matches(name, VARIABLES, 1, LIKENESS)), None)
