"""Cases of the corpus, changed in one place at random: schema and decoder still give one verdict."""

import copy
import json
from collections.abc import Iterator
from typing import Any

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from scripts.generating.decoding import fault
from tests.contract.schema.judging import CASES, SCHEMA, Judge, part_of

JUDGE = Judge(SCHEMA)
# What the decoder takes and no schema should recommend: it finds no request to cancel, and says nothing.
LOOSER = {("$/cancelRequest", "params")}
VALUES: list[Any] = [None, True, 0, -1, 1.5, 2**60, "x", "", [], {}, [None], ["x"], {"x": 1}]
KEPT = {name: case for name, case in CASES.items() if len(json.dumps(case)) < 4_000}


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        yield from places(inner, (*path, key))


def mutated(value: Any, path: tuple[Any, ...], new: Any, drop: bool) -> Any:
    if not path:
        return new
    out = copy.deepcopy(value)
    place = out
    for key in path[:-1]:
        place = place[key]
    if drop:
        del place[path[-1]]
    else:
        place[path[-1]] = new
    return out


@settings(max_examples=150)
@given(st.data())
def test_mutations_are_judged_alike(data: st.DataObject) -> None:
    case = KEPT[data.draw(st.sampled_from(sorted(KEPT)))]
    method, part = case["method"], part_of(case)
    path = data.draw(st.sampled_from(list(places(case[part]))))
    new, drop = data.draw(st.sampled_from(VALUES)), data.draw(st.booleans())
    assume(drop or new is not None or "policy" not in path)  # null takes a key back, also one that nobody knows
    value = mutated(case[part], path, new, drop)
    by_schema, by_decoder = JUDGE.refuses(method, part, value), fault(method, part, value) is not None
    from_host = (case["direction"] == "to ctxmgr") == (part == "params")
    if from_host and (method, part) not in LOOSER:
        assert by_schema == by_decoder, value
    else:
        assert by_schema or not by_decoder, value
