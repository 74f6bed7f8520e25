"""A program, a provider that plays a script to it, and the way between them."""

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.programs.installing import installed
from tests.programs.running import Agent, Session, Through, way
from tests.provider import Provider, Script, make_tree

Playing = Callable[..., tuple[Session, Provider]]


@pytest.fixture(params=["direct", "run"])
def through(request: pytest.FixtureRequest) -> Through:
    """A test of its own may say `@pytest.mark.parametrize("through", ["proxy"])`."""
    found: Through = request.param
    return found


@pytest.fixture
def playing(tmp_path: Path, through: Through) -> Iterator[Playing]:
    """Begins a session of a program with a provider that plays these scripts: `playing(Claude(), script(...))`.
    Settings are the provider's."""
    with contextlib.ExitStack() as stack:

        def begin(agent: Agent, *scripts: Script, **settings: Any) -> tuple[Session, Provider]:
            executable = installed(agent.program)
            tree = make_tree(tmp_path / "tree")
            provider = stack.enter_context(Provider.threaded(*scripts, root=tree, **settings))
            road = stack.enter_context(way(through, provider, tmp_path))
            return Session(agent, executable, road, tmp_path / "home", tree), provider

        yield begin
