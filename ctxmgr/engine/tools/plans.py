"""Reads what a host says about a plan, in the result of the call that shows it to the user, or in the user's name.

1. A host's own sentence at the start of the result says whether a plan was approved. Without one, nothing is known.
   A plan is named by its heading, or its first line.
2. Its text is the one repeated in the result, because the user may have edited it; otherwise an argument of the
   call; otherwise the file that either names, or in which this host keeps its plans.
3. Some hosts approve a plan in the user's name (`APPROVALS`). Such a text contains the plan, names its file, or
   means the plan that an earlier reply proposed, in tags or with a call.
4. The text of a file is the last one that a call wrote in full, with the later edits that name the text they
   replace: arguments, hunks of a patch, and heredocs appended to it. Any other edit leaves it as it was.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from ctxmgr.engine.tools import patches
from ctxmgr.engine.tools.catalog import CATALOG, call_of_block
from ctxmgr.engine.tools.effects import FileEffect
from ctxmgr.engine.tools.families import patches_in
from ctxmgr.engine.tools.paths import normal
from ctxmgr.engine.tools.shell import texts_in
from ctxmgr.model import Block, expression, told_result

TITLE_CHARACTERS = 120
MOST_CHARACTERS = 1_000_000  # of a file whose text is followed through edits

_ACT_MODE = "[The user has switched to ACT MODE"  # Cline
_APPROVED = (  # Claude Code, Qwen Code; Gemini CLI, Copilot CLI; OpenCode, Kilo Code
    *(f"User has approved {which} plan" for which in ("your", "the", "exiting")),
    "Plan approved",
    "User approved switching to",
    _ACT_MODE,
)
_REJECTED = "Plan rejected."
_FEEDBACK = f"{_REJECTED} User feedback: "
_PLAN = "## Approved Plan"  # start of the line after which the host repeats the plan
# arguments of such a call; the second is Copilot CLI's, the third Cline's
_PLAN_ARGUMENTS = ("plan", "summary", "response")
_PATH_ARGUMENTS = (
    "plan_path",
    "plan_filename",
    "planFilePath",
    "planPath",
    "path",
)  # Gemini CLI, Claude Code, Kilo
_SYSTEM = expression(r"\A\s*<system>[^<]{0,1000}</system>")  # Kimi CLI, before each output
_STORED = expression(r"plan (?:is stored at|has been saved to): ([^\n]{1,1000})")  # Gemini CLI; Claude Code
_OWN_FILES = {"summary": "plan.md"}  # Copilot CLI summarises a file in its session's folder without naming it
_PROPOSED = (  # tags around a plan in an assistant's text: Codex; Cline, for models without tools
    (("<proposed_plan>",), "</proposed_plan>"),
    (("<plan_mode_respond>", "<response>"), "</response>"),
)
_PLAN_TOLD = "plan_mode_respond"
_MARKS = " \t#>*_-"  # before the words of a heading


class Approval(msgspec.Struct, frozen=True):
    """An approval in the user's name. `plan`: its whole text. `path`: the file that contains it. Without either, an
    earlier reply proposed the plan: in the same turn, or in any turn if `anywhere`.
    """

    plan: str = ""
    path: str = ""
    anywhere: bool = False


class ApprovingText(msgspec.Struct, frozen=True):
    """A text of `host` that approves a plan. It begins with `start`, and `rest` matches the text after that. The
    groups of `rest` are fields of `Approval`.
    """

    host: str
    start: str
    rest: re.Pattern[str]
    anywhere: bool = False


def _approving(host: str, start: str, rest: str = "", anywhere: bool = False) -> ApprovingText:
    return ApprovingText(host, start, expression(rest, re.DOTALL), anywhere)


APPROVALS = (
    # Codex, PLAN_IMPLEMENTATION_CODING_MESSAGE of tui/src/chatwidget/plan_implementation.rs, and in a new context
    _approving("Codex", "Implement the plan.", r"\s*\Z"),
    _approving(
        "Codex", "A previous agent produced the plan below to accomplish", r"[^\n]{1,400}\n\s*(?P<plan>\S.*)"
    ),
    # Claude Code if the approval clears the context, Kilo Code if a new session implements the plan
    _approving("Claude Code, Kilo Code", "Implement the following plan:", r"\s*(?P<plan>\S.*)"),
    # Claude Code, after its own compaction
    _approving(
        "Claude Code",
        "<system-reminder>",
        r"\s*A plan file exists from plan mode at: (?P<path>[^\n]{1,1000})\n\s{0,9}Plan contents:\s*"
        r"(?P<plan>\S.*?)(?:\nIf this plan is relevant[^\n<]{0,500}+\s{0,9}+)?</system-reminder>",
    ),
    # OpenCode, tool/plan.ts; if the user changes the agent: session/prompt.ts
    _approving(
        "OpenCode, Kilo Code", "The plan at ", r"(?P<path>[^\n]{1,1000}?) has been approved, you can now edit"
    ),
    _approving(
        "OpenCode, Kilo Code",
        "<system-reminder>",
        r"\s*Your operational mode has changed from plan to build.{1,2000}?"
        r"A plan file exists at (?P<path>[^\n]{1,1000}?)\. You should execute",
    ),
    # Cursor's button below a plan; requests do not show what it attaches
    _approving("Cursor", "Implement the plan as specified, it is attached for your reference", anywhere=True),
)


class PlanAnswer(msgspec.Struct, frozen=True):
    """`title` of the plan, or "" if unknown, and its whole `text`. `reason`: why it was rejected. `path`: the file
    that contains it, if the text is missing or only a summary.
    """

    approved: bool
    title: str
    reason: str = ""
    text: str = ""
    path: str = ""


def plan_answer(arguments: Mapping[str, Any], result: str) -> PlanAnswer | None:
    """What the result says about the plan, or None."""
    sentence = _SYSTEM.sub("", result, 1).lstrip()
    approved = sentence.startswith(_APPROVED)
    if not approved and not sentence.startswith(_REJECTED):
        return None
    reason = ""
    if sentence.startswith(_FEEDBACK):
        reason = sentence.removeprefix(_FEEDBACK).partition("\n\n")[0].strip()
    text = _plan_text(arguments, result)
    return PlanAnswer(approved, plan_title(arguments, result), reason, text, _plan_path(arguments, result, text))


def approved_plan(tool: str, arguments: Mapping[str, Any], result: str) -> PlanAnswer | None:
    """The plan that the user approved in this result, or None."""
    answer = plan_answer(arguments, result)
    return answer if answer is not None and answer.approved and tells_of_a_plan(tool, arguments) else None


def proposed_plan(text: str) -> str:
    """The plan that an assistant's text proposes to the user, or ""."""
    for tags, end in _PROPOSED:
        behind = text
        for tag in tags:
            behind = behind.partition(tag)[2]
        plan, closed, _ = behind.partition(end)
        if closed:
            return plan.strip()
    return ""


def plan_proposed_by(block: Block) -> str:
    """The plan that a block of an assistant's message proposes, in its text or with a call; otherwise ""."""
    if block.is_text:
        return proposed_plan(block.text)
    arguments = block.arguments or {}
    return _plan_text(arguments, "") if block.kind == "call" and tells_of_a_plan(block.tool, arguments) else ""


def approval_in(texts: Iterable[str]) -> Approval | None:
    """The approval in these texts of a user's message (rule 3), or None."""
    for text in map(str.lstrip, texts):
        told = told_result(text)
        if told is not None and told[0] == _PLAN_TOLD and text[told[1] :].startswith(_ACT_MODE):
            return Approval()
        for row in APPROVALS:
            if text.startswith(row.start) and (match := row.rest.match(text, len(row.start))):
                named = {name: value.strip() for name, value in match.groupdict().items()}
                return Approval(**named, anywhere=row.anywhere)
    return None


def tells_of_a_plan(tool: str, arguments: Mapping[str, Any]) -> bool:
    """Whether the tool asks the user to approve a plan."""
    row = CATALOG.listed(tool, arguments)
    return row is not None and row.tells == "plan"


def plan_title(arguments: Mapping[str, Any], result: str = "") -> str:
    """The heading of a plan, or its first line."""
    lines = [line for line in _plan_text(arguments, result).splitlines() if line.strip()]
    line = next((heading for heading in lines if heading.startswith("#")), lines[0] if lines else "")
    return line.lstrip(_MARKS).strip()[:TITLE_CHARACTERS]


def _plan_text(arguments: Mapping[str, Any], result: str) -> str:
    told = _first_text(arguments, _PLAN_ARGUMENTS)
    return (result.partition(_PLAN)[2].partition("\n")[2].strip() or told).strip()  # the user may have edited it


def _plan_path(arguments: Mapping[str, Any], result: str, text: str) -> str:
    own = next((path for name, path in _OWN_FILES.items() if name in arguments), "")
    if text and not own:
        return ""
    stored = _STORED.search(result)
    named = stored[1].strip() if stored else _first_text(arguments, _PATH_ARGUMENTS)
    return normal(named) if named else own


def _first_text(arguments: Mapping[str, Any], names: Iterable[str]) -> str:
    given = (arguments.get(name) for name in names)
    return next((text for text in given if isinstance(text, str) and text.strip()), "")


# a plan in a file


def file_after(text: str | None, path: str, call: Block) -> str | None:
    """The text of the file after this call (rule 4). `text`: before it. None: unknown."""
    made = call_of_block(call)
    kinds = {effect.kind for effect in _effects_on(path, call)}
    if made is not None and made.shell is not None and kinds:
        return _after_shell(text, path, made.shell.command)
    if "write" in kinds:
        return _written(path, call)
    return _edited(text, path, call) if text is not None and "edit" in kinds else text


def _after_shell(text: str | None, path: str, line: str) -> str | None:
    """An edit that the line does not contain leaves the text as it was."""
    for kind, file, given in texts_in(line):
        if kind == "patch":
            text = _patched(text, path, given)
        elif _is_same(normal(file), path):
            text = given if kind == ">" else None if text is None else text + given
    return text


def _patched(text: str | None, path: str, patch: str) -> str | None:
    def is_same(name: str) -> bool:
        return _is_same(normal(name), path)

    whole = next((added for name, added in patches.added(patch) if is_same(name)), None)
    return whole if whole is not None else text and patches.updated(patch, text, is_same)


def file_named(path: str, call: Block) -> str:
    """The file's path as this call spells it, or "" if the call does not affect it."""
    return next((effect.path for effect in _effects_on(path, call)), "")


def _effects_on(path: str, call: Block) -> tuple[FileEffect, ...]:
    made = call_of_block(call)
    effects = made.effects if made is not None else ()
    return tuple([effect for effect in effects if effect.path and _is_same(effect.path, path)])


def file_text(path: str, calls: Iterable[Block]) -> str:
    """The text of the file after these calls, oldest first, or "" if unknown."""
    since: list[Block] = []
    for call in reversed(tuple(calls)):
        since.append(call)
        if file_after(None, path, call) is not None:
            break  # the whole file: what comes before does not matter
    text: str | None = None
    for call in reversed(since):
        text = file_after(text, path, call)
    return text or ""


def changes_a_file(call: Block) -> bool:
    """Whether this call writes or edits a file that it names."""
    made = call_of_block(call)
    return made is not None and any(effect.path and effect.kind in ("write", "edit") for effect in made.effects)


def _is_same(one: str, other: str) -> bool:
    """Whether both may be the same file. Hosts name it by a path from their folder, or by its name only."""
    return one == other or one.endswith(f"/{other}") or other.endswith(f"/{one}")


def _written(path: str, call: Block) -> str | None:
    given = CATALOG.arguments(call.tool, call.arguments or {})
    for patch in patches_in(given):
        if (text := _patched(None, path, patch)) is not None:
            return text
    for part in (*given.parts, given):
        if not part.path or _is_same(part.path, path):
            text = part.text("content", "new text")
            if text is not None:
                return text
    return None


def _edited(text: str, path: str, call: Block) -> str | None:
    """None if the text grows beyond what is followed: edits may multiply it."""
    given = CATALOG.arguments(call.tool, call.arguments or {})
    for patch in patches_in(given):
        text = _patched(text, path, patch) or text
    for part in (*given.parts, given):
        old, new = part.text("old text"), part.text("new text")
        if old and new is not None and (not part.path or _is_same(part.path, path)):
            every = given.arguments.get("replace_all") is True or given.arguments.get("replaceAll") is True
            times = text.count(old) if every else 1
            if len(text) + times * (len(new) - len(old)) > MOST_CHARACTERS:
                return None
            text = text.replace(old, new, times)
    return text
