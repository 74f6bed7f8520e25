"""The table of methods agrees with the routes, the errors and itself."""

from typing import Any

import msgspec

from ctxmgr.model.api import lifecycle
from ctxmgr.model.errors import CallFailed, InvalidParams
from ctxmgr.session.methods.table import JOBS, ROUTES
from ctxmgr.wire import errors
from ctxmgr.wire.methods import METHODS, TABLE

CONNECTION = {"initialize", "initialized", "shutdown", "exit", "rpc.discover", "$/cancelRequest", "session_start"}


def test_each_method_of_a_session_has_a_route() -> None:
    jobs = {name for name, row in METHODS.items() if row.job}
    assert jobs == set(JOBS)
    of_session = {name for name, row in METHODS.items() if row.session and not row.job}
    assert of_session == {*ROUTES, "context", "session_shutdown"}
    assert {name for name, row in METHODS.items() if not row.session} - jobs == CONNECTION


def test_row() -> None:
    for row in TABLE:
        assert row.summary.endswith("."), row
        assert set(row.errors) <= set(errors.MEANINGS), row
        assert issubclass(row.params, lifecycle.Wire), row
        if row.session and row.direction == "to ctxmgr":
            assert errors.UNKNOWN_SESSION in row.errors, row
            assert "session_id" in row.params.__struct_fields__, row
        if row.kind == "notification":
            assert row.result is None, row
        if row.counted:
            assert row.kind == "event", row


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


def test_what_a_call_raises_has_its_code_on_the_wire() -> None:
    for raised, code in [(InvalidParams("no", {"path": "$.a"}), -32602), (CallFailed("not now"), -32803)]:
        answer = errors.rpc_error(raised)
        assert answer is not None, raised
        assert (answer.code, answer.message, answer.data) == (code, raised.message, raised.data), raised


def test_a_fault_inside_has_no_answer_of_its_own() -> None:
    assert errors.rpc_error(ValueError("secret")) is None
