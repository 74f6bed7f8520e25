"""Turns params into JSON, and the JSON of answers into structs; or either into a fault."""

from typing import Any

import msgspec

from ctxmgr.client.trouble import SidecarFault
from ctxmgr.model import InvalidParams
from ctxmgr.model.api import NoList, raw_json


def encoded(method: str, params: Any) -> msgspec.Raw:
    """Params as JSON. Raises SidecarFault."""
    try:
        return msgspec.Raw(raw_json(params or {}, "$"))
    except InvalidParams as fault:
        raise SidecarFault("error", f"{method} can not be sent: {fault.message}", method) from None


def decoded(method: str, answer: bytes, kind: Any) -> Any:
    """Raises SidecarFault."""
    try:
        return msgspec.json.decode(answer, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise SidecarFault("garbage", f"the answer to {method} is none", method) from None


def fault_of(thrown: Exception, method: str) -> SidecarFault:
    """What was thrown on the way of a call, as a fault."""
    if isinstance(thrown, SidecarFault):
        return thrown
    if isinstance(thrown, NoList):
        return SidecarFault("garbage", f"the answer to {method} means no list: {thrown}", method)
    return SidecarFault("error", f"what was given to {method} can not be read: {type(thrown).__name__}", method)
