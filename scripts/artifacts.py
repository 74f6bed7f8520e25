"""Builds everything that a release publishes from a checkout into one folder, and checks it.

1. Both Python distributions, each as a wheel and a source archive; the two npm packages; the Rust crate.
2. npm packages and the crate are built in a copy, so that nothing in the checkout changes.
3. Checked: the rules of the index (`twine check --strict`), that the crate compiles from its archive, that each
   file exists with this version, and that the wheels install together and run.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
NODE = {"typescript": "ctxmgr-client", "pi": "ctxmgr-pi"}  # the folder in protocol/hosts, and the package
LEFT_OUT = ("node_modules", "dist", "transcripts", "target")
PROGRAMS = ("uv", "twine", "npm", "cargo")
CERTIFICATES = {"UV_SYSTEM_CERTS": "1", "UV_NATIVE_TLS": "1"}  # uv trusts what the machine trusts, as pip does


class BuildFault(Exception):
    """The text is for people."""


def artifacts(version: str) -> tuple[str, ...]:
    """The names of the files."""
    python = (f"{name}-{version}{end}" for name in ("ctxmgr_sidecar", "ctxmgr_study") for end in ENDS)
    return (*python, *(f"{name}-{version}.tgz" for name in NODE.values()), f"ctxmgr-client-{version}.crate")


ENDS = ("-py3-none-any.whl", ".tar.gz")


def missing_programs() -> list[str]:
    return [name for name in PROGRAMS if found(name) is None]


def found(name: str) -> str | None:
    """The program beside this interpreter, otherwise on PATH."""
    return shutil.which(name, path=os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]))


def run(*command: str | Path, cwd: Path = ROOT, **environment: str) -> str:
    """The program's output. Raises BuildFault."""
    words = [str(word) for word in command]
    words[0] = found(words[0]) or words[0]
    env = {**CERTIFICATES, **os.environ, **environment}
    done = subprocess.run(words, cwd=cwd, capture_output=True, encoding="utf-8", env=env, check=False)
    if done.returncode:
        raise BuildFault(f"{' '.join(words)} failed:\n{(done.stdout + done.stderr)[-3000:]}")
    return done.stdout


def python(folder: Path, root: Path = ROOT) -> None:
    """The wheels and source archives of both distributions."""
    for project in (root, root / "ctxmgr" / "study"):
        run("uv", "build", "--quiet", "--out-dir", folder, project)


def node(name: str, folder: Path, root: Path = ROOT, modules: Path | None = None) -> None:
    """The archive of an npm package. `modules`: its node_modules, if they are already installed."""
    with tempfile.TemporaryDirectory() as made:
        copy = Path(made) / "protocol"
        shutil.copytree(root / "protocol", copy, ignore=shutil.ignore_patterns(*LEFT_OUT))
        package = copy / "hosts" / name
        if modules is None:
            run("npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts", cwd=package)
        else:
            (package / "node_modules").symlink_to(modules)
        run("npm", "pack", "--pack-destination", folder, cwd=package)


def crate(folder: Path, root: Path = ROOT, **environment: str) -> None:
    """The archive of the Rust crate, which is compiled from it."""
    with tempfile.TemporaryDirectory() as made:
        copy, target = Path(made) / "rust", Path(environment.pop("CARGO_TARGET_DIR", f"{made}/target"))
        shutil.copytree(root / "protocol" / "hosts" / "rust", copy, ignore=shutil.ignore_patterns("target"))
        run("cargo", "package", "--locked", "--allow-dirty", cwd=copy, CARGO_TARGET_DIR=str(target), **environment)
        for file in (target / "package").glob("*.crate"):
            shutil.copy(file, folder)


def check(version: str, folder: Path) -> None:
    """Raises BuildFault."""
    lost = [name for name in artifacts(version) if not (folder / name).is_file()]
    if lost:
        raise BuildFault(f"not built: {', '.join(lost)}")
    files = [folder / name for name in artifacts(version) if name.endswith(ENDS)]
    run("twine", "check", "--strict", *files)
    with tempfile.TemporaryDirectory() as made:
        venv = Path(made) / "venv"
        run("uv", "venv", "--quiet", "--python", sys.executable, venv)
        wheels = [file for file in files if file.suffix == ".whl"]
        run("uv", "pip", "install", "--quiet", "--python", venv / "bin" / "python", *wheels)
        said = run(venv / "bin" / "ctxmgr", "--version", cwd=Path(made)).split()
        if said[-1] != version:
            raise BuildFault(f"the wheel of {version} says that it is {said[-1]}")
        run(venv / "bin" / "ctxmgr", "demo", cwd=Path(made), HOME=made)


def build(version: str, folder: Path, root: Path = ROOT) -> Iterator[str]:
    """Yields a description of each step before taking it. Raises BuildFault."""
    if lacking := missing_programs():
        raise BuildFault(f"not installed: {', '.join(lacking)}")
    folder.mkdir(parents=True, exist_ok=True)
    if any(folder.iterdir()):
        raise BuildFault(f"{folder} is not empty")
    yield "building wheels and source archives"
    python(folder, root)
    for name, package in NODE.items():
        yield f"building the npm package {package}"
        node(name, folder, root)
    yield "building the crate ctxmgr-client"
    crate(folder, root)
    yield "checking them"
    for extra in folder.glob(".gitignore"):  # which uv writes
        extra.unlink()
    check(version, folder)
