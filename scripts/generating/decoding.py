"""Checks whether ctxmgr's own decoder accepts params or a result: the structs, and the types that a session reads
later.

It does not check what only a running session can tell (`scripts.generating.beyond`).
"""

from typing import Any

import msgspec

from ctxmgr.model import Policy, policy_keys
from ctxmgr.model.api.compaction import HostPreparation, TreePreparation
from ctxmgr.model.api.lifecycle import UsageParams
from ctxmgr.wire import TABLE

ROWS = {row.name: row for row in TABLE}
PREPARATIONS: dict[str, Any] = {"session_before_compact": HostPreparation, "session_before_tree": TreePreparation}


def fault(method: str, part: str, value: Any) -> str | None:
    """Why the `part` ("params" or "result") of a method is refused; None if it is accepted."""
    row = ROWS[method]
    kind: Any = row.params if part == "params" else row.result
    if kind is None:
        kind = type(None)
    try:
        decoded: Any = msgspec.json.decode(msgspec.json.encode(value), type=kind)
        if part == "params" and method in ("initialize", "setPolicy"):
            policy_keys.check_keys(decoded.policy or {})
            msgspec.convert(_set(decoded.policy or {}), Policy)
        elif part == "params" and method in PREPARATIONS:
            msgspec.json.decode(decoded.preparation, type=PREPARATIONS[method])
        elif part == "params" and method == "turn_end" and decoded.usage is not None:
            msgspec.convert(decoded.usage, UsageParams)
    except (msgspec.ValidationError, policy_keys.InvalidPolicy) as refused:
        return str(refused)
    return None


def _set(value: Any) -> Any:
    """The policy keys that are set: null means the default. A whole number may be written 1.0."""
    if isinstance(value, dict):
        return {name: _set(inner) for name, inner in value.items() if inner is not None}
    return int(value) if isinstance(value, float) and value.is_integer() else value
