"""What no schema can say: params that fit the schema, and that ctxmgr refuses with -32602 all the same.

Each is a sentence for the reference, and the method and params that show it.
"""

from typing import Any

import msgspec

_S = {"sessionId": "s"}


class Beyond(msgspec.Struct, frozen=True):
    sentence: str
    method: str
    params: dict[str, Any]


def _policy(sentence: str, **keys: Any) -> Beyond:
    return Beyond(sentence, "setPolicy", {**_S, "policy": keys})


RULES: tuple[Beyond, ...] = (
    Beyond("`context` takes one of `messages` and `append`: not both, not neither.", "context", dict(_S)),
    Beyond("`initialize` refuses another major version of the protocol.", "initialize", {"protocolVersion": "2.0"}),
    Beyond(
        "`messageFormat` has to be one of those that ctxmgr knows.",
        "initialize",
        {"protocolVersion": "1.0", "messageFormat": "runes"},
    ),
    Beyond(
        "Each of `tools` in `initialize` and `session_start` says one thing at least that it does.",
        "session_start",
        {**_S, "model": {"id": "m", "contextWindow": 1_000}, "tools": [{"name": "load"}]},
    ),
    Beyond(
        "No two of `tools` have one name.",
        "initialize",
        {"protocolVersion": "1.1", "tools": [{"name": "load", "reads": "a"}, {"name": "load", "reads": "b"}]},
    ),
    Beyond(
        "No two `tiers` of `prices` begin above as many tokens.",
        "model_select",
        {
            **_S,
            "model": {
                "id": "m",
                "contextWindow": 1_000,
                "prices": {"input": 1, "tiers": [{"aboveTokens": 5, "input": 2}, {"aboveTokens": 5, "input": 3}]},
            },
        },
    ),
    _policy("Zones rise: yellow ≤ red ≤ compact.", zones={"yellow": 0.9, "red": 0.5}),
    _policy("Slices may not overlap by all they hold.", compaction={"slices": {"tokens": 100, "overlap": 100}}),
    _policy('A compaction whose `model` is "endpoint" names an `endpoint`.', compaction={"model": "endpoint"}),
    Beyond(
        "The `oldText` of `str_replace` stands in the notes exactly once.",
        "editScratchpad",
        {**_S, "operations": [{"op": "str_replace", "oldText": "not there", "newText": ""}]},
    ),
    Beyond(
        "The `line` of `insert` is one of the notes.",
        "editScratchpad",
        {**_S, "operations": [{"op": "insert", "text": "x", "line": 99}]},
    ),
    Beyond(
        "`pin` and `unpin` take exactly one of `callId`, `digest`, `path` and `tool`.",
        "pin",
        {**_S, "path": "a.py", "tool": "read"},
    ),
    Beyond(
        "The `handle` of `retrieve` is one under which something of this session is archived.",
        "retrieve",
        {**_S, "handle": "nonesuch"},
    ),
    Beyond("The `epoch` of `undo` is one of which a receipt is kept.", "undo", {**_S, "epoch": 7}),
    Beyond("The `epoch` of `explain` is one of which a receipt is kept.", "explain", {**_S, "epoch": 7}),
)
