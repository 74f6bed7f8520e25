"""Runs pytest in a fork of this process, which has imported what tests need but nothing of the program.

A fork saves the start of Python and of pytest. A changed module is passed as source and imported instead of its
file, which is never written. Processes that a test starts do not see the change.
"""

import importlib.util
import os
import resource
import signal
import sys
import traceback
from collections.abc import Callable, Collection, Sequence
from functools import cache
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path
from types import CodeType
from typing import Any

import httpx  # noqa: F401
import hypothesis.strategies  # noqa: F401
import jsonschema_rs  # noqa: F401
import msgspec  # noqa: F401
import pytest
import pytest_asyncio  # noqa: F401
import tiktoken  # noqa: F401

MEMORY = 6 << 30
FAILED, BROKEN, NONE = pytest.ExitCode.TESTS_FAILED, pytest.ExitCode.INTERRUPTED, pytest.ExitCode.NO_TESTS_COLLECTED
WARM = "ignore:Module already imported:pytest.PytestAssertRewriteWarning"  # expected, since a fork reuses imports
ARGUMENTS = ["-q", "-p", "no:cacheprovider", "-p", "no:xdist", "-m", "not (real or kill)", "-W", WARM]


class Chosen:
    """A plugin that selects these tests in this order (none: all), without some, and writes the name of a failed
    test to a file.
    """

    def __init__(self, tests: Collection[str], without: Collection[str], report_path: Path) -> None:
        self.order = {test: index for index, test in enumerate(tests)}
        self.without = without
        self.report_path = report_path

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        items[:] = [item for item in items if item.nodeid not in self.without and not is_golden(item)]
        if self.order:
            wanted = [item for item in items if item.nodeid in self.order]
            items[:] = sorted(wanted, key=lambda item: self.order[item.nodeid])

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self.report_path.write_text(report.nodeid, encoding="utf-8")


def is_golden(item: pytest.Item) -> bool:
    """Whether it compares with a file of tests/goldens: it names the content of such a file, or requests it."""
    goldens = sys.modules.get("tests.goldens")
    if goldens is None or not isinstance(item, pytest.Function):
        return False
    known = vars(item.module)
    asking = {name for name, value in known.items() if value is goldens.held or value is goldens.golden}
    asking |= {name for name, value in known.items() if isinstance(value, str) and value in texts_of(goldens.HERE)}
    code = item.function.__code__
    inner = [constant for constant in code.co_consts if isinstance(constant, CodeType)]
    return any(name in asking for block in (code, *inner) for name in block.co_names)


@cache
def texts_of(folder: Path) -> frozenset[str]:
    return frozenset(path.read_text(encoding="utf-8").removesuffix("\n") for path in folder.rglob("*.md"))


class _Source(SourceFileLoader):
    def __init__(self, name: str, path: str, source: str) -> None:
        super().__init__(name, path)
        self.source = source

    def get_code(self, fullname: str) -> CodeType:
        """Neither reads nor writes a cache."""
        code: CodeType = compile(self.source, self.path, "exec", dont_inherit=True)
        return code


class Instead(MetaPathFinder):
    """The source of one module, to be used instead of its file."""

    def __init__(self, module: str, source: str) -> None:
        self.module, self.source = module, source

    def find_spec(self, name: str, path: Sequence[str] | None, target: Any = None) -> ModuleSpec | None:
        spec = PathFinder.find_spec(name, path) if name == self.module else None
        if spec is None or spec.origin is None:
            return None
        return importlib.util.spec_from_file_location(
            name, spec.origin, loader=_Source(name, spec.origin, self.source),
            submodule_search_locations=spec.submodule_search_locations,
        )  # fmt: skip


def forked(folder: Path, log: Path, work: Callable[[], int], cpu_seconds: int = 0) -> int:
    """The id of a process that runs `work` in `folder`. Its output goes to `log`."""
    if child := os.fork():
        return child
    code = 70
    try:
        os.setsid()  # its own CPU share, on systems that give each session one
        os.chdir(folder)
        for descriptor, flags in ((0, os.O_RDONLY), (1, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)):
            name = log if descriptor else os.devnull
            os.dup2(os.open(name, flags, 0o644), descriptor)
        os.dup2(1, 2)
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        if cpu_seconds:
            resource.setrlimit(resource.RLIMIT_CPU, (cpu_seconds, cpu_seconds))
            signal.signal(signal.SIGALRM, signal.SIG_DFL)
            signal.alarm(cpu_seconds * 20)  # also limits sleep; a machine may be busy
        os.environ["PYTHONPATH"] = str(folder)
        sys.path.insert(0, str(folder))
        code = work()
    except BaseException:  # noqa: BLE001 - a fork ends here whatever happened, and says what
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def ended(
    tests: Collection[str],
    report_path: Path,
    *plugins: Any,
    instead: Instead | None = None,
    without: Collection[str] = (),
) -> int:
    """Runs tests, or whole files of them, until one fails; returns pytest's exit code. If names contain `::`, only
    those tests run.
    """
    sys.dont_write_bytecode = False  # compiled files serve the next fork; a changed module has no cache
    if instead is not None:
        sys.meta_path.insert(0, instead)
    files = list(dict.fromkeys(test.partition("::")[0] for test in tests))
    single = [test for test in tests if "::" in test]
    until = "-x" if instead is not None else "--continue-on-collection-errors"
    return int(pytest.main([*ARGUMENTS, until, *files], plugins=[Chosen(single, without, report_path), *plugins]))
