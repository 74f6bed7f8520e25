"""One word, one thing: the names of classes, fields and modules, held to the glossary (`docs/glossary.md`).

Rules:
1. A public class name is of one class.
2. No verb of perception, and no word that has meant several things, is a class, a field or a module.
3. A time ends in `_ms`; a field that counts tokens, characters or bytes ends in that unit.
4. A field's name is of a number in every struct or in none.
5. What a host, a snapshot or a file has keeps its name: the structs of the wire, the policy, the file of facts and
   the rows of a corpus are held to rule 1 alone.
6. A word that the glossary has another for names nothing: no module, class, function, parameter, field, local.
7. No function that others call is named by a verb of perception.
8. A docstring names what there is: a name in backquotes, and what one says that it raises.
"""

import ast
import builtins
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from tests.declared import Trees, classes, fields, trees

PERCEPTION = {"told", "found", "said", "heard", "hear", "known", "shown", "held", "kept", "gone", "seen", "sight"}
SEVERAL_MEANINGS = {"at", "place", "left", "cut", "tag", "came", "taken", "touched"}  # of a field
PARTICIPLES = {"told", "spoken", "came", "taken", "touched"}
FORMER = {  # rule 6; "units" are of UTF-16
    *("atom", "atoms", "unit", "puts", "spool", "lane", "lanes", "errand", "errands", "occasion", "want"),
    *("wishes", "market", "rides", "spared", "seam", "seams", "stood"),
}
TIMES = {"at", "deadline", "ttl", "timeout", "delay", "moment", "milliseconds"}
UNITS = {"tokens", "chars", "bytes"}
BARE_COUNTS = {"input", "output", "max_output", "max_message", "keep_recent", "reading", "before", "after"}
EXAMPLES = (  # rule 8: names of other programs
    *("AbsolutePath", "ReadFile", "readFile", "allow_multiple", "create_review_comment", "delete_lines"),
    *("k3f7a2bq", "mcp__files__", "mcp__files__read_file", "old_str_1", "replace_all", "AgentSession", "View"),
    *("from_events", "E0308", "ENOENT", "TS2345", "app", "Infinity", "NaN", "fnmatch", "get_encoding"),
)
ON_THE_WIRE = (
    "model/api/",
    "model/policy.py",
    "model/tools.py",
    "known_models/facts_file.py",
    "study/corpus/rows.py",
)  # rule 5
OF_PI = {"first_kept", "tokens_before", "turns_kept"}  # its words, and the report's


def words(name: str) -> list[str]:
    return [word.lower() for word in re.findall(r"[A-Z]?[a-z0-9]+|[A-Z]+", name)]


def several(given: Trees) -> set[str]:
    """Rule 1."""
    names = Counter(cls.name for tree in given.values() for cls in classes(tree) if cls.name[0] != "_")
    return {name for name, count in names.items() if count > 1}


def is_count(annotation: str) -> bool:
    return bool(re.fullmatch(r"(int|float)( \| None)?", annotation))


def wrong(field: str, annotation: str) -> bool:
    """Rules 2 and 3, of one field."""
    parts, name = words(field), field.strip("_")
    if name in OF_PI:
        return False
    if PERCEPTION.intersection(parts) or name in SEVERAL_MEANINGS:
        return True
    if not is_count(annotation):
        return False
    units = UNITS.intersection(parts)
    return (
        parts[-1] in TIMES
        or (name in BARE_COUNTS and "int" in annotation)
        or bool(units and parts[-1] not in units)
    )


def mistaken(given: Trees) -> Iterator[str]:
    """Rules 2 and 3."""
    for path, tree in given.items():
        if path.startswith(ON_THE_WIRE):
            continue
        if (PERCEPTION | PARTICIPLES).intersection(words(Path(path).stem)):
            yield path
        for cls in classes(tree):
            if (PERCEPTION | PARTICIPLES).intersection(words(cls.name)):
                yield f"{path}:{cls.name}"
        for owner, field, annotation in fields(tree):
            if wrong(field, annotation):
                yield f"{path}:{owner}.{field}"


def identifiers(tree: ast.AST) -> Iterator[str]:
    """What a module names: classes, functions, parameters, fields and locals."""
    for node in ast.walk(tree):
        match node:
            case ast.ClassDef() | ast.FunctionDef() | ast.AsyncFunctionDef():
                yield node.name
            case ast.arg():
                yield node.arg
            case ast.Name(ctx=ast.Store()):
                yield node.id
            case ast.Attribute(ctx=ast.Store()):
                yield node.attr


def former(given: Trees) -> set[str]:
    """Rule 6."""
    return {
        f"{path}:{name}"
        for path, tree in given.items()
        for name in (Path(path).stem, *identifiers(tree))
        if FORMER.intersection(words(name))
    }


def perceiving(given: Trees) -> set[str]:
    """Rule 7."""
    return {
        f"{path}:{node.name}"
        for path, tree in given.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and not node.name.startswith("_")
        and (PERCEPTION | PARTICIPLES).intersection(words(node.name))
    }


def nameable(given: Trees) -> set[str]:
    """Rule 8: whatever the modules name, in snake case too, and the words of their texts."""
    names = {*dir(builtins), *EXAMPLES}
    for path, tree in given.items():
        names |= {*Path(path).parts, Path(path).stem, *identifiers(tree)}
        docstrings = {id(text) for text in docstring_nodes(tree)}
        for node in ast.walk(tree):
            match node:
                case ast.alias(name=name):
                    names |= set(name.split("."))
                case ast.Attribute(attr=name) | ast.Name(id=name) | ast.keyword(arg=str(name)):
                    names.add(name)
                case ast.Constant(value=str(text)) if id(node) not in docstrings:
                    names |= set(re.findall(r"\w+", text))
    return names


def docstring_nodes(tree: ast.AST) -> Iterator[ast.Constant]:
    for node in ast.walk(tree):
        body = (
            node.body
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
            else []
        )
        match body[:1]:
            case [ast.Expr(value=ast.Constant(value=str()) as text)]:
                yield text


def astray(given: Trees, names: set[str]) -> set[str]:
    """Rule 8."""
    named = re.compile(r"`([A-Za-z_][\w.]*)(?:\(\))?`|\bRaises ([A-Za-z_][\w.]*[A-Za-z])")
    return {
        f"{path}: {name}"
        for path, tree in given.items()
        for text in docstring_nodes(tree)
        for match in named.finditer(str(text.value))
        for name in [match[1] or match[2]]
        if not all({part, "_".join(words(part))} & names for part in name.strip(".").split("."))
    }


def of_two_kinds(given: Trees) -> set[str]:
    """Rule 4."""
    kinds: dict[str, set[bool]] = defaultdict(set)
    for path, tree in given.items():
        if not path.startswith(ON_THE_WIRE):
            for _, field, annotation in fields(tree):
                if annotation and field[0] != "_":
                    kinds[field].add(is_count(annotation))
    return {field for field, found in kinds.items() if len(found) > 1}


def test_a_class_name_is_of_one_class() -> None:
    assert several(trees()) == set()


def test_a_field_is_a_number_everywhere_or_nowhere() -> None:
    assert of_two_kinds(trees()) == set()


def test_names_are_the_words_of_the_glossary() -> None:
    assert list(mistaken(trees())) == []


def test_a_former_word_names_nothing() -> None:
    assert former(trees()) == set()


def test_functions_are_not_named_by_verbs_of_perception() -> None:
    assert perceiving(trees()) == set()


def test_docstrings_name_what_there_is() -> None:
    assert astray(trees(), nameable(trees())) == set()


@pytest.mark.parametrize("text", ["`gone`", "(`a.gone`)", "Raises gone.Refused, and", "`gone()`"])
def test_a_name_in_a_docstring_of_what_is_gone_is_caught(text: str) -> None:
    tree = {"a.py": ast.parse(f'def here():\n    """As `here` and `a.here`: {text}."""\n    return "Refused"')}
    assert len(astray(tree, nameable(tree))) == 1


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.py", "class Unit: ..."),
        ("a.py", "def want(): ..."),
        ("a.py", "async def f(*, lane): ..."),
        ("a.py", "class C:\n    atoms: int"),
        ("a.py", "def f():\n    for seam in ():\n        pass"),
        ("a.py", "class C:\n    def __init__(self):\n        self._spool = 1"),
        ("a.py", "ERRANDS = 1"),
        ("lanes.py", ""),
    ],
)
def test_a_former_word_is_caught(path: str, text: str) -> None:
    assert len(former({path: ast.parse(text)})) == 1


def test_words_that_only_look_like_former_ones_are_free() -> None:
    assert former({"a.py": ast.parse("utf16_units = 1\ndef f(wants_answer, atomic): ...")}) == set()


@pytest.mark.parametrize(
    ("text", "caught"),
    [
        ("def shown(): ...", True),
        ("class C:\n    async def is_known(self): ...", True),
        ("def _told(): ...", False),
    ],
)
def test_a_function_named_by_a_verb_of_perception_is_caught(text: str, caught: bool) -> None:
    assert bool(perceiving({"a.py": ast.parse(text)})) is caught


@pytest.mark.parametrize(
    "text",
    [
        "class Shown: ...",
        "class _Told: ...",
        "class C:\n    held: int",
        "class C:\n    def __init__(self):\n        self._heard = 1",
        "class C:\n    def f(self):\n        self.a, self.seen = 1, 2",
        "class C:\n    at: str",
        "class C:\n    place: int",
        "class C:\n    deadline: int | None = None",
        "class C:\n    cache_ttl: float",
        "class C:\n    tokens_used: int",
        "class C:\n    max_output: int",
    ],
)
def test_an_old_word_is_caught(text: str) -> None:
    assert len(list(mistaken({"engine/x.py": ast.parse(text)}))) == 1


@pytest.mark.parametrize(
    "text",
    [
        "class C:\n    time_ms: int | None",
        "class C:\n    deadline_ms: int",
        "class C:\n    max_output_tokens: int",
        "class C:\n    message_index: int",
        "class C:\n    max_tokens: int",
        "class C:\n    tokens: tuple[str, ...]",
        "class C:\n    def f(self):\n        found = self.value",
    ],
)
def test_a_name_of_the_glossary_is_no_fault(text: str) -> None:
    assert list(mistaken({"engine/x.py": ast.parse(text)})) == []


@pytest.mark.parametrize(("path", "caught"), [("engine/shown.py", True), ("engine/a.py", False)])
def test_a_module_is_named_by_a_noun(path: str, caught: bool) -> None:
    assert list(mistaken({path: ast.parse("")})) == [path] * caught


def test_a_struct_of_the_wire_keeps_its_names() -> None:
    assert list(mistaken({"model/api/x.py": ast.parse("class C:\n    at: int")})) == []


def test_a_name_that_two_classes_have_is_caught() -> None:
    given: Iterable[str] = ("class A: ...\nclass B: ...", "class A: ...\nclass _B: ...")
    assert several({str(number): ast.parse(text) for number, text in enumerate(given)}) == {"A"}


@pytest.mark.parametrize(
    ("text", "caught"),
    [
        ("class A:\n    calls: int\nclass B:\n    calls: list[str]", {"calls"}),
        ("class A:\n    calls: int\nclass B:\n    calls: float | None", set()),
        ("class A:\n    calls: int\nclass B:\n    call: str", set()),
    ],
)
def test_a_field_of_two_kinds_is_caught(text: str, caught: set[str]) -> None:
    assert of_two_kinds({"engine/x.py": ast.parse(text)}) == caught
