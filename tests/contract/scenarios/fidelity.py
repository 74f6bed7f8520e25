"""Fidelity: what is kept goes back byte for byte."""

import json

from tests.contract.behaviours import behaviour
from tests.contract.talk import Messages, Talk

ODD = (
    '{"role":"user","content":"caf\\u00e9 \\/ 1","timestamp":1.0,'
    '"x":{"b":1,"a":1e400,"n":123456789012345678901234567890}}'
)
STRANGE = '{"role":"hologram","payload":[1,{"deep":[[[]]]}],"timestamp":"soon"}'
BLOCK = '{"role":"assistant","content":[{"type":"hum","data":"..."},{"type":"text","text":"hm"}],"timestamp":2}'


@behaviour(
    "fidelity/unknown-things-pass-through",
    "Unknown roles, blocks and fields, number spelling, escapes and key order are returned unchanged.",
    "design 3",
)
def unknown() -> Talk:
    talk = Talk()
    make = Messages()
    known = json.dumps(make.user("And now?"))
    raws = [ODD, BLOCK, STRANGE, known]
    body = '{"jsonrpc":"2.0","id":99,"method":"context","params":{"sessionId":"s","answer":"messages","messages":['
    talk.raw((body + ",".join(raws) + "]}}\n").encode())
    assert ('"messages":[' + ",".join(raws) + '],"base"').encode() in talk.lines[-1]
    return talk


@behaviour(
    "fidelity/append-and-edits",
    "Only new messages are sent: `append` with the last base, and `edits` that name what is kept. A wrong base is "
    "answered with -32801.",
    "design 2, context",
)
def append() -> Talk:
    talk, make = Talk(), Messages()
    messages = [message for number in range(8) for message in make.turn(f"Question {number}.")]
    first = talk.context([*messages, make.user("And?")], answer="edits")
    assert first["edits"][0]["put"]["customType"] == "ctxmgr.packet"
    assert first["edits"][1] == {"keep": [12, 33]}
    reply = make.reply("So.")
    more = [reply, make.user("And then?")]
    append = {"after": 33, "base": first["base"], "messages": more}
    second = talk.call("context", sessionId="s", append=append, answer="edits")
    assert second["edits"][1] == {"keep": [16, 35]}
    stale = talk.send(
        {"jsonrpc": "2.0", "id": "stale", "method": "context", "params": {"sessionId": "s", "append": append}}
    )
    assert stale[0]["error"]["code"] == -32801
    append = {"after": 35, "base": second["base"], "messages": []}
    void = talk.send(
        {"jsonrpc": "2.0", "id": "void", "method": "context", "params": {"sessionId": "s", "append": append}}
    )
    assert void[0]["error"]["code"] == -32801
    return talk


@behaviour(
    "fidelity/unpaired-surrogates-are-mended",
    "Half of a surrogate pair becomes U+FFFD in the same six bytes, and the report counts it.",
    "design 2, unpaired surrogates",
)
def surrogates() -> Talk:
    talk = Talk()
    body = '{"jsonrpc":"2.0","id":99,"method":"context","params":{"sessionId":"s","answer":"messages","messages":['
    cut = '{"role":"user","content":"cut \\ud83d here, whole \\ud83d\\ude00 there"}'
    talk.raw((body + cut + "]}}\n").encode())
    answer = talk.sent[-1]["result"]
    assert answer["messages"][0]["content"] == "cut \ufffd here, whole \U0001f600 there"
    assert answer["report"]["mended"] == 1
    return talk
