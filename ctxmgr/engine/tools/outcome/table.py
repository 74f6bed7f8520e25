"""What test runners, linters, compilers and runners of scripts print when they pass or fail: one row a program.

The patterns were made from recorded outputs (`tests/unit/engine/tools/outcome/outputs`); those of `dotnet` from its
documented form. A row is found by what is printed, not by the command: `make test` may run any of them.
"""

import re

import msgspec

_NEVER = "(?!)"


class ProgramOutput(msgspec.Struct, frozen=True, gc=False):
    """How one program's output is read, line by line.

    `hints`: one of them is in every output of it. `failed`, `passed`: a line that says that the run ended so.
    `telling`: lines that name what failed, the best first; without any, the lines of `failed`. `counts`: its named
    groups are numbers of what they are named by, or one of it where the group is empty; `ran` less the others is
    what passed. A pattern without groups: the lines whose `3 failed` are counted.
    """

    hints: tuple[str, ...]
    failed: re.Pattern[str]
    passed: re.Pattern[str]
    telling: tuple[re.Pattern[str], ...]
    counts: re.Pattern[str]


def _program(hints: str, failed: str, passed: str = _NEVER, *telling: str, counts: str = "") -> ProgramOutput:
    """`hints`: one a line; without `counts`, the lines of `failed` and `passed` are counted."""
    of_lines, named, *names = map(re.compile, (failed, passed, *telling))
    return ProgramOutput(
        tuple(hints.split("\n")), of_lines, named, tuple(names), re.compile(counts or f"{failed}|{passed}")
    )


_PYTEST = r"=* ?\d+ (?:failed|passed|skipped|deselected|xfailed|xpassed|warnings?|errors?|rerun)(?:, \d+ \w+)*"
_ERROR_AT = r"^\S+:\d+(?::\d+)?: (?:fatal )?error: "

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
    "golangci-lint": _program(
        " issues", r"^[1-9]\d* issues:?$", r"^0 issues\.$", r"^\S+\.go:\d+:\d+: ", counts=_NEVER
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
    "jest": _program(
        "Tests: \nTest Suites: \nNo tests found, exiting",
        r"^(?:Tests|Test Suites): +(?=.*\d failed)|^No tests found, exiting with code 1",
        r"^Tests: +(?!.*\d failed).*\d passed",
        r"^\s+● \S",
        r"^FAIL ",
        counts=r"^Tests: ",
    ),
    "vitest": _program(
        "Test Files \nNo test files found, exiting",
        r"^\s*(?:Test Files|Tests) +(?=.*\d failed)|^No test files found, exiting with code 1",
        r"^\s*Tests +(?!.*\d failed).*\d passed",
        r"^ FAIL  |^\s+× ",
        counts=r"^\s*Tests ",
    ),
    "mocha": _program(
        " passing (\n failing",
        r"^ +[1-9]\d* failing$",
        r"^ +\d+ passing \(",
        r"^ +\d+\) \S",
        counts=r"^ +\d+ (?:passing|failing|pending)\b",
    ),
    "playwright": _program(
        " passed (\n failed\nError: No tests found.",
        r"^ {2}[1-9]\d* failed$|^Error: No tests found\.",
        r"^ {2}\d+ passed \(",
        r"^ +[✘x] +\d+ .*:\d+:\d+ › ",
        r"^ +\d+\) .*:\d+:\d+ › ",
        r"^ {4}.*:\d+:\d+ › ",
        counts=r"^ {2}\d+ (?:passed|failed|skipped)\b",
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
    "mypy": _program(
        "Success: no issues found\n: error: \nFound ",
        r"^Found [1-9]\d* errors? in \d+ files?",
        r"^Success: no issues found",
        r"^\S+: error: ",
        counts=r"^Found (?P<error>\d+) errors?\b",
    ),
    "gcc": _program(" error: ", _ERROR_AT, counts=rf"{_ERROR_AT}(?P<error>)"),
    "make": _program(
        "make: \nmake[",
        r"^make(?:\[\d+\])?: \*\*\* ",
        r"^make(?:\[\d+\])?: (?:'.*' is up to date|Nothing to be done)",
        counts=_NEVER,
    ),
    "gradle": _program(
        "BUILD FAILED\nBUILD SUCCESSFUL",
        r"^BUILD FAILED|^\d+ tests? completed, [1-9]\d* failed",
        r"^BUILD SUCCESSFUL",
        r"^\S+ > \S+ FAILED$|: error: ",
        r"^(?:Task|Execution|A problem|Could not|Project)\b.*[.']$",
        counts=r"^(?P<ran>\d+) tests? completed, (?P<failed>\d+) failed(?:, (?P<skipped>\d+) skipped)?",
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
    "rspec": _program(
        " examples, \n example, \nFailed examples:",
        r"^\d+ examples?, (?:[1-9]\d* failures?|\d+ failures?(?:, \d+ pending)?, [1-9]\d* errors?)"
        r"|^Failed examples:$",
        r"^\d+ examples?, 0 failures(?!.*error)",
        r"^rspec \./",
        r"^(?:\w+Error|An error occurred)",
        counts=r"^(?P<ran>\d+) examples?, (?P<failed>\d+) failures?(?:, (?P<skipped>\d+) pending)?"
        r"(?:, (?P<error>\d+) errors? occurred)?",
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
    "mise": _program(
        "ERROR \nFinished in ",
        r"^\[\S+\] ERROR task failed|^mise ERROR ",
        r"^Finished in \d",
        r"^mise ERROR (?!Version:|Run with)",
        counts=_NEVER,
    ),
}
