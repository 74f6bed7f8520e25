"""Turns a command line into what the status it ends with says of the commands that the line is about.

Rules:

1. A line is about what it runs; where it runs nothing, about what it looks at; never about `cd`, `echo` and such.
2. Status 0 speaks of the last pipeline and of those that `&&` ties to it; behind `set -e` also of those that stood
   alone before. Of a pipe it speaks of the last command, behind `set -o pipefail` of all. Of what is beside `||` or
   behind `!` it says nothing.
3. A status may be an answer (`answers`: nothing found, differs). Where a command for which it is none may have
   ended with it, it tells nothing.
4. Of what stands in a loop, a condition, a pipe of a group or another command's words status 0 says nothing. Of
   what such words run only a check counts, and what was told to print the status of a server's answer.
5. A line may print the status of what came before in its last `echo`.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Literal

import msgspec

from ctxmgr.engine.tools.effects import NOT_VISIBLE, CallOutcome, LineOutput, ShellStatus, VisibleOutput
from ctxmgr.engine.tools.shell.answers import (
    NO_ANSWERS,
    PIPE_CLOSED,
    PIPED_ANSWERED,
    TIMED_OUT,
    Codes,
    codes_of,
    is_the_systems,
)
from ctxmgr.engine.tools.shell.http import printed_status
from ctxmgr.engine.tools.shell.outline import outlined
from ctxmgr.engine.tools.shell.programs import (
    GREPS,
    HANDLES,
    MOST_SHELLS,
    SILENT,
    is_check,
    is_look,
    subject_of,
    voice_of,
    words_of,
)
from ctxmgr.engine.tools.shell.words import Pipeline, ShellCommand, name_of, parse
from ctxmgr.engine.tools.shell.wrappers import handed_line, unwrapped

NOT_UNDERSTOOD = ShellStatus(zero="unknown")
MOST_INNER = 8  # lines in the words of one

_STEERS = words_of("wait exit return trap shift local unset shopt umask break continue disown source . read")
_ASKING = words_of("test [ [[ which type pgrep pkill tee expr lsof fuser false zgrep ack colordiff sdiff ps tty id")
_ECHOED = re.compile(r"[;\n]\s*echo\b[^;|&\n]*(?:\$\?|\$\{(PIPESTATUS\[0\])\})[^;|&\n\d$`]*\Z")
_UNTIL = re.compile(r"(?:^|[;&|(\n])\s*(?:until|while(?!\s+(?:IFS=\S*\s+)?read\b))\s")
_LIMITS = ("timeout", "gtimeout")
HEAD_LINES = 10  # that `head` leaves where it is told no number
_HEAD = re.compile(r"(?:-n ?(\d+)|-(\d+))?")
_ERRORS = re.compile(r"(?:-[EinP]+ )*error(?: TS|:)?")
_TO_THE_END = ("tail", "cat", "tee")
_PARTED = ("", ";", "\n")
Voice = Literal["own", "shown", "mixed"]


class _Command(msgspec.Struct, frozen=True, gc=False):
    """`zero`, `codes`: of its own status; `covered`: status 0 of the line speaks of it; `visible`: how much of what
    it prints; `subjects`, `printing`, `voice`: as of the line."""

    about: Literal["", "check", "run", "look"]
    zero: CallOutcome
    codes: Codes
    covered: bool
    visible: VisibleOutput = NOT_VISIBLE
    subjects: tuple[str, ...] = ()
    printing: tuple[str, ...] = ()
    voice: Voice = "own"


def status_of(line: str, pipelines: Sequence[Pipeline] | None, depth: int = 0) -> ShellStatus:
    """What the status of a line says that was parsed to this. `depth`: in so many other shells."""
    lists = pipelines is not None
    pipelines = pipelines if pipelines is not None else outlined(line)
    if pipelines is None or depth > MOST_SHELLS:
        return NOT_UNDERSTOOD
    echo = _ECHOED.search(line.rstrip()) if len(pipelines) > 1 else None
    echoed = echo is not None
    pipelines = pipelines[:-1] if echoed else pipelines
    options = list(_options(pipelines))
    if echo is not None and echo[1]:  # of a pipe whose first command alone is no look
        options[-1] = (options[-1][0], True)
    covered, blamed = _covered(pipelines, options), _blamed(pipelines, options)
    commands = [
        [
            _told(pipeline, at, place in covered and (pipefail or at == len(pipeline.commands) - 1), depth)
            for at in range(len(pipeline.commands))
        ]
        for place, (pipeline, (_, pipefail)) in enumerate(zip(pipelines, options, strict=True))
    ]
    inner = [line for pipeline in pipelines for line in pipeline.inner][:MOST_INNER]
    within = [one for line in inner if (one := _inner(line, depth)).about == "check" or one.printing]
    every = [*within, *(one for pipe in commands for one in pipe if one.about)]
    subject = [one for one in every if one.about != "look"] or every
    untold = [one for one in subject if not (one.covered and one.zero == "ok")]
    zero: CallOutcome = "unknown" if untold else "ok"
    may = [one for at in blamed for one in (commands[at] if options[at][1] else commands[at][-1:]) if one.about]
    may = may if lists else every
    piped = any(options[at][1] and len(commands[at]) > 1 for at in blamed)
    kinds = {one.about for one in subject}
    about: Literal["check", "run", "look"] = "check" if "check" in kinds else "run" if "run" in kinds else "look"
    shown = _all_shown(untold or subject) if about != "look" else NOT_VISIBLE
    subjects = tuple(dict.fromkeys(name for one in subject for name in one.subjects))
    printing = tuple(pattern for one in subject for pattern in one.printing)
    about = about if subject else "run"
    prints = LineOutput(echoed, shown, printing, _voice(commands))
    return ShellStatus(zero, _codes(may, zero, piped), about, subjects, _often(pipelines, line), prints)


def _voice(commands: Sequence[Sequence[_Command]]) -> Voice:
    """Whose words the line prints. What only filters another's words has none."""
    voices: set[Voice] = set()
    for pipe in commands:
        speaking = next((one.voice for one in pipe if one.about not in ("", "look")), None)
        looks = any(one.about == "look" for one in pipe)
        if speaking is not None or looks:
            voices.add(speaking if speaking is not None else "shown")
    return voices.pop() if len(voices) == 1 else "mixed" if voices else "shown"


def _inner(line: str, depth: int) -> _Command:
    """Of a line in the words of a command, whose output another may show."""
    of_line = status_of(line, parse(line), depth + 1)
    return _Command(
        of_line.about, "unknown", NO_ANSWERS, False, NOT_VISIBLE, of_line.subjects, of_line.prints.printing
    )


def _often(pipelines: Sequence[Pipeline], line: str) -> Literal["", "each", "until"]:
    """Does it run something more than once, or until it goes well?"""
    if not any(pipeline.often for pipeline in pipelines):
        return ""
    leaves = any(pipeline.commands[0].words[:1] in (("break",), ("exit",), ("return",)) for pipeline in pipelines)
    return "until" if leaves or _UNTIL.search(line) else "each"


def _codes(may: Sequence[_Command], zero: CallOutcome, piped: bool) -> tuple[tuple[int, CallOutcome], ...]:
    """What the statuses say that one of these commands may have ended with (rule 3). `piped`: a shell tells of a
    command whose reader had enough."""
    found: list[tuple[int, CallOutcome]] = [(PIPE_CLOSED, "unknown")] if piped else []
    for code in sorted({code for one in may for code in one.codes}):
        told = {one.codes.get(code) for one in may}
        (only,) = told if len(told) == 1 else ("unknown",)
        found.append((code, zero if only == "ok" else "unknown"))
    return tuple(found)


def _options(pipelines: Sequence[Pipeline]) -> Iterator[tuple[bool, bool]]:
    """Whether `set -e` and `set -o pipefail` hold at each pipeline."""
    stops = pipefail = False
    for pipeline in pipelines:
        words = pipeline.commands[0].words
        if words[:1] == ("set",):
            letters = "".join(word[1:] for word in words if word and word.startswith("-"))
            stops, pipefail = stops or "e" in letters, pipefail or ("o" in letters and "pipefail" in words)
        yield stops, pipefail


def _covered(pipelines: Sequence[Pipeline], options: Sequence[tuple[bool, bool]]) -> frozenset[int]:
    """The pipelines that ended well where the line did (rule 2)."""
    found: set[int] = set()
    tied = True
    for place in range(len(pipelines) - 1, -1, -1):
        pipeline, before = pipelines[place], pipelines[place - 1].then if place else ""
        alone = pipeline.then in _PARTED and before in _PARTED
        tied = tied and (place == len(pipelines) - 1 or pipeline.then == "&&")
        if pipeline.sure and (tied or (alone and options[place][0])):
            found.add(place)
        else:
            tied = False
    return frozenset(found)


def _blamed(pipelines: Sequence[Pipeline], options: Sequence[tuple[bool, bool]]) -> list[int]:
    """The pipelines one of which ended badly where the line did."""
    first = len(pipelines) - 1
    while first > 0 and (pipelines[first - 1].then in ("&&", "||") or options[first - 1][0]):
        first -= 1
    return list(range(max(first, 0), len(pipelines)))


def _told(pipeline: Pipeline, at: int, covered: bool, depth: int) -> _Command:
    """Of one command of a pipeline. `covered`: as in `_Command`."""
    command, around = unwrapped(pipeline.commands[at])
    name, shown = name_of(command), _shown(pipeline, at, around)
    if not command.words or name in SILENT or name in _STEERS:
        return _Command("", "ok", NO_ANSWERS, covered)
    line = handed_line(command)
    if line is not None:
        inner = status_of(line, parse(line), depth + 1)
        codes = _wrapped(dict(inner.codes), around, inner.about)
        shown = _of_both(shown, inner.prints.visible)
        printed, voice = inner.prints.printing, inner.prints.voice
        return _Command(inner.about, inner.zero, codes, covered, shown, inner.subjects, printed, voice)
    about: Literal["check", "run", "look"] = "check" if is_check(command) else "look" if _looks(command) else "run"
    subjects = () if about == "look" or name in HANDLES else (subject_of(command),)
    answer = printed_status(command)
    zero: CallOutcome = "unknown" if answer else "ok"
    codes = _wrapped(codes_of(command), around, about)
    voice = voice_of(command, about)
    return _Command(about, zero, codes, covered, shown, subjects, (answer,) if answer else (), voice)


def _wrapped(codes: Codes, around: frozenset[str], about: str) -> Codes:
    """What the statuses say with these programs around: `xargs` has its own for what it ran, `timeout` for one that
    it ended, which says nothing but of a check, that did not pass."""
    if "xargs" in around and 1 in codes:
        codes = {**codes, PIPED_ANSWERED: codes[1]}
    if not around.isdisjoint(("timeout", "gtimeout")) and about != "check":
        codes = {**codes, TIMED_OUT: "unknown"}
    return codes


def _shown(pipeline: Pipeline, at: int, around: frozenset[str]) -> VisibleOutput:
    """How much the pipeline prints of what this command of it prints."""
    command = pipeline.commands[at]
    if pipeline.often or command.writes or "xargs" in around:
        return NOT_VISIBLE
    behind = (*pipeline.commands[at + 1 :], *pipeline.behind)
    heads = [_head_lines(one) for one in behind if name_of(one) == "head"]
    filters = [one for one in behind if name_of(one) not in (*_TO_THE_END, "head")]
    limit = min((count for count in heads if count), default=0)
    to_the_end = not filters and all(heads)
    errors = around.isdisjoint(_LIMITS) and all(heads) and all(map(_finds_errors, filters))
    return VisibleOutput(to_the_end, limit, errors)


def _head_lines(command: ShellCommand) -> int:
    """How many lines a `head` leaves; 0 where it counts otherwise."""
    found = _HEAD.fullmatch(" ".join(word or "$" for word in command.words[1:]))
    return int(found[1] or found[2] or HEAD_LINES) if found else 0


def _finds_errors(command: ShellCommand) -> bool:
    """Is it a filter that lets each line through that says "error"?"""
    return name_of(command) in GREPS and bool(
        _ERRORS.fullmatch(" ".join(word or "$" for word in command.words[1:]))
    )


def _of_both(outer: VisibleOutput, inner: VisibleOutput) -> VisibleOutput:
    limits = [one.head_lines for one in (outer, inner) if one.head_lines]
    to_the_end = outer.to_the_end and inner.to_the_end
    return VisibleOutput(to_the_end, min(limits, default=0), outer.errors and inner.errors)


def _all_shown(commands: Sequence[_Command]) -> VisibleOutput:
    """Of a line that is about these: of one command, or of several that print the status of a server's answer."""
    alone = len(commands) == 1
    ends = bool(commands) and all(one.visible.to_the_end and (alone or one.printing) for one in commands)
    limit = min((one.visible.head_lines for one in commands if one.visible.head_lines), default=0)
    return VisibleOutput(ends, limit, alone and commands[0].visible.errors)


def _looks(command: ShellCommand) -> bool:
    return is_look(command) or (name_of(command) in _ASKING and is_the_systems(command))
