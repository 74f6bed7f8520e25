"""docs/reference/tools.md says what the catalog of tools says."""

import pytest

from ctxmgr.engine.tools import CATALOG
from ctxmgr.engine.tools.catalog import Catalog
from ctxmgr.engine.tools.rows import row
from scripts.generating import tools


def test_every_tool_and_host_stands_there() -> None:
    page = tools.page()
    assert all(f"`{name}`" in page for one in CATALOG.rows for name in one.names)
    assert all(one.hosts in page for one in CATALOG.rows)


def test_another_catalog_gives_another_page(monkeypatch: pytest.MonkeyPatch) -> None:
    more = CATALOG.with_rows([row("read", "peruse", "a host", {"what": "path"}, where="what")])
    assert isinstance(more, Catalog)
    monkeypatch.setattr(tools, "CATALOG", more)
    assert "| `peruse` | reads files | a host | `what` is path; with `what` |" in tools.page()
