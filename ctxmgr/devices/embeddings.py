"""Turns texts into vectors with the model in the wheel of the package `wordllama`, without network.

1. The package is an extra (`ctxmgr-sidecar[embeddings]`). If it is missing or broken, callers get a reason in words
   instead of an embedder. Only `load` imports it, which takes 0.5 s and 100 MB.
2. Nothing is downloaded or written. The package (0.4) looks for its own tokenizer in a folder of the wrong name and
   would then fetch it; with its own folder as the cache it finds the copy in the wheel.
3. The package configures the root logger on import. `load` restores it.
4. Texts are shortened. The package pads each batch to its longest text, and a text of 200,000 characters would take
   gigabytes. Unpaired surrogates, which its tokenizer refuses, count as U+FFFD.

The vectors are averages of word vectors: they separate topics, not statements about a topic.
"""

import functools
import importlib
import logging
from collections.abc import Callable, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

from ctxmgr.extras import needs
from ctxmgr.model import without_surrogates

PACKAGE = "wordllama"
TEXT_CHARACTERS = 2_000
"""Of a text are looked at, its start: what `cohesion` takes of a step's parts as well."""
BATCH = 16
"""Texts at once. A batch takes at most BATCH x TEXT_CHARACTERS x 256 numbers of 4 bytes, 33 MB."""


class NoEmbeddings(Exception):
    """Embeddings are not available. The text says why, in words that follow "no embeddings: "."""


def load(import_module: Callable[[str], ModuleType] = importlib.import_module) -> Any:
    """Loads the package's model, about 17 MB. Blocks for about 0.5 s, so call it in a thread. Raises
    NoEmbeddings.
    """
    try:
        package = _quietly(import_module)
    except ImportError as fault:
        missing = f"cohesion {needs('embeddings')}"
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
    """One vector per text, all of one length; zeros for a text without words. Takes about 0.6 ms per text."""
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
    """Vectors by the local model, which is loaded with the first texts. None if it is not available, which is
    reported once.
    """
    model = _loaded(say)
    return None if model is None else vectors(model, texts)


def _quietly(import_module: Callable[[str], ModuleType]) -> ModuleType:
    """The package, with the root logger unchanged (rule 3)."""
    root = logging.getLogger()
    level, before = root.level, list(root.handlers)
    try:
        return import_module(PACKAGE)
    finally:
        root.setLevel(level)
        for device in list(root.handlers):
            if device not in before:
                root.removeHandler(device)
