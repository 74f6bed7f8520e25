"""How ctxmgr starts a Python process, so that it runs no code of the project that it is started in.

An agent works in a folder that others may have written. Python would import from that folder, and from folders that
its environment names, before its own: a `queue.py` there would end ctxmgr, and a `msgspec.py` would run as the
user.

1. `command` has `-I`: neither the current folder nor Python's variables (PYTHONPATH, PYTHONHOME, ...) affect what
   is imported. The command alone is enough, whoever runs it and in which environment.
2. It runs the ctxmgr of this process, wherever that is installed. Everything else is imported from the
   interpreter's folders, and then from those of this process: modules on a user's PYTHONPATH are found, but hide
   nothing.
3. `environment` is for a command that somebody else wrote, such as `ctxmgr serve`. Of Python's variables, it has
   PYTHONPATH, and PYTHONSAFEPATH, which is the same as `-P`.
4. A folder is not passed on if it is relative, inside the project, or a parent of the current folder. The project
   is the nearest folder with `.git`, from the current one upward, otherwise the current one. It is never the root
   of the file system.
"""

import contextlib
import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

COMMAND_LINE = "ctxmgr.cli"
_BEGIN = (  # `ctxmgr` imports `typing`; this one is the interpreter's
    "import sys, typing; sys.path.insert(0, {home!r}); import ctxmgr; del sys.path[0]; "
    "sys.path += [one for one in {folders!r} if one not in sys.path]; "
    "from {module} import main; sys.exit(main())"
)


def command(*arguments: str, module: str = COMMAND_LINE) -> tuple[str, ...]:
    """Program and arguments that run `main` of this ctxmgr module: `command("serve")` is `ctxmgr serve`."""
    home = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    folders = list(dict.fromkeys([*_foreign(sys.path, _here()), home]))
    return (sys.executable, "-I", "-c", _BEGIN.format(home=home, folders=folders, module=module), *arguments)


def environment(given: Mapping[str, str], directory: str | None = None) -> dict[str, str]:
    """The environment `given` (rule 3), for a process that starts in `directory` (default: the current folder)."""
    made = {name: value for name, value in given.items() if not name.startswith("PYTHON")}
    named = given.get("PYTHONPATH", "").split(os.pathsep)
    if folders := _foreign(named, os.path.abspath(directory or _here())):
        made["PYTHONPATH"] = os.pathsep.join(folders)
    return {**made, "PYTHONSAFEPATH": "1"}


@contextlib.contextmanager
def environment_in_force() -> Iterator[None]:
    """For a library that starts Python itself: this process has that environment within the context."""
    before = dict(os.environ)
    try:
        _set(environment(before))
        yield
    finally:
        _set(before)


def _set(environ: Mapping[str, str]) -> None:
    for name in os.environ.keys() - environ.keys():
        del os.environ[name]
    os.environ.update(environ)


def _here() -> str:
    try:
        return os.getcwd()
    except FileNotFoundError:  # it was deleted, so nothing can be imported from there
        return os.sep


def _foreign(folders: Iterable[str], directory: str) -> list[str]:
    """The folders that may be passed on (rule 4)."""
    here = Path(directory).resolve()
    project = next((folder for folder in (here, *here.parents) if os.path.exists(folder / ".git")), here)

    def is_of_project(folder: Path) -> bool:
        is_inside = project != project.parent and folder.is_relative_to(project)
        return is_inside or here.is_relative_to(folder)

    return [folder for folder in folders if os.path.isabs(folder) and not is_of_project(Path(folder).resolve())]
