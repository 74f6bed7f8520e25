"""What ARCHITECTURE.md and CONTRIBUTING.md name in backticks is there: files, packages, commands, tables.

Rules:
1. A path counts from the project's root, from `ctxmgr/` or the transcripts, or from the folder of one before it in
   its paragraph. NAME in it stands for any.
2. A name in code is one that a Python file of its paragraph defines, or else one of the package, or a module.
   CAPITALS, classes and calls are held to the files, if there are any.
3. Of a command the program is there: a script, a module, a command of `ctxmgr`, or somebody else's program.
4. A link leads somewhere.
"""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from ctxmgr.cli.commands import COMMANDS
from ctxmgr.wire.methods import METHODS

ROOT = Path(__file__).parents[1]
TEXTS = ("ARCHITECTURE.md", "CONTRIBUTING.md")
FOREIGN = {"pip", "pre-commit", "git"}
MODULES = {"ruff", "mypy", "pytest"}
_TICKED = re.compile(r"`([^`\n]+)`")
_LINKED = re.compile(r"\]\(([^)#]+)")
_PARAGRAPH = re.compile(r"\n\s*\n|\n(?=\s*(?:\d+\.|-|\|)\s)")
_BLOCK = re.compile(r"^ {4}(?=\S)(.+)$", re.MULTILINE)
_PATH = re.compile(r"\.?[\w.*-]*(?:/[\w.*-]*)+|[\w*]+\.[A-Za-z]\w*")


def faults(text: str) -> list[str]:
    """What the text names and is not there."""
    found = [link for link in _LINKED.findall(text) if not (ROOT / link).exists()]
    for paragraph in _PARAGRAPH.split(text):
        bases, files, names = [ROOT, ROOT / "ctxmgr", ROOT / "protocol" / "transcripts"], [], []
        for token in (*_TICKED.findall(paragraph), *_scripts(paragraph)):
            paths = [path for one in _paths(token) for path in _there(one, bases)]
            bases += [path if path.is_dir() else path.parent for path in paths]
            files += [path for path in paths if path.suffix == ".py"]
            names += [] if paths or _is_command(token) else [token]
        found += [token for token in names if not _is_name(token, files)]
    return found


def _scripts(paragraph: str) -> list[str]:
    """Commands of indented lines, without what is said of them."""
    return [line.split("  ")[0] for line in _BLOCK.findall(paragraph) if line.startswith(("scripts/", ".ci/"))]


def _paths(token: str) -> Iterator[str]:
    """A path, alone or as the program of a command."""
    first = token.split(" ")[0]
    if _PATH.fullmatch(first) and "(" not in token:
        yield first


def _there(path: str, bases: list[Path]) -> list[Path]:
    """What the path names, below the first base that has it. It may lack `.py`, or end in a name of the file."""
    pattern = path.rstrip("/").replace("NAME", "*")
    for base in bases:
        for spelling in (pattern, f"{pattern}.py"):
            if found := sorted(base.glob(spelling)):
                return found
        stem, _, name = pattern.rpartition(".")
        for file in base.glob(f"{stem}.py") if stem else ():
            if name in names_of(file):
                return [file]
    return []


def _is_command(token: str) -> bool:
    words = token.removeprefix("... ").removeprefix(".venv/bin/").split(" ")
    if words[:2] == ["python", "-m"]:
        module = words[2]
        return module in MODULES or bool(_there(module.replace(".", "/"), [ROOT]))
    if words[0] == "ctxmgr":
        return len(words) > 1 and words[1] in COMMANDS
    return words[0] in FOREIGN or (token.startswith("... ") and words[0] in MODULES)


def _is_name(token: str, files: list[Path]) -> bool:
    """Rule 2. Of an example of code its first name is looked at; `_ms` is an ending, data is none."""
    if re.fullmatch(r"_[a-z]+|\{.*\}|\w*_NAME", token) or token in METHODS:
        return True
    name = re.match(r"\w+(\.\w+)*(?=$|[(\[])", token)
    if name is None:
        return False
    *_, first, last = ("", *name[0].split("."))
    strict = files and (last[0].isupper() or "(" in token)
    if any({first, last} - {""} <= names_of(file) | {file.stem} for file in files):
        return True
    return not strict and last in all_names()


@cache
def names_of(file: Path) -> frozenset[str]:
    """What a file defines, imports or calls: functions, classes, variables, fields, parameters, methods."""
    names = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.Name | ast.arg):
            names.add(node.id if isinstance(node, ast.Name) else node.arg)
        elif isinstance(node, ast.alias):
            names.add(node.asname or node.name)
        elif isinstance(node, ast.Attribute):
            names.add(node.attr)
    return frozenset(names)


@cache
def all_names() -> frozenset[str]:
    paths = sorted((ROOT / "ctxmgr").rglob("*.py"))
    modules = {part for path in paths for part in path.relative_to(ROOT).with_suffix("").parts}
    return frozenset(modules.union(*map(names_of, paths)))


def test_what_they_name_is_there() -> None:
    for name in TEXTS:
        text = (ROOT / name).read_text(encoding="utf-8")
        assert faults(text) == [], name
        assert len(_TICKED.findall(text)) > 30, name


PLANTED = [
    "see `ctxmgr/engine/nowhere.py`",
    "see `engine/nowhere/`",
    "`ctxmgr/engine/tools/rows.py`, then `nowhere.py` there",
    "`ctxmgr/engine/nowhere/NAME.py`",
    "a row in `NOWHERE` of `ctxmgr/engine/tools/rows.py`",
    "a row in `PRESETS` of `ctxmgr/engine/tools/rows.py`",
    '`raw("write")` in `ctxmgr/engine/tools/rows.py`',
    "until `engine/retention/offers.nowhere`",
    "the package `nowhere`",
    "`scripts/nowhere --all`",
    "`python -m scripts.nowhere`",
    "`ctxmgr nowhere FILE`",
    "    scripts/nowhere            # makes it",
    "[there](docs/nowhere.md)",
]
GOOD = [
    '`ctxmgr/engine/tools/rows.py`, a row in `ROWS`: `row("write", "put", "Host")`, then `names.py` there',
    "until `engine/retention/shown.kind_of`, in `session/context/fallback` and `engine/memory/from_*.py`",
    "`tests/unit/formats/test_NAME.py` and `scripts/test tests/unit -k epoch`, `ctxmgr replay`, `.ci/run`",
]


def test_a_planted_name_is_found() -> None:
    for planted in PLANTED:
        assert len(faults(planted)) == 1, planted
    for good in GOOD:
        assert faults(good) == [], good
