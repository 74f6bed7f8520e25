"""Runs `ctxmgr models`: all rows, those of a pattern, or what is known of one id and how that was found."""

import fnmatch
import json
import sys
from argparse import Namespace
from typing import Any

import msgspec

from ctxmgr import plain_text
from ctxmgr.inspection import model_table as table
from ctxmgr.known_models import ModelFacts, Registry, shipped
from ctxmgr.settings import SettingsFault, models_file


def run(parsed: Namespace) -> int:
    """1: the file can not be used, no row fits, or nothing is known of the model."""
    try:
        registry = models_file(parsed.models) or shipped()
    except SettingsFault as fault:
        print(f"ctxmgr models: {plain_text.safe(str(fault))}", file=sys.stderr)
        return 1
    if parsed.model is not None and not any(sign in parsed.model for sign in "*?"):
        known = registry.find(parsed.model)
        _show(parsed, [known], table.details(registry, known))
        return 1 if known.matched == "unknown" else 0
    found = _fitting(registry, parsed.model or "*")
    if not found:
        print(f"ctxmgr models: no row is called {plain_text.safe(parsed.model)}", file=sys.stderr)
        return 1
    _show(parsed, found, table.rows(found))
    return 0


def _fitting(registry: Registry, pattern: str) -> list[ModelFacts]:
    names = sorted(name for name in registry.rows if fnmatch.fnmatchcase(name, pattern.lower()))
    return [registry.find(name) for name in names]


def _show(parsed: Namespace, found: list[ModelFacts], lines: list[str]) -> None:
    if parsed.json:
        print(json.dumps([_whole(one) for one in found], indent=2))
        return
    for line in lines:
        plain_text.write(line)


def _whole(value: Any) -> Any:
    """Each member, also those that are as by default, by the names that a file of models has."""
    if isinstance(value, msgspec.Struct):
        return {_camel(name): _whole(getattr(value, name)) for name in value.__struct_fields__}
    return [_whole(one) for one in value] if isinstance(value, tuple) else value


def _camel(name: str) -> str:
    first, *words = name.split("_")
    return first + "".join(map(str.capitalize, words))
