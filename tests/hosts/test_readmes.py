"""What a package's README shows runs as it stands, through a whole turn before the scripted provider."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests import needs
from tests.hosts.test_packages import HOSTS, ROOT, packed, program, run
from tests.hosts.test_rust import CLIENT as CRATE
from tests.hosts.test_rust import cargo, run_cargo
from tests.provider import Call, Provider, Script, script, step

__all__ = ["cargo"]

LINK = re.compile(r"\]\((?!https?://|#)([^)]+)\)")
TYPESCRIPT = re.compile(r"^```ts\n(.*?)^```$", re.DOTALL | re.MULTILINE)
PYTHON = re.compile(r"^```python\n(.*?)^```$", re.DOTALL | re.MULTILINE)
COMPILING = ("--strict", "--module", "nodenext", "--target", "es2023", "--types", "node", "--skipLibCheck", "false")


def reading(*names: str) -> Script:
    """Reads each file by the tool that the READMEs declare, and answers."""
    steps = [step(Call("read_file", {"path": name})) for name in names]
    return script("Read the files", *steps, final="Both are read.")


@pytest.fixture
def work(tmp_path: Path) -> Path:
    """A folder with files to read, and a `ctxmgr` in `bin` that keeps its state there."""
    (tmp_path / "a.txt").write_text("apples\n", encoding="utf-8")
    (tmp_path / "b.txt").write_text("pears\n", encoding="utf-8")
    (tmp_path / "bin").mkdir()
    command = tmp_path / "bin" / "ctxmgr"
    command.write_text(
        f'#!/bin/sh\nexec "{sys.executable}" -m ctxmgr "$@" --state-dir "{tmp_path}/state"\n', encoding="utf-8"
    )
    command.chmod(0o755)
    return tmp_path


def environment(work: Path, provider: Provider) -> dict[str, str]:
    return {
        **os.environ,
        "PATH": os.pathsep.join([str(work / "bin"), os.environ["PATH"]]),
        "PYTHONPATH": str(ROOT),
        "CTXMGR_COMMAND": "",
        "OPENAI_BASE_URL": f"{provider.url}/v1",
        "OPENAI_API_KEY": "any",
        "OPENAI_MODEL": "model-1",
    }


def held(provider: Provider, work: Path) -> None:
    """Every list was one that a provider takes, both results arrived, and the session was saved."""
    assert provider.record.refused == []
    assert sorted(provider.record.results.values()) == ["apples\n", "pears\n"]
    assert any((work / "state").rglob("*.json*"))


def both_are_read(work: Path, *agent: str | Path) -> None:
    """The agent reads both files in one turn, without a word on standard error."""
    with Provider.threaded(reading("a.txt", "b.txt")) as provider:
        done = subprocess.run(
            [*agent, "Read the files."],
            cwd=work,
            env=environment(work, provider),
            capture_output=True,
            encoding="utf-8",
            timeout=60,
        )
        assert (done.returncode, done.stdout, done.stderr) == (0, "Both are read.\n", "")
        held(provider, work)


@pytest.mark.real
def test_the_typescript_readme_installs_and_runs(work: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    tarball = packed("typescript", tmp_path_factory.mktemp("packed"))
    code = TYPESCRIPT.search((HOSTS / "typescript" / "README.md").read_text(encoding="utf-8"))
    assert code is not None
    (work / "package.json").write_text('{"type":"module"}', encoding="utf-8")
    (work / "agent.ts").write_text(code[1], encoding="utf-8")
    run(program("npm"), "install", "--omit=dev", "--no-audit", "--no-fund", tarball, cwd=work)
    modules = needs.npm_packages(HOSTS / "typescript")
    compiler = (needs.node(), modules / "typescript" / "bin" / "tsc")
    run(*compiler, *COMPILING, "--typeRoots", modules / "@types", "agent.ts", cwd=work)
    both_are_read(work, needs.node(), "agent.js")


@pytest.mark.real
def test_the_rust_readme_runs(cargo: str, work: Path) -> None:
    needs.program("curl")
    built = run_cargo(cargo, "build", "--locked", "--offline", "--example", "agent", "--message-format", "json")
    assert built.returncode == 0, built.stderr[-3000:]
    (binary,) = filter(None, (json.loads(line).get("executable") for line in built.stdout.splitlines()))
    both_are_read(work, binary)


@pytest.mark.real
def test_the_rust_readme_goes_on_without_ctxmgr(cargo: str, work: Path) -> None:
    (work / "bin" / "ctxmgr").write_text("#!/bin/sh\necho no ctxmgr here >&2\nexit 1\n", encoding="utf-8")
    with Provider.threaded(reading("a.txt")) as provider:
        wanted = environment(work, provider)
        arguments = ("run", "--quiet", "--locked", "--offline", "--example", "agent", "Read the files.")
        done = run_cargo(cargo, *arguments, **wanted)
    assert (done.returncode, done.stdout) == (0, "Both are read.\n"), done.stderr[-3000:]
    assert "ctxmgr is not running: ctxmgr exited with code 1: no ctxmgr here" in done.stderr.splitlines()


def test_the_rust_readme_shows_the_example_that_runs() -> None:
    example = (CRATE / "examples" / "agent.rs").read_text(encoding="utf-8")
    assert f"```rust\n{example}```" in (CRATE / "README.md").read_text(encoding="utf-8")


def test_the_host_of_the_protocols_readme_runs(work: Path) -> None:
    (code,) = PYTHON.findall((ROOT / "protocol" / "README.md").read_text(encoding="utf-8"))
    path = os.pathsep.join([str(work / "bin"), os.environ["PATH"]])
    environment = {**os.environ, "PATH": path, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, encoding="utf-8", timeout=60
    )
    assert (done.returncode, done.stdout) == (0, "x is 1.\n"), done.stderr


@pytest.mark.parametrize("name", ["typescript", "rust", "pi"])
def test_a_packed_readme_has_no_relative_links(name: str) -> None:
    """They would be dead where the package is installed or shown: nothing of the repository is beside it there."""
    assert LINK.findall((HOSTS / name / "README.md").read_text(encoding="utf-8")) == []
