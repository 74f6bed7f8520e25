"""Fills in what a script's line leaves out of its params. What a line gives is never changed, null included."""

from typing import Any

import msgspec

from ctxmgr.study.hostscript.scripted_list import Fields, ScriptedList
from ctxmgr.wire.methods import METHODS

MODEL = "model-1"  # the name of a model that only its window is told of


def filled(method: str, params: Fields, messages: ScriptedList, session: str, state_dir: str) -> Fields:
    """The params as they are sent: see "What a line leaves out" of `scripts`."""
    out = dict(params)
    if method == "initialize":
        out = {"protocolVersion": "1.0", "stateDir": state_dir} | out
    if _takes_session(method):
        out = {"sessionId": session} | out
    if method in ("session_start", "model_select") and "window" in out and "model" not in out:
        out["model"] = {"id": MODEL, "contextWindow": out.pop("window")}
    if method == "turn_end":
        out = _turn_end(out, messages)
    if method == "context":
        out = _context(out, messages)
    return out


def _turn_end(params: Fields, messages: ScriptedList) -> Fields:
    if "tokens" in params and "usage" not in params:
        params["usage"] = {"tokens": params.pop("tokens")}
    turn: Any = messages.turn() if "message" not in params else None
    return {**(turn or {}), **params}


def _context(params: Fields, messages: ScriptedList) -> Fields:
    if params.get("append") == "new":
        rest = {name: value for name, value in params.items() if name != "append"}
        return {**rest, **messages.appended()}
    return params if "messages" in params or "append" in params else {**params, "messages": messages.messages}


def _takes_session(method: str) -> bool:
    """Whether its params need a `sessionId`."""
    row = METHODS.get(method)
    if row is None:
        return False
    return any(field.encode_name == "sessionId" and field.required for field in msgspec.structs.fields(row.params))
