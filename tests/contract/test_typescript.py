"""The TypeScript says what the schema says, and the compiler agrees."""

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import NoReturn

import pytest

from ctxmgr.wire import errors
from ctxmgr.wire.methods import TABLE
from ctxmgr.wire.spec import openrpc, schema
from scripts.generating import typescript

ROOT = Path(__file__).parents[2]
COMPILER = ROOT / "tests" / "contract" / "typescript"
PROTOCOL = ROOT / "protocol" / "ctxmgr.ts"
SECONDS = 120.0  # npm ci, and one run of the compiler: seconds on a slow disk
OPTIONS = ("--strict", "--noEmit", "--target", "es2022", "--module", "es2022", "--exactOptionalPropertyTypes")
MODULE = typescript.module(schema.document(), openrpc.named_errors())


def test_every_type_method_and_code_is_there() -> None:
    for name in schema.types():
        assert f"export interface {name} {{" in MODULE or f"export type {name} =" in MODULE
    for row in TABLE:
        assert f"  {json.dumps(row.name)}: {{ params: {row.params.__name__};" in MODULE
    for code in errors.MEANINGS:
        assert f": {code},\n" in MODULE


# the compiler


def _compiler() -> list[str]:
    """Runs the compiler. Skips, or fails where skips are not allowed."""
    node, npm = shutil.which("node"), shutil.which("npm")
    if node is None or npm is None:
        _without("node and npm are not both installed")
    lock, there = COMPILER / "package-lock.json", COMPILER / "node_modules" / ".package-lock.json"
    if not there.exists() or there.stat().st_mtime < lock.stat().st_mtime:
        command = [npm, "ci", "--no-audit", "--no-fund", "--ignore-scripts"]
        done = subprocess.run(command, cwd=COMPILER, capture_output=True, text=True, timeout=SECONDS)
        if done.returncode:
            _without(f"npm ci failed: {done.stderr.strip()[-300:]}")
    return [node, str(COMPILER / "node_modules" / "typescript" / "bin" / "tsc"), *OPTIONS]


def _without(reason: str) -> NoReturn:
    if os.environ.get("CTXMGR_NO_SKIPS") == "1":
        pytest.fail(f"protocol/ctxmgr.ts could not be compiled: {reason}")
    pytest.skip(f"protocol/ctxmgr.ts is not compiled: {reason}")


def compiled(folder: Path, module: str, uses: str) -> str:
    """What the compiler says of the module and of a host that uses it; "" where it is content."""
    (folder / "ctxmgr.ts").write_text(module, encoding="utf-8")
    (folder / "uses.ts").write_text(uses, encoding="utf-8")
    command = [*_compiler(), "uses.ts", "ctxmgr.ts"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=SECONDS)
    return done.stdout if done.returncode else ""


@pytest.mark.real
def test_a_host_compiles_against_it(tmp_path: Path) -> None:
    """`uses.ts` is a host in types: what must compile, and, marked so, what must not."""
    uses = (COMPILER / "uses.ts").read_text(encoding="utf-8")
    assert compiled(tmp_path, PROTOCOL.read_text(encoding="utf-8"), uses) == ""
