"""Each file of expected text is somebody's, and none is missing."""

import re
from pathlib import Path

import pytest

from tests.goldens import HERE, golden, held

TESTS = Path(__file__).parent
NAMED = re.compile(r'(?:golden|held)\(\s*f?"([^"]+)"')


def named() -> list[str]:
    texts = (path.read_text(encoding="utf-8") for path in TESTS.rglob("test_*.py") if path != Path(__file__))
    return [name for text in texts for name in NAMED.findall(text)]


def test_each_is_asked_for() -> None:
    patterns = [re.compile(re.sub(r"\\{.*?\\}", "[^/]+", re.escape(name))) for name in named()]
    files = [path.relative_to(HERE).as_posix() for path in HERE.rglob("*.md")]
    assert [name for name in files if not any(pattern.fullmatch(name) for pattern in patterns)] == []
    assert len(files) >= len(set(named())) > 0


def test_a_text_is_compared_with_its_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("tests.goldens.HERE", tmp_path)
    monkeypatch.setenv("CTXMGR_GOLDENS", "write")
    assert held("some/one.md", "a\nb") == "a\nb"
    monkeypatch.delenv("CTXMGR_GOLDENS")
    assert held("some/one.md", "another") == golden("some/one.md") == "a\nb"
