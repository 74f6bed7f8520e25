"""Extracts the commands and patches from a script that calls a host's tools (Codex's `exec`).

Rules:

1. Only calls with literal arguments are extracted: `tools.exec_command({cmd:"...", "workdir":"..."})`, and patches,
   in a quoted string or a template without placeholders.
2. The script's output is assumed to be its commands' whole output. With any other tool call, a loop, a branch, or a
   composed text, it is only partly known: the extracted parts may be done, and more.
"""

import re

import msgspec

from ctxmgr.engine.tools import patches
from ctxmgr.model import expression

_CALLED = expression(r"\btools\.(\w+)\(")
_TEXT = r"\"[^\"\\]*(?:\\.[^\"\\]*)*\""
_ANY_TEXT = rf"(?:{_TEXT}|`[^`\\]*(?:\\.[^`\\]*)*`|'[^'\\\n]*(?:\\.[^'\\\n]*)*')"
_COMMAND = expression(
    rf"\btools\.exec_command\(\s*\{{\s*[\"']?cmd[\"']?\s*:\s*({_ANY_TEXT})([^{{}}]*)\}}", re.DOTALL
)
_WORKDIR = expression(rf"[\"']?workdir[\"']?\s*:\s*({_ANY_TEXT})", re.DOTALL)
_LITERAL = expression(rf"{_ANY_TEXT}|[\"'`]", re.DOTALL)  # a quote alone: an unterminated text
_ESCAPE = expression(r"\\(?:u\{([0-9a-fA-F]{1,6})\}|u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|(\r\n|.))", re.DOTALL)
_CHARACTERS = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v", "0": "\0", "\n": "", "\r\n": ""}
_FILLED = expression(r"(?<!\\)(?:\\\\)*\$\{")
_RAW = "String.raw`"
_BRANCHES = expression(r"\b(?:for|while|if|map|forEach|slice|split|substring|replace|filter|match)\b")


class ScriptRun(msgspec.Struct, frozen=True, gc=False):
    """What a script does: command lines with their directories, and patches, each in order. `whole`: rule 2."""

    commands: tuple[tuple[str, str], ...] = ()
    patches: tuple[str, ...] = ()
    whole: bool = True


def is_script(text: str) -> bool:
    """Whether this script calls a host's tools."""
    return "tools." in text and bool(_CALLED.search(text))


def run(script: str) -> ScriptRun:
    """The literal calls in a script. Linear in its length."""
    called = _CALLED.findall(script)
    literals, beside = _split(script)
    commands = []
    for call in _COMMAND.finditer(script):
        workdir = _WORKDIR.search(call[2])
        commands.append((_value(call[1]), _value(workdir[1]) if workdir else ""))
    given = [literal for literal in literals or () if patches.BEGIN in literal]
    raw = _RAW in script
    applied = [literal[1:-1] if raw and literal[0] == "`" else _value(literal) for literal in given]
    whole = (
        set(called) <= {"exec_command", "apply_patch"}
        and literals is not None
        and not _BRANCHES.search(beside)
        and called.count("exec_command") == len(commands)
        and called.count("apply_patch") == len(applied)
        and None not in applied
        and all(command is not None and workdir is not None for command, workdir in commands)
    )
    return ScriptRun(
        tuple((command, workdir or "") for command, workdir in commands if command is not None),
        tuple(text or literal[1:-1] for text, literal in zip(applied, given, strict=True)),
        whole,
    )


def _split(script: str) -> tuple[list[str] | None, str]:
    """(its literals, the rest); (None, "") if one is unterminated, since searching on would take too long."""
    literals: list[str] = []
    beside: list[str] = []
    end = 0
    for literal in _LITERAL.finditer(script):
        if len(literal[0]) == 1:
            return None, ""
        beside.append(script[end : literal.start()])
        literals.append(literal[0])
        end = literal.end()
    return literals, " ".join([*beside, script[end:]])


def _value(literal: str) -> str | None:
    """The value of a literal in the script; None if it is composed."""
    if literal[0] == "`":
        return None if _FILLED.search(literal) else _unescaped(literal[1:-1])
    if literal[0] == "'":
        return _unescaped(literal[1:-1])
    try:
        return msgspec.json.decode(literal.encode("utf-8", "surrogatepass"), type=str)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None


def _unescaped(text: str) -> str | None:
    """The text between quotes; None if it has an invalid escape."""
    try:
        return _ESCAPE.sub(_character, text).encode("utf-16", "surrogatepass").decode("utf-16")
    except (ValueError, OverflowError):
        return None


def _character(escape: re.Match[str]) -> str:
    code = escape[1] or escape[2] or escape[3]
    return chr(int(code, 16)) if code else _CHARACTERS.get(escape[4], escape[4])
