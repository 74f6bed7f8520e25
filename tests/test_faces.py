"""Packages have faces: what stands in `__init__` is what others may use of one, and all of it is used.

A package's own modules, and those of packages inside it, import each other by module; everybody else imports from
the package. A module that is used as a module (`latch.turn_ended(...)`) is a name of the face like any other.
"""

import ast
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parent.parent
FOR_USERS = {
    "ctxmgr": "what a program imports",
    "ctxmgr.client": "what a program that spawns a sidecar imports",
    "ctxmgr.integrations": "what a program on a framework imports, to share a sidecar",
    "ctxmgr.library": "what a program without a sidecar imports",
    "ctxmgr.model.api.compaction": "params and answers, which the client's calls take and give",
    "ctxmgr.model.api.lifecycle": "params and answers, which the client's calls take and give",
}

NAMED = re.compile(r"ctxmgr[\w.]*:[\w.]+")

Sources = Mapping[str, ast.Module]  # by path from the root: `ctxmgr/wire/__init__.py`


class Import(NamedTuple):
    """One name of one import, wherever in a module it stands. `name`: None of `import module`."""

    line: int
    module: str
    name: str | None
    bound: str


def parsed(texts: Mapping[str, str]) -> Sources:
    return {path: ast.parse(text) for path, text in texts.items()}


@cache
def sources() -> Sources:
    files = [path for folder in ("ctxmgr", "scripts", "protocol") for path in (ROOT / folder).rglob("*.py")]
    files += [path for path in (ROOT / "scripts").iterdir() if path.is_file() and _is_python(path)]
    return parsed({path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8") for path in files})


def _is_python(script: Path) -> bool:
    return not script.suffix and "python" in script.read_text(encoding="utf-8").partition("\n")[0]


@cache
def pages() -> str:
    return "\n".join(
        path.read_text(encoding="utf-8") for path in (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")))
    )


def module_of(path: str) -> str:
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def packages(trees: Sources) -> dict[str, ast.Module]:
    """Those of ctxmgr, by name."""
    return {module_of(path): tree for path, tree in trees.items() if re.match(r"ctxmgr/(.*/)?__init__\.py$", path)}


def modules(trees: Sources) -> dict[str, ast.Module]:
    """Those of ctxmgr, by name; no packages."""
    return {module_of(path): tree for path, tree in trees.items() if re.match(r"ctxmgr/.*(?<!__init__)\.py$", path)}


def is_inside(module: str, package: str) -> bool:
    return module == package or module.startswith(f"{package}.")


@cache
def imports(tree: ast.Module) -> tuple[Import, ...]:
    """Those of ctxmgr, and what a text names as `module:name`, to be imported when it is used."""
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and NAMED.fullmatch(node.value):
            module, _, name = node.value.partition(":")
            found.append(Import(node.lineno, module, name.partition(".")[0], ""))
        if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == "ctxmgr":
            names = ((one.name, one.asname or one.name) for one in node.names)
            found += [Import(node.lineno, node.module or "", name, bound) for name, bound in names]
        elif isinstance(node, ast.Import):
            whole = [(one.name, one.asname or one.name) for one in node.names if one.name.startswith("ctxmgr")]
            found += [Import(node.lineno, name, None, bound) for name, bound in whole]
    return tuple(found)


def shown(face: ast.Module) -> list[str] | None:
    """The names in `__all__`; None where there is none."""
    for node in face.body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            return list(ast.literal_eval(node.value))
    return None


# what a face is


def faceless(trees: Sources) -> list[str]:
    """A package of packages alone has no names of its own to show."""
    full = {name.rpartition(".")[0] for name in modules(trees)}
    faces = packages(trees)
    faults = [f"{name} does not say what it is for" for name, face in faces.items() if not ast.get_docstring(face)]
    return faults + [f"{name} has no __all__" for name, face in faces.items() if name in full and not shown(face)]


def reached_into(trees: Sources) -> list[str]:
    """Imports of what is not shown: of a module of another package, of a name that its face does not have; and of
    one's own face, which is not whole while its modules are loaded."""
    faces = {name: set(shown(face) or ()) for name, face in packages(trees).items()}
    inner = set(modules(trees))
    faults = []
    for path, tree in trees.items():
        mine = module_of(path) if path.endswith("__init__.py") else module_of(path).rpartition(".")[0]
        for one in imports(tree):
            target, name = one.module, one.name
            where = f"{path}:{one.line}"
            if name is None:
                faults.append(f"{where} imports {target} whole")
            elif f"{target}.{name}" in faces or target == "ctxmgr":
                continue  # a package as a namespace; the version, and the names of the package for those who use it
            elif target not in faces:
                home = target.rpartition(".")[0]
                if not (path.startswith("ctxmgr/") and is_inside(mine, home)):
                    faults.append(f"{where} reaches into {target}")
            elif path.startswith("ctxmgr/") and is_inside(mine, target):
                if f"{target}.{name}" not in inner:
                    faults.append(f"{where} imports {name} from the face of its own package {target}")
            elif name not in faces[target]:
                faults.append(f"{where} imports {name}, which {target} does not show")
    return faults


def unused(trees: Sources, text: str) -> list[str]:
    """Names of faces that nobody outside uses: no module, no script, no page."""
    uses: dict[str, set[str]] = defaultdict(set)
    faces = packages(trees)
    for path, tree in trees.items():
        here = module_of(path) if path.startswith("ctxmgr/") else "scripts"
        named = {
            one.bound: f"{one.module}.{one.name}" for one in imports(tree) if f"{one.module}.{one.name}" in faces
        }
        for one in imports(tree):
            if one.name and not is_inside(here, one.module):
                uses[one.module].add(one.name)
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                package = named.get(node.value.id)
                if package and not is_inside(here, package):
                    uses[package].add(node.attr)
    for found in re.finditer(r"^[ >]*from (ctxmgr[\w.]*) import \(?([^)\n]*)", text, re.MULTILINE):
        uses[found[1]] |= {one.strip() for one in found[2].split(",")}
    return [
        f"nobody uses {package}.{name}"
        for package, face in faces.items()
        if package not in FOR_USERS
        for name in shown(face) or ()
        if name not in uses[package]
    ]


def circles(trees: Sources) -> list[str]:
    """Circles among what lies side by side in a package, modules and packages, each with all that is inside it."""
    found = []
    everything = {**packages(trees), **modules(trees)}
    for package in packages(trees):
        arrows: dict[str, set[str]] = defaultdict(set)
        for name, tree in everything.items():
            if name == package or not is_inside(name, package):
                continue
            here = _child(package, name)
            for one in imports(tree):
                whole = f"{one.module}.{one.name}"
                target = whole if whole in everything else one.module
                if target != package and is_inside(target, package) and _child(package, target) != here:
                    arrows[here].add(_child(package, target))
        found += [f"{package}: {' -> '.join(circle)}" for circle in _circles(arrows)]
    return found


def _child(package: str, module: str) -> str:
    return module.removeprefix(f"{package}.").partition(".")[0]


def _circles(arrows: Mapping[str, set[str]]) -> list[list[str]]:
    """What is left where, again and again, all is taken away that imports nothing or that nothing imports."""
    left = {one: set(to) for one, to in arrows.items()}
    while True:
        imported = {to for some in left.values() for to in some}
        smaller = {one: some & set(left) for one, some in left.items() if some & set(left) and one in imported}
        if smaller == left:
            return [sorted(left)] if left else []
        left = smaller


def test_a_package_says_what_it_is_for_and_what_it_shows() -> None:
    assert faceless(sources()) == []


def test_others_import_from_the_face() -> None:
    assert reached_into(sources()) == []


def test_somebody_uses_what_a_face_shows() -> None:
    assert unused(sources(), pages()) == []


def test_packages_import_each_other_one_way() -> None:
    assert circles(sources()) == []


A, INNER, DOWN, C = "ctxmgr/a/__init__.py", "ctxmgr/a/inner.py", "ctxmgr/a/deep/down.py", "ctxmgr/b/c.py"
SOUND = {
    "ctxmgr/__init__.py": '"""."""\n__all__ = ["a"]',
    "ctxmgr/__main__.py": "from ctxmgr.b import c",
    A: '"""."""\nfrom ctxmgr.a.inner import one\n__all__ = ["one"]',
    INNER: "one = 1",
    "ctxmgr/a/deep/__init__.py": '"""."""\nfrom ctxmgr.a.deep.down import two\n__all__ = ["two"]',
    DOWN: "from ctxmgr.a.inner import one\ntwo = one",
    "ctxmgr/b/__init__.py": '"""."""\nfrom ctxmgr.b import c\n__all__ = ["c"]',
    C: "from ctxmgr import a\nfrom ctxmgr.a.deep import two\na.one",
}


def test_sound_sources_have_no_faults() -> None:
    trees = parsed(SOUND)
    assert [*faceless(trees), *reached_into(trees), *unused(trees, ""), *circles(trees)] == []


@pytest.mark.parametrize(
    ("path", "text", "fault"),
    [
        (A, '__all__ = ["one"]', "ctxmgr.a does not say what it is for"),
        (A, '"""."""', "ctxmgr.a has no __all__"),
        (C, "from ctxmgr.a.inner import one", f"{C}:1 reaches into ctxmgr.a.inner"),
        (C, "def f():\n    from ctxmgr.a.inner import one", f"{C}:2 reaches into ctxmgr.a.inner"),
        (C, "import ctxmgr.a", f"{C}:1 imports ctxmgr.a whole"),
        (C, "from ctxmgr.a import inner", f"{C}:1 imports inner, which ctxmgr.a does not show"),
        (INNER, "from ctxmgr.a.deep.down import two", f"{INNER}:1 reaches into ctxmgr.a.deep.down"),
        (DOWN, "from ctxmgr.a import one", f"{DOWN}:1 imports one from the face of its own package ctxmgr.a"),
        ("scripts/x.py", "from ctxmgr.a.inner import one", "scripts/x.py:1 reaches into ctxmgr.a.inner"),
        (C, "from ctxmgr.a.deep import two", "nobody uses ctxmgr.a.one"),
        (INNER, "from ctxmgr.a.deep import two", "ctxmgr.a: deep -> inner"),
        (INNER, "from ctxmgr.b import c", "ctxmgr: a -> b"),
    ],
)
def test_a_planted_fault_is_found(path: str, text: str, fault: str) -> None:
    trees = parsed({**SOUND, path: text})
    assert fault in [*faceless(trees), *reached_into(trees), *unused(trees, ""), *circles(trees)]


def test_a_name_that_only_a_page_uses_is_used() -> None:
    trees = parsed({**SOUND, "ctxmgr/b/c.py": "from ctxmgr.a.deep import two"})
    assert unused(trees, "    from ctxmgr.a import one\n") == []


GETTABLE = """
import importlib, os, sys
for package in sys.argv[1:]:
    if os.fork():
        os.wait()
        continue
    face = importlib.import_module(package)
    for name in getattr(face, "__all__", ()):
        if hasattr(face, "__getattr__"):  # what one name loads must not help the next
            if os.fork():
                os.wait()
                continue
            if not hasattr(face, name):
                print(package, name, flush=True)
            os._exit(0)
        if not hasattr(face, name):
            print(package, name, flush=True)
    os._exit(0)
"""


@pytest.mark.long
def test_every_name_of_a_face_is_there_in_a_fresh_process() -> None:
    names = sorted(packages(sources()))
    assert len(names) > 50
    command = [sys.executable, "-c", GETTABLE, *names]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=600, check=True)
    assert (done.stdout, done.stderr) == ("", "")
