"""Turns what a command runs into the kind of work that it does, as a sentence names it: tests, a build, a push."""

import re

from ctxmgr.engine.tools.shell import builds, is_checking

_CHECKS = {
    "test": re.compile(r"test|spec|\b(?:jest|mocha|ava|tox|nox|phpunit|bats|behave)\b"),
    "build": re.compile(r"build"),
    "lint": re.compile(r"lint|\b(?:ruff|flake8|clippy|shellcheck|biome)\b"),
    "type": re.compile(r"type-?check|\b(?:mypy|pyright|tsc|tsgo)\b"),
}
_OTHERS = {
    "merge": re.compile(r"git (?:merge|commit)$"),
    "rebase": re.compile(r"git (?:rebase|commit)$"),
    "push": re.compile(r"git push$"),
    "install": re.compile(
        r"\b(?:npm|pnpm|yarn|bun|pip|uv|poetry|cargo|brew|apt-get|bundle|composer) (?:\w+ )?install$"
    ),
    "ci": re.compile(r"^gh pr checks\b"),
}


def is_of_kind(run: str, kind: str) -> bool:
    """Is what runs so (`git merge`, `npm run lint`) of this kind: "test", "build", "lint", "type", "merge",
    "rebase", "push", "install", "ci" (what a server checks)?"""
    if kind in _CHECKS:
        return (bool(_CHECKS[kind].search(run)) and is_checking(run)) or (kind == "build" and builds(run))
    return kind in _OTHERS and bool(_OTHERS[kind].search(run))
