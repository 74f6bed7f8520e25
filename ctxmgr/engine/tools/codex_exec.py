"""Turns a script that calls a host's tools (Codex's `exec`) into the commands it runs and the patches it applies.

Rules:

1. Taken are calls whose arguments are written out: `tools.exec_command({cmd:"...", "workdir":"..."})`, and patches
   in a string or a template without `${}`. One other call of a tool, a loop or a branch, and nothing is said.
2. What the script prints is taken to be what its commands printed, whole.
"""

import re

import msgspec

from ctxmgr.engine.tools import patches

_CALLED = re.compile(r"\btools\.(\w+)\(")
_TEXT = r"\"[^\"\\]*(?:\\.[^\"\\]*)*\""
_COMMAND = re.compile(rf"\btools\.exec_command\(\s*\{{\s*\"?cmd\"?\s*:\s*({_TEXT})([^{{}}]*)\}}")
_WORKDIR = re.compile(rf"\"?workdir\"?\s*:\s*({_TEXT})")
_QUOTE = re.compile(r"[\"'`]")
_LITERAL = re.compile(rf"{_TEXT}|`[^`\\]*(?:\\.[^`\\]*)*`|'[^'\\\n]*(?:\\.[^'\\\n]*)*'", re.DOTALL)
_BRANCHES = re.compile(r"\b(?:for|while|if|map|forEach|slice|split|substring|replace|filter|match)\b")


class Run(msgspec.Struct, frozen=True, gc=False):
    """What a script does: command lines with their directories, and patches, each in order."""

    commands: tuple[tuple[str, str], ...] = ()
    patches: tuple[str, ...] = ()


def is_script(text: str) -> bool:
    """Does this call a host's tools?"""
    return "tools." in text and bool(_CALLED.search(text))


def run(script: str) -> Run | None:
    """None by rule 1. Time is linear in the script."""
    called = _CALLED.findall(script)
    if not set(called) <= {"exec_command", "apply_patch"}:
        return None
    literals, bare = _split(script)
    if literals is None or _BRANCHES.search(bare):
        return None
    commands = []
    for found in _COMMAND.finditer(script):
        workdir = _WORKDIR.search(found[2])
        commands.append((_told(found[1]), _told(workdir[1]) if workdir else ""))
    given = [_told(literal) for literal in literals if patches.BEGIN in literal]
    applied = [text for text in given if text is not None]
    if called.count("exec_command") != len(commands) or called.count("apply_patch") != len(applied):
        return None
    if len(given) != len(applied) or any(command is None or workdir is None for command, workdir in commands):
        return None
    return Run(tuple((command or "", workdir or "") for command, workdir in commands), tuple(applied))


def _split(script: str) -> tuple[list[str] | None, str]:
    """(its literals, what is beside them); (None, "") where one has no end: to look on would take too long."""
    literals: list[str] = []
    beside: list[str] = []
    place = 0
    while (quote := _QUOTE.search(script, place)) is not None:
        literal = _LITERAL.match(script, quote.start())
        if literal is None:
            return None, ""
        beside.append(script[place : quote.start()])
        literals.append(literal.group())
        place = literal.end()
    return literals, " ".join([*beside, script[place:]])


def _told(literal: str) -> str | None:
    """What a literal of the script stands for; None where it can not be told."""
    if literal[0] == "`":
        return None if "${" in literal else re.sub(r"\\([`\\$])", r"\1", literal[1:-1])
    if literal[0] == "'":
        literal = '"' + literal[1:-1].replace("\\'", "'").replace('"', '\\"') + '"'
    try:
        return msgspec.json.decode(literal.encode("utf-8", "surrogatepass"), type=str)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None
