"""The sides of ARCHITECTURE.md: imports point down, the three sides keep apart, and some rooms never meet."""

import re
import subprocess
import sys
from functools import cache
from pathlib import Path

from tests import sources

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "ctxmgr"

FLOORS = {
    "extras": 0,
    "isolation": 0,
    "late": 0,
    "model": 0,
    "masking": 0,
    "plain_text": 1,
    "engine": 1,
    "formats": 1,
    "known_models": 1,
    "wire": 1,
    "session": 2,
    "summarize": 2,
    "closed_loop": 3,
    "library": 3,
    "devices": 3,
    "store": 3,
    "settings": 3,
    "server": 4,
    "client": 5,
    "holdout": 5,
    "hooks": 5,
    "inspection": 5,
    "study": 5,
    "integrations": 6,
    "otlp": 6,
    "proxy": 6,
    "mcp_server": 6,
    "programs": 7,
    "doctor": 7,
    "cli": 8,
    "__main__": 9,
    "__init__": 9,  # its names are loaded when they are used
}
MODEL_MAY = {"msgspec", "typing", "collections", "contextlib", "re", "difflib", "__future__", "ctxmgr"}
FACES = {"Client", "AsyncClient", "Model", "Policy", "Session"}  # names of the package for those who use it
LIBRARY = {"model", "masking", "engine", "formats", "known_models", "session", "summarize", "library"}
# a library knows no loop, no descriptor and no protocol: whoever uses it brings them
NOT_IN_THE_LIBRARY = {"asyncio", "os", "io", "socket", "select", "selectors", "signal", "subprocess", "threading"}
NOT_IN_THE_LIBRARY |= {"multiprocessing", "logging", "pathlib", "tempfile", "time", "random"}
# rooms that never import these, though their floor would allow it
STRANGERS = {
    "engine": {"wire", "formats", "known_models"},
    "known_models": {"engine", "formats", "wire"},
    "formats": {"wire", "engine"},
    "wire": {"engine", "formats"},
    "session": {"wire"},
    "summarize": {"wire", "formats", "session"},
    "library": {"wire", "devices"},
    "devices": {"session", "engine", "formats", "wire", "library"},
    "store": {"session", "engine", "formats", "wire", "library"},
    "closed_loop": {"engine", "wire", "session", "summarize", "library", "devices", "settings"},
    "server": {"library"},
    "client": {"engine", "formats", "session", "summarize", "library", "devices", "study", "cli"},
    "study": {"cli"},
    "hooks": {"wire", "server", "client", "study"},
    "inspection": {"client", "study"},
    "integrations": {"engine", "formats", "wire", "session", "summarize", "library", "devices", "server", "study"},
    "otlp": {"engine", "formats", "wire", "session", "summarize", "library", "devices", "server", "study"},
    "proxy": {"session", "summarize", "library", "devices", "server", "study"},
    "mcp_server": {"engine", "formats", "session", "summarize", "library", "devices", "server", "study", "proxy"},
    "programs": {"engine", "session", "server", "study", "doctor"},
    "holdout": {
        "engine",
        "formats",
        "wire",
        "session",
        "summarize",
        "library",
        "devices",
        "server",
        "client",
        "study",
    },
    "doctor": {"engine", "session", "server", "proxy"},
    "settings": {"engine", "formats", "wire", "session", "summarize", "library", "devices"},
}
ENGINE_MAY = {"__future__", "base64", "bisect", "collections", "dataclasses", "functools", "hashlib", "heapq"}
ENGINE_MAY |= {"itertools", "json", "math", "msgspec", "re", "typing", "unicodedata", "enum", "operator", "string"}
ENGINE_MAY |= {"fnmatch", "abc"}
FORBIDDEN_NAMES = ("manager", "handler", "helper", "utils", "common", "misc", "data", "info", "process", "service")


def modules() -> list[Path]:
    return sorted(PACKAGE.rglob("*.py"))


@cache
def imports(path: Path, at_once: bool = False) -> tuple[str, ...]:
    found = [one for one in sources.imports(path.read_text(encoding="utf-8")) if one.at_once or not at_once]
    assert not [one.module for one in found if one.module.startswith(".")], f"{path}: relative import"
    return tuple(
        name for one in found for name in (one.module, *([f"{one.module}.{one.name}"] if one.name else []))
    )


def room(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def faults_of(place: str, imported: str) -> list[str]:
    """What is wrong with a module of room `place` importing `imported`."""
    top, *rest = imported.split(".")
    faults = []
    if top == "ctxmgr" and rest:
        target = rest[0]
        if target in FACES:
            return [f"{place} imports {target} from where it is made"]
        if target not in FLOORS:
            return []  # a name of the package itself, such as its version
        if FLOORS[target] > FLOORS[place]:
            faults.append(f"{place} must not look up to {target}")
        if target in STRANGERS.get(place, ()):
            faults.append(f"{place} and {target} never meet")
    elif place in LIBRARY and top in NOT_IN_THE_LIBRARY:
        faults.append(f"the library has no {top}")
    elif place == "model" and top not in MODEL_MAY:
        faults.append(f"model imports msgspec alone, not {top}")
    elif place == "engine" and top != "ctxmgr" and top not in ENGINE_MAY:
        faults.append(f"the engine is pure, it has no {top}")
    elif top == "pylsp_jsonrpc":
        faults.append("only server/peer.py knows python-lsp-jsonrpc")
    return faults


def test_imports_point_down() -> None:
    paths = {path.relative_to(PACKAGE).as_posix(): path for path in modules()}
    homeless = {room(path) for path in paths.values()} - FLOORS.keys()
    assert not homeless, "no floor: put it into ARCHITECTURE.md and here"
    faults = [
        f"{name}: {fault}"
        for name, path in paths.items()
        for one in imports(path)
        for fault in faults_of(room(path), one)
    ]
    assert [fault for fault in faults if not re.match("server/peer.py: .*python-lsp-jsonrpc", fault)] == []


RUNTIME = {"runtime", "state_files", "model_calls"}  # carry out effects on the devices
FRONTS = {"stdio_server"}  # stand before the runtime


def test_what_is_served_knows_no_device_and_who_runs_devices_decides_nothing() -> None:
    for path in (PACKAGE / "server").glob("*.py"):
        rooms = {name.split(".")[1] for name in imports(path) if name.startswith("ctxmgr.")}
        strangers = {"engine", "formats", "session"} if path.stem in RUNTIME | FRONTS else {"devices"}
        assert rooms & strangers == set(), path.name


PLANTED = [
    ("model", "ctxmgr.engine.conversation.index"),
    ("model", "time"),
    ("engine", "time"),
    ("engine", "ctxmgr.wire.methods"),
    ("session", "pylsp_jsonrpc.endpoint"),
    ("session", "asyncio"),
    ("library", "ctxmgr.Session"),
    ("client", "ctxmgr.study.spawning.client"),
    ("settings", "ctxmgr.devices.files"),
]


def test_a_planted_import_is_found() -> None:
    for place, imported in PLANTED:
        assert faults_of(place, imported), (place, imported)


def test_names_say_what_a_file_does() -> None:
    assert [path.name for path in modules() if set(path.stem.split("_")) & set(FORBIDDEN_NAMES)] == []


def test_every_room_is_in_the_map() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    missing = [place for place in FLOORS if not place.startswith("__") and f"`{place}" not in text]
    assert missing == []


def test_serving_imports_only_what_serving_needs() -> None:
    """A start must not wait for what it may never use."""
    code = (
        "import sys, ctxmgr.server.stdio_server; "
        "heavy = {'rich', 'tiktoken', 'ujson', 'platformdirs', 'requests', 'regex', 'ctypes', 'hypothesis',"
        " 'sqlite3', 'httpx', 'httpcore', 'anyio', 'wordllama', 'numpy', 'ctxmgr.devices.weighing',"
        " 'dask', 'distributed', 'pyarrow', 'duckdb', 'obstore', 'ctxmgr.study'}; "
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout.strip() == "[]"


def test_the_runtime_knows_no_front() -> None:
    for name in RUNTIME:
        found = set(imports(PACKAGE / "server" / f"{name}.py"))
        assert not [one for one in found if one.rpartition(".")[2] in FRONTS or one == "ctxmgr.devices.stdio"], name


def test_only_the_commands_of_study_and_the_doctor_import_it_and_only_when_they_run() -> None:
    """It is a distribution of its own, which may not be there."""
    allowed = {"cli/arguments.py", "cli/study.py", "doctor/checks.py"}
    for path in modules():
        name = path.relative_to(PACKAGE).as_posix()
        if room(path) == "study":
            continue
        if any(one.startswith("ctxmgr.study") for one in imports(path)):
            assert name in allowed, f"{name} imports ctxmgr.study"
        assert not [one for one in imports(path, at_once=True) if one.startswith("ctxmgr.study")], name
