"""The optional dependencies of this distribution: what each is for, its size, and the command that installs it.

`pyproject.toml` has the requirements; a test compares its names with this table. A sentence that asks for an extra
ends with `needs`, whose command fits this installation: from a clone, a wheel or an index.
"""

import shlex
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

DISTRIBUTION = "ctxmgr-sidecar"
FOLDER = Path(__file__).parents[1]  # of the clone, if this is one
OF_STUDY = {"study": "", "corpus": "[corpus]"}  # from ctxmgr-study, another distribution of the same clone


class Extra(NamedTuple):
    """Installed if all `modules` can be found. `packages` and `megabytes`: what it adds to an installation without
    extras (CPython 3.11, Linux x86-64).
    """

    purpose: str
    modules: tuple[str, ...]
    packages: int
    megabytes: int


EXTRAS = {
    "proxy": Extra("`run`, `proxy`, `ab`, and tools for the agent's model", ("aiohttp", "brotli", "mcp"), 36, 48),
    "study": Extra(
        "`demo`, `savings`, `replay`, `compare`, `drive`, `conform`", ("ctxmgr.study", "rich", "zstandard"), 5, 30
    ),
    "store": Extra("sessions in an object store, such as `serve --store s3://...`", ("obstore",), 2, 16),
    "corpus": Extra(
        "`corpus`: many recordings, on all cores or a Dask cluster",
        ("dask", "distributed", "duckdb", "obstore", "pyarrow"),
        30,
        308,
    ),
    "endpoint": Extra("summaries by a model server that you name", ("httpx",), 5, 2),
    "embeddings": Extra("compactions that cut where the subject changes", ("wordllama",), 23, 135),
    "otlp": Extra(
        "telemetry to an OpenTelemetry collector", ("opentelemetry.sdk", "opentelemetry.exporter"), 11, 5
    ),
    "langchain": Extra("the LangChain middleware", ("langchain",), 34, 53),
    "openai-agents": Extra("the OpenAI Agents SDK integration", ("agents",), 33, 49),
    "pydantic-ai": Extra("the pydantic-ai integration", ("pydantic_ai",), 16, 23),
}
BROUGHT_BY = {  # from a module that was not found to the extra to install
    **{module: name for name, extra in EXTRAS.items() for module in extra.modules},
    **dict.fromkeys(("anyio", "pydantic"), "proxy"),
}


def is_installed(name: str) -> bool:
    return all(map(_is_found, EXTRAS[name].modules))


def _is_found(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:  # its parent package is missing
        return False


def needs(name: str) -> str:
    """The end of a sentence whose subject is what needs the extra, such as "this command"."""
    return f"needs the {name} extra: {install(name)}"


def install(*names: str) -> str:
    """The command that adds these extras to this installation."""
    if (FOLDER / "pyproject.toml").exists():
        return _from_clone(FOLDER, names)
    origin, is_folder = _origin()
    if origin and is_folder:
        return _from_clone(origin, names)
    wheels = ["--find-links", str(origin.parent)] if origin else []
    return shlex.join(["pip", "install", *wheels, f"{DISTRIBUTION}[{','.join(names)}]"])


def _from_clone(folder: Path, names: tuple[str, ...]) -> str:
    """The command for a clone. ctxmgr-study is not on an index yet, so it is built from its folder."""
    base = "." if folder == Path.cwd() else str(folder)
    own = ",".join(name for name in names if name not in OF_STUDY)
    study = [f"{base}/ctxmgr/study{OF_STUDY[name]}" for name in names if name in OF_STUDY][-1:]
    return shlex.join(["pip", "install", f"{base}[{own}]" if own else base, *study])


def _origin() -> tuple[Path | None, bool]:
    """The folder or wheel from which pip installed this, and whether it is a folder. None if it was an index."""
    import json
    from importlib.metadata import PackageNotFoundError, distribution
    from urllib.parse import unquote, urlsplit

    try:
        origin = json.loads(distribution(DISTRIBUTION).read_text("direct_url.json") or "{}")
    except (PackageNotFoundError, ValueError):
        return None, False
    url = urlsplit(origin.get("url", ""))
    return (Path(unquote(url.path)), "dir_info" in origin) if url.scheme == "file" else (None, False)
