"""What is published installs and works: the wheel, the packages for Node, the crate."""

import json
import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from ctxmgr import __version__
from scripts import artifacts
from tests import needs
from tests.hosts.test_rust import QUICKLY

ROOT = Path(__file__).resolve().parents[2]
HOSTS = ROOT / "protocol" / "hosts"
STEP_SECONDS = 400.0  # only a failing step takes so long
INITIALIZE = b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"1.1"}}\n'


def run(*command: str | Path, cwd: Path = ROOT, given: bytes = b"", **environment: str) -> str:
    """What it printed; it must end well."""
    done = subprocess.run(
        [str(word) for word in command],
        cwd=cwd,
        input=given,
        capture_output=True,
        timeout=STEP_SECONDS,
        env={**artifacts.CERTIFICATES, **os.environ, **environment},
    )
    assert done.returncode == 0, (done.stdout + done.stderr).decode()[-3000:]
    return done.stdout.decode()


def program(name: str) -> str:
    found = shutil.which(name, path=os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]))
    return found or needs.missing(f"{name} is not installed")


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("built")
    program("uv")
    artifacts.python(folder)
    return folder


@pytest.mark.real
def test_the_wheel_and_the_source_are_what_an_index_takes(built: Path) -> None:
    files = [*built.glob("*.whl"), *built.glob("*.tar.gz")]
    assert sorted(file.name.partition("-")[0] for file in files) == [
        "ctxmgr_sidecar",
        "ctxmgr_sidecar",
        "ctxmgr_study",
        "ctxmgr_study",
    ]
    run(program("twine"), "check", "--strict", *files)


@pytest.mark.real
def test_the_two_wheels_hold_the_package_whole_between_them(built: Path) -> None:
    held = {
        name: {file for file in zipfile.ZipFile(wheel(built, name)).namelist() if ".dist-info/" not in file}
        for name in ("sidecar", "study")
    }
    here = {path.relative_to(ROOT).as_posix() for path in (ROOT / "ctxmgr").rglob("*") if path.is_file()}
    here = {name for name in here if "__pycache__" not in name and not name.endswith("study/pyproject.toml")}
    assert held["study"] == {name for name in here if name.startswith("ctxmgr/study/")}
    assert held["sidecar"] == here - held["study"]


def wheel(built: Path, name: str) -> Path:
    (found,) = built.glob(f"ctxmgr_{name}-*.whl")
    return found


@pytest.mark.real
def test_without_study_its_commands_say_what_to_install_and_with_it_they_work(built: Path, tmp_path: Path) -> None:
    command = ("ctxmgr", "replay", ROOT / "tests" / "sessions" / "greenhouse.jsonl", "--no-measures")
    done = subprocess.run([program("uvx"), "--from", wheel(built, "sidecar"), *command], capture_output=True)
    assert done.returncode == 2
    command_line = f"pip install --find-links {built} 'ctxmgr-sidecar[study]'"
    assert done.stderr.decode().endswith(f"this command needs the study extra: {command_line}\n")
    python = tmp_path / "both" / "bin" / "python"
    run(program("uv"), "venv", "--quiet", tmp_path / "both")
    run(
        program("uv"),
        "pip",
        "install",
        "--quiet",
        "--python",
        python,
        *(wheel(built, n) for n in ("sidecar", "study")),
    )
    assert "no failures" in run(python, "-m", *command, cwd=tmp_path).casefold()


@pytest.mark.real
def test_the_wheel_serves_without_being_installed(built: Path, tmp_path: Path) -> None:
    command = (
        program("uvx"),
        "--from",
        wheel(built, "sidecar"),
        "ctxmgr",
        "serve",
        "--state-dir",
        tmp_path / "state",
    )
    answer = run(*command, cwd=tmp_path, given=INITIALIZE, UV_NO_CACHE="1")
    assert json.loads(answer)["result"]["serverInfo"]["name"] == "ctxmgr"


def packed(name: str, to: Path) -> Path:
    """The tarball of a package for Node, built from a copy in which nothing was built."""
    npm = program("npm")
    artifacts.node(name, to, modules=needs.npm_packages(HOSTS / name))
    (tarball,) = to.glob("*.tgz")
    run(npm, "publish", "--dry-run", tarball)
    return tarball


@pytest.mark.real
@pytest.mark.parametrize(("name", "package"), [("typescript", "ctxmgr-client"), ("pi", "ctxmgr-pi")])
def test_a_package_for_node_is_built_when_it_is_packed_and_needs_no_tools_to_install(
    name: str, package: str, tmp_path: Path
) -> None:
    tarball = packed(name, tmp_path)
    with tarfile.open(tarball) as opened:
        held = [member.removeprefix("package/") for member in opened.getnames()]
    assert {"LICENSE", "README.md", "package.json"} <= set(held)
    assert any(member.endswith("hosts/typescript/src/index.js") for member in held)
    assert not any("test" in Path(member).parts for member in held)
    user = tmp_path / "user"
    user.mkdir()
    (user / "package.json").write_text('{"type":"module"}', encoding="utf-8")
    run(program("npm"), "install", "--omit=dev", "--no-audit", "--no-fund", tarball, cwd=user)
    there = user / "node_modules" / package
    main = next(member for member in held if member.endswith(f"hosts/{name}/src/index.js"))
    shown = run(
        program("node"), "--input-type=module", "-e", f"console.log(Object.keys(await import('{there / main}')))"
    )
    assert shown.strip() not in ("", "[]")
    if package == "ctxmgr-client":
        integration = f"console.log((await import('{package}/ai-sdk')).aiSdkContext.name)"
        assert run(program("node"), "--input-type=module", "-e", integration, cwd=user).strip() == "aiSdkContext"


@pytest.mark.real
def test_a_checkout_of_the_pi_package_installs_without_tools(tmp_path: Path) -> None:
    copy = tmp_path / "pi"
    shutil.copytree(HOSTS / "pi", copy, ignore=shutil.ignore_patterns("node_modules", "dist"))
    run(program("npm"), "install", "--omit=dev", "--no-audit", "--no-fund", cwd=copy)
    assert (copy / "node_modules" / "vscode-jsonrpc").is_dir()


@pytest.mark.real
def test_the_crate_is_packed_and_what_is_packed_builds(tmp_path: Path) -> None:
    program("cargo")
    target = str(HOSTS / "rust" / "target")  # what it depends on is compiled once for all tests
    artifacts.crate(tmp_path, CARGO_TARGET_DIR=target, **QUICKLY)
    with tarfile.open(tmp_path / f"ctxmgr-client-{__version__}.crate") as opened:
        held = {name.partition("/")[2] for name in opened.getnames()}
    assert {"LICENSE", "README.md", "src/lib.rs"} <= held
    assert not any("test" in name or "bad" in name for name in held)
