"""Sessions of any length in any format and preset, and steady calls of them."""

from typing import Any

import msgspec

from ctxmgr.server import SnapshotLoaded
from ctxmgr.server import effects as do
from tests.inprocess import InProcess
from tests.translation import TO

Json = dict[str, Any]

STEPS_A_TURN = 10
RESULT = "\n".join(f"line {number} of it" for number in range(12))
FITS = 10_000_000  # tokens: no list of the tests fills it
encode = msgspec.json.encode


def step(number: int) -> list[Json]:
    """A call of a tool and its result; before each tenth a user's message. In pi's format."""
    call = {"type": "toolCall", "id": f"c{number}", "name": "read", "arguments": {"path": f"src/part_{number}.py"}}
    reply = {"role": "assistant", "content": [{"type": "text", "text": f"Look at part {number}."}, call]}
    result = {"role": "toolResult", "toolCallId": f"c{number}", "toolName": "read", "isError": False}
    said = [{"role": "user", "content": f"Go on with part {number}."}] if number % STEPS_A_TURN == 0 else []
    return [*said, reply, result | {"content": [{"type": "text", "text": f"part {number}\n{RESULT}"}]}]


def conversation(format: str, steps: int) -> list[list[msgspec.Raw]]:
    """The messages of each step, encoded."""
    return [[msgspec.Raw(encode(one)) for one in TO[format](step(number))] for number in range(steps)]


class Quiet(InProcess):
    """Keeps the lines of a snapshot and writes none anew."""

    def _save(self, effect: do.Save) -> None:
        self.saved.setdefault(effect.session_id, []).append(effect.line)


def host_of(preset: str, format: str, window: int, found: SnapshotLoaded = SnapshotLoaded()) -> Quiet:  # noqa: B008
    return Quiet(
        policy={"preset": preset, "tokenizer": "estimate"},
        window=window,
        message_format=format,
        snapshots={"s": found},
        record=False,
    )
