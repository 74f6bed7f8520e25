"""Converts what a program passes to the API's types: plain values to a struct, a program's messages to JSON.

A message is an object (a dict, or something else that msgspec can encode as one) or already JSON, as bytes. An
unpaired surrogate, as in the output of a killed process, becomes U+FFFD, because JSON in UTF-8 cannot contain it.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeVar

import msgspec

from ctxmgr.model.api.lifecycle import Model
from ctxmgr.model.errors import InvalidParams, invalid_params
from ctxmgr.model.spelling import without_surrogates
from ctxmgr.model.tools import DeclaredTool, DeclaredTools, check_tools
from ctxmgr.model.typos import misfit

Kind = TypeVar("Kind")
GivenTools = Sequence[DeclaredTool | Mapping[str, Any]]


def converted(value: Any, kind: type[Kind], path: str) -> Kind:
    """The value as `kind`. `path`: where it is, for the error. Raises InvalidParams."""
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError as fault:
        wrong = misfit(fault, kind, value)
        raise invalid_params(wrong.text, path + wrong.path) from None


def model_of(model: Model | Mapping[str, Any]) -> Model:
    """The model that a program names. Raises InvalidParams."""
    return converted(msgspec.to_builtins(model), Model, "$.model")


def tools_of(tools: GivenTools) -> DeclaredTools:
    """The tools that a program declares. Raises InvalidParams."""
    declared = converted(msgspec.to_builtins(tools), DeclaredTools, "$.tools")
    check_tools(declared, "$.tools")
    return declared


M = TypeVar("M", bound="Mapping[str, object] | bytes")

_encode = msgspec.json.Encoder().encode
_any = msgspec.json.Decoder(msgspec.Raw).decode


def message_list(messages: Iterable[M]) -> list[M]:
    """The messages that a program passes. Raises TypeError if this is not a list, which is a bug in the program."""
    if isinstance(messages, str | bytes | Mapping) or not isinstance(messages, Iterable):
        raise TypeError(f"messages must be a list of messages, not {type(messages).__name__}")
    return list(messages)


def raw_object(value: object, path: str) -> bytes:
    """The JSON of one object, such as a message. `path`: where it is, for the error. Raises InvalidParams if it is
    not an object.
    """
    raw = raw_json(value, path)
    if not raw.startswith(b"{"):
        raise invalid_params("a message must be an object", path)
    return raw


def raw_json(value: object, path: str) -> bytes:
    """One JSON value. `path`: where it is, for the error. Raises InvalidParams if it is not valid JSON."""
    if isinstance(value, bytes):
        return _checked(value, path)
    try:
        return _encode(value)
    except UnicodeEncodeError:
        return _encode(without_surrogates(value))
    except (TypeError, ValueError, RecursionError, msgspec.MsgspecError) as fault:
        raise _no_json(path, fault) from None


def _checked(value: bytes, path: str) -> bytes:
    try:
        value.decode()
        _any(value)
    except (UnicodeDecodeError, msgspec.DecodeError, RecursionError) as fault:
        raise _no_json(path, fault) from None
    stripped = value.strip()
    return stripped if len(stripped) < len(value) else value


def _no_json(path: str, fault: Exception) -> InvalidParams:
    return invalid_params(f"cannot be encoded as JSON: {type(fault).__name__}", path)
