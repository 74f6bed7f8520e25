"""Chooses what a change may have broken, and checks that: `scripts/test --quick`.

Rules:

1. The change is everything that differs from the merge base with `main`, committed or not, and untracked files.
2. Lint covers everything, since it takes a second; types are checked for the changed modules.
3. Tests run in this order: changed tests, tests that import a changed module, those of pages and of the structure
   of packages (`PAGES`, `SHAPE`), tests that import an importer of a changed module. In each group the tests of the
   changed package come first, then those that import fewer modules, since they are more specific.
4. Tests of real programs, of kills and long ones are left to `scripts/test --all`.
5. No test starts after `TEST_SECONDS`. Tests that did not run are counted and reported.
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
NEIGHBOR = 2  # the rank of tests of what imports a changed module
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


def selected(changed: Sequence[str], sources: Mapping[str, str]) -> Selection:
    """The tests of these paths. A path missing in `sources` was removed."""
    of = imports(sources)
    tests = {path for path in sources if Path(path).name.startswith("test_") and path.startswith("tests/")}
    reach = {path: _reach(module_of(path), of) for path in tests}
    touched = {module_of(path) for path in changed if path.endswith(".py")}
    neighbors = {module for module, targets in of.items() if targets & touched and module.startswith("ctxmgr")}
    ranks = {path: _rank(path, reach[path], set(changed), touched, neighbors) for path in tests}
    packages = {
        f"/{Path(path).parts[1]}/" for path in changed if path.startswith("ctxmgr/") and path.count("/") > 1
    }
    far = {path: not any(package in path for package in packages) for path in tests}
    chosen = sorted((rank, far[path], len(reach[path]), path) for path, rank in ranks.items() if rank is not None)
    near = [path for rank, *_, path in chosen if rank < NEIGHBOR]
    others = [path for rank, *_, path in chosen if rank == NEIGHBOR]
    pages = _pages(changed, tests)
    files = list(dict.fromkeys([*near[: MOST_FILES - len(pages)], *pages, *others]))
    left_out = len({*near, *others} - {*files[:MOST_FILES]})
    return Selection(files[:MOST_FILES], left_out)


def _rank(
    path: str, reach: frozenset[str], changed: set[str], touched: set[str], neighbors: set[str]
) -> int | None:
    if path in changed:
        return 0
    if reach & touched:
        return 1
    return NEIGHBOR if reach & neighbors else None


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
    """A pytest plugin for rule 5. `now` returns seconds."""

    def __init__(self, seconds: float, now: Callable[[], float] = time.monotonic) -> None:
        self._now, self._end = now, now() + seconds
        self.left_out = 0

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: Any) -> bool | None:
        if self._now() < self._end:
            return None
        self.left_out += 1
        return True  # handled: pytest must not run it


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
    selection, deadline, tests = selected(changed, _sources()), Deadline(TEST_SECONDS), 0
    if selection.files:
        names = ", ".join(selection.files[:3]) + (", ..." if len(selection.files) > 3 else "")
        print(f"changed files: {len(changed)}; test files: {len(selection.files)} ({names})", flush=True)
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
        print(f"not run within {TEST_SECONDS:.0f} s: {deadline.left_out} tests and {selection.left_out} test files")
    print(f"failed: {', '.join(failed)}" if failed else "nothing failed; before you push: scripts/test")
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main(*sys.argv[1:]))
