"""Whether texts can be embedded is known when a process starts, and nothing is imported for it."""

import importlib
import sys
from pathlib import Path

import pytest

from ctxmgr.server.model_calls import EMBEDDINGS, embedder


def test_texts_are_embedded_where_the_extra_is_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "without").mkdir()
    (tmp_path / f"{EMBEDDINGS}.py").write_text("raise AssertionError('imported')", "utf-8")
    importlib.invalidate_caches()
    for folder, installed in ((tmp_path / "without", False), (tmp_path, True)):
        monkeypatch.setattr(sys, "path", [str(folder)])
        assert (embedder(print) is not None) == installed
