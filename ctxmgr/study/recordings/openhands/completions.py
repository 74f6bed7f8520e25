"""Turns the model calls of an OpenHands run (one line a call: `new_messages`, `n_messages`, `usage`) into a
recording.

1. A call's list is what it has in common with the list before, and then its new messages. A list that goes on from
   an earlier place is another attempt, or a history that was written anew: the last list is the session, what is
   not in it is another branch.
2. A call's usage and time belong to the reply it got: the first assistant's message among the next call's new ones,
   or the call's own `assistant`. When a result came is not recorded.
3. A result failed where its text says so: the exit code that the shell tool writes at the end, the editor's mark.
"""

import re

import msgspec

from ctxmgr.study.recordings.blocks import chat_reply, content, openai_usage, words
from ctxmgr.study.recordings.building import RecordingBuilder
from ctxmgr.study.recordings.json_values import Json, lines, rows, seconds, table, text
from ctxmgr.study.recordings.openhands.events import EDITOR_ERROR
from ctxmgr.study.recordings.recording import Recording, UnreadableRecording

_EXIT = re.compile(r"\[(?:The command|Command)[^\]\n]* (?:with )?exit code:? (-?\d{1,9})[^\]\n]*\]\s*$")


class CompletionMessage(msgspec.Struct, eq=False):
    """One message of a list; of a reply the line of the call that it came of."""

    message: Json
    call: Json = {}


def read(name: str, content: bytes) -> Recording:
    """Raises UnreadableRecording, with the line."""
    building = RecordingBuilder(name, "OpenHands completions")
    said: list[CompletionMessage] = []
    asked: Json = {}  # the call before
    header: Json = {}
    for line, fields in lines(name, content):
        if fields.get("header"):
            header = fields
            continue
        if not isinstance(fields.get("new_messages"), list):
            raise UnreadableRecording(f"{name}, line {line}: a call without new_messages")
        said = _listed(said, asked, fields, building)
        asked = fields
    if final := table(asked, "assistant"):
        said.append(CompletionMessage({"role": "assistant", **final}, asked))
    for one in said:
        if text(one.message, "role") == "system":
            building.system(words(one.message.get("content")))
        else:
            _tell(building, one)
    return building.recording(text(header, "instance"), model=_model(said, building))


def _model(said: list[CompletionMessage], building: RecordingBuilder) -> str:
    """The model that answered first. Other names are a router's choice, not the host's: no change of the model."""
    names = [name for one in said if (name := text(one.call, "model"))]
    if others := sum(name != names[0] for name in names):
        building.skip(f"replies by a model that its router calls something else than {names[0]}", others)
    return names[0] if names else ""


def _listed(
    said: list[CompletionMessage], asked: Json, call: Json, building: RecordingBuilder
) -> list[CompletionMessage]:
    """The list of a call (rules 1 and 2); `asked` is the call before."""
    new = [CompletionMessage(message) for message in rows(call, "new_messages")]
    reply = next((one for one in new if text(one.message, "role") == "assistant"), None)
    total = call.get("n_messages")
    kept = total - len(new) if isinstance(total, int) else len(said)
    kept = min(max(kept, 0), len(said))
    if reply is not None and kept == len(said):
        reply.call = asked
    if kept < len(said):
        gone = sum(text(one.message, "role") != "system" for one in said[kept:])
        building.skip("messages of an earlier attempt, or that were written anew", gone)
    return said[:kept] + new


def _tell(building: RecordingBuilder, one: CompletionMessage) -> None:
    message, role = one.message, text(one.message, "role")
    if role == "assistant":
        at = seconds(one.call.get("timestamp"))
        reply = building.reply(chat_reply(message, building.odd), at)
        if usage := openai_usage(table(one.call, "usage")):
            reply.message["usage"] = usage
    elif role == "tool":
        blocks = content(message.get("content"), building.odd)
        building.result(text(message, "tool_call_id"), blocks, None, failed(words(blocks)), text(message, "name"))
    else:
        building.user(content(message.get("content"), building.odd), None)


def failed(output: str) -> bool:
    """Rule 3."""
    code = _EXIT.search(output[-400:])
    return output.startswith(EDITOR_ERROR) or (code is not None and int(code[1]) not in (0, -1))
