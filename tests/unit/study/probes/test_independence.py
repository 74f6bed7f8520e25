"""What is measured derives no answer: the probes share no code with the engine and the summariser."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[4] / "ctxmgr" / "study" / "probes"
MEASURED = ("ctxmgr.engine", "ctxmgr.summarize", "ctxmgr.session", "ctxmgr.wire")


def imports(source: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (one.name for one in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield from (f"{node.module}.{one.name}" for one in node.names)


def strangers(source: str) -> list[str]:
    return [name for name in imports(source) if name.startswith(MEASURED)]


@pytest.mark.parametrize("path", sorted(PACKAGE.rglob("*.py")), ids=lambda path: str(path.relative_to(PACKAGE)))
def test_probes_import_nothing_that_they_measure(path: Path) -> None:
    assert strangers(path.read_text(encoding="utf-8")) == []


def test_a_planted_import_is_found() -> None:
    assert strangers("from ctxmgr.engine import touches\nimport ctxmgr.summarize.outline\n") != []
