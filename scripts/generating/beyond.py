"""Rules that no schema can express: params that fit the schema, and that ctxmgr still refuses with -32602.

Each is a sentence for the reference, with a method and params that show it.
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
    Beyond("`context` takes exactly one of `messages` and `append`.", "context", dict(_S)),
    Beyond(
        "`initialize` refuses a different major version of the protocol.", "initialize", {"protocolVersion": "2.0"}
    ),
    Beyond(
        "`messageFormat` must be one that ctxmgr knows.",
        "initialize",
        {"protocolVersion": "1.0", "messageFormat": "runes"},
    ),
    Beyond(
        "Each of `tools` in `initialize` and `session_start` must say at least one thing that it does.",
        "session_start",
        {**_S, "model": {"id": "m", "contextWindow": 1_000}, "tools": [{"name": "load"}]},
    ),
    Beyond(
        "The names in `tools` must be different.",
        "initialize",
        {"protocolVersion": "1.1", "tools": [{"name": "load", "reads": "a"}, {"name": "load", "reads": "b"}]},
    ),
    Beyond(
        "The `tiers` of `prices` must begin at different sizes.",
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
    _policy("Zones must increase: yellow ≤ red ≤ compact.", zones={"yellow": 0.9, "red": 0.5}),
    _policy("Slices must be larger than their overlap.", compaction={"slices": {"tokens": 100, "overlap": 100}}),
    _policy('A compaction with `model` "endpoint" needs an `endpoint`.', compaction={"model": "endpoint"}),
    Beyond(
        "The `oldText` of `str_replace` must occur in the notes exactly once.",
        "editScratchpad",
        {**_S, "operations": [{"op": "str_replace", "oldText": "not there", "newText": ""}]},
    ),
    Beyond(
        "The `line` of `insert` must exist in the notes.",
        "editScratchpad",
        {**_S, "operations": [{"op": "insert", "text": "x", "line": 99}]},
    ),
    Beyond(
        "`pin` and `unpin` take exactly one of `callId`, `digest`, `path` and `tool`.",
        "pin",
        {**_S, "path": "a.py", "tool": "read"},
    ),
    Beyond(
        "The `handle` of `retrieve` must belong to something archived in this session.",
        "retrieve",
        {**_S, "handle": "nonesuch"},
    ),
    Beyond("The `epoch` of `undo` must have a stored receipt.", "undo", {**_S, "epoch": 7}),
    Beyond("The `epoch` of `explain` must have a stored receipt.", "explain", {**_S, "epoch": 7}),
)
