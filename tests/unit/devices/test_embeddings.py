"""Vectors from the extra, where it is installed; where it is not, with a stand-in for the package."""

import importlib.util
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from ctxmgr.devices.embeddings import BATCH, PACKAGE, TEXT_CHARACTERS, NoEmbeddings, load, vectors
from ctxmgr.extras import needs

ROOT = Path(__file__).parents[3]
INSTALLED = importlib.util.find_spec(PACKAGE) is not None
real = pytest.mark.skipif(not INSTALLED, reason="the extra ctxmgr-sidecar[embeddings] is not installed")


class Rows(list[list[float]]):
    """Something that gives its rows as numpy's arrays do."""

    def tolist(self) -> list[list[float]]:
        return list(self)


class Model:
    """Counts letters: a vector is (number of a's, number of b's)."""

    def __init__(self) -> None:
        self.asked: list[tuple[list[str], dict[str, Any]]] = []

    def embed(self, texts: list[str], **settings: Any) -> Rows:
        self.asked.append((texts, settings))
        return Rows([[text.count("a"), text.count("b")] for text in texts])


def package(load_model: Callable[..., Any]) -> ModuleType:
    module = ModuleType(PACKAGE)
    module.__file__ = "/somewhere/wordllama/__init__.py"
    module.__dict__["__version__"] = "0.4.0"
    module.__dict__["WordLlama"] = type("WordLlama", (), {"load": staticmethod(load_model)})
    return module


def test_the_package_is_told_to_find_what_it_brought_along() -> None:
    asked: dict[str, Any] = {}
    model = Model()

    def load_model(**settings: Any) -> Model:
        asked.update(settings)
        return model

    assert load(lambda name: package(load_model)) is model
    assert asked == {"cache_dir": Path("/somewhere/wordllama"), "disable_download": True}
    assert vectors(model, ["aab", "", "b"]) == [[2.0, 1.0], [0.0, 0.0], [0.0, 1.0]]
    assert vectors(model, []) == []


def test_texts_are_bounded_and_mended() -> None:
    model = Model()
    vectors(model, ("a" * 99_999, "half \ud83d pair"))
    ((texts, settings),) = model.asked
    assert texts == ["a" * TEXT_CHARACTERS, "half \ufffd pair"]
    assert settings == {"batch_size": BATCH}


def fails(fault: Exception) -> Callable[..., Any]:
    def raising(*arguments: Any, **settings: Any) -> Any:
        raise fault

    return raising


def test_without_embeddings_there_is_a_reason() -> None:
    for import_module, reason in [
        (
            fails(ModuleNotFoundError("no", name=PACKAGE)),
            f"cohesion {needs('embeddings')}",
        ),
        (fails(ModuleNotFoundError("No module named 'numpy'", name="numpy")), "wordllama: No module named 'numpy'"),
        (fails(OSError("bad ELF")), "wordllama cannot be imported: OSError: bad ELF"),
        (
            lambda name: package(fails(FileNotFoundError("no weights"))),
            "wordllama does not work here: FileNotFoundError: no weights",
        ),
        (
            lambda name: package(lambda **settings: object()),
            "wordllama does not work here: AttributeError: 'object' object has no attribute 'embed'",
        ),
        (
            lambda name: ModuleType(PACKAGE),
            "wordllama does not work here: AttributeError: module 'wordllama' has no attribute",
        ),
    ]:
        with pytest.raises(NoEmbeddings, match=f"^{re.escape(reason)}"):
            load(import_module)


def test_importing_the_file_imports_nothing_heavy() -> None:
    code = f"import sys, ctxmgr.devices.embeddings; print(sorted({{'numpy', '{PACKAGE}'}} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout.strip() == "[]"


REAL = """
import socket

def no_network(*arguments, **settings):
    raise AssertionError("network")

socket.socket.connect = no_network
socket.getaddrinfo = no_network
from ctxmgr.devices.embeddings import load, vectors

model = load()
rows = vectors(model, ["fix the parser", "repair the tokenizer", "bake a cake", "", "half \\ud83d pair"])
assert rows == vectors(model, ["fix the parser", "repair the tokenizer", "bake a cake", "", "half \\ud83d pair"])
assert {len(row) for row in rows} == {256} and not any(rows[3]) and any(rows[4])
dot = lambda one, other: sum(a * b for a, b in zip(one, other))
assert dot(rows[0], rows[1]) > 2 * abs(dot(rows[0], rows[2]))
print("well")
"""


@real
def test_the_real_package_needs_no_network_and_writes_nothing(tmp_path: Path) -> None:
    environment = {"HOME": str(tmp_path), "PATH": os.environ["PATH"], "HF_HUB_OFFLINE": "1"}
    done = subprocess.run(
        [sys.executable, "-B", "-c", REAL], capture_output=True, text=True, cwd=ROOT, env=environment, timeout=120
    )
    assert (done.stdout.strip(), done.stderr) == ("well", "")
    assert list(tmp_path.rglob("*")) == []
