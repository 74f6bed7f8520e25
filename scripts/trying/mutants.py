"""Turns the engine's sources into mutants by cosmic-ray's operators, and a seed into a sample of them.

1. A site is a place where an operator of one family applies. A site is drawn first and then one of its changes:
   else comparisons, which have five each, would be most of a sample.
2. Left out are changes that can not run or can not matter: bit operators in and out (`|` is a type here), `is` for
   `==`, and what stands in an annotation or a docstring.
3. A mutant is told by its module's last part and by its line before and after, so that a module can move.
"""

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import parso
from cosmic_ray.ast import ast_nodes
from cosmic_ray.mutating import mutate_code
from cosmic_ray.plugins import get_operator, operator_names

BITS = ("Bit", "Shift", "Invert", "Pow", "UAdd", "_Is")
FAMILIES = (
    "AddNot",
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


class Mutant(NamedTuple):
    """`path` below the package's folder; `line` counts from 1; `before` and `after` are that line."""

    path: str
    operator: str
    occurrence: int
    line: int
    before: str
    after: str

    @property
    def key(self) -> str:
        return f"{Path(self.path).stem}: {self.before} -> {self.after}"


def sample(engine: Path, seed: int, count: int) -> list[Mutant]:
    """So many different mutants, in the order of their sites."""
    dice = random.Random(seed)
    sites = [site for path in sorted(engine.rglob("*.py")) for site in _sites(engine, path)]
    found: list[Mutant] = []
    for path, changes in dice.sample(sites, len(sites)):
        mutant = _mutant(engine, path, *dice.choice(changes))
        if mutant is not None and mutant.key not in {one.key for one in found}:
            found.append(mutant)
        if len(found) == count:
            break
    return sorted(found, key=lambda one: (one.path, one.line))


def mutated(engine: Path, mutant: Mutant) -> str:
    """The whole source of the mutant's module."""
    code = (engine / mutant.path).read_text(encoding="utf-8")
    changed = mutate_code(code, get_operator(mutant.operator)(), mutant.occurrence)
    assert changed is not None
    return str(changed)


def _sites(engine: Path, path: Path) -> Iterator[tuple[str, list[tuple[str, int]]]]:
    tree = parso.parse(path.read_text(encoding="utf-8"))
    nodes = list(ast_nodes(tree))
    found: dict[tuple[str, Any], list[tuple[str, int]]] = {}
    for family in FAMILIES:
        for name in sorted(operator_names()):
            own = name.removeprefix("core/")
            if not own.startswith(family) or any(part in own for part in BITS):
                continue
            operator, occurrence = get_operator(name)(), 0
            for node in nodes:
                for start, _ in operator.mutation_positions(node):
                    found.setdefault((family, start), []).append((name, occurrence))
                    occurrence += 1
    for (_, _), changes in sorted(found.items()):
        yield path.relative_to(engine).as_posix(), changes


def _mutant(engine: Path, path: str, operator: str, occurrence: int) -> Mutant | None:
    """None where the change is one of rule 2, or none at all."""
    code = (engine / path).read_text(encoding="utf-8")
    changed = mutate_code(code, get_operator(operator)(), occurrence)
    if changed is None:
        return None
    pairs = zip(code.splitlines(), changed.splitlines(), strict=False)
    line, before, after = next(
        ((number, old, new) for number, (old, new) in enumerate(pairs, 1) if old != new), (0, "", "")
    )
    if not before or before.lstrip().startswith(("def ", "#", '"""')):
        return None
    return Mutant(path, operator, occurrence, line, before.strip(), after.strip())
