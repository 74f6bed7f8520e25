"""The steps of a script as they are read: what `scripts` makes and `scripted_host` carries out."""

import msgspec

from ctxmgr.study.hostscript.script_nodes import Node

LAST = ""  # what a line without @name means


class Step(msgspec.Struct, frozen=True, eq=False):
    """`line` counts from 1; `source` as it stands in the script."""

    line: int
    source: str


class Send(Step, frozen=True):
    method: str
    params: Node | None
    request: bool
    label: str = LAST


class Raw(Step, frozen=True):
    body: str


class Cancel(Step, frozen=True):
    label: str = LAST


class Answered(Step, frozen=True):
    """An answer is expected. `code` None: any."""

    pattern: Node
    label: str = LAST
    failed: bool = False
    code: int | None = None


class Asked(Step, frozen=True):
    """A request or a notification of ctxmgr is expected."""

    method: str
    pattern: Node
    request: bool
    label: str = LAST


class Reply(Step, frozen=True):
    """The answer to a request of ctxmgr; with a `code` it is refused."""

    value: Node
    label: str = LAST
    code: int | None = None


class Always(Step, frozen=True):
    method: str
    value: Node


class Let(Step, frozen=True):
    name: str
    value: Node


class Check(Step, frozen=True):
    value: Node
    pattern: Node


class Say(Step, frozen=True):
    """A message of the list, or (`kind` "message", "messages") what is added to it or becomes it."""

    kind: str
    value: Node
    calls: tuple[tuple[str, Node], ...] = ()
    failed: bool = False


class Repeat(Step, frozen=True):
    times: Node
    name: str
    steps: tuple[Step, ...]


class Turn(Step, frozen=True):
    """The process: `word` is kill, close, restart."""

    word: str


class Ends(Step, frozen=True):
    code: int | None
