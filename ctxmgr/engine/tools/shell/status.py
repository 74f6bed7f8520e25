"""Turns a command line into what the status it ends with says of the commands that the line is about.

Rules:

1. A line is about what it runs; where it runs nothing, about what it looks at; never about `cd`, `echo` and such.
2. Status 0 speaks of the last pipeline and of those that `&&` ties to it; behind `set -e` also of those that stood
   alone before. Of a pipe it speaks of the last command, behind `set -o pipefail` of all. Of what is beside `||` or
   behind `!` it says nothing.
3. Status 1 is an answer of some programs (nothing found, differs). Where another command may have ended with it, it
   tells nothing.
4. Of a line that is not understood status 0 says nothing.
5. A line may print the status of what came before in its last `echo`.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Literal

import msgspec

from ctxmgr.engine.tools.effects import CallOutcome, ShellStatus
from ctxmgr.engine.tools.shell.programs import (
    MOST_SHELLS,
    SHELLS,
    SILENT,
    is_check,
    is_look,
    plain_command,
    subject_of,
    words_of,
)
from ctxmgr.engine.tools.shell.words import Pipeline, ShellCommand, name_of, parse

NOT_UNDERSTOOD = ShellStatus(zero="unknown")

_ANSWERS = words_of(
    "grep egrep fgrep zgrep rg ag ack diff colordiff cmp test [ which type pgrep pkill expr lsof fuser false"
)  # programs whose status 1 says what they found
_GIT_ANSWERS = words_of("diff grep merge-base check-ignore show-ref ls-files config diff-index diff-files")
_ECHOED = re.compile(r"[;\n]\s*echo\b[^;|&\n]*\$\?[^;|&\n]*\Z")
_TO_THE_END = ("tail", "cat", "tee")
_PARTED = ("", ";", "\n")


class _Command(msgspec.Struct, frozen=True, gc=False):
    """`zero`, `one`: of its own status; `covered`: status 0 of the line speaks of it; `ends`: of what it prints the
    end is shown."""

    about: Literal["", "check", "run", "look"]
    zero: CallOutcome
    one: CallOutcome
    covered: bool
    ends: bool = False
    subjects: tuple[str, ...] = ()


def status_of(line: str, pipelines: Sequence[Pipeline] | None, depth: int = 0) -> ShellStatus:
    """What the status of a line says that was parsed to this. `depth`: in so many other shells."""
    if pipelines is None or depth > MOST_SHELLS:
        return NOT_UNDERSTOOD
    echoed = _ECHOED.search(line.rstrip()) is not None and len(pipelines) > 1
    pipelines = pipelines[:-1] if echoed else pipelines
    options = list(_options(pipelines))
    covered, blamed = _covered(pipelines, options), _blamed(pipelines, options)
    commands = [
        [
            _told(pipeline, at, place in covered and (pipefail or at == len(pipeline.commands) - 1), depth)
            for at in range(len(pipeline.commands))
        ]
        for place, (pipeline, (_, pipefail)) in enumerate(zip(pipelines, options, strict=True))
    ]
    every = [one for pipe in commands for one in pipe if one.about]
    subject = [one for one in every if one.about != "look"] or every
    untold = [one for one in subject if not (one.covered and one.zero == "ok")]
    zero: CallOutcome = "unknown" if untold else "ok"
    may = [one for at in blamed for one in (commands[at] if options[at][1] else commands[at][-1:]) if one.about]
    answers = [one for one in may if one.one != "failed"]
    one: CallOutcome = zero if may and len(answers) == len(may) else "unknown" if answers else "failed"
    kinds = {one.about for one in subject}
    about: Literal["check", "run", "look"] = "check" if "check" in kinds else "run" if "run" in kinds else "look"
    ends = about != "look" and [one.ends for one in untold or subject] == [True]
    subjects = tuple(dict.fromkeys(name for one in subject for name in one.subjects))
    return ShellStatus(zero, one, about if subject else "run", echoed, ends, subjects)


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
    given = pipeline.commands[at]
    command = plain_command(given)
    name, words = name_of(command), command.words
    if not words or name in SILENT:
        return _Command("", "ok", "failed", covered)
    if len(words) == 3 and name in SHELLS and words[1] in ("-c", "-lc") and words[2] is not None:
        inner = status_of(words[2], parse(words[2]), depth + 1)
        ends = inner.ends and _shown(pipeline, at)
        return _Command(inner.about, inner.zero, inner.one, covered, ends, inner.subjects)
    about: Literal["check", "run", "look"] = "check" if is_check(command) else "look" if _looks(command) else "run"
    one: CallOutcome = "ok" if _answers(given, command) else "failed"
    subjects = () if about == "look" else (subject_of(command),)
    return _Command(about, "ok", one, covered, _shown(pipeline, at), subjects)


def _shown(pipeline: Pipeline, at: int) -> bool:
    """Does the pipeline print the end of what this command of it prints?"""
    return not pipeline.commands[at].writes and all(
        name_of(one) in _TO_THE_END for one in pipeline.commands[at + 1 :]
    )


def _looks(command: ShellCommand) -> bool:
    return is_look(command) or name_of(command) in (*_ANSWERS, "tee")


def _answers(given: ShellCommand, command: ShellCommand) -> bool:
    """Is status 1 an answer of it (rule 3)?"""
    if given.words[:2] == ("command", "-v"):
        return True
    told = [word for word in command.words[1:] if word and not word.startswith("-")]
    told = told[1:] if command.words[1:2] == ("-C",) else told
    return name_of(command) in _ANSWERS or (
        name_of(command) == "git" and told[:1] != [] and told[0] in _GIT_ANSWERS
    )
