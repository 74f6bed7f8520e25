"""Turns the transcripts and the program's own types into all other generated files."""

import json
from collections.abc import Mapping
from pathlib import Path

import msgspec

from ctxmgr import __version__
from scripts.generating import cases, guide, reference, rust, typescript
from scripts.generating.spec import openrpc, schema
from tests.contract import scenarios  # noqa: F401  fills the manifest
from tests.contract.behaviours import MANIFEST

ROOT = Path(__file__).parents[2]


def shipped() -> dict[str, str]:
    """What the program itself reads: the answer to `rpc.discover`, by its path below `ctxmgr/data/`."""
    return {"openrpc.json": msgspec.json.encode(openrpc.document(__version__)).decode()}


def conversations() -> dict[str, str]:
    """The transcript of each scenario of the manifest, by its path below `protocol/`."""
    return {
        f"transcripts/{name}.jsonl": b"".join(line + b"\n" for line in behaviour.scenario().lines).decode()
        for name, behaviour in sorted(MANIFEST.items())
    }


def documents(transcripts: Mapping[str, str], corpus: Mapping[str, str]) -> dict[str, str]:
    """Texts by path below `protocol/`. Both arguments are texts by path; `corpus` holds the handwritten cases."""
    types = schema.document()
    return {
        "schema.json": _json(types),
        "openrpc.json": _json(openrpc.document(__version__)),
        "ctxmgr.ts": typescript.module(types, openrpc.named_errors()),
        "hosts/rust/src/types.rs": rust.text(types),
        "README.md": guide.page(types, transcripts),
        "reference.md": reference.page(types, transcripts, corpus, MANIFEST),
        **cases.files(transcripts),
    }


def generated(protocol: Path) -> set[Path]:
    """The files that only generation writes. Those that it no longer writes are removed."""
    return set(protocol.glob("transcripts/**/*.jsonl")) | set(protocol.glob(f"corpus/*/{cases.PREFIX}*.json"))


def written_by_hand(protocol: Path) -> dict[str, str]:
    """The handwritten cases of the corpus, which come from no transcript."""
    paths = sorted(set(protocol.glob("corpus/*/*.json")) - generated(protocol))
    return {path.relative_to(protocol).as_posix(): path.read_text(encoding="utf-8") for path in paths}


def committed(protocol: Path) -> dict[str, str]:
    """The committed transcripts."""
    paths = sorted(protocol.glob("transcripts/**/*.jsonl"))
    return {path.relative_to(protocol).as_posix(): path.read_text(encoding="utf-8") for path in paths}


def _json(document: object) -> str:
    return json.dumps(document, ensure_ascii=False, indent=2) + "\n"
