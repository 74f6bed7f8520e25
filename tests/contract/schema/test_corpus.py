"""The schema says what the program does: three judges give one verdict on every case of `protocol/corpus`.

Two are those of `judging.py`; the third is a running connection.
"""

from ctxmgr.model.epochs import ArchiveRow
from ctxmgr.wire.errors import INVALID_PARAMS
from ctxmgr.wire.methods import METHODS, TABLE
from scripts.generating.beyond import RULES
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


def test_corpus_is_judged_alike() -> None:
    assert list(disagreements(JUDGE, CASES)) == []


def test_case() -> None:
    for name in CASES:
        case = CASES[name]
        assert set(case) == {"method", "direction", "why", part_of(case)}, name
        assert SCHEMA["methods"][case["method"]]["direction"] == case["direction"], name
        assert case["why"].endswith("."), name


def test_every_method_is_in_the_corpus() -> None:
    accepted = {(case["method"], part_of(case)) for name, case in CASES.items() if name.startswith("accept/")}
    for row in TABLE:
        assert (row.name, "params") in accepted, row.name
        if row.kind != "notification" and row.name != "rpc.discover":
            assert (row.name, "result") in accepted, row.name


def test_a_running_connection_says_the_same() -> None:
    for name in [name for name, one in CASES.items() if "params" in one]:
        case = CASES[name]
        row = METHODS.get(case["method"])
        if row is None or row.kind == "notification":
            continue  # ctxmgr says it, or nobody answers
        assert (answered(case["method"], case["params"]) == INVALID_PARAMS) == name.startswith("refuse/"), name


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


def test_what_no_schema_can_say_is_refused() -> None:
    for rule in RULES:
        assert not JUDGE.refuses(rule.method, "params", rule.params), rule
        assert answered(rule.method, rule.params) == INVALID_PARAMS, rule
