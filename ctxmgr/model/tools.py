"""What a host declares about its own tools: which argument of a call contains the path or the command, and what the
call does with it.
"""

from typing import Annotated

import msgspec
from msgspec import Meta

from ctxmgr.model.errors import invalid_params

ArgumentName = Annotated[str, Meta(min_length=1)]


class DeclaredTool(msgspec.Struct, frozen=True, omit_defaults=True):
    """A tool of the host, and which of its arguments contain a path (or a list of paths) or a command line. A tool
    that does several things names several arguments. A call does those whose argument it has."""

    name: Annotated[str, Meta(min_length=1, description="The tool's name, as in calls.")]
    reads: Annotated[ArgumentName | None, Meta(description="Contains the path of a file whose text is shown.")] = (
        None
    )
    writes: Annotated[
        ArgumentName | None, Meta(description="Contains the path of a file that is written as a whole.")
    ] = None
    edits: Annotated[ArgumentName | None, Meta(description="Contains the path of a file that is edited.")] = None
    deletes: Annotated[ArgumentName | None, Meta(description="Contains the path of a file that is deleted.")] = None
    runs: Annotated[ArgumentName | None, Meta(description="Contains a shell command line.")] = None
    searches: Annotated[ArgumentName | None, Meta(description="Contains the path that is searched.")] = None
    lists: Annotated[ArgumentName | None, Meta(description="Contains the path that is listed.")] = None


DeclaredTools = tuple[DeclaredTool, ...]
DOES = tuple(name for name in DeclaredTool.__struct_fields__ if name != "name")


def check_tools(tools: DeclaredTools, path: str) -> None:
    """Raises InvalidParams, with the path of the entry, if a tool says nothing or is declared twice. `path`: of the
    list.
    """
    first: dict[str, int] = {}
    for number, tool in enumerate(tools):
        if all(getattr(tool, name) is None for name in DOES):
            does = ", ".join(DOES)
            raise invalid_params(f"{tool.name} does not say what it does: add one of {does}", f"{path}[{number}]")
        known = first.setdefault(tool.name, number)
        if known != number:
            raise invalid_params(f"{tool.name} is already declared in {path}[{known}]", f"{path}[{number}].name")


def with_tools(held: DeclaredTools, more: DeclaredTools) -> DeclaredTools:
    """Both lists. Of two tools with the same name, the newer one is kept."""
    named = {tool.name for tool in more}
    return (*(tool for tool in held if tool.name not in named), *more)
