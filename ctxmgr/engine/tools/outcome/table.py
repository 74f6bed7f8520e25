"""The tools whose output is read by what they print, and nothing else: the command may be another's (`make test`).

Each row's patterns were made from output that the tool printed, those of `dotnet` and `mysql` from the form in
which they are known to print (`tests/unit/engine/tools/outcome/outputs`).
"""

import re

from ctxmgr.engine.tools.outcome import counting
from ctxmgr.engine.tools.outcome.counting import Counting
from ctxmgr.engine.tools.outcome.report import NEVER, OutputReader, counted
from ctxmgr.engine.tools.shell import words_of

WRAPPERS = words_of("npm pnpm yarn bun make gmake just task mise uv poetry tox nox nx turbo")
_NEVER = NEVER.pattern


def _row(
    programs: str,
    hints: str,
    failed: str,
    passed: str = _NEVER,
    *telling: str,
    beside: str = _NEVER,
    counts: Counting = counted,
) -> OutputReader:
    """`programs`: the words of it; `hints`: one a line."""
    return OutputReader(
        words_of(programs),
        tuple(hints.split("\n")),
        re.compile(failed),
        re.compile(passed),
        tuple(map(re.compile, telling)),
        re.compile(beside),
        counts,
    )


_TESTS = r"=* ?\d+ (?:failed|passed|skipped|deselected|xfailed|xpassed|warnings?|errors?|rerun)(?:, \d+ \w+)*"
READERS: tuple[OutputReader, ...] = (
    _row(
        "pytest py.test",
        " passed\n failed\n error",
        rf"^(?=.*\d (?:failed|errors?)\b){_TESTS} in \d",
        rf"^(?=.*\d passed)(?!.*\d (?:failed|errors?)\b){_TESTS} in \d",
        r"^FAILED \S+|^ERROR (?!: usage)\S",
        r"^E  +\S",
    ),
    _row(
        "unittest",
        "FAILED (\nRan ",
        r"^FAILED \((?:failures|errors|skipped|expected failures|unexpected successes)=\d+",
        r"^OK(?: \(|$)",
        r"^(?:FAIL|ERROR): ",
        beside=r"^Ran \d+ tests? in ",
        counts=counting.of_unittest,
    ),
    _row(
        "go",
        "FAIL\nok  \t\nPASS\n.go:\n[no test files]",
        r"^FAIL(?:$|\t)|^--- FAIL: |^\s+--- FAIL: |^(?:vet: )?[\w./-]+\.go:\d+:\d+: ",
        r"^ok  \t|^PASS$|^\?   \t.*\[no test files\]",
        r"^\s*--- FAIL: |^(?:vet: )?[\w./-]+\.go:\d+:\d+: |^panic: ",
        r"^FAIL\t",
        counts=counting.of_go,
    ),
    _row(
        "cargo",
        "test result: \nerror[E\nerror: \n    Finished ",
        r"^test result: FAILED|^error(?:\[E\d+\])?: ",
        r"^test result: ok|^    Finished ",
        r"^error(?:\[E\d+\])?: (?!could not compile|test failed|aborting)|^thread '.*' .*panicked at ",
        r"^test .* \.\.\. FAILED$|^error: test failed",
        beside=r"generated \d+ warnings?",
        counts=counting.of_cargo,
    ),
    _row(
        "cargo rustfmt",
        "Diff in ",
        r"^Diff in \S+\.rs(?: at line |:)\d+:$",
        counts=counting.nothing,
    ),
    _row(
        "jest",
        "Tests: \nTest Suites: \nNo tests found, exiting",
        r"^(?:Tests|Test Suites): +(?=.*\d failed)|^No tests found, exiting with code 1",
        r"^Tests: +(?!.*\d failed).*\d passed",
        r"^\s+● \S",
        r"^FAIL ",
        counts=counting.of_jest,
    ),
    _row(
        "vitest",
        "Test Files \nNo test files found, exiting",
        r"^\s*(?:Test Files|Tests) +(?=.*\d failed)|^No test files found, exiting with code 1",
        r"^\s*Tests +(?!.*\d failed).*\d passed",
        r"^ FAIL  |^\s+× ",
        counts=counting.of_vitest,
    ),
    _row(
        "mocha",
        " passing (\n failing",
        r"^ +[1-9]\d* failing$",
        r"^ +\d+ passing \(",
        r"^ +\d+\) \S",
        beside=r"^ +\d+ pending$",
    ),
    _row(
        "playwright",
        " passed (\n failed\nError: No tests found.",
        r"^ {2}[1-9]\d* failed$|^Error: No tests found\.",
        r"^ {2}\d+ passed \(",
        r"^ +[✘x] +\d+ .*:\d+:\d+ › ",
        r"^ +\d+\) .*:\d+:\d+ › ",
        r"^ {4}.*:\d+:\d+ › ",
        beside=r"^ {2}\d+ (?:skipped|flaky|did not run|interrupted)$",
    ),
    _row(
        "vite",
        "Build failed in \nerror during build:\n built in ",
        r"^[✗x] Build failed in \d|^error during build:",
        r"^✓ built in \d",
        r"^(?:\x1b\[\d+m)?\[(?:[A-Z_]+|vite[\w:-]*)\]|^Could not resolve |^\S+ \(\d+:\d+\): ",
        beside=r"^Build failed with \d+ errors?:$",
    ),
    _row(
        "tsc tsgo",
        "error TS",
        r"^(?:\S.*(?:\(\d+,\d+\):|:\d+:\d+ -) )?error TS\d+: |^Found [1-9]\d* errors? in ",
        counts=counting.by_line("error", r"error TS\d+: ", r"^Found (\d+) errors? in "),
    ),
    _row(
        "eslint",
        "✖ \n  error  ",
        r"^✖ \d+ problems? \([1-9]|^ +\d+:\d+ +error +\S",
        r"^✖ \d+ problems? \(0 errors",
        r"^ +\d+:\d+ +error +\S",
        counts=counting.of_eslint,
    ),
    _row(
        "ruff",
        "Found \nWould \nAll checks passed!\n reformatted\n formatted\n left unchanged",
        r"^Found [1-9]\d* errors?\b(?! in )(?!.* 0 remaining)|^Would (?:fix|reformat)\b"
        r"|^\d+ files? would be reformatted",
        r"^All checks passed!|^\d+ files? (?:already formatted|reformatted|left unchanged)",
        r"^[A-Z]{1,4}\d{2,4} |^[\w./-]+:\d+:\d+: [A-Z]{1,4}\d{2,4} |^Would reformat: ",
    ),
    _row(
        "mypy",
        "Success: no issues found\n: error: \nFound ",
        r"^Found [1-9]\d* errors? in \d+ files?",
        r"^Success: no issues found",
        r"^\S+: error: ",
    ),
    _row(
        "gcc g++ cc c++ clang clang++ javac",
        " error: ",
        r"^\S+:\d+(?::\d+)?: (?:fatal )?error: ",
        counts=counting.by_line("error", r"^\S+:\d+(?::\d+)?: (?:fatal )?error: ", r"^(\d+) errors?$"),
    ),
    _row(
        "make gmake",
        "make: \nmake[",
        r"^make(?:\[\d+\])?: \*\*\* ",
        r"^make(?:\[\d+\])?: (?:'.*' is up to date|Nothing to be done)",
    ),
    _row(
        "gradle gradlew",
        "BUILD FAILED\nBUILD SUCCESSFUL",
        r"^BUILD FAILED|^\d+ tests? completed, [1-9]\d* failed",
        r"^BUILD SUCCESSFUL",
        r"^\S+ > \S+ FAILED$|: error: ",
        r"^(?:Task|Execution|A problem|Could not|Project)\b.*[.']$",
        counts=counting.of_gradle,
    ),
    _row(
        "mvn mvnw",
        "[ERROR] \nBUILD SUCCESS\nBUILD FAILURE\nTests run: ",
        r"^\[INFO\] BUILD FAILURE|^\[ERROR\] +\S|^(?:\[\w+\] )?Tests run: (?=.*(?:Failures|Errors): [1-9])",
        r"^\[INFO\] BUILD SUCCESS|^(?:\[\w+\] )?Tests run: (?!.*(?:Failures|Errors): [1-9])",
        r"^\[ERROR\] +(?:\S+:\[\d+,\d+\]|\w+\.\w+:\d+)|^ *\w+\([\w.]+\): "
        r"|^\w+\([\w.]+\).*<<< (?:FAILURE|ERROR)!$",
        r"^\[ERROR\] +(?!Tests run|Please|To see|Re-run|For more|Failures:|Errors:|There are|-> |\[Help)\S",
        counts=counting.of_maven,
    ),
    _row(
        "dotnet",
        " - Failed: \nTest Run \nTest summary: \nBuild succeeded\nBuild FAILED.\nBuild failed with \n: error ",
        r"^\s*Failed! +- Failed: +\d|^Test Run Failed\.|^\s*Test summary: (?=.*failed: [1-9])|^Build FAILED\."
        r"|^Build failed with \d|: error (?:CS|FS|BC|MSB|NU|NETSDK)\d+: ",
        r"^\s*Passed! +- Failed: +0,|^Test Run Successful\.|^\s*Test summary: (?=.*failed: 0\b)|^Build succeeded\b",
        r"^\s*Failed \S.* \[[\d<]|: error [A-Z]+\d+: ",
        beside=r"^\s*(?:Total tests|Passed|Failed|Skipped): +\d+$|^\s*\d+ (?:Error|Warning)\(s\)$|^\s*Skipped! +- ",
        counts=counting.of_dotnet,
    ),
    _row(
        "rspec",
        " examples, \n example, \nFailed examples:",
        r"^\d+ examples?, (?:[1-9]\d* failures?|\d+ failures?(?:, \d+ pending)?, [1-9]\d* errors?)"
        r"|^Failed examples:$",
        r"^\d+ examples?, 0 failures(?!.*error)",
        r"^rspec \./",
        r"^(?:\w+Error|An error occurred)",
        counts=counting.of_rspec,
    ),
    _row(
        "phpunit",
        "Assertions: \nOK (\nFAILURES!\nERRORS!",
        r"^(?:FAILURES|ERRORS)!$|^Tests: \d+, Assertions: (?=.*(?:Failures|Errors): [1-9])",
        r"^OK \(\d+ tests?, |^Tests: \d+, Assertions: (?!.*(?:Failures|Errors): [1-9])",
        r"^\d+\) \w+::",
        counts=counting.of_phpunit,
    ),
    _row(
        "git",
        "CONFLICT \nfatal: \nerror: \nrejected]\n] \n -> \nup to date\nup-to-date\nrebased\n"
        "Merge made\nFast-forward\ncan merge\nto commit\nneeds merge\nrejected",
        r"^CONFLICT \(|^Automatic merge failed|^(?:fatal|error): | ! \[(?:remote )?rejected\]|^Could not apply "
        r"|not something we can merge$|^nothing (?:added )?to commit\b|needs merge$|^hint: Updates were rejected",
        r"^\[[\w./ -]+ (?:\(root-commit\) )?[0-9a-f]{7,40}\] |^Already up to date|^Everything up-to-date"
        r"|Successfully rebased|^Merge made by|^Fast-forward$"
        r"|^ [ +*] ?(?:[0-9a-f]{7,40}\.\.|\[new (?:branch|tag)\])"
        r"|^   [0-9a-f]{7,40}\.\.[0-9a-f]{7,40} +\S+ -> |^Current branch .* is up to date",
        r"^CONFLICT \(| ! \[(?:remote )?rejected\]|^(?:fatal|error): ",
        counts=counting.nothing,
    ),
    _row(
        "npm pnpm yarn npx",
        "npm error \nnpm ERR! \nELIFECYCLE\nERR_PNPM\n Error: \n in ",
        r"^npm (?:error|ERR!) |\bELIFECYCLE\b|\bERR_PNPM_\w+|^(?:Internal|Usage|Unknown Syntax) Error: "
        r"|^error Command failed",
        r"^(?:added|removed|changed|audited|up to date)\b.* in \d|^Done in \d|^\S+ YN0000: \W*Done\b",
        r"^npm (?:error|ERR!) (?!code |errno|syscall|path |A complete|Usage|Options|aliases|Run |Clean|\[|  )\S"
        r"|^(?:Internal|Usage|Unknown Syntax) Error: |\bERR_PNPM_\w+|^ +× ",
        counts=counting.nothing,
    ),
    _row(
        "pip pip3 uv",
        "ERROR: \nerror: \nSuccessfully \nRequirement already\nNo broken\n package",
        r"^ERROR: |^error: ",
        r"^ *Successfully (?:un)?installed |^Requirement already satisfied|^No broken requirements"
        r"|^(?:Resolved|Installed|Audited|Uninstalled|Prepared) \d+ packages? in ",
        counts=counting.nothing,
    ),
    _row(
        "curl",
        "curl: (\nHTTP/",
        r"^curl: \(\d+\) |^HTTP/[\d.]+ [45]\d\d\b",
        r"^HTTP/[\d.]+ 2\d\d\b",
        counts=counting.nothing,
    ),
    _row(
        "mise",
        "ERROR \nFinished in ",
        r"^\[\S+\] ERROR task failed|^mise ERROR ",
        r"^Finished in \d",
        r"^mise ERROR (?!Version:|Run with)",
        counts=counting.nothing,
    ),
    _row(
        "mkdocs",
        "Aborted with \nDocumentation built in ",
        r"^Aborted with (?:\d+ warnings? in strict mode!|a BuildError!)",
        r"^INFO +-  Documentation built in \d",
        r"^(?:ERROR|WARNING) +-  \S",
        counts=counting.nothing,
    ),
    _row(
        "psql",
        "ERROR: \nFATAL: \nerror: ",
        r"^(?:psql:\S+:\d+: )?(?:ERROR|FATAL|PANIC):  |^psql(?::\S+:\d+)?: error: ",
        counts=counting.nothing,
    ),
    _row(
        "sqlite3",
        "rror",
        r"^(?:(?:Parse|Runtime) error|Error)(?:,| in| near| at) |^Error: (?:in prepare|stepping), ",
        counts=counting.nothing,
    ),
    _row(
        "mysql mariadb",
        "ERROR ",
        r"^ERROR \d+ \(\w+\)",
        counts=counting.nothing,
    ),
)
