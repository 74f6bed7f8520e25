"""The table of optional dependencies agrees with the distribution and the guide, and what asks for an extra names a
command that works."""

import importlib.metadata
import json
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from ctxmgr import extras
from ctxmgr.extras import EXTRAS, install, is_installed, needs

ROOT = Path(__file__).parents[2]
DECLARED = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
FOR_CONTRIBUTORS = {"docs", "mutation", "test"}
GUIDE = (ROOT / "docs" / "guide" / "install.md").read_text(encoding="utf-8")


def test_the_table_has_the_extras_of_the_distribution() -> None:
    assert set(EXTRAS) == set(DECLARED) - FOR_CONTRIBUTORS - {"all"}


def test_all_brings_every_extra_but_those_of_frameworks() -> None:
    (named,) = (re.findall(r"\[(.*)\]", requirement)[0].split(",") for requirement in DECLARED["all"])
    assert set(EXTRAS) - set(named) == {"langchain", "openai-agents", "pydantic-ai"}


def test_proxy_brings_what_gives_the_model_its_tools() -> None:
    assert "mcp" in EXTRAS["proxy"].modules
    assert [one for one in DECLARED["proxy"] if one.startswith("mcp")]


@pytest.mark.parametrize("name", EXTRAS)
def test_the_guide_says_what_an_extra_is_for_and_how_large_it_is(name: str) -> None:
    extra = EXTRAS[name]
    assert f"\n| `{name}` | {extra.purpose} | {extra.packages} | {extra.megabytes} MB |" in GUIDE


def test_nothing_else_says_how_to_install_an_extra() -> None:
    texts = {
        path: path.read_text(encoding="utf-8")
        for path in (ROOT / "ctxmgr").rglob("*.py")
        if path.name != "extras.py"
    }
    said = {path.name for path, text in texts.items() if "pip install" in text}
    assert said == set()


def test_one_is_installed_if_all_of_its_modules_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    assert is_installed("proxy")
    monkeypatch.setattr(extras, "find_spec", lambda name: None if name == "mcp" else object())
    assert not is_installed("proxy")


def test_a_module_of_a_package_that_is_missing_is_not_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(EXTRAS, "otlp", EXTRAS["otlp"]._replace(modules=("no_such_package.sdk",)))
    assert not is_installed("otlp")


def test_from_a_clone_its_folder_is_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    assert install("proxy") == "pip install '.[proxy]'"
    assert install("study") == "pip install . ./ctxmgr/study"
    assert install("proxy", "corpus") == "pip install '.[proxy]' './ctxmgr/study[corpus]'"
    monkeypatch.chdir("/")
    assert install("study") == f"pip install {ROOT} {ROOT}/ctxmgr/study"


def test_a_sentence_names_the_extra_and_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    assert needs("store") == "needs the store extra: pip install '.[store]'"


@pytest.mark.parametrize(
    ("origin", "command"),
    [
        (None, "pip install 'ctxmgr-sidecar[study]'"),
        ({"url": "file:///src/ctxmgr", "dir_info": {}}, "pip install /src/ctxmgr /src/ctxmgr/ctxmgr/study"),
        (
            {"url": "file:///my%20dist/ctxmgr_sidecar-0.3.0-py3-none-any.whl", "archive_info": {}},
            "pip install --find-links '/my dist' 'ctxmgr-sidecar[study]'",
        ),
        ({"url": "https://host/ctxmgr_sidecar.whl", "archive_info": {}}, "pip install 'ctxmgr-sidecar[study]'"),
    ],
    ids=["index", "folder", "wheel", "url"],
)
def test_elsewhere_the_command_goes_by_where_it_came_from(
    origin: Any, command: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    class Installed:
        @staticmethod
        def read_text(name: str) -> str | None:
            assert name == "direct_url.json"
            return None if origin is None else json.dumps(origin)

    monkeypatch.setattr(extras, "FOLDER", tmp_path)
    monkeypatch.setattr(importlib.metadata, "distribution", lambda name: Installed())
    assert install("study") == command
