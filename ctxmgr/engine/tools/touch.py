"""What a tool call touches: a file, what is done to it, and which lines; and what else is known of the call."""

from typing import Literal

import msgspec

Kind = Literal["read", "write", "edit", "list", "run"]


class Touch(msgspec.Struct, frozen=True, gc=False):
    """Lines `start` to `end` of a file, from 1; None: from its first, to its last.

    `path` is seen from the directory that the call runs in; "" where the call does not name it. "list": a look that
    changes nothing. "run": something else, whose output is not a file's text.
    `exact`: the call surely asks for these lines; else they hold what it asks for, and its result alone may tell.
    `grown`: lines by which an edit may have moved what follows it; None where that is not known.
    """

    path: str
    kind: Kind
    start: int | None = None
    end: int | None = None
    exact: bool = True
    grown: int | None = 0


class Reading(msgspec.Struct, frozen=True, gc=False):
    """What is known of a call before its result. `repeats`: the same call again shows the newer state of the same.

    `shell`: it is done by a shell, whose result may hide a failure. `directory`: where that shell went to last, ""
    where it stayed.
    """

    touches: tuple[Touch, ...] = ()
    repeats: bool = False
    shell: bool = False
    directory: str = ""
