"""Makes an environment of its own for each framework, by pip, in a cache outside the tree (`ctxmgr-frameworks` in
the user's cache directory), keyed by the ranges of its extra.

`python -m tests.integrations.installing` makes what is missing. Tests fetch nothing: they skip aloud where an
environment is missing, or fail where skips are not allowed.
"""

import hashlib
import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import platformdirs
import pytest

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


def packages(extra: str) -> tuple[str, ...]:
    return (*PROJECT["dependencies"], *PROJECT["optional-dependencies"][extra], *BESIDE[extra])


def python_of(extra: str) -> Path:
    key = hashlib.sha256("\n".join((sys.version, *packages(extra))).encode()).hexdigest()[:16]
    return CACHE / f"{extra}-{key}" / "bin" / "python"


def installed(extra: str) -> Path:
    """Its interpreter, for a test."""
    python = python_of(extra)
    if not python.exists():
        reason = f"{extra} has no environment at {python}: scripts/frameworks makes it"
        if os.environ.get("CTXMGR_NO_SKIPS") == "1":
            pytest.fail(reason)
        pytest.skip(reason)
    return python


def make(extra: str) -> None:
    """All of it or nothing. Raises CalledProcessError."""
    folder = python_of(extra).parents[1]
    if folder.exists():
        return
    made = folder.with_name(f"{folder.name}.{os.getpid()}")
    pip = [str(made / "bin" / "python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    try:
        subprocess.run([sys.executable, "-m", "venv", str(made)], check=True)
        subprocess.run([*pip, *packages(extra)], check=True, timeout=MAKE_SECONDS)
        made.rename(folder)
    finally:
        shutil.rmtree(made, ignore_errors=True)


def main() -> int:
    for extra in EXTRAS:
        try:
            make(extra)
        except (OSError, subprocess.SubprocessError) as fault:
            print(f"{extra} could not be installed: {fault}", file=sys.stderr)
            return 1
        print(f"{extra}: {python_of(extra)}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
