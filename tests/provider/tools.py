"""Turns an act of a script into a call of a tool that the program declared, by the tool's name and its schema.

What a program has no tool for is done with its shell. Knows no API: declared tools come as `Tool`.
"""

import json
import shlex
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from tests.provider.scripts import Act, Agent, Call, Edit, Read, Run, Write

PATH = ("file_path", "filePath", "path", "absolute_path")
FAMILIES: dict[type, tuple[tuple[str, ...], dict[str, tuple[str, ...]]]] = {
    Read: (("Read", "read", "read_file", "view"), {"path": PATH}),
    Run: (
        ("Bash", "bash", "exec_command", "shell_command", "shell", "run_shell_command"),
        {"command": ("command", "cmd")},
    ),
    Edit: (
        ("Edit", "edit", "replace", "str_replace"),
        {
            "path": PATH,
            "old": ("old_string", "oldString", "oldText", "old_str"),
            "new": ("new_string", "newString", "newText", "new_str"),
        },
    ),
    Write: (("Write", "write", "write_file"), {"path": PATH, "text": ("content", "text")}),
    Agent: (("Agent", "Task", "task", "spawn_agent"), {"prompt": ("prompt", "message", "task")}),
}
EXTRAS = {
    "description": "A scripted step",
    "instruction": "A scripted step",
    "subagent_type": "general-purpose",
    "run_in_background": False,
}
PATCH = ("input", "patchText")  # the argument of a patch, where the tool that takes one has a schema


@dataclass(frozen=True)
class Tool:
    """One that a request declares. `schema` is of its arguments; a `custom` one takes a text instead."""

    name: str
    schema: dict[str, Any]
    custom: bool = False
    namespace: str = ""


@dataclass(frozen=True)
class ToolCall:
    """A tool call before it has an id. `arguments` is an object, or the text that a custom tool takes."""

    name: str
    arguments: dict[str, Any] | str
    custom: bool = False
    namespace: str = ""


def tool_call(act: Act, tools: Iterable[Tool], root: str) -> ToolCall:
    """Raises LookupError where the program has no tool for it, nor a shell."""
    by_name = {tool.name: tool for tool in tools}
    if isinstance(act, Call):
        return ToolCall(act.name, act.arguments, namespace=act.namespace)
    names, roles = FAMILIES[type(act)]
    found = next((by_name[name] for name in names if name in by_name), None)
    if found is not None:
        return ToolCall(found.name, _arguments(_values(act, root), found, roles), namespace=found.namespace)
    if isinstance(act, Edit) and "apply_patch" in by_name:
        return _patching(act, by_name["apply_patch"])
    if isinstance(act, Run) and "exec" in by_name and by_name["exec"].custom:
        return ToolCall("exec", _code(act), custom=True, namespace=by_name["exec"].namespace)
    if isinstance(act, Agent) and "exec_command" in by_name:
        return ToolCall("spawn_agent", {"message": act.script.prompt}, namespace="multi_agent_v1")
    if isinstance(act, Run | Agent):
        raise LookupError(f"no tool for {act} among {sorted(by_name)}")
    return tool_call(Run(_in_shell(act)), by_name.values(), root)


def _code(act: Run) -> str:
    """For a program whose one tool runs JavaScript, in which its other tools are functions. It prints the command
    too: what two commands that print nothing gave would be the same result."""
    command = json.dumps(act.command)
    return f"const done = await tools.exec_command({{cmd: {command}}});\ntext({command});\ntext(done.output);"


def _values(act: Act, root: str) -> dict[str, str]:
    match act:
        case Read(path):
            return {"path": f"{root}/{path}"}
        case Run(command):
            return {"command": command}
        case Edit(path, old, new):
            return {"path": f"{root}/{path}", "old": old, "new": new}
        case Write(path, text):
            return {"path": f"{root}/{path}", "text": text}
        case Agent(script):
            return {"prompt": script.prompt}
    raise AssertionError(act)


def _arguments(values: dict[str, str], tool: Tool, roles: dict[str, tuple[str, ...]]) -> dict[str, Any]:
    """Each value under the first name of its role that the schema has, and what else it takes of `EXTRAS`."""
    properties = tool.schema.get("properties", {})
    given: dict[str, Any] = {}
    if "edits" in properties:  # a list of replacements, pi's
        inner = properties["edits"]["items"]["properties"]
        pair = {role: next(name for name in roles[role] if name in inner) for role in ("old", "new")}
        given["edits"] = [{name: values[role] for role, name in pair.items()}]
        values = {"path": values["path"]}
    for role, value in values.items():
        name = next(name for name in roles[role] if name in properties)
        given[name] = _given(value, properties[name])
    return given | {name: value for name, value in EXTRAS.items() if name in properties and name not in given}


def _given(value: str, schema: dict[str, Any]) -> Any:
    """The value as the schema wants it: a text, or a command's words."""
    return ["bash", "-c", value] if schema.get("type") == "array" else value


def _patching(act: Edit, tool: Tool) -> ToolCall:
    if tool.custom:
        return ToolCall(tool.name, _patch(act), custom=True)
    name = next(name for name in PATCH if name in tool.schema.get("properties", {}))
    return ToolCall(tool.name, {name: _patch(act)})


def _patch(act: Edit) -> str:
    lines = [f"-{line}" for line in act.old.splitlines()] + [f"+{line}" for line in act.new.splitlines()]
    return "\n".join(["*** Begin Patch", f"*** Update File: {act.path}", "@@", *lines, "*** End Patch"]) + "\n"


def _in_shell(act: Act) -> str:
    match act:
        case Read(path):
            return f"cat {shlex.quote(path)}"
        case Write(path, text):
            return f"printf %s {shlex.quote(text)} > {shlex.quote(path)}"
        case Edit(path, old, new):
            change = f"open({path!r}, 'r+')"
            code = f"f = {change}; t = f.read().replace({old!r}, {new!r}, 1); f.seek(0); f.truncate(); f.write(t)"
            return f"python3 -c {shlex.quote(code)}"
    raise AssertionError(act)
