"""Makes the work tree that scripts are played on: modules of 3 to 8 KB, each another, the same on every run."""

from pathlib import Path
from random import Random

WORDS = ("anchor", "buffer", "column", "cursor", "digest", "epoch", "filter", "index", "margin", "merge", "retry")
LIMIT = "LIMIT = {}\n"
MODULES = 200


def module(number: int) -> str:
    """The path of one, from the tree's root."""
    return f"src/mod_{number:03}.py"


def make_tree(root: Path, modules: int = MODULES) -> Path:
    (root / "src").mkdir(parents=True)
    for number in range(modules):
        (root / module(number)).write_text(text_of(number), encoding="utf-8")
    (root / "README.md").write_text("# A tree to look through\n", encoding="utf-8")
    return root


def text_of(number: int) -> str:
    random = Random(number)
    lines = [f'"""Module {number}."""\n', LIMIT.format(10)]
    chars, wanted = 0, random.randrange(3000, 8000)
    while chars < wanted:
        part = _function(random)
        chars += len(part)
        lines.append(part)
    return "\n".join(lines)


def _function(random: Random) -> str:
    one, two, three = random.sample(WORDS, 3)
    return (
        f"def {one}_{two}_{random.randrange(1000)}(store, limit=LIMIT):\n"
        f'    """The {one} of one {two}, at most `limit`; raises {three.title()}Error."""\n'
        f"    found = [{one} for {one} in store if {one} != {random.randrange(10_000)}]\n"
        f"    return {three}_all(found[:limit], key='{two}-{random.randrange(1_000_000)}')\n"
    )
