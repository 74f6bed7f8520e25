"""A program about to be started, with a home of its own and files in it."""

import json
from pathlib import Path
from typing import Any

from ctxmgr.programs import Launch

LISTENER = "http://127.0.0.1:4242"


def start(root: Path, *arguments: str, **environ: str) -> Launch:
    (root / "work").mkdir(exist_ok=True)
    return Launch(arguments, {"HOME": str(root), "PATH": "/bin", **environ}, str(root / "work"))


def put(root: Path, path: str, value: Any) -> None:
    """A file below the home, of text or of JSON."""
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).write_text(value if isinstance(value, str) else json.dumps(value), "utf-8")
