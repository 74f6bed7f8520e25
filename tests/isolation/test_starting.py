"""Who starts a Python process of ours, and what such a process imports: nothing of the project it is started in."""

import ast
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from ctxmgr import isolation

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "ctxmgr"
# what knows the interpreter, or starts one without being told which
INTERPRETERS = {
    "python",
    "python3",
    "executable",
    "_base_executable",
    "multiprocessing",
    "ProcessPoolExecutor",
    "LocalCluster",
    "SpecCluster",
}
KNOWN = {
    "isolation.py": {"executable"},
    # in `environment_in_force`
    "study/corpus/running.py": {"LocalCluster"},
    "study/savings/command.py": {"ProcessPoolExecutor", "multiprocessing"},
}


def interpreters(text: str) -> set[str]:
    """Names by which this source reaches an interpreter."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Attribute):
            found.add(node.attr)
        elif isinstance(node, ast.Name):
            found.add(node.id)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            found |= {part for one in node.names for part in one.name.split(".")}
            found |= set((getattr(node, "module", None) or "").split("."))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            found.add(node.value)
    return found & INTERPRETERS


def test_one_module_starts_python_processes() -> None:
    found = {path.relative_to(PACKAGE).as_posix(): interpreters(path.read_text()) for path in PACKAGE.rglob("*.py")}
    found = {path: names for path, names in found.items() if names and not path.startswith("engine/")}  # it is pure
    assert found == KNOWN


@pytest.fixture
def places(tmp_path: Path) -> Path:
    """A project with `.git`, a folder without one, a folder beside that begins alike, a link to the project."""
    for path in ("project/.git", "project/src", "project/sub/.git", "project2", "bare/lib"):
        (tmp_path / path).mkdir(parents=True)
    (tmp_path / "link").symlink_to(tmp_path / "project")
    return tmp_path


@pytest.mark.parametrize(
    ("folder", "given", "left"),
    [
        ("project/src", [".", "", "src", "@/project", "@/project/lib", "@/link", "@/link/lib"], []),
        ("project/src", ["@/project2", "/opt/lib", "@/bare"], ["@/project2", "/opt/lib", "@/bare"]),
        ("link", ["@/project/src", "@/bare"], ["@/bare"]),
        ("project/sub", ["@/project", "@/project/src"], ["@/project/src"]),
        ("bare/lib", ["@/bare", "@/project2"], ["@/project2"]),
        ("bare", ["@/bare", "@/bare/lib", "@/project"], ["@/project"]),
        ("/", ["/opt/lib", "opt/lib"], ["/opt/lib"]),
    ],
)
def test_folders_that_are_relative_or_of_the_project_are_handed_to_no_process(
    places: Path, monkeypatch: pytest.MonkeyPatch, folder: str, given: list[str], left: list[str]
) -> None:
    given, left = ([one.replace("@", str(places)) for one in some] for some in (given, left))
    here = str(places / folder)
    made = isolation.environment({"PYTHONPATH": os.pathsep.join(given), "A": "1"}, here)
    expected = {"A": "1", "PYTHONPATH": os.pathsep.join(left), "PYTHONSAFEPATH": "1"}
    assert made == {name: value for name, value in expected.items() if value}
    monkeypatch.chdir(here)
    monkeypatch.setattr(sys, "path", given)
    assert isolation.command("serve") == _command([*left, str(ROOT)], "ctxmgr.cli", "serve")


def _command(folders: list[str], module: str, *arguments: str) -> tuple[str, ...]:
    code = (
        f"import sys, typing; sys.path.insert(0, {str(ROOT)!r}); import ctxmgr; del sys.path[0]; "
        f"sys.path += [one for one in {folders!r} if one not in sys.path]; "
        f"from {module} import main; sys.exit(main())"
    )
    return (sys.executable, "-I", "-c", code, *arguments)


def test_no_other_variable_of_python_is_handed_on() -> None:
    given = {
        "PYTHONHOME": ".",
        "PYTHONUSERBASE": ".",
        "PYTHONWARNINGS": "error::a.B",
        "PYTHONSAFEPATH": "",
        "A": "1",
    }
    assert isolation.environment(given) == {"A": "1", "PYTHONSAFEPATH": "1"}


def test_the_environment_is_as_it_was_after_a_library_has_started_its_processes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PYTHONPATH", ".")
    monkeypatch.setenv("PYTHONINSPECT", "")
    before = dict(os.environ)
    with isolation.environment_in_force():
        assert {name: value for name, value in os.environ.items() if name.startswith("PYTHON")} == {
            "PYTHONSAFEPATH": "1"
        }
    assert dict(os.environ) == before


def test_a_folder_that_was_deleted_is_no_reason_not_to_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    command = isolation.command("--version")
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout.startswith("ctxmgr ")


def test_a_process_of_ours_is_the_ctxmgr_of_its_parent_and_finds_what_its_parent_finds(tmp_path: Path) -> None:
    """Both come by a user's PYTHONPATH, which the child does not heed; what the interpreter has goes before it."""
    theirs, other, project = (tmp_path / name for name in ("theirs", "other", "project"))
    project.mkdir()
    (theirs / "ctxmgr" / "cli").mkdir(parents=True)
    other.mkdir()
    (theirs / "ctxmgr" / "__init__.py").write_text("import typing\n")
    (theirs / "ctxmgr" / "isolation.py").write_bytes((PACKAGE / "isolation.py").read_bytes())
    (theirs / "ctxmgr" / "cli" / "__init__.py").write_text(
        "def main():\n    import json, sys, found\n"
        "    print(json.dumps([json.__file__, found.__file__, sys.argv[1:]]))"
    )
    for folder, name in ((theirs, "typing"), (theirs, "json"), (other, "json"), (other, "found")):
        (folder / f"{name}.py").write_text("")
    code = (
        "import sys; sys.path += sys.argv[1:]; from ctxmgr import isolation; import subprocess; "
        "print(subprocess.check_output(isolation.command('a', 'b'), text=True))"
    )
    bare = [sys.executable, "-I", "-S", "-c", code]  # it has no ctxmgr but theirs
    done = subprocess.run([*bare, str(theirs), str(other)], capture_output=True, text=True, check=True, cwd=project)
    assert json.loads(done.stdout) == [json.__file__, str(other / "found.py"), ["a", "b"]]
