"""Generated files in `protocol/`, `docs/` and `ctxmgr/data/` are what the program would write today, byte for byte.

The transcripts themselves are held by `test_transcripts.py`; everything else is made from them and from the types.
"""

import difflib
import hashlib
import subprocess
import sys
from pathlib import Path

import pytest

from scripts.generating import cases, everything, pages
from scripts.generating.spec import schema

ROOT = Path(__file__).parents[2]
PROTOCOL = ROOT / "protocol"
FIX = "run scripts/gen"
SHOWN = 60  # lines of a difference
PAGES = pages.files(schema.document())


@pytest.fixture(scope="module")
def documents() -> dict[str, str]:
    return everything.documents(everything.committed(PROTOCOL), everything.written_by_hand(PROTOCOL))


def difference(name: str, committed: str, now: str, below: str = "protocol") -> str:
    """What to read and what to do; "" where nothing has changed."""
    lines = difflib.unified_diff(
        committed.splitlines(), now.splitlines(), f"{below}/{name} as committed", "as it would be now", "", "", 1
    )
    shown = [line for _, line in zip(range(SHOWN), lines, strict=False)]
    return "\n".join([f"{below}/{name} has fallen behind: {FIX}", *shown]) if shown else ""


DOCUMENTS = ("schema.json", "openrpc.json", "ctxmgr.ts", "README.md", "hosts/rust/src/types.rs")


def test_document_is_the_committed_one(documents: dict[str, str]) -> None:
    for name in DOCUMENTS:
        path = PROTOCOL / name
        committed = path.read_bytes().decode() if path.exists() else ""
        assert committed == documents[name], difference(name, committed, documents[name])


def test_page_of_the_docs_is_the_committed_one() -> None:
    for name in sorted(PAGES):
        path = ROOT / "docs" / name
        committed = path.read_bytes().decode() if path.exists() else ""
        assert committed == PAGES[name], difference(name, committed, PAGES[name], "docs")


def test_the_docs_have_no_other_page_of_reference() -> None:
    there = {path.relative_to(ROOT / "docs").as_posix() for path in (ROOT / "docs" / "reference").rglob("*.md")}
    assert there == set(PAGES)


def test_cases_from_transcripts_are_the_committed_ones(documents: dict[str, str]) -> None:
    made = {name for name in documents if name.startswith("corpus/")}
    there = {path for path in everything.generated(PROTOCOL) if path.name.startswith(cases.PREFIX)}
    assert {path.relative_to(PROTOCOL).as_posix() for path in there} == made, FIX
    for name in sorted(made):
        committed = (PROTOCOL / name).read_bytes().decode()
        assert committed == documents[name], difference(name, committed, documents[name])


@pytest.mark.long
def test_generation_does_not_hang_on_the_hash_seed(documents: dict[str, str]) -> None:
    code = (
        "import hashlib\n"
        "from tests.contract.test_generated import PROTOCOL, everything\n"
        "made = everything.documents(everything.committed(PROTOCOL), everything.written_by_hand(PROTOCOL))\n"
        "print(hashlib.sha256(repr(sorted(made.items())).encode()).hexdigest())"
    )
    expected = hashlib.sha256(repr(sorted(documents.items())).encode()).hexdigest()
    environment = {"PYTHONHASHSEED": "1", "PATH": ""}
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT, env=environment)
    assert done.stdout.strip() == expected


def test_what_the_program_reads_is_the_committed_one() -> None:
    for name, text in everything.shipped().items():
        assert (ROOT / "ctxmgr" / "data" / name).read_text(encoding="utf-8") == text, FIX
