"""Sessions in preset `balanced`: one that talks, and epochs that are brought about."""

import json
from collections.abc import Sequence
from typing import Any

from ctxmgr.server.effects import SnapshotLoaded
from tests.contract.talk import Fields, Messages, Talk

WINDOW = 60_000  # tokens: room for about 40 of the steps below before red
ROOM: Fields = {"keep": 250, "workingSet": {"results": 0, "tokens": 0}}
POLICY: Fields = {"preset": "balanced", "hostReserve": 0, **ROOM}
LINES = 70  # of a read's result: about 500 tokens


def talk_of(saved: Sequence[bytes] = (), window: int = WINDOW, format: str = "", **policy: Any) -> Talk:
    return Talk(POLICY | policy, window, {}, found=SnapshotLoaded(tuple(saved)), format=format)


def step(make: Messages, number: int, lines: int = LINES) -> list[Fields]:
    text = "\n".join(f"def func_{number}_{line}(): pass" for line in range(lines))
    read = make.call("read", path=f"src/mod_{number}.py")
    return [make.reply(f"Look at src/mod_{number}.py.", read), make.result(text)]


def steps(make: Messages, count: int, start: int = 0, lines: int = LINES) -> list[Fields]:
    return [one for number in range(start, start + count) for one in step(make, number, lines)]


def sent(answer: Fields) -> list[bytes]:
    return [json.dumps(one).encode() for one in answer["list"]]


def extends(after: Fields, before: Fields, new: Sequence[Fields]) -> bool:
    return bool(after["list"] == [*before["list"], *new])


def prune(talk: Talk, make: Messages, messages: list[Fields]) -> Fields:
    talk.call("prune", sessionId="s")
    return {}
