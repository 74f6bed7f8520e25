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


def test_an_extra_that_can_not_be_imported_tells_why_and_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / f"{EMBEDDINGS}.py").write_text("raise OSError('no such library')", "utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, EMBEDDINGS, raising=False)
    importlib.invalidate_caches()
    said = list[str]()
    embed = embedder(said.append)
    assert embed is not None
    assert (embed.failure, embed(["a text"]), embed(["another"])) == ("", None, None)
    assert said == [embed.failure] == [f"no embeddings: {EMBEDDINGS} cannot be imported: OSError: no such library"]
