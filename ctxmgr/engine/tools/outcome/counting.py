"""What the lines that say how a run ended count, for tools that count in their own way."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from ctxmgr.engine.tools.outcome.report import NEVER, Count, counted

Counting = Callable[[Sequence[str]], Iterable[Count]]


def nothing(lines: Sequence[str]) -> Iterable[Count]:
    return ()


_RAN = re.compile(r"^Ran (\d+) tests? in ")
_NAMED = re.compile(r"(failures|errors|skipped|expected failures)=(\d+)")


def of_unittest(lines: Sequence[str]) -> Iterator[Count]:
    """`Ran 3 tests in 0.01s` and `FAILED (failures=1, errors=1)`."""
    named = {word: int(number) for line in lines for word, number in _NAMED.findall(line)}
    failed, errors, skipped = (named.get(word, 0) for word in ("failures", "errors", "skipped"))
    yield from ((failed, "failed"), (errors, "error"), (skipped, "skipped"))
    for ran in filter(None, map(_RAN.match, lines)):
        yield int(ran[1]) - sum(named.values()), "passed"


def of_go(lines: Sequence[str]) -> Iterator[Count]:
    """Tests by their own lines, packages by theirs."""
    for line in lines:
        if line.startswith("--- FAIL: "):
            yield 1, "failed"
        elif line.startswith("FAIL\t"):
            yield 1, "package failed"
        elif line.startswith("ok  \t"):
            yield 1, "package passed"


def of_jest(lines: Sequence[str]) -> Iterator[Count]:
    """Of tests; of suites where no test ran."""
    for name, what in (("Tests:", ""), ("Test Suites:", "suite ")):
        found = [one for line in lines if line.startswith(name) for one in counted([line]) if one[0]]
        if found:
            yield from ((number, f"{what}{word}") for number, word in found)
            return


def of_vitest(lines: Sequence[str]) -> Iterator[Count]:
    """Of tests, not of files."""
    yield from counted(line for line in lines if line.lstrip().startswith("Tests "))


_OF_CARGO = re.compile(r"^test result: |generated \d+ warnings?")
_PREVIOUS = re.compile(r"due to (?:(\d+) )?previous errors?")


def of_cargo(lines: Sequence[str]) -> Iterator[Count]:
    """Of errors the most: a library is compiled for itself and for its tests."""
    errors = [int(found[1] or 1) for line in lines if (found := _PREVIOUS.search(line))]
    yield max(errors, default=0), "error"
    for line in lines:
        if _OF_CARGO.search(line):
            yield from counted([line.replace(" ignored", " skipped")])


def by_line(word: str, pattern: str, total: str = NEVER.pattern) -> Counting:
    """So many lines of this pattern, or the number that a line of `total` says."""
    one, all_of_them = re.compile(pattern), re.compile(total)

    def counts(lines: Sequence[str]) -> Iterator[Count]:
        totals = [found for line in lines if (found := all_of_them.search(line))]
        yield (int(totals[-1][1]) if totals else sum(one.search(line) is not None for line in lines)), word

    return counts


def of_eslint(lines: Sequence[str]) -> Iterator[Count]:
    return (one for one in counted(lines) if "problem" not in one[1])


_MAVEN = re.compile(r"Tests run: (\d+), Failures: (\d+), Errors: (\d+), Skipped: (\d+)")


def of_maven(lines: Sequence[str]) -> Iterator[Count]:
    """Of the last line that adds up."""
    totals = [found for line in lines if (found := _MAVEN.search(line))]
    if totals:
        ran, failed, errors, skipped = map(int, totals[-1].groups())
        yield from ((failed, "failed"), (errors, "error"), (skipped, "skipped"))
        yield ran - failed - errors - skipped, "passed"


_GRADLE = re.compile(r"^(\d+) tests? completed, (\d+) failed(?:, (\d+) skipped)?")


def of_gradle(lines: Sequence[str]) -> Iterator[Count]:
    for found in filter(None, map(_GRADLE.match, lines)):
        ran, failed, skipped = (int(number or 0) for number in found.groups())
        yield from ((failed, "failed"), (ran - failed - skipped, "passed"), (skipped, "skipped"))


_RSPEC = re.compile(r"^(\d+) examples?, (\d+) failures?(?:, (\d+) pending)?(?:, (\d+) errors? occurred)?")


def of_rspec(lines: Sequence[str]) -> Iterator[Count]:
    for found in filter(None, map(_RSPEC.match, lines)):
        ran, failed, pending, errors = (int(number or 0) for number in found.groups())
        yield from ((failed, "failed"), (errors, "error"), (pending, "skipped"), (ran - failed - pending, "passed"))


_PHPUNIT = re.compile(r"(Tests|Failures|Errors|Skipped|Incomplete): (\d+)")
_PHPUNIT_OK = re.compile(r"^OK \((\d+) tests?")


def of_phpunit(lines: Sequence[str]) -> Iterator[Count]:
    for line in lines:
        named = {word: int(number) for word, number in _PHPUNIT.findall(line)}
        fine = _PHPUNIT_OK.match(line)
        if named:
            failed, errors, skipped = (named.get(word, 0) for word in ("Failures", "Errors", "Skipped"))
            yield from ((failed, "failed"), (errors, "error"), (skipped, "skipped"))
            yield named.get("Tests", 0) - failed - errors - skipped, "passed"
        elif fine:
            yield int(fine[1]), "passed"


_DOTNET = re.compile(r"\b(failed|passed|succeeded|skipped)\b *: +(\d+)", re.IGNORECASE)
_DOTNET_LINE = re.compile(r"^\s*(?:Failed|Passed|Skipped)! +- |^\s*Test summary: ")
_DOTNET_BUILT = re.compile(r"^\s*(\d+) (Error|Warning)\(s\)|^Build (?:failed|succeeded) with (\d+) (error|warning)")


def of_dotnet(lines: Sequence[str]) -> Iterator[Count]:
    """Of tests: of each project's line, else of those that add up; of a build's errors where no test ran."""
    totals = [line for line in lines if _DOTNET_LINE.match(line)] or lines
    found = [(int(number), word.lower()) for line in totals for word, number in _DOTNET.findall(line)]
    yield from ((number, "passed" if word == "succeeded" else word) for number, word in found)
    if not found:
        for built in filter(None, map(_DOTNET_BUILT.match, lines)):
            yield int(built[1] or built[3]), (built[2] or built[4]).lower()
