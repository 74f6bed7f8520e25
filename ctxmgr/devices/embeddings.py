"""Turns texts into vectors with the model that the package `wordllama` carries in its wheel; no network.

1. The package is an extra (`ctxmgr-sidecar[embeddings]`): without it, or with one that does not work, there is a
   reason in words instead of an embedder. It is imported by `load` alone: it costs 0.5 s and 100 MB.
2. Nothing is downloaded and nothing is written. The package (0.4) looks for its own tokenizer in a folder of
   the wrong name and would then fetch it; told that its own folder is the cache, it finds what it brought along.
3. It sets up the root logger when imported. That is put back: our log is not its business.
4. Texts are bounded: the package pads each batch to its longest text, and one of 200,000 characters would
   cost gigabytes. Unpaired surrogates, which its tokenizer refuses, count as U+FFFD.

The vectors are averages of word vectors: they tell subjects apart, not what is said about them.
"""

import functools
import importlib
import logging
from collections.abc import Callable, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

from ctxmgr.model import without_surrogates

PACKAGE = "wordllama"
TEXT_CHARACTERS = 2_000
"""Of a text are looked at, its start: what `cohesion` takes of a step's parts as well."""
BATCH = 16
"""Texts at once. A batch takes at most BATCH x TEXT_CHARACTERS x 256 numbers of 4 bytes, 33 MB."""


class NoEmbeddings(Exception):
    """There are no embeddings here; the text says why, in words that follow "no embeddings: "."""


def load(import_module: Callable[[str], ModuleType] = importlib.import_module) -> Any:
    """The package's model, about 17 MB, that works on this machine. For a thread: blocks for about 0.5 s.
    NoEmbeddings."""
    try:
        package = _quietly(import_module)
    except ImportError as fault:
        missing = "the extra ctxmgr-sidecar[embeddings] is not installed"
        raise NoEmbeddings(missing if fault.name == PACKAGE else f"{PACKAGE}: {fault}") from None
    except Exception as fault:  # noqa: BLE001 - whatever its binary parts come up with on this machine
        raise NoEmbeddings(f"{PACKAGE} cannot be imported: {type(fault).__name__}: {fault}") from None
    try:
        folder = Path(str(package.__file__)).parent
        model = package.WordLlama.load(cache_dir=folder, disable_download=True)
        vectors(model, ["a text"])
    except Exception as fault:  # noqa: BLE001 - files that are missing or broken, an interface that has changed
        raise NoEmbeddings(f"{PACKAGE} does not work here: {type(fault).__name__}: {fault}") from None
    return model


def vectors(model: Any, texts: Sequence[str]) -> list[list[float]]:
    """A vector for each text, all of one length; zeros for a text without words. About 0.6 ms a text."""
    if not texts:
        return []
    bounded = [without_surrogates(text[:TEXT_CHARACTERS]) for text in texts]
    embedded = model.embed(bounded, batch_size=BATCH)
    return [[float(number) for number in vector] for vector in embedded.tolist()]


@functools.cache
def _loaded(say: Callable[[str], None]) -> Any:
    try:
        return load()
    except NoEmbeddings as fault:
        say(f"no embeddings: {fault}")
        return None


def embedded(say: Callable[[str], None], texts: Sequence[str]) -> list[list[float]] | None:
    """Vectors by this machine's model, loaded with the first texts. None where there is none; that is said once."""
    model = _loaded(say)
    return None if model is None else vectors(model, texts)


def _quietly(import_module: Callable[[str], ModuleType]) -> ModuleType:
    """The package, with the root logger left as it was (rule 3)."""
    root = logging.getLogger()
    level, before = root.level, list(root.handlers)
    try:
        return import_module(PACKAGE)
    finally:
        root.setLevel(level)
        for device in list(root.handlers):
            if device not in before:
                root.removeHandler(device)
