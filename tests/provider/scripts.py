"""The notation of scripts: what the program at the other end is made to do, in words that no program's tools have.

    script(
        "Look through the tree",                                  # what the prompt says
        step(Read("src/mod_000.py")),
        step(Run("wc -l src/*.py"), Read("src/mod_001.py"), say="Two at once."),
        step(Agent(script("Count the tests", step(Run("ls tests")), final="There are two."))),
        final="That was all.",
    )

A script begins where a prompt holds its words; one whose words are "" at any that no other fits. Paths count from
the work tree.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from tests.provider.tree import LIMIT, module


@dataclass(frozen=True)
class Read:
    path: str


@dataclass(frozen=True)
class Run:
    command: str


@dataclass(frozen=True)
class Edit:
    path: str
    old: str
    new: str


@dataclass(frozen=True)
class Write:
    path: str
    text: str


@dataclass(frozen=True)
class Agent:
    """A sub-agent that plays a script of its own."""

    script: "Script"


@dataclass(frozen=True)
class Found:
    """An argument that the model has from what came since its last answer: the pattern's first group there."""

    pattern: str


@dataclass(frozen=True)
class Call:
    """A tool by its own name, with its own arguments, where no other act will do. One may be `Found`."""

    name: str
    arguments: dict[str, object]
    namespace: str = ""


Act = Read | Run | Edit | Write | Agent | Call


@dataclass(frozen=True)
class Step:
    """One answer of the model: some words, and calls that the program makes at once."""

    acts: tuple[Act, ...]
    say: str = ""


@dataclass(frozen=True)
class Script:
    prompt: str
    steps: tuple[Step, ...] = ()
    final: str = "That is all."

    def each(self) -> Iterator["Script"]:
        """This one and those of its sub-agents."""
        yield self
        for one in self.steps:
            for act in one.acts:
                if isinstance(act, Agent):
                    yield from act.script.each()


def step(*acts: Act, say: str = "") -> Step:
    return Step(acts, say)


def script(prompt: str, *steps: Step, final: str = "That is all.") -> Script:
    return Script(prompt, steps, final)


def looking(count: int, first: int = 0) -> tuple[Step, ...]:
    """`count` steps through the modules of the tree from module `first` on: each reads another module; every fifth
    edits what was read and looks at a second one in the same answer. The results are all distinct."""
    return tuple(_look(at, first + at) for at in range(count))


def _look(at: int, number: int) -> Step:
    here, before = module(number), module(number - 1)
    if at % 5 == 4:
        edit = Edit(before, LIMIT.format(10), LIMIT.format(30))
        return step(edit, Run(f"wc -c {here}; head -c 1500 {here}"), say="I mend one and look at the next.")
    if at % 5 == 3:
        return step(Read(here))
    return step(Run(f"cat {here}"), say=f"I look at {here}." if at % 5 == 1 else "")
