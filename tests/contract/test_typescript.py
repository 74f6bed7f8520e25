"""The TypeScript says what the schema says, and the compiler agrees."""

import json
import subprocess
from pathlib import Path

import pytest

from scripts.generating.guide import FIRST, TRANSCRIPT
from tests import needs

ROOT = Path(__file__).parents[2]
COMPILER = ROOT / "tests" / "contract" / "typescript"
PROTOCOL = ROOT / "protocol" / "ctxmgr.ts"
SECONDS = 120.0  # one run of the compiler: seconds on a slow disk
OPTIONS = ("--strict", "--noEmit", "--target", "es2022", "--module", "es2022", "--exactOptionalPropertyTypes")


def compiled(folder: Path, module: str, uses: str) -> str:
    """What the compiler says of the module and of a host that uses it; "" where it is content."""
    (folder / "ctxmgr.ts").write_text(module, encoding="utf-8")
    (folder / "uses.ts").write_text(uses, encoding="utf-8")
    compiler = needs.npm_packages(COMPILER) / "typescript" / "bin" / "tsc"
    command = [needs.node(), str(compiler), *OPTIONS, "uses.ts", "ctxmgr.ts"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=SECONDS)
    return done.stdout if done.returncode else ""


@pytest.mark.real
def test_a_host_compiles_against_it(tmp_path: Path) -> None:
    uses = (COMPILER / "uses.ts").read_text(encoding="utf-8")
    assert compiled(tmp_path, PROTOCOL.read_text(encoding="utf-8"), uses) == ""


@pytest.mark.real
def test_each_message_that_the_guide_shows_compiles(tmp_path: Path) -> None:
    lines = (ROOT / "protocol" / TRANSCRIPT).read_text(encoding="utf-8").splitlines()[1:]
    sent = [row["message"] for row in map(json.loads, lines) if row["from"] == "host"]
    calls = [f"says({json.dumps(one['method'])}, {json.dumps(one.get('params', {}))});\n" for one in sent]
    assert len(calls) > len(FIRST)
    uses = (
        'import type { ParamsOf, ToCtxmgr } from "./ctxmgr";\n'
        "declare function says<Name extends ToCtxmgr>(name: Name, params: ParamsOf<Name>): void;\n"
    )
    assert compiled(tmp_path, PROTOCOL.read_text(encoding="utf-8"), uses + "".join(calls)) == ""
