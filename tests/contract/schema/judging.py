"""Two judges of params and results: the schema (by the `jsonschema_rs` package), and the structs that decode."""

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from jsonschema_rs import Draft202012Validator as Validator

from scripts.generating.decoding import fault
from scripts.generating.spec import schema
from scripts.generating.tables import refs

Json = dict[str, Any]
PROTOCOL = Path(__file__).parents[3] / "protocol"
SCHEMA = schema.document()
CASES = {
    f"{path.parent.name}/{path.stem}": json.loads(path.read_text(encoding="utf-8"))
    for path in sorted((PROTOCOL / "corpus").glob("*/*.json"))
}


class Judge:
    """The schema, with a validator for each part of each method, compiled when it is first asked."""

    def __init__(self, document: Json) -> None:
        self._document = document
        self._validators: dict[tuple[str, str], Validator] = {}
        self.envelope = Validator(document)

    def knows(self, method: str, part: str) -> bool:
        return part in self._document["methods"].get(method, {})

    def refuses(self, method: str, part: str, value: Any) -> bool:
        validator = self._validators.get((method, part))
        if validator is None:
            shape = self._document["methods"][method][part]
            validator = self._validators[method, part] = Validator({**self._document, "anyOf": [shape]})
        return not validator.is_valid(value)


def part_of(case: Json) -> str:
    return "params" if "params" in case else "result"


def disagreements(judge: Judge, cases: dict[str, Json]) -> Iterator[str]:
    """Cases that the schema or the decoder judges otherwise than the folder they lie in."""
    for name, case in cases.items():
        part, refused = part_of(case), name.startswith("refuse/")
        if judge.refuses(case["method"], part, case[part]) != refused:
            yield f"{name}: the schema {'accepts' if refused else 'refuses'} it"
        if (fault(case["method"], part, case[part]) is not None) != refused:
            yield f"{name}: the decoder {'accepts' if refused else 'refuses'} it"


def closed(document: Json) -> Json:
    """The schema with everything that ctxmgr writes closed: nothing may be there that is not described."""
    out = copy.deepcopy(document)
    types, names = out["$defs"], set[str]()
    for one in out["methods"].values():
        names |= refs(one.get("result", {}) if one["direction"] == "to ctxmgr" else one["params"])
    while more := set().union(*(refs(types[name]) for name in names)) - names:
        names |= more
    for name in names:
        if "properties" in types[name]:
            types[name]["additionalProperties"] = False
    return out
