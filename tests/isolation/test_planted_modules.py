"""A project ships a module for each that ctxmgr imports, and an environment names its folder: no process of ours
imports any of them, and each does what it is for."""

import importlib.metadata
import json
import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import NamedTuple

import pytest

BOUND = 60.0  # seconds; only what fails waits so long
HERE = f"python{sys.version_info.major}.{sys.version_info.minor}"
UNAIDED = "ctxmgr stopped pruning"
OTHERS = {"sitecustomize", "usercustomize", "planted", "regex", "uvloop", "zstandard"}
LISTENING = re.compile(r"listening on (http://[^\s,]+)")
USER = {"role": "user", "content": "Is anybody there?"}
ANSWER = {
    "type": "message",
    "role": "assistant",
    "content": [{"type": "text", "text": "Yes."}],
    "usage": {"input_tokens": 100, "output_tokens": 2},
}


# in which ways an environment names the folder; Python does not even start with the second
NAMED = {
    "path": {
        "PYTHONPATH": os.pathsep.join([".", "", "@", "lib"]),
        "PYTHONUSERBASE": ".",
        "PYTHONPYCACHEPREFIX": ".",
        "PYTHONWARNINGS": "error::planted.Warning",
        "PYTHONBREAKPOINT": "planted.it",
        "PYTHONSTARTUP": "planted.py",
    },
    "home": {"PYTHONHOME": ".", "PYTHONPLATLIBDIR": "lib"},
}


class Project(NamedTuple):
    folder: Path
    marker: Path

    def variables(self, named: str | None) -> dict[str, str]:
        found = NAMED[named] if named else {}
        return {name: value.replace("@", str(self.folder)) for name, value in found.items()}

    def imported(self) -> list[str]:
        """Since this was asked last."""
        names = self.marker.read_text().split()
        self.marker.write_text("")
        return names


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    folder, marker = tmp_path_factory.mktemp("project"), tmp_path_factory.mktemp("marker") / "imported"
    marker.touch()
    planted = f"open({str(marker)!r}, 'a').write(__name__ + ' ')\n"
    names = sys.stdlib_module_names | importlib.metadata.packages_distributions().keys() | OTHERS
    for name in filter(str.isidentifier, names - {"ctxmgr"}):
        (folder / f"{name}.py").write_text(planted)
    (folder / "ctxmgr").mkdir()
    (folder / "ctxmgr" / "__init__.py").write_text(planted)
    site = folder / "lib" / HERE / "site-packages"
    site.mkdir(parents=True)
    (site / "usercustomize.py").write_text(planted)
    (site / "planted.pth").write_text(f"import sys; {planted}")
    (folder / "pyvenv.cfg").write_text(f"home = {folder}\n")
    return Project(folder, marker)


@pytest.fixture(scope="module")
def upstream() -> Iterator[str]:
    """A provider that says yes."""

    class Provider(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["content-length"]))
            body = json.dumps(ANSWER).encode()
            self.send_response(200)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            """Nothing is said."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Provider) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


# what starts a process of ours; `state` is a folder, `main` the command line
PROCESSES = {
    "client": f"""
from ctxmgr.client import Client, SpawnedSidecar
with Client(format="openai", sidecar=SpawnedSidecar(state_dir=state)) as client:
    session = client.session("s", {{"id": "m", "contextWindow": 200_000}})
    session.context([{USER!r}])
    print(session.outcome.source)
""",
    "weighing": """
from ctxmgr.devices.weighing import WeighingChild
child = WeighingChild("o200k_base")
found = child.load()
print(found.note, found.weigh and found.weigh(["hello world"]))
child.end()
""",
    "model-tools": """
import subprocess
from ctxmgr.mcp_server import TOKEN, URL
from ctxmgr.programs import proxying
told = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}}
greeting = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": told}) + "\\n"
env = {**os.environ, URL: "http://127.0.0.1:9", TOKEN: "t"}
print(subprocess.run(proxying.MODEL_TOOLS, input=greeting, env=env, capture_output=True, text=True))
""",
    "run": """
main(["run", "--anthropic", "--upstream", upstream, "--state-dir", state, "--", sys.executable, "-I", asks])
""",
    "corpus": """
from ctxmgr.study.corpus.running import local_client
if __name__ == "__main__":
    with local_client(1) as client:
        print(client.submit(pow, 2, 7).result())
""",
}
DONE = {
    "client": "answered",
    "weighing": "None 2",
    "model-tools": '"serverInfo":{"name":"ctxmgr"',
    "run": ", 0 with a pruned list",
    "corpus": "128",
}
BEGIN = """
import json, os, sys
os.environ.update(json.loads(sys.argv[1]))
from ctxmgr.cli import main
_, _, state, upstream, asks = sys.argv
"""
ASKS = f"""
import http.client, json, os, sys, urllib.parse
body = json.dumps({{"model": "claude-sonnet-4-5", "max_tokens": 9, "messages": [{USER!r}]}})
url = (sys.argv[1:] or [os.environ.get("ANTHROPIC_BASE_URL")])[0]
line = http.client.HTTPConnection(urllib.parse.urlsplit(url).netloc)
for _ in range(2):  # over one connection: the first is counted before the second is read
    line.request("POST", "/v1/messages", body, {{"content-type": "application/json"}})
    line.getresponse().read()
"""


def bare() -> dict[str, str]:
    """The environment of the test, without variables of Python's."""
    return {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}


def started(code: str, variables: dict[str, str], tmp_path: Path, upstream: str) -> list[str]:
    """The command of a program that has this environment and runs this code. Its own Python is started without: it
    would import from there before anything of ours runs."""
    program, asks = tmp_path / "program.py", tmp_path / "asks.py"
    program.write_text(BEGIN + code)
    asks.write_text(ASKS)
    return [sys.executable, str(program), json.dumps(variables), str(tmp_path / "state"), upstream, str(asks)]


SLOW = ("model-tools", "corpus")  # two seconds each, by what they import
CASES = [pytest.param(what, "path", marks=pytest.mark.long if what in SLOW else ()) for what in PROCESSES]


@pytest.mark.parametrize(("what", "named"), [*CASES, ("client", "home")])
def test_no_process_of_ours_imports_what_a_project_ships(
    what: str, named: str | None, project: Project, tmp_path: Path, upstream: str
) -> None:
    command = started(PROCESSES[what], project.variables(named), tmp_path, upstream)
    home = {"HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path), "NO_PROXY": "*"}
    done = subprocess.run(
        command,
        cwd=project.folder,
        env={**bare(), **home},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=BOUND,
    )
    assert project.imported() == [], done.stdout
    assert DONE[what] in done.stdout
    assert UNAIDED not in done.stdout


def test_nor_does_a_proxy(project: Project, tmp_path: Path, upstream: str) -> None:
    code = 'sys.exit(main(["proxy", "--upstream", upstream, "--state-dir", state]))'
    command = started(code, project.variables("path"), tmp_path, upstream)
    env = {**bare(), "HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path)}
    with subprocess.Popen(command, cwd=project.folder, env=env, stderr=subprocess.PIPE, text=True) as process:
        found = LISTENING.search(process.stderr.readline())
        subprocess.run([sys.executable, "-I", command[-1], found[1]], env={**env, "NO_PROXY": "*"}, check=True)
        process.send_signal(signal.SIGTERM)
        said = process.stderr.read()
    assert project.imported() == [], said
    assert ", 0 with a pruned list" in said
    assert UNAIDED not in said


GREETING = b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"1.1"}}\n'
SCRIPT = [str(Path(sys.executable).with_name("ctxmgr"))]


@pytest.mark.parametrize("command", [SCRIPT, [sys.executable, "-P", "-m", "ctxmgr"]], ids=["script", "-P"])
def test_nor_does_one_that_a_user_starts(command: list[str], project: Project, tmp_path: Path) -> None:
    done = subprocess.run(
        [*command, "serve", "--state-dir", str(tmp_path)],
        cwd=project.folder,
        env=bare(),
        input=GREETING,
        capture_output=True,
        timeout=BOUND,
    )
    assert project.imported() == []
    assert b'"serverInfo"' in done.stdout


def test_without_p_the_folder_is_forgotten_as_soon_as_ctxmgr_runs(tmp_path: Path) -> None:
    """What Python imports before that it finds there first, `ctxmgr` included: the guide says -P."""
    name = "msgspec"
    (tmp_path / f"{name}.py").write_text("raise SystemExit('imported')")
    command = [sys.executable, "-m", "ctxmgr", "serve", "--state-dir", str(tmp_path / "state")]
    done = subprocess.run(command, cwd=tmp_path, env=bare(), input=GREETING, capture_output=True, timeout=BOUND)
    assert (b'"serverInfo"' in done.stdout, done.stderr) == (True, b"")
