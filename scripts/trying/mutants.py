"""Turns the engine's sources into mutants by cosmic-ray's operators, and samples them by a seed.

1. A site is a place where an operator of one family applies. A site is drawn first, then one of its changes;
   otherwise comparisons, which have five each, would be most of a sample.
2. The families: comparisons, `and` and `or`, `not` before a condition, True and False, numbers (one more, one less;
   also in tables and weights), arithmetic, signs, break and continue, caught exceptions, loops that never run.
3. Excluded are changes that cannot run or cannot matter: bit operators (`|` is a type here), `==` for `is`, and
   whatever is in an annotation, an assertion (`strict=` is one), a decorator or a class's keywords (how much is
   cached, and whether a struct is frozen, changes no answer).
4. A mutant is identified by what is least often renamed: package and module, function (or the name that a module
   assigns to), operator, and the index of that operator there. The draw depends only on that, so a site that is
   added or removed does not change the turn of others.
"""

import ast
from collections import Counter
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import parso
from cosmic_ray.ast import ast_nodes
from cosmic_ray.mutating import mutate_code
from cosmic_ray.plugins import get_operator, operator_names

OUT = ("Bit", "Shift", "Invert", "Pow", "UAdd", "_Is")
IDENTITY = ("ReplaceComparisonOperator_Is_IsNot", "ReplaceComparisonOperator_IsNot_Is")
FAMILIES = (
    "AddNot",
    "ExceptionReplacer",
    "NumberReplacer",
    "ReplaceAndWithOr",
    "ReplaceOrWithAnd",
    "ReplaceBinaryOperator",
    "ReplaceUnaryOperator",
    "ReplaceComparisonOperator",
    "ReplaceBreakWithContinue",
    "ReplaceContinueWithBreak",
    "ReplaceFalseWithTrue",
    "ReplaceTrueWithFalse",
    "ZeroIterationForLoop",
)
SILENT = ("assert_stmt", "decorator")  # rule 3


class Mutant(NamedTuple):
    """`path`: below the package's folder. `line`: from 1. `before` and `after`: that line."""

    key: str
    path: str
    operator: str
    occurrence: int
    line: int
    before: str
    after: str


class Change(NamedTuple):
    operator: str
    occurrence: int  # of the operator in the module
    key: str


class Site(NamedTuple):
    path: str
    name: str  # as in a mutant's key, with the family instead of the operator
    line: int
    changes: tuple[Change, ...]


def sample(engine: Path, places: list[Site], seed: int, count: int) -> list[Mutant]:
    """`count` mutants of these sites, in the order of their draw (rule 4). The first ones are a sample, too."""

    def turn(site: Site) -> str:
        return sha256(f"{seed} {site.name}".encode()).hexdigest()

    mutants: list[Mutant] = []
    for site in sorted(places, key=turn):
        change = site.changes[int(turn(site)[:8], 16) % len(site.changes)]
        mutant = _mutant(engine, site, change)
        if mutant is not None:
            mutants.append(mutant)
        if len(mutants) == count:
            break
    return mutants


def named(engine: Path, places: list[Site], keys: set[str]) -> list[Mutant]:
    """The existing mutants with these keys."""
    mutants = [_mutant(engine, site, change) for site in places for change in site.changes if change.key in keys]
    return [mutant for mutant in mutants if mutant is not None]


def mutated(engine: Path, mutant: Mutant) -> str:
    """The whole source of the mutant's module."""
    code = (engine / mutant.path).read_text(encoding="utf-8")
    changed = mutate_code(code, get_operator(mutant.operator)(), mutant.occurrence)
    assert changed is not None
    return str(changed)


def sites(engine: Path) -> list[Site]:
    return [site for path in sorted(engine.rglob("*.py")) for site in _sites(engine, path)]


def _sites(engine: Path, path: Path) -> Iterator[Site]:
    code = path.read_text(encoding="utf-8")
    nodes = list(ast_nodes(parso.parse(code)))
    owners = _owners(ast.parse(code), len(code.splitlines()))
    module = "/".join((engine.name, *path.relative_to(engine).with_suffix("").parts)).split("/")[-2:]
    grouped: dict[tuple[Any, str], list[Change]] = {}
    for family in FAMILIES:
        for name in sorted(operator_names()):
            own = name.removeprefix("core/")
            if own.startswith(family) and (own in IDENTITY or not any(part in own for part in OUT)):
                there: Counter[str] = Counter()
                for occurrence, (start, node) in enumerate(_positions(nodes, name)):
                    if _matters(node):
                        scope = f"{'/'.join(module)}: {owners[start[0] - 1]}"
                        there[scope] += 1
                        key = f"{scope}: {own.removeprefix('Replace')} {there[scope]}"
                        grouped.setdefault((start, family), []).append(Change(name, occurrence, key))
    seen: Counter[str] = Counter()
    for (start, family), changes in sorted(grouped.items()):
        scope = f"{'/'.join(module)}: {owners[start[0] - 1]}: {family}"
        seen[scope] += 1
        yield Site(path.relative_to(engine).as_posix(), f"{scope} {seen[scope]}", start[0], tuple(changes))


def _positions(nodes: list[Any], name: str) -> Iterator[tuple[tuple[int, int], Any]]:
    """In the order in which cosmic-ray counts an operator's occurrences."""
    operator = get_operator(name)()
    for node in nodes:
        for start, _ in operator.mutation_positions(node):
            yield start, node


def _matters(node: Any) -> bool:
    """False if rule 3 excludes it."""
    while (parent := node.parent) is not None:
        index = parent.children.index(node)
        if parent.type in SILENT:
            return False
        if parent.type in ("annassign", "tfpdef") and parent.children[index - 1] == ":":
            return False
        if parent.type == "funcdef" and parent.children[index - 1] == "->":
            return False
        if parent.type == "argument" and getattr(parent.children[0], "value", "") == "strict":
            return False
        if parent.type == "classdef" and node.type in ("argument", "arglist"):
            return False
        node = parent
    return True


def _owners(tree: ast.Module, lines: int) -> list[str]:
    """For each line, the function or class that contains it, or the name that it assigns to."""
    owners = ["module"] * lines

    def visit(nodes: list[ast.stmt], inside: str) -> None:
        for node in nodes:
            if isinstance(node, ast.FunctionDef | ast.ClassDef):
                name = f"{inside}.{node.name}".removeprefix(".")
                fill(node, name)
                visit(node.body, name)
            elif isinstance(node, ast.Assign | ast.AnnAssign) and inside == "":
                fill(node, ast.unparse(node.targets[0] if isinstance(node, ast.Assign) else node.target))

    def fill(node: ast.stmt, name: str) -> None:
        owners[node.lineno - 1 : node.end_lineno] = [name] * ((node.end_lineno or node.lineno) - node.lineno + 1)

    visit(tree.body, "")
    return owners


def _mutant(engine: Path, site: Site, change: Change) -> Mutant | None:
    """None if the change changes nothing, or cosmic-ray cannot make it: a dotted name among several caught
    exceptions.
    """
    code = (engine / site.path).read_text(encoding="utf-8")
    try:
        changed = mutate_code(code, get_operator(change.operator)(), change.occurrence)
    except AttributeError:
        return None
    if changed is None:
        return None
    pairs = zip(code.splitlines(), str(changed).splitlines(), strict=False)
    for number, (old, new) in enumerate(pairs, 1):
        if old != new:
            return Mutant(change.key, site.path, *change[:2], number, old.strip(), new.strip())
    return None
