"""The table of methods agrees with the routes, the errors and itself."""

from typing import Any

import msgspec
import pytest

from ctxmgr.model.api import lifecycle
from ctxmgr.model.errors import CallError, CallFailed, InvalidParams
from ctxmgr.session.methods.table import JOBS, ROUTES
from ctxmgr.wire import errors
from ctxmgr.wire.methods import METHODS, TABLE, Method
from ctxmgr.wire.spec import openrpc

# Design, section 2: what this release serves. R request, N notification, E either.
DESIGNED = {
    "initialize": "R",
    "initialized": "N",
    "exit": "N",
    "shutdown": "R",
    "session_start": "R",
    "model_select": "E",
    "context": "R",
    "turn_end": "E",
    "session_before_compact": "R",
    "session_compact": "E",
    "session_compact_failed": "E",
    "session_before_tree": "R",
    "session_tree": "E",
    "session_shutdown": "E",
    "getStatus": "R",
    "prune": "R",
    "setPruning": "R",
    "getPruneStats": "R",
    "getPolicy": "R",
    "setPolicy": "R",
    "getLedger": "R",
    "getSummaries": "R",
    "getPacket": "R",
    "explain": "R",
    "retrieve": "R",
    "search": "R",
    "pin": "R",
    "unpin": "R",
    "undo": "R",
    "planCompaction": "R",
    "compact": "R",
    "summarizeBranch": "R",
    "getScratchpad": "R",
    "editScratchpad": "R",
    "rpc.discover": "R",
    "$/cancelRequest": "N",
}
KINDS = {"R": "request", "N": "notification", "E": "event"}
CONNECTION = {"initialize", "initialized", "shutdown", "exit", "rpc.discover", "$/cancelRequest", "session_start"}


def test_table_is_the_designed_one() -> None:
    assert {name: row.kind for name, row in METHODS.items()} == {
        name: KINDS[kind] for name, kind in DESIGNED.items()
    }
    to_host = [row.name for row in TABLE if row.direction == "to host"]
    assert to_host == ["requestCompaction", "complete", "embed", "$/progress", "telemetry/event"]
    assert len(TABLE) == len(METHODS) + len(to_host)


def test_each_method_of_a_session_has_a_route() -> None:
    jobs = {name for name, row in METHODS.items() if row.job}
    assert jobs == set(JOBS)
    of_session = {name for name, row in METHODS.items() if row.session and not row.job}
    assert of_session == {*ROUTES, "context", "session_shutdown"}
    assert {name for name, row in METHODS.items() if not row.session} - jobs == CONNECTION


@pytest.mark.parametrize("row", TABLE, ids=lambda row: row.name)
def test_row(row: Method) -> None:
    assert row.summary.endswith(".")
    assert set(row.errors) <= set(errors.MEANINGS)
    assert issubclass(row.params, lifecycle.Wire)
    if row.session and row.direction == "to ctxmgr":
        assert errors.UNKNOWN_SESSION in row.errors
        assert "session_id" in row.params.__struct_fields__
    if row.kind == "notification":
        assert row.result is None
    if row.counted:
        assert row.kind == "event"


def test_fields_are_camel_case_and_optional_ones_may_be_null() -> None:
    for row in TABLE:
        for field in msgspec.structs.fields(row.params):
            assert "_" not in field.encode_name
            if not field.required and row.direction == "to ctxmgr" and row.name != "initialize":
                assert msgspec.convert(None, field.type) is None


def result_fields(kind: Any) -> set[str]:
    return set(kind.__struct_fields__) if isinstance(kind, type) and issubclass(kind, msgspec.Struct) else set()


def test_answers_about_a_session_carry_seq() -> None:
    plain = {"session_before_compact", "session_before_tree", "session_shutdown"}
    for name, row in METHODS.items():
        if row.session and name not in plain:
            assert "seq" in result_fields(row.result), name


def test_discovery_lists_every_method() -> None:
    document = openrpc.document("0.0.0")
    assert {one["name"] for one in document["methods"]} == {row.name for row in TABLE}
    msgspec.json.encode(document)


@pytest.mark.parametrize(
    ("raised", "code"), [(InvalidParams("no", {"path": "$.a"}), -32602), (CallFailed("not now"), -32803)]
)
def test_what_a_call_raises_has_its_code_on_the_wire(raised: CallError, code: int) -> None:
    answer = errors.rpc_error(raised)
    assert answer is not None
    assert (answer.code, answer.message, answer.data) == (code, raised.message, raised.data)


def test_a_fault_inside_has_no_answer_of_its_own() -> None:
    assert errors.rpc_error(ValueError("secret")) is None
