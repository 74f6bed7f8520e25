"""The schema says what the program does: three judges give one verdict on every case of `protocol/corpus`.

Two are those of `judging.py`; the third is a running connection.
"""

import copy
from typing import Any

import jsonschema_rs
import pytest

from ctxmgr.model.archive import ArchiveRow
from ctxmgr.wire.errors import INVALID_PARAMS
from ctxmgr.wire.methods import METHODS, TABLE
from scripts.generating.beyond import RULES, Beyond
from tests.contract.schema.judging import CASES, SCHEMA, Json, Judge, disagreements, part_of
from tests.contract.talk import HOST, Failed, Talk
from tests.unit.session.recovery import after_an_epoch

JUDGE = Judge(SCHEMA)
HANDLES = {
    case["params"]["handle"]
    for name, case in CASES.items()
    if case["method"] == "retrieve" and name.startswith("accept/") and "params" in case
}
ARCHIVED = [ArchiveRow(one, one, "read", "text") for one in sorted(HANDLES)]


def test_schema_is_one() -> None:
    jsonschema_rs.meta.validate(SCHEMA)


def test_corpus_is_judged_alike() -> None:
    assert list(disagreements(JUDGE, CASES)) == []


@pytest.mark.parametrize("name", CASES)
def test_case(name: str) -> None:
    case = CASES[name]
    assert set(case) == {"method", "direction", "why", part_of(case)}
    assert SCHEMA["methods"][case["method"]]["direction"] == case["direction"]
    assert case["why"].endswith(".")


def test_every_method_is_in_the_corpus() -> None:
    accepted = {(case["method"], part_of(case)) for name, case in CASES.items() if name.startswith("accept/")}
    for row in TABLE:
        assert (row.name, "params") in accepted, row.name
        if row.kind != "notification" and row.name != "rpc.discover":
            assert (row.name, "result") in accepted, row.name


@pytest.mark.parametrize("name", [name for name, one in CASES.items() if "params" in one])
def test_a_running_connection_says_the_same(name: str) -> None:
    case = CASES[name]
    row = METHODS.get(case["method"])
    if row is None or row.kind == "notification":
        return  # ctxmgr says it, or nobody answers
    assert (answered(case["method"], case["params"]) == INVALID_PARAMS) == name.startswith("refuse/")


def answered(method: str, params: Json) -> int:
    """The code of the error that a fresh connection answers; 0 where it is none, or has still to come. Its session
    has epoch 1 behind it, and what the cases ask for is in its archive."""
    found = after_an_epoch([], [])
    talk = Talk(
        capabilities={**HOST, "retrieve": True}, found=found, archived=ARCHIVED, start=method != "initialize"
    )
    id = talk.ask(method, **params)
    try:
        if talk.answered(id):
            talk.result(id)
    except Failed as failed:
        return failed.code
    return 0


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.sentence)
def test_what_no_schema_can_say_is_refused(rule: Beyond) -> None:
    assert not JUDGE.refuses(rule.method, "params", rule.params)
    assert answered(rule.method, rule.params) == INVALID_PARAMS


# planted faults: a check must be able to fail


def _sabotaged(kind: str, *path: str, value: Any) -> Json:
    document = copy.deepcopy(SCHEMA)
    place: Any = document["$defs"][kind]
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value
    return document


@pytest.mark.parametrize(
    "document",
    [
        _sabotaged("ContextParams", "required", value=[]),
        _sabotaged("ContextParams", "required", value=["sessionId", "messages"]),
        _sabotaged("PolicyKeys", "additionalProperties", value=True),
        _sabotaged("ZonesKeys", "additionalProperties", value=True),
        _sabotaged("InitializeParams", "additionalProperties", value=False),
        _sabotaged("Model", "properties", "contextWindow", value={"type": "string"}),
        _sabotaged("Model", "properties", "contextWindow", value={"type": "number"}),
        _sabotaged("Strategy", "enum", value=["single-shot"]),
        _sabotaged("ContextResult", "required", value=["base", "report", "seq", "messages"]),
        _sabotaged("Status", "properties", "tokens", value={"type": "integer"}),
        _sabotaged("RequestCompactionResult", "properties", "accepted", value={}),
    ],
)
def test_a_planted_fault_in_the_schema_is_found(document: Json) -> None:
    assert next(disagreements(Judge(document), CASES), None)


def test_a_planted_fault_in_a_case_is_found() -> None:
    accepted = copy.deepcopy(CASES["accept/context.append"])
    del accepted["params"]["append"]["base"]
    refused = CASES["accept/context.edits"]
    assert len(list(disagreements(JUDGE, {"accept/x": accepted}))) == 2
    assert len(list(disagreements(JUDGE, {"refuse/x": refused}))) == 2
