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

import pytest

from tests.sources import Import
from tests.sources import imports as sources_imports

ROOT = Path(__file__).parent.parent
FOR_USERS = {
    "ctxmgr": "what a program imports",
    "ctxmgr.client": "what a program that spawns a sidecar imports",
    "ctxmgr.integrations": "what a program on a framework imports, to share a sidecar",
    "ctxmgr.library": "what a program without a sidecar imports",
    "ctxmgr.model.api.compaction": "params and answers, which the client's calls take and give",
    "ctxmgr.model.api.lifecycle": "params and answers, which the client's calls take and give",
}

NAMED = re.compile(r'"(ctxmgr[\w.]*):([\w.]+)"')  # a text that names what is imported when it is used

Sources = Mapping[str, str]  # by path from the root: `ctxmgr/wire/__init__.py`


@cache
def sources() -> Sources:
    files = [path for folder in ("ctxmgr", "scripts", "protocol") for path in (ROOT / folder).rglob("*.py")]
    files += [path for path in (ROOT / "scripts").iterdir() if path.is_file() and _is_python(path)]
    return {path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8") for path in files}


def _is_python(script: Path) -> bool:
    return not script.suffix and "python" in script.read_text(encoding="utf-8").partition("\n")[0]


@cache
def pages() -> str:
    return "\n".join(
        path.read_text(encoding="utf-8") for path in (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")))
    )


def module_of(path: str) -> str:
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def packages(texts: Sources) -> dict[str, str]:
    """Those of ctxmgr, by name."""
    return {module_of(path): text for path, text in texts.items() if re.match(r"ctxmgr/(.*/)?__init__\.py$", path)}


def modules(texts: Sources) -> dict[str, str]:
    """Those of ctxmgr, by name; no packages."""
    return {module_of(path): text for path, text in texts.items() if re.match(r"ctxmgr/.*(?<!__init__)\.py$", path)}


def is_inside(module: str, package: str) -> bool:
    return module == package or module.startswith(f"{package}.")


@cache
def imports(text: str) -> tuple[Import, ...]:
    """Those of ctxmgr, and what a text names as `module:name`."""
    later = [Import(0, module, name.partition(".")[0], "", False) for module, name in NAMED.findall(text)]
    return (*later, *(one for one in sources_imports(text) if one.module.partition(".")[0] == "ctxmgr"))


@cache
def shown(face: str) -> list[str] | None:
    """The names in `__all__`; None where there is none."""
    for node in ast.parse(face).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            return list(ast.literal_eval(node.value))
    return None


# what a face is


def faceless(texts: Sources) -> list[str]:
    """A package of packages alone has no names of its own to show."""
    full = {name.rpartition(".")[0] for name in modules(texts)}
    faces = packages(texts)
    faults = [
        f"{name} does not say what it is for"
        for name, face in faces.items()
        if not ast.get_docstring(ast.parse(face))
    ]
    return faults + [f"{name} has no __all__" for name, face in faces.items() if name in full and not shown(face)]


def reached_into(texts: Sources) -> list[str]:
    """Imports of what is not shown: of a module of another package, of a name that its face does not have; and of
    one's own face, which is not whole while its modules are loaded."""
    faces = {name: set(shown(face) or ()) for name, face in packages(texts).items()}
    inner = set(modules(texts))
    faults = []
    for path, text in texts.items():
        mine = module_of(path) if path.endswith("__init__.py") else module_of(path).rpartition(".")[0]
        for one in imports(text):
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


def unused(texts: Sources, page: str) -> list[str]:
    """Names of faces that nobody outside uses: no module, no script, no page."""
    uses: dict[str, set[str]] = defaultdict(set)
    faces = packages(texts)
    for path, text in texts.items():
        here = module_of(path) if path.startswith("ctxmgr/") else "scripts"
        named = {
            one.bound: f"{one.module}.{one.name}" for one in imports(text) if f"{one.module}.{one.name}" in faces
        }
        for one in imports(text):
            if one.name and not is_inside(here, one.module):
                uses[one.module].add(one.name)
        for name, attribute in re.findall(r"(?<![\w.])(\w+)\.(\w+)", text) if named else ():
            if name in named and not is_inside(here, named[name]):
                uses[named[name]].add(attribute)
    for found in re.finditer(r"^[ >]*from (ctxmgr[\w.]*) import \(?([^)\n]*)", page, re.MULTILINE):
        uses[found[1]] |= {one.strip() for one in found[2].split(",")}
    return [
        f"nobody uses {package}.{name}"
        for package, face in faces.items()
        if package not in FOR_USERS
        for name in shown(face) or ()
        if name not in uses[package]
    ]


def circles(texts: Sources) -> list[str]:
    """Circles among what lies side by side in a package, modules and packages, each with all that is inside it."""
    found = []
    everything = {**packages(texts), **modules(texts)}
    for package in packages(texts):
        arrows: dict[str, set[str]] = defaultdict(set)
        for name, text in everything.items():
            if name == package or not is_inside(name, package):
                continue
            here = _child(package, name)
            for one in imports(text):
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
    texts = SOUND
    assert [*faceless(texts), *reached_into(texts), *unused(texts, ""), *circles(texts)] == []


PLANTED = [
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
]


def test_a_planted_fault_is_found() -> None:
    for path, text, fault in PLANTED:
        texts = {**SOUND, path: text}
        assert fault in [*faceless(texts), *reached_into(texts), *unused(texts, ""), *circles(texts)]


def test_a_name_that_only_a_page_uses_is_used() -> None:
    texts = {**SOUND, "ctxmgr/b/c.py": "from ctxmgr.a.deep import two"}
    assert unused(texts, "    from ctxmgr.a import one\n") == []


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
