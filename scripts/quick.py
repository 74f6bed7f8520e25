"""Chooses what a change may have broken, and checks that: `scripts/test --quick`.

Rules:

1. The change is everything that differs from the merge base with `main`, committed or not, and untracked files.
2. Lint covers everything, since it takes a second; types are checked for the changed modules.
3. Tests run in this order: changed tests, tests that import a changed module, those of pages and of the structure
   of packages (`PAGES`, `SHAPE`). What is not committed comes before what is. Tests that import fewer modules come
   first, since they are more specific.
4. Tests of real programs, of kills and long ones are left to `scripts/test --all`.
5. No test starts after `TEST_SECONDS`, except those of test files with uncommitted changes, which all run.
6. Tests that did not run are counted. Changed test files that did not run are named.
"""

import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest

ROOT = Path(__file__).parents[1]
FOLDERS = ("ctxmgr", "scripts", "tests")
BASE = "main"
TEST_SECONDS = 20.0
MOST_FILES = 40  # collected at most: more would not run within the time
MOST_NAMED = 10
LEFT_TO_ALL = "not (real or kill or long)"
SHAPE = (  # for any module of ctxmgr; the rest of `test_faces` takes longer
    "tests/test_floors.py",
    "tests/test_faces.py::test_others_import_from_the_face",
    "tests/test_faces.py::test_somebody_uses_what_a_face_shows",
)
PAGES = {  # the beginning of a path, and what tests such files
    "README.md": ("tests/test_readme.py",),
    "ARCHITECTURE.md": ("tests/test_map.py", "tests/test_docs.py"),
    "CONTRIBUTING.md": ("tests/test_map.py",),
    "docs/": ("tests/test_docs.py", "tests/test_readme.py"),
    "protocol/": ("tests/contract/test_generated.py", "tests/test_readme.py"),
    "protocol/transcripts/": ("tests/contract/test_transcripts.py",),
    "protocol/hosts/": ("tests/hosts/test_readmes.py",),
    "scripts/generating/": ("tests/contract/test_generated.py", "tests/contract/test_reference.py"),
    "ctxmgr/model/api/": ("tests/contract/test_generated.py",),
    "ctxmgr/wire/methods.py": ("tests/contract/test_generated.py",),
    "ctxmgr/engine/": ("tests/contract/test_transcripts.py",),
    "ctxmgr/session/": ("tests/contract/test_transcripts.py",),
}

# `from a.b import c, d as e`, with or without brackets, and `import a.b`
_FROM = re.compile(r"^[ \t]*from ([\w.]+) import (?:\(([^)]*)\)|(.+))$", re.MULTILINE)
_IMPORT = re.compile(r"^[ \t]*import ([\w.]+)", re.MULTILINE)
Imports = Mapping[
    str, frozenset[str]
]  # for each module of the tree, by dotted name: the modules of the tree that it imports


class Selection(NamedTuple):
    """Test files in their order (rule 3). `left_out`: those beyond `MOST_FILES`."""

    files: list[str]
    left_out: int


def module_of(path: str) -> str:
    """The dotted name of a file: `ctxmgr/wire/__init__.py` is `ctxmgr.wire`."""
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def imports(sources: Mapping[str, str]) -> Imports:
    """`sources`: texts by path. A name that a package imports from one of its own modules counts as that
    module's.
    """
    modules = {module_of(path): path for path in sources}
    named = {module: _named(sources[path]) for module, path in modules.items()}
    given = {  # by package: the module that each name of its face comes from
        module: {name: of for of, names in named[module] for name in names}
        for module, path in modules.items()
        if path.endswith("/__init__.py")
    }

    def found(of: str, name: str) -> str:
        if f"{of}.{name}" in modules:
            return f"{of}.{name}"
        within = given.get(of, {}).get(name)
        return within if within in modules and within != of else of

    return {
        module: frozenset(
            target
            for of, names in rows
            for target in ([found(of, name) for name in names] or [of])
            if target in modules and target != module
        )
        for module, rows in named.items()
    }


def _named(source: str) -> list[tuple[str, tuple[str, ...]]]:
    """What a file imports, and from where."""
    rows = []
    for match in _FROM.finditer(source):
        names = re.sub(r"#.*", "", match[2] or match[3])
        rows.append((match[1], tuple(name.split()[0] for name in names.split(",") if name.strip())))
    return rows + [(match[1], ()) for match in _IMPORT.finditer(source)]


def is_test(path: str) -> bool:
    return path.startswith("tests/") and path.endswith(".py") and Path(path).name.startswith("test_")


def selected(changed: Sequence[str], sources: Mapping[str, str], uncommitted: Sequence[str] = ()) -> Selection:
    """The tests of the paths `changed`, `uncommitted` among them. A path missing in `sources` was removed."""
    of = imports(sources)
    reach = {path: _reach(module_of(path), of) for path in sources if is_test(path)}
    touched, newest = (
        {module_of(path) for path in paths if path.endswith(".py")} for paths in (changed, uncommitted)
    )
    own = reach.keys() & {*uncommitted}
    chosen = sorted(
        (path for path, modules in reach.items() if path in changed or modules & touched),
        key=lambda path: (path not in own, not reach[path] & newest, path not in changed, len(reach[path]), path),
    )
    pages = _pages(changed, {*reach})
    files = list(dict.fromkeys([*chosen[: max(MOST_FILES - len(pages), len(own))], *pages]))
    return Selection(files, len({*chosen} - {*files}))


def _reach(test: str, of: Imports) -> frozenset[str]:
    """What a test imports, directly or through helpers of the tests. A package's own imports do not count."""
    seen, waiting = set(), [test]
    while waiting:
        for target in of[waiting.pop()] - seen:
            seen.add(target)
            if target.startswith("tests."):
                waiting.append(target)
    return frozenset(seen)


def _pages(changed: Iterable[str], tests: set[str]) -> list[str]:
    """Tests of files that are not imported, and of what all modules have in common."""
    found: list[str] = []
    for path in changed:
        found += [test for start, named in PAGES.items() if path.startswith(start) for test in named]
        found += SHAPE if path.startswith("ctxmgr/") and path.endswith(".py") else ()
    return [test for test in dict.fromkeys(found) if test.partition("::")[0] in tests]


class Deadline:
    """A pytest plugin for rules 5 and 6. `now` returns seconds; `always`: test files that it does not stop."""

    def __init__(
        self, seconds: float, now: Callable[[], float] = time.monotonic, always: Iterable[str] = ()
    ) -> None:
        self._now, self._end, self._always = now, now() + seconds, {*always}
        self._complete: dict[str, bool] = {}  # by test file: all of its tests ran
        self.left_out = 0

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: Any) -> bool | None:
        path = item.nodeid.partition("::")[0]
        runs = path in self._always or self._now() < self._end
        self._complete[path] = self._complete.get(path, True) and runs
        if runs:
            return None
        self.left_out += 1
        return True  # handled: pytest must not run it

    def not_run(self, changed: Iterable[str]) -> list[str]:
        """The changed test files of which a test was left out for time, or none was chosen (rule 4)."""
        return [path for path in changed if not self._complete.get(path, False)]


def changed_paths(base: str) -> list[str]:
    """Rule 1."""
    since = _git("merge-base", base, "HEAD") or ["HEAD"]
    return sorted({*_git("diff", "--name-only", since[0]), *_git("ls-files", "--others", "--exclude-standard")})


def _git(*words: str) -> list[str]:
    return subprocess.run(["git", *words], cwd=ROOT, capture_output=True, encoding="utf-8").stdout.splitlines()


def _sources() -> dict[str, str]:
    paths = (
        path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py") if "node_modules" not in path.parts
    )
    return {path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8") for path in paths}


def main(base: str = BASE) -> int:
    changed = changed_paths(base)
    typed = [
        path for path in changed if path.startswith("ctxmgr/") and path.endswith(".py") and (ROOT / path).exists()
    ]
    types = (
        subprocess.Popen([sys.executable, "-m", "mypy", *typed], cwd=ROOT) if typed else None
    )  # beside the tests
    lint = [
        subprocess.run([sys.executable, "-m", "ruff", *words, "."], cwd=ROOT).returncode
        for words in (("check", "--quiet"), ("format", "--check", "--quiet"))
    ]
    uncommitted, sources, tests = changed_paths("HEAD"), _sources(), 0
    selection, deadline = selected(changed, sources, uncommitted), Deadline(TEST_SECONDS, always=uncommitted)
    if selection.files:
        names = ", ".join(selection.files[:3]) + (", ..." if len(selection.files) > 3 else "")
        print(
            f"files changed since {base}: {len(changed)}; test files: {len(selection.files)} ({names})", flush=True
        )
        tests = int(
            pytest.main(
                ["-q", "--no-header", "--continue-on-collection-errors", "-m", LEFT_TO_ALL, *selection.files],
                plugins=[deadline],
            )
        )
    failed = [
        name
        for name, bad in (
            ("lint (ruff check)", lint[0]),
            ("format (ruff format)", lint[1]),
            ("types (mypy)", types.wait() if types else 0),
            ("tests", tests not in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED)),
        )
        if bad
    ]
    if deadline.left_out or selection.left_out:
        print(f"not run in {TEST_SECONDS:.0f} s: tests: {deadline.left_out}; more test files: {selection.left_out}")
    not_run = deadline.not_run(path for path in changed if path in sources and is_test(path))
    print(verdict(failed, not_run))
    return 1 if failed else 0


def verdict(failed: Sequence[str], not_run: Sequence[str]) -> str:
    """The last lines of the output."""
    lines = []
    if not_run:
        more = [f"and {len(not_run) - MOST_NAMED} more"] if len(not_run) > MOST_NAMED else []
        lines = ["changed test files that did not run, or not all of their tests:"]
        lines += [f"  {one}" for one in [*not_run[:MOST_NAMED], *more]]
    if failed:
        lines.append(f"failed: {', '.join(failed)}")
    elif not_run:
        lines.append("what ran did not fail; run the rest: scripts/test, or scripts/test --all")
    else:
        lines.append("nothing failed; before you push: scripts/test")
    return "\n".join(lines)


if __name__ == "__main__":
    raise SystemExit(main(*sys.argv[1:]))
