"""Runs the tests and prints one line a test, no times, so that two runs can be compared with diff."""

import importlib
import sys
import unittest
from pathlib import Path

HERE = Path(__file__).parent


class OneLine(unittest.TestResult):
    """Prints "ok" or the first line of what went wrong."""

    def addSuccess(self, test: unittest.TestCase) -> None:
        print(f"ok    {test.id()}")

    def addFailure(self, test: unittest.TestCase, err: tuple) -> None:
        super().addFailure(test, err)
        print(f"FAIL  {test.id()}\n      {first_line(err[1])}")

    def addError(self, test: unittest.TestCase, err: tuple) -> None:
        super().addError(test, err)
        print(f"ERROR {test.id()}\n      {type(err[1]).__name__}: {first_line(err[1])}")


def first_line(error: BaseException) -> str:
    lines = str(error).splitlines()
    return lines[0] if lines else ""


def main(names: list[str]) -> int:
    sys.path.insert(0, str(HERE))
    chosen = names or sorted(path.stem[5:] for path in (HERE / "tests").glob("test_*.py"))
    result = OneLine()
    for name in chosen:
        try:
            module = importlib.import_module(f"tests.test_{name}")
        except Exception as error:
            print(f"ERROR tests.test_{name}\n      {type(error).__name__}: {first_line(error)}")
            result.errors.append((None, ""))
            continue
        unittest.defaultTestLoader.loadTestsFromModule(module).run(result)
    bad = len(result.failures) + len(result.errors)
    print(f"{result.testsRun} tests, {bad} bad")
    return 1 if bad else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
