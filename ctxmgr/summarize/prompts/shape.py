"""Turns the name of a format into its shape: what a summary in it looks like, for the prompt and for the reading.

Knows no prompt's wording but the outline, and no model. Section names are those of the kind (pi, Claude Code);
what is said about them is ours.
"""

import msgspec

from ctxmgr.engine.memory import HeadingKind, heading


class Need(msgspec.Struct, frozen=True):
    """A section that an answer must hold: its name for people, and the kinds of heading that count as it."""

    name: str
    kinds: frozenset[HeadingKind]


class Shape(msgspec.Struct, frozen=True):
    """What a written summary looks like.

    `outline` is shown to the model: headings, and in square brackets what belongs under each. `titles` are its
    own headings as keys (`key_of_title`), in their order. `needs` are the sections whose absence means that an
    answer is half done: the first and the last of those that always have something to say. `short`: a <short> part
    goes before it. `lead` is a line that belongs before the text when it is put back. `max_tokens`: tokens an
    answer never needs more of. `hint` says in the prompt what is special about this shape. `task` of one without an
    outline is what to write, in somebody else's words.
    """

    name: str
    outline: str
    needs: tuple[Need, ...] = ()
    short: bool = False
    lead: str = ""
    max_tokens: int = 1_000_000
    hint: str = ""
    task: str = ""

    @property
    def is_free(self) -> bool:
        """Any text will do."""
        return not self.outline

    @property
    def titles(self) -> tuple[str, ...]:
        """The keys of the outline's headings, in their order."""
        found = (heading(line) for line in self.outline.splitlines())
        return tuple(key_of_title(one.text) for one in found if one)


FREE = Shape("free", "")  # the caller's own instructions say what to write


def asked_for(task: str, ours: Shape) -> Shape:
    """The free shape of this task, or ours where there is none."""
    return msgspec.structs.replace(FREE, task=task.strip()) if task.strip() else ours


def key_of_title(title: str) -> str:
    """What two headings must share to head the same section: their words, in lower case."""
    return title.casefold().replace("*", "").strip(" :.#")


GOAL = Need("Goal", frozenset(("goal",)))
PROGRESS = Need("Progress", frozenset(("progress", "done", "active", "blocked", "current")))
NEXT = Need("Next Steps", frozenset(("next", "step")))
