"""Turns what a program gives in plain values into a struct of the API, or tells where it is none."""

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

import msgspec

from ctxmgr.model.api.lifecycle import Model
from ctxmgr.model.errors import invalid_params, path_of
from ctxmgr.model.tools import DeclaredTool, DeclaredTools, check_tools

Kind = TypeVar("Kind")
GivenTools = Sequence[DeclaredTool | Mapping[str, Any]]


def converted(value: Any, kind: type[Kind], path: str) -> Kind:
    """`path` says where the value stands, for the error. Raises InvalidParams."""
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError as fault:
        text, _, below = str(fault).partition(" - at `$")
        raise invalid_params(text, path_of(text, path + below.rstrip("`"))) from None


def model_of(model: Model | Mapping[str, Any]) -> Model:
    """The model that a program names. Raises InvalidParams."""
    return converted(msgspec.to_builtins(model), Model, "$.model")


def tools_of(tools: GivenTools) -> DeclaredTools:
    """The tools that a program declares. Raises InvalidParams."""
    found = converted(msgspec.to_builtins(tools), DeclaredTools, "$.tools")
    check_tools(found, "$.tools")
    return found
