"""A sidecar that logs its requests to the store: a normal `ctxmgr serve`, with one line for each request.

    python -m scripts.handing.counting LOG ARGUMENT...     the arguments are those of `serve`

`request_totals` reads from the log what is billed as a GET, a PUT or a LIST, and the bytes uploaded.
"""

import importlib
import os
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ctxmgr.cli import main

BILLED = {
    "get": "GET",
    "put": "PUT",
    "put_if_match": "PUT",
    "put_if_none_match": "PUT",
    "listed": "LIST",
    "delete": "DELETE",
}
STORES = (("file_objects", "FileObjects"), ("obstore_objects", "ObstoreObjects"))


class RequestTotals:
    """`requests`: by how they are billed. `put_bytes`: of all objects."""

    def __init__(self) -> None:
        self.requests: Counter[str] = Counter()
        self.put_bytes = 0


def request_totals(log: Path) -> RequestTotals:
    totals = RequestTotals()
    for line in log.read_text().splitlines() if log.exists() else ():
        name, size = line.split()
        totals.requests[name] += 1
        totals.put_bytes += int(size)
    return totals


def count(path: str) -> None:
    log = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
    for module, name in STORES:
        try:
            objects: Any = getattr(importlib.import_module(f"ctxmgr.store.objects.{module}"), name)
        except ModuleNotFoundError:
            continue  # the extra is not installed
        for method, billed in BILLED.items():
            setattr(objects, method, _counted(getattr(objects, method), billed, log))
        objects.names = _names


def _counted(method: Callable[..., Any], billed: str, log: int) -> Callable[..., Any]:
    async def counted(self: Any, key: str, *more: Any) -> Any:
        size = len(more[0]) if more else 0
        os.write(log, f"{billed} {size}\n".encode())
        return await method(self, key, *more)

    return counted


async def _names(self: Any, prefix: str) -> list[str]:
    return [entry.key for entry in await self.listed(prefix)]


if __name__ == "__main__":
    count(sys.argv[1])
    sys.exit(main(["serve", *sys.argv[2:]]))
