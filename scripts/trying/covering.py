"""Records which tests run each line of a package, and how long each test takes.

Caches (`lru_cache`) are cleared before each test, so that each test is recorded at every line it needs. Lines that
run at import belong to no test.
"""

import ast
import functools
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

import msgspec
import pytest


class Covered(msgspec.Struct):
    """`lines`: file below the package's folder -> line -> indices in `tests`. `failed`: tests that fail without
    changes, and files that cannot be read.
    """

    failed: list[str] = []
    tests: list[str] = []
    seconds: list[float] = []
    lines: dict[str, dict[int, list[int]]] = {}

    def tests_of(self, path: str, lines: range) -> list[str]:
        """The tests that run one of these lines, fastest first."""
        there = self.lines.get(path, {})
        numbers = {number for line in lines for number in there.get(line, ())}
        return [self.tests[number] for number in sorted(numbers, key=self.seconds.__getitem__)]


def merged(parts: list[Covered]) -> Covered:
    tests: list[str] = []
    seconds: list[float] = []
    failed = [test for part in parts for test in part.failed]
    lines: dict[str, dict[int, list[int]]] = defaultdict(lambda: defaultdict(list))
    for part in parts:
        for path, there in part.lines.items():
            for line, places in there.items():
                lines[path][line] += [len(tests) + number for number in places]
        tests += part.tests
        seconds += part.seconds
    return Covered(failed, tests, seconds, lines)


def lines_beside(source: str, line: int) -> range | None:
    """The lines of the statement that contains this line, without nested statements; for the first lines of a
    function the whole function. None for a line that runs at import.
    """
    best: range | None = None
    inside = False

    def visit(nodes: list[ast.stmt], within: bool) -> None:
        nonlocal best, inside
        for node in nodes:
            end = node.end_lineno or node.lineno
            if not node.lineno <= line <= end:
                continue
            function = isinstance(node, ast.FunctionDef)
            body: list[ast.stmt] = getattr(node, "body", [])
            best, inside = range(node.lineno, end + 1), within or function
            if body and line < body[0].lineno:
                best = best if function else range(node.lineno, body[0].lineno)
                return
            for name in ("body", "orelse", "finalbody"):
                visit(getattr(node, name, []), within or function)
            for handler in getattr(node, "handlers", []):
                visit(handler.body, within or function)

    visit(ast.parse(source).body, False)
    return best if inside else None


class Failing:
    """A pytest plugin that collects the tests that fail, and the files that cannot be read."""

    def __init__(self) -> None:
        self.failed: dict[str, None] = {}

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self.failed[report.nodeid] = None

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self.failed[report.nodeid] = None

    def covered(self) -> Covered:
        return Covered(list(self.failed))


class Recorder(Failing):
    """Also records which lines of the package in `folder` each passing test runs."""

    def __init__(self, folder: Path) -> None:
        import coverage

        super().__init__()
        self.folder = folder
        self.measure = coverage.Coverage(data_file=None, config_file=False, source=[str(folder)], messages=False)
        self.seconds: dict[str, float] = {}
        self.remembering: list[Any] = []

    def pytest_sessionstart(self) -> None:
        self.measure.start()

    def pytest_collection_finish(self) -> None:
        modules = [module for name, module in sys.modules.items() if name.startswith(("ctxmgr", "tests"))]
        values = (value for module in modules for value in vars(module).values())
        functions = {id(value): value for value in values if isinstance(value, functools._lru_cache_wrapper)}
        self.remembering = list(functions.values())

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logstart(self, nodeid: str) -> None:
        for function in self.remembering:
            function.cache_clear()
        self.measure.switch_context(nodeid)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        super().pytest_runtest_logreport(report)
        self.seconds[report.nodeid] = self.seconds.get(report.nodeid, 0.0) + report.duration

    def covered(self) -> Covered:
        self.measure.stop()
        data = self.measure.get_data()
        tests = {test: seconds for test, seconds in self.seconds.items() if test not in self.failed}
        out = Covered(list(self.failed), list(tests), list(tests.values()))
        places = {test: number for number, test in enumerate(out.tests)}
        for name in data.measured_files():
            path = Path(name).relative_to(self.folder).as_posix()
            out.lines[path] = {
                line: [places[test] for test in some if test in places]
                for line, some in data.contexts_by_lineno(name).items()
            }
        return out
