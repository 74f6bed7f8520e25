"""Determines from the result of a call how it ended, from its error mark, its status and its output.

Rules for calls:

1. A result that the host marks as an error means failure. In a format without such a mark, a result that looks like
   an error may be one, and any other is undetermined. A result that begins as an error is one, unless its line
   shows a text, which may begin with anything.
2. Nothing is assumed to be done by a failed call.
3. A shell's status covers a part of its line (`ShellStatus`). Everything else, including a run that continues, is
   `unknown`, unless the output of a check shows how it ended: failures always count, a success only if all of it is
   shown.
4. A check is also judged by its output: one that ended with 0 and counts failures failed, since a script may drop
   the status of what it runs.
5. A call that a person refused never ran: its result is the host's message about that, and no error. One that a
   person stopped may have run: the outcome of a stopped check is unknown.

All code that needs to know how a call ended asks here.

Rules for the output of a check:

6. Every program of the table that appears in the output is read. One that failed decides, and all counts are added.
7. What no program of the table printed, and what follows the last line of one that passed, is read by general
   words: a count of failures or an error line means failure, a count of passes at the end means success.
8. Of a long output only the start and the end are read.

The patterns were made from recorded outputs (`tests/unit/engine/tools/outcome/outputs`); those of `dotnet` from its
documented form. A row is found by what is printed, not by the command: `make test` may run any of them.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal

import msgspec

from ctxmgr.engine.tools.effects import CallOutcome, Shell, ToolCall
from ctxmgr.model import expression

_NEVER = "(?!)"


class ProgramOutput(msgspec.Struct, frozen=True, gc=False):
    """How to read one program's output, line by line.

    `hints`: one of them is in every output. `failed`, `passed`: a line that says that the run ended so. `telling`:
    lines that name what failed, best first; without any, the lines of `failed`. `counts`: its named groups are
    numbers of what they are named after, or one if the group is empty; `ran` minus the others is what passed. A
    pattern without groups selects the lines whose `3 failed` are counted.
    """

    hints: tuple[str, ...]
    failed: re.Pattern[str]
    passed: re.Pattern[str]
    telling: tuple[re.Pattern[str], ...]
    counts: re.Pattern[str]


def _program(hints: str, failed: str, passed: str = _NEVER, *telling: str, counts: str = "") -> ProgramOutput:
    """`hints`: one per line. Without `counts`, the lines of `failed` and `passed` are counted."""
    failing, passing, counting, *names = map(expression, (failed, passed, counts or f"{failed}|{passed}", *telling))
    return ProgramOutput(tuple(hints.split("\n")), failing, passing, tuple(names), counting)


_PYTEST = r"=* ?\d+ (?:failed|passed|skipped|deselected|xfailed|xpassed|warnings?|errors?|rerun)(?:, \d+ \w+)*"

PROGRAMS: dict[str, ProgramOutput] = {
    "pytest": _program(
        " passed\n failed\n error",
        rf"^(?=.*\d (?:failed|errors?)\b){_PYTEST} in \d",
        rf"^(?=.*\d passed)(?!.*\d (?:failed|errors?)\b){_PYTEST} in \d",
        r"^FAILED \S+|^ERROR (?!: usage)\S",
        r"^E  +\S",
    ),
    "unittest": _program(
        "FAILED (\nRan ",
        r"^FAILED \((?:failures|errors|skipped|expected failures|unexpected successes)=\d+",
        r"^OK(?: \(|$)",
        r"^(?:FAIL|ERROR): ",
        counts=r"^Ran (?P<ran>\d+) tests? in |(?:[( ]failures=(?P<failed>\d+))|errors=(?P<error>\d+)"
        r"|(?:skipped|expected failures)=(?P<skipped>\d+)",
    ),
    "go": _program(
        "FAIL\nok  \t\nPASS\n.go:\n[no test files]",
        r"^FAIL(?:$|\t)|^\s*--- FAIL: |^(?:vet: )?[\w./-]+\.go:\d+:\d+: ",
        r"^ok  \t|^PASS$|^\?   \t.*\[no test files\]",
        r"^\s*--- FAIL: |^(?:vet: )?[\w./-]+\.go:\d+:\d+: |^panic: ",
        r"^FAIL\t",
        counts=r"^--- FAIL: (?P<failed>)|^FAIL\t(?P<package_failed>)|^ok  \t(?P<package_passed>)",
    ),
    "cargo": _program(
        "test result: \nerror[E\nerror: \n    Finished \nDiff in ",
        r"^test result: FAILED|^error(?:\[E\d+\])?: |^Diff in \S+\.rs(?: at line |:)\d+:$",
        r"^test result: ok|^    Finished ",
        r"^error(?:\[E\d+\])?: (?!could not compile|test failed|aborting)|^thread '.*' .*panicked at |^Diff in ",
        r"^test .* \.\.\. FAILED$|^error: test failed",
        counts=r"^test result: \w+\. (?P<passed>\d+) passed; (?P<failed>\d+) failed; (?P<skipped>\d+) ignored"
        r"|could not compile .* due to (?P<error>\d+) previous error|generated (?P<warning>\d+) warning",
    ),
    "jest, vitest": _program(
        "Tests: \nTest Suites: \nTest Files \nNo tests found, exiting\nNo test files found, exiting",
        r"^\s*(?:Tests|Test Suites|Test Files):? +(?=.*\d failed)|^No test(?:s| files) found, exiting with code 1",
        r"^\s*Tests:? +(?!.*\d failed).*\d passed",
        r"^\s+[●×] \S|^ FAIL  ",
        r"^FAIL ",
        counts=r"^\s*Tests:? ",
    ),
    "mocha, playwright": _program(
        " passing (\n failing\n passed (\n failed\nError: No tests found.",
        r"^ +[1-9]\d* fail(?:ing|ed)$|^Error: No tests found\.",
        r"^ +\d+ pass(?:ing|ed) \(",
        r"^ +[✘x] +\d+ .*:\d+:\d+ › ",
        r"^ +\d+\) \S",
        r"^ {4}.*:\d+:\d+ › ",
        counts=r"^ +\d+ (?:pass(?:ing|ed)|fail(?:ing|ed)|pending|skipped)\b",
    ),
    "vite": _program(
        "Build failed in \nerror during build:\n built in ",
        r"^[✗x] Build failed in \d|^error during build:",
        r"^✓ built in \d",
        r"^(?:\x1b\[\d+m)?\[(?:[A-Z_]+|vite[\w:-]*)\]|^Could not resolve |^\S+ \(\d+:\d+\): ",
        counts=r"^Build failed with (?P<error>\d+) errors?:$",
    ),
    "tsc": _program(
        "error TS",
        r"^(?:\S.*(?:\(\d+,\d+\):|:\d+:\d+ -) )?error TS\d+: ",
        counts=r"error TS\d+: (?P<error>)",
    ),
    "eslint": _program(
        "✖ \n  error  ",
        r"^✖ \d+ problems? \([1-9]|^ +\d+:\d+ +error +\S",
        r"^✖ \d+ problems? \(0 errors",
        r"^ +\d+:\d+ +error +\S",
        counts=r"^✖ \d+ problems? \((?P<error>\d+) errors?, (?P<warning>\d+) warning",
    ),
    "ruff": _program(
        "Found \nWould \nAll checks passed!\n reformatted\n formatted\n left unchanged",
        r"^Found [1-9]\d* errors?\b(?! in )(?!.* 0 remaining)|^Would (?:fix|reformat)\b"
        r"|^\d+ files? would be reformatted",
        r"^All checks passed!|^\d+ files? (?:already formatted|reformatted|left unchanged)",
        r"^[A-Z]{1,4}\d{2,4} |^[\w./-]+:\d+:\d+: [A-Z]{1,4}\d{2,4} |^Would reformat: ",
        counts=r"^Found (?P<error>\d+) errors?\b",
    ),
    "make": _program(
        "make: \nmake[",
        r"^make(?:\[\d+\])?: \*\*\* ",
        r"^make(?:\[\d+\])?: (?:'.*' is up to date|Nothing to be done)",
        counts=_NEVER,
    ),
    "mvn": _program(
        "[ERROR] \nBUILD SUCCESS\nBUILD FAILURE\nTests run: ",
        r"^\[INFO\] BUILD FAILURE|^\[ERROR\] +\S|^(?:\[\w+\] )?Tests run: (?=.*(?:Failures|Errors): [1-9])",
        r"^\[INFO\] BUILD SUCCESS|^(?:\[\w+\] )?Tests run: (?!.*(?:Failures|Errors): [1-9])",
        r"^\[ERROR\] +(?:\S+:\[\d+,\d+\]|\w+\.\w+:\d+)|^ *\w+\([\w.]+\): "
        r"|^\w+\([\w.]+\).*<<< (?:FAILURE|ERROR)!$",
        r"^\[ERROR\] +(?!Tests run|Please|To see|Re-run|For more|Failures:|Errors:|There are|-> |\[Help)\S",
        counts=r"Tests run: (?P<ran>\d+), Failures: (?P<failed>\d+), Errors: (?P<error>\d+), "
        r"Skipped: (?P<skipped>\d+)$",
    ),
    "dotnet": _program(
        " - Failed: \nTest Run \nTest summary: \nBuild succeeded\nBuild FAILED.\nBuild failed with \n: error ",
        r"^\s*Failed! +- Failed: +\d|^Test Run Failed\.|^\s*Test summary: (?=.*failed: [1-9])|^Build FAILED\."
        r"|^Build failed with \d|: error (?:CS|FS|BC|MSB|NU|NETSDK)\d+: ",
        r"^\s*Passed! +- Failed: +0,|^Test Run Successful\.|^\s*Test summary: (?=.*failed: 0\b)|^Build succeeded\b",
        r"^\s*Failed \S.* \[[\d<]|: error [A-Z]+\d+: ",
        counts=r"[Ff]ailed: +(?P<failed>\d+)|(?:Passed|succeeded): +(?P<passed>\d+)|[Ss]kipped: +(?P<skipped>\d+)"
        r"|^\s*(?P<error>\d+) Error\(s\)",
    ),
    "phpunit": _program(
        "Assertions: \nOK (\nFAILURES!\nERRORS!",
        r"^(?:FAILURES|ERRORS)!$|^Tests: \d+, Assertions: (?=.*(?:Failures|Errors): [1-9])",
        r"^OK \(\d+ tests?, |^Tests: \d+, Assertions: (?!.*(?:Failures|Errors): [1-9])",
        r"^\d+\) \w+::",
        counts=r"^Tests: (?P<ran>\d+), Assertions|Failures: (?P<failed>\d+)|Errors: (?P<error>\d+)"
        r"|(?:Skipped|Incomplete): (?P<skipped>\d+)|^OK \((?P<passed>\d+) tests?",
    ),
    "npm": _program(
        "npm error \nnpm ERR! \nELIFECYCLE\nERR_PNPM\n Error: ",
        r"^npm (?:error|ERR!) |\bELIFECYCLE\b|\bERR_PNPM_\w+|^(?:Internal|Usage|Unknown Syntax) Error: "
        r"|^error Command failed",
        _NEVER,
        r"^npm (?:error|ERR!) (?!code |errno|syscall|path |A complete|To see|Usage|Options|aliases|Run |Clean|\[)\S"
        r"|^(?:Internal|Usage|Unknown Syntax) Error: |\bERR_PNPM_\w+|^ +× ",
        counts=_NEVER,
    ),
}


End = Literal["passed", "failed", "unknown"]
Count = tuple[int, str]

TOLD_LINES = 3
END_LINES = 5
READ_CHARACTERS = 100_000  # of the start and of the end
READ_LINE_CHARACTERS = 1_000  # of a longer line only the start is read, since patterns take more than linear time
_RULED = " \t─"  # around a line that is ruled to its end
_COUNT = expression(
    r"(?:^|[,;:|(=]|\. |\t|\s{2}|\b(?:and|with|found)\b)\W*(\d{1,7}) (?:tests? |examples? |specs? |scenarios? )?"
    r"(passed|passing|failed|failures?|failing|errors?|warnings?|skipped|pending|ignored|xfailed|xpassed"
    r"|deselected|issues?|problems?|offenses?(?! autocorrect))\b",
    re.IGNORECASE,
)
_FAILED = expression(
    r"^\W*(?:(?:error|fatal(?: error)?|panic)\b(?:\[\w+\])?:|Traceback \(most|(?:\w+\.)*\w+ ?(?:Error|Exception):)"
    r"|(?<![\w.-])[1-9]\d* (?:\w+ )?(?:failed|failures?|failing|errors?|issues?|problems?|offenses?)\b"
    r"|^\s*(?:-{3} )?FAIL(?:ED|URE)?\b|\bBUILD FAILED\b|:\d+: (?:fatal )?error: |^not ok \d"
    r"|^\S+:\d+:\d+: [A-Z]{1,4}\d{2,5}\b"
    r"|: command not found\s*$|\bpanicked at\b|^\W*(?:build|compilation|(?:some )?tests?) (?:failed|aborted)\b",
    re.IGNORECASE,
)
_PASSED = expression(
    r"\b[1-9]\d* (?:\w+ ){0,2}pass(?:ed|ing)\b|(?<![\w.])0 (?:errors?|issues?|problems?|failed|failures?)\b"
    r"|^\s*(?:ok|OK|PASS)\b|\b[Aa]ll (?:checks|tests)(?: \w+)? (?:pass|success)|\bBUILD SUCCESS|\b100% tests passed"
    r"|\b[Nn]o (?:issues|errors|problems|offenses)(?: found)?\b"
)
_OF_ONE = expression(r"^\s*(?:[✓✔√]|ok\b|PASS|-{3} PASS)|\b(?:ok|PASSED|passed)$")  # a passed test
_WORDS = {"passing": "passed", "failing": "failed", "failure": "failed", "failures": "failed", "pending": "skipped"}
_WORDS |= {"ignored": "skipped", "package_failed": "package failed", "package_passed": "package passed"}
_RANKS = ("failed", "error", "issue", "problem", "offense", "package failed", "passed", "package passed", "warning")
_PLURALS = ("error", "warning", "issue", "problem", "offense")


class RunReport(msgspec.Struct, frozen=True, gc=False):
    """`counts`: (number, of what) without zeros, failures first. `lines`: the first lines that name the outcome."""

    ended: End
    counts: tuple[Count, ...] = ()
    lines: tuple[str, ...] = ()


def read_output(text: str) -> RunReport:
    """What the output of a check says of its run."""
    lines = lines_of(text)
    failed: list[str] = []
    counts: list[Count] = []
    last_passed = -1
    taken: set[int] = set()  # indexes of lines that an earlier program has read
    for program in PROGRAMS.values():
        if not any(hint in text for hint in program.hints):
            continue
        left = {index: line for index, line in enumerate(lines) if index not in taken}
        failures, passed = _matching(program.failed, left), _matching(program.passed, left)
        if not failures and not passed:
            continue
        counting = _matching(program.counts, left)
        named = next(filter(None, (_matching(pattern, left) for pattern in program.telling)), failures)
        taken.update(failures, passed, counting, named)
        last_passed = max(last_passed, *passed, -1)
        counts += _counts(program, [lines[index] for index in counting])
        failed += [lines[index] for index in named] if failures else []
    if not failed:
        failed = [line for line in lines[last_passed + 1 :] if _FAILED.search(line) and not _OF_ONE.search(line)]
    if not taken:
        ends = next(filter(None, (list(_counted(line)) for line in reversed(lines) if not _OF_ONE.match(line))), [])
        counts += ends
    telling = tuple(dict.fromkeys(line.strip(_RULED) for line in failed))[:TOLD_LINES]
    if failed:
        return RunReport("failed", _added_up(counts), telling)
    if taken or any(map(_PASSED.search, lines[-END_LINES:])):
        return RunReport("passed", _added_up(counts))
    return RunReport("unknown")


def lines_of(text: str) -> list[str]:
    """Non-empty lines (rule 8), also of an output that a host put into a member of a JSON object."""
    if len(text) > 2 * READ_CHARACTERS:
        text = f"{text[:READ_CHARACTERS]}\n{text[-READ_CHARACTERS:]}"
    if '"output":' in text:
        for escaped, plain in (('"output":"', '"output":"\n'), ("\\n", "\n"), ("\\t", "\t"), ('\\"', '"')):
            text = text.replace(escaped, plain)
    return [line[:READ_LINE_CHARACTERS].rstrip() for line in text.splitlines() if line.strip()]


def counts_text(counts: Iterable[Count]) -> str:
    """`3 failed, 41 passed`."""
    return ", ".join(f"{number} {word}" for number, word in counts)


def _matching(pattern: re.Pattern[str], lines: Mapping[int, str]) -> list[int]:
    return [index for index, line in lines.items() if pattern.search(line)]


def _counts(program: ProgramOutput, lines: Sequence[str]) -> Iterator[Count]:
    """The counts in these lines of a program."""
    if not program.counts.groups:
        yield from (count for line in lines for count in _counted(line))
        return
    numbers: dict[str, int] = {}
    for line in lines:
        for match in program.counts.finditer(line):
            for name, number in match.groupdict().items():
                if number is not None:
                    numbers[name] = numbers.get(name, 0) + int(number or 1)
    if "ran" in numbers:
        ran = numbers.pop("ran")
        numbers["passed"] = ran - sum(numbers.values())
    yield from ((number, name) for name, number in numbers.items())


def _counted(line: str) -> Iterator[Count]:
    """`3 failed, 41 passed`, in any order."""
    return ((int(number), word.lower()) for number, word in _COUNT.findall(line))


def _added_up(counts: Iterable[Count]) -> tuple[Count, ...]:
    """One total for each thing, most important first, without zeros."""
    sums: dict[str, int] = {}
    for number, word in counts:
        word = _WORDS.get(word, word)
        word = word.removesuffix("s") if word.removesuffix("s") in _PLURALS else word
        sums[word] = sums.get(word, 0) + number
    ranked = sorted(sums, key=lambda word: _RANKS.index(word) if word in _RANKS else len(_RANKS))
    return tuple((sums[word], _plural(word, sums[word])) for word in ranked if sums[word] > 0)


def _plural(word: str, number: int) -> str:
    if number == 1:
        return word
    return f"{word}s" if word in _PLURALS else word.replace("package ", "packages ")


END_CHARACTERS = 2_000  # of the start and of the end
RUNNING_CHARACTERS = 500  # of a result; a host says first that a run continues

_UNREAD = RunReport("unknown")
_CODE = expression(
    r"\b(?:exit(?:ed)?(?: with)?(?: (?:code|status))|exit_?code\"?|return_?code)\W{0,4}(-?\d+)\b", re.IGNORECASE
)
_NOT_FOUND = (126, 127)  # exit statuses that mean so
_NOWHERE = ("no such file", "not a directory")
_REFUSED = expression(
    r"\W*(?:error:? )?(?:(?:the )?user (?:has )?(?:rejected|refused|denied|declined"
    r"|does(?:n['’]t| not) want)\b"
    r"|(?:[\w ]+ )?(?:rejected|refused|denied|declined) by (?:the )?user\b"
    r"|exec_command failed for [^\n]{1,1000}\brejected by user\b"
    r"|permission (?:to (?:use|run)|for) [^\n]{1,80}\b(?:denied|rejected|refused)\b)",
    re.IGNORECASE,
)
_STOPPED = expression(
    r"^\W*(?:(?:command|process|execution)(?: was)? (?:aborted|cancell?ed|interrupted)"
    r"|(?:request )?(?:aborted|cancell?ed|interrupted) by (?:the )?user)\b.{0,40}\s*\Z",
    re.IGNORECASE | re.MULTILINE,
)  # what a host puts last under the output of a run that a person stopped
_RECORDED = expression(r"\{\"chunk_id\":\"\w*\",\"wall_time_seconds\":[-+.\de]+,\"exit_code\":(-?\d{1,9})")
_GOES_ON = expression(
    r"\brunning (?:with (?:session|cell) ID|in (?:the )?background with (?:ID|PID))\b\W{0,3}([\w-]{1,40})"
    r"|\"session_id\":\s*\"?(\d[\w-]{0,39})",
    re.IGNORECASE,
)
# they only print errors
_SILENT_WHEN_FINE = frozenset(("tsc", "tsgo", "eslint", "go vet", "go build", "shellcheck"))
_ASKING = ("session_id", "cell_id", "bash_id", "shell_id", "task_id")
_ASKED = expression(r"\b(?:session|cell)_id\"?\s*:\s*\"?(\d[\w-]{0,39})")  # in a script


def outcome(call: ToolCall, text: str, is_error: bool, doubtful: bool = False) -> CallOutcome:
    """How a call ended, from its result: `text`, the host's error mark, and whether that is uncertain; both also
    for a text that begins as an error (rule 1).
    """
    shell = call.shell
    if shell is None:
        return "failed" if is_error else "unknown" if doubtful else "ok"
    status = shell.status
    is_error = is_error and not (doubtful and status.about == "look")
    if len(set(_RECORDED.findall(text))) > 1:  # several results in one, with different outcomes
        return "unknown"
    if is_error:
        by_status: CallOutcome = status.on_one if _code(text) == 1 else "failed"
        if by_status == "failed":
            return "failed"
    elif goes_on_as(text):
        return "unknown"
    else:
        by_status = "unknown" if doubtful else status.on_zero
        if by_status != "unknown":
            return by_status
    return _by_output(shell, text, by_status)


def _by_output(shell: Shell, text: str, otherwise: CallOutcome) -> CallOutcome:
    """By the output, if the status does not say."""
    if any(map(_is_lost, _edges(text))):
        return "failed"
    if shell.status.about != "check":
        return otherwise
    report = read_output(text)
    if report.ended == "failed":
        return "failed"
    is_fine = report.ended == "passed" or (not text.strip() and set(shell.status.subjects) <= _SILENT_WHEN_FINE)
    is_whole = len(text.strip().splitlines()) < shell.status.shown_lines
    return "ok" if otherwise == "unknown" and is_fine and is_whole else otherwise


def weighed_run(shell: Shell, text: str, ended: CallOutcome) -> tuple[CallOutcome, RunReport]:
    """How the run of a check counts that `ended` this way, with the counts and lines of its output (rule 4)."""
    if ended == "unknown" or shell.status.about != "check" or _STOPPED.search(text[-END_CHARACTERS:]):
        return "unknown" if shell.status.about == "check" else ended, _UNREAD
    return _weighed(text, ended)


def _weighed(text: str, ended: CallOutcome) -> tuple[CallOutcome, RunReport]:
    report = read_output(text)
    if ended == "ok" and report.ended == "failed":
        ended = "failed" if report.counts else "unknown"
    return ended, report


def end_of_run(text: str, is_error: bool, doubtful: bool) -> tuple[CallOutcome, RunReport]:
    """How a continued run ended, from the result that reports its end; its command is unknown here."""
    if goes_on_as(text):
        return "failed" if is_error else "unknown", _UNREAD
    report = read_output(text)
    if is_error:
        return "failed", report
    if doubtful:
        return "ok" if report.ended == "passed" else report.ended, report
    return _weighed(text, "ok")


def never_began(text: str) -> bool:
    """Whether a failed call's result says that it never ran: no such directory, no such program."""
    return _code(text) in _NOT_FOUND or any(_is_lost(line) or "command not found" in line for line in _edges(text))


def is_refused(text: str) -> bool:
    """Whether a result marked as an error says that a person refused the call (rule 5)."""
    return _REFUSED.match(text[:END_CHARACTERS].lstrip()) is not None


def goes_on_as(text: str) -> str:
    """The id of the run that continues behind this result, "" if it ended."""
    match = _GOES_ON.search(text[:RUNNING_CHARACTERS])
    return (match[1] or match[2]) if match else ""


def asks_for(arguments: Mapping[str, Any]) -> str:
    """The id of the run that a call asks about, "" for none; also in a script that calls the tool."""
    for name in _ASKING:
        if isinstance(value := arguments.get(name), str | int):
            return str(value)
    script = arguments.get("input")
    match = _ASKED.search(script) if isinstance(script, str) else None
    return match[1] if match else ""


def _is_lost(line: str) -> bool:
    """Whether this line says that a shell could not enter its directory."""
    before, _, reason = line.casefold().partition("cd:")
    return any(words in reason for words in _NOWHERE) or "can't cd to" in before


def _code(text: str) -> int:
    """The exit status that it names; -1 if it names none, or several."""
    codes = {int(code) for line in _edges(text) for code in _CODE.findall(line)}
    return codes.pop() if len(codes) == 1 else -1


def _edges(text: str) -> list[str]:
    """The first and the last non-empty lines."""
    if len(text) > 2 * END_CHARACTERS:
        text = f"{text[:END_CHARACTERS]}\n{text[-END_CHARACTERS:]}"
    lines = lines_of(text)
    return lines if len(lines) <= 2 * END_LINES else [*lines[:END_LINES], *lines[-END_LINES:]]
