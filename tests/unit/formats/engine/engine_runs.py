"""The engine over a conversation in any format."""

import json
from typing import Any

from hypothesis import strategies as st

from ctxmgr.engine.presets.turns.packets import LeftOut
from ctxmgr.model.messages import PACKET_MARK, Message
from ctxmgr.model.policy import ZONES
from ctxmgr.model.projection import Plan
from tests.conversations import text_of
from tests.notation import Said, a, call, quarters, r, think, u
from tests.translation import Json, plain, raws, read
from tests.unit.engine import projections
from tests.unit.engine.projections import LEAST, MOST

zones = st.sampled_from(ZONES)
PROMPTS = {"openai": {"role": "system", "content": "Be kind. " * 9}}
PROMPTS["responses"] = {"type": "message", **PROMPTS["openai"]}


def rendered(left: LeftOut) -> tuple[str, int]:
    """A packet with its mark on a line of its own: by that it is known again where no field can say it."""
    if left.most_tokens < LEAST:
        return "", 0
    text = f"{PACKET_MARK}\n".ljust(4 * min(left.most_tokens, MOST), ".")
    return text, quarters(text)


def planned(messages: tuple[Message, ...], **keys: Any) -> Plan:
    return projections.planned(messages, **{"packet": rendered, **keys})


def conversation(messages: tuple[Message, ...]) -> list[Json]:
    return plain(json.loads(message.raw) for message in messages)


def decided(name: str, said: list[Json], **keys: Any) -> tuple[tuple[Message, ...], Plan]:
    messages = read(name, raws(name, said))
    return messages, planned(messages, **keys)


LONG = "please " + "do " * 300
BULKY = text_of(200)
BOTH = [a(think("hm"), call("read", path="p"), call("bash", command="c")), r(BULKY), r(BULKY)]


def turns(count: int) -> list[Said]:
    return [one for _ in range(count) for one in (u(LONG), *BOTH, a("ok"))]
