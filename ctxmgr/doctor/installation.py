"""The program itself: its version, its Python, its extras, its vocabulary."""

import importlib.util
import platform
from collections.abc import Iterator

from ctxmgr import __version__
from ctxmgr.devices import tokens
from ctxmgr.doctor.diagnosis import Diagnosis, Surroundings

EXTRAS = {  # by name: the module that it brings, and what is not there without it
    "proxy": ("aiohttp", "ctxmgr run, ctxmgr proxy"),
    "study": ("ctxmgr.study", "ctxmgr replay, ctxmgr compare"),
    "endpoint": ("httpx", "summaries by a model server"),
    "embeddings": ("wordllama", "summaries cut where the subject changes"),
}
VOCABULARY = "o200k_base"


def versions(_: Surroundings) -> Iterator[Diagnosis]:
    where = f"Python {platform.python_version()}, {platform.system()} {platform.machine()}"
    yield Diagnosis("ok", "version", f"ctxmgr {__version__}, {where}")


def extras(_: Surroundings) -> Iterator[Diagnosis]:
    """One that is missing is no fault: most need one or two."""
    missing = {name: use for name, (module, use) in EXTRAS.items() if importlib.util.find_spec(module) is None}
    there = ", ".join(name for name in EXTRAS if name not in missing) or "none"
    text = f"there: {there}"
    if not missing:
        yield Diagnosis("ok", "extras", text)
        return
    uses = "; ".join(f"{name} (for {use})" for name, use in missing.items())
    yield Diagnosis(
        "ok",
        "extras",
        f"{text}; not there: {uses}",
        f"where you need one: pip install 'ctxmgr-sidecar[{','.join(missing)}]'",
    )


def vocabulary(_: Surroundings) -> Iterator[Diagnosis]:
    loaded = tokens.load(VOCABULARY)
    if loaded.weigher.name == VOCABULARY:
        yield Diagnosis("ok", "vocabulary", f"{VOCABULARY} is there and loads")
    else:
        yield Diagnosis(
            "warn",
            "vocabulary",
            f"{loaded.note}",
            "tokens are estimated meanwhile; install ctxmgr again",
        )
