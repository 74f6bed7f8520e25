"""What is measured derives no answer: the probes share no code with the engine and the summariser."""

import ast
from pathlib import Path

PACKAGE = Path(__file__).parents[4] / "ctxmgr" / "study" / "probes"
MEASURED = ("ctxmgr.engine", "ctxmgr.summarize", "ctxmgr.session", "ctxmgr.wire")


def strangers(source: str) -> list[str]:
    nodes = list(ast.walk(ast.parse(source)))
    names = [alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names]
    froms = [node for node in nodes if isinstance(node, ast.ImportFrom)]
    names += [f"{node.module}.{alias.name}" for node in froms for alias in node.names]
    return [name for name in names if name.startswith(MEASURED)]


def test_probes_import_nothing_that_they_measure() -> None:
    for path in PACKAGE.rglob("*.py"):
        assert strangers(path.read_text(encoding="utf-8")) == [], path
    assert strangers("from ctxmgr.engine import touches\nimport ctxmgr.summarize.request.outline\n") != []
