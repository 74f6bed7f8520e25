"""Lines that no host should send: some handwritten, most a request whose bytes were changed at random.

A changed request uses a session and an id that nobody else uses, so it affects nothing else.
"""

import json
import random

BY_HAND = (
    b"",
    b"{",
    b"[]",
    b"null",
    b"\xff\xfe\x00",
    b'{"jsonrpc":"2.0","method":"no such thing"}',
    b'{"jsonrpc":"2.0","method":"turn_end","params":{"sessionId":"session-0"}}',
    b'{"jsonrpc":"2.0","id":"x","method":"context","params":{"sessionId":7}}',
    b'{"jsonrpc":"2.0","id":"y","result":1,"error":{}}',
    b'{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":{}}}',
    b"[" * 5_000,
    b'{"id":' + b"9" * 4_000 + b"}",
)
BY_HAND_IN = 10  # one handwritten line in so many
MOST_CHANGES = 4
_REPLY = {"role": "assistant", "content": [{"type": "text", "text": "Done."}], "stopReason": "stop", "timestamp": 1}
_LIST = [{"role": "user", "content": "Please.", "timestamp": 0}, _REPLY]
_OF = {"sessionId": "hostile"}
REQUESTS = tuple(
    json.dumps({"jsonrpc": "2.0", "id": "hostile", "method": method, "params": {**_OF, **params}}).encode()
    for method, params in (
        ("session_start", {"model": {"id": "m", "contextWindow": 200_000}}),
        ("context", {"messages": _LIST}),
        ("turn_end", {"message": _REPLY, "toolResults": [], "usage": {"input": 9, "output": 9}}),
        ("session_compact", {"compactionEntry": {"id": "e1", "summary": "## Goal\nLook.\n"}}),
        ("planCompaction", {"entries": [{"type": "message", "id": "e1", "parentId": None, "message": _REPLY}]}),
        ("getLedger", {}),
    )
)


def hostile_line(chance: random.Random) -> bytes:
    """One line without its newline."""
    if chance.randrange(BY_HAND_IN) == 0:
        return chance.choice(BY_HAND)
    line = bytearray(chance.choice(REQUESTS))
    for _ in range(chance.randint(1, MOST_CHANGES)):
        _change(line, chance)
    return bytes(line)


def _change(line: bytearray, chance: random.Random) -> None:
    """Overwrites, removes, doubles or inserts some bytes at one place; never a newline."""
    start = chance.randrange(len(line) + 1)
    end = min(len(line), start + chance.randint(1, 16))
    noise = bytes(byte for byte in chance.randbytes(chance.randint(1, 4)) if byte not in b"\r\n")
    line[start:end] = chance.choice((noise, b"", line[start:end] * 2, noise + line[start:end]))
