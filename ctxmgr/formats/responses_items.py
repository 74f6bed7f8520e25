"""Turns items of OpenAI's Responses API into views, and decisions back into such items.

Rules:

1. An item is one message here. The items of one answer (reasoning, texts, calls) are joined: they are one step, and
   are removed only together, because the API refuses reasoning without the item after it, and the reverse.
2. An output has no error flag: its outcome is read from its status or its text, and a doubtful one is protected. If
   neither says anything, the outcome is unknown.
3. Only texts of function and custom tool outputs are replaced; outputs of other shapes stay unchanged.
4. A tool that the provider runs (web search, MCP, ...) has its outcome in the same item, so it is not a call with a
   result. An approval, the request for it and the call that it allows share an id (`tie`).
5. A tool search that the provider runs has no call id: it and its output are items of one answer. One that the host
   runs is a call with its result. Either output loads tools, and so does a list of a server's tools: without the
   list, the provider asks the server again. Source: OpenAI, "Tool search", "Remote MCP servers".
6. A `compaction` item represents a past that only the provider can read: it is kept like a prompt. A user's item
   that a host's wording identifies as a summary is reported as one, and stays.
7. A whole answer (`response`, or the event of a stream that has it), an array of its items, and an error object are
   read as an assistant's message: `turn_end` may contain any of them.
8. A reference to reasoning belongs to the answer after it. Any other reference is to unknown content, so it stays.

Other fields and items stay unchanged.
"""

from typing import Any

import msgspec

from ctxmgr.formats import content, media
from ctxmgr.formats.acceptance import Progress, Said, accept_pairs
from ctxmgr.formats.content import ContentPart, holds_summary, plain, raw_blocks, spelled, text
from ctxmgr.formats.message_format import MarkedMessage, OneBlockFormat
from ctxmgr.formats.outcomes import Verdict, failed_view, reply_view, result_block, verdict
from ctxmgr.formats.provider_usage import usage
from ctxmgr.model import Block, View

EDITABLE = frozenset(("function_call_output", "custom_tool_call_output"))
COMPACTED = frozenset(("compaction", "compaction_summary", "context_compaction"))
PROMPTING = ("system", "developer")
PROGRAMS = frozenset(("program", "program_output"))
OWN_ITEMS = (
    COMPACTED
    | PROGRAMS
    | {
        "compaction_trigger",
        "reasoning",
        "item_reference",
        "mcp_list_tools",
        "mcp_approval_request",
        "mcp_approval_response",
        "tool_search_output",
    }
)
OUTPUT = "_call_output"
REASONING_ID = "rs_"  # prefix of reasoning ids
EVENT = "response."  # prefix of a stream's events
STOPS = {"completed": "stop", "failed": "error", "cancelled": "aborted", "incomplete": "length"}


class ResponsesItems(OneBlockFormat):
    text_type = "input_text"
    own_roles = frozenset(("developer",))
    own_blocks = frozenset(("input_text", "output_text", "input_image", "input_file"))

    def view(self, raw: bytes) -> View:
        return content.read(raw, _view)

    def holder(self, fields: dict[str, msgspec.Raw]) -> str:
        """The member that holds the content. A message has a role; an output has none, and may lack its
        `output`.
        """
        return "content" if "role" in fields else "output"

    def set_arguments(self, raw: bytes, given: dict[int, dict[str, Any]]) -> bytes:
        """Returns the function call with its arguments replaced; its only block is number 0."""
        return content.put(raw, {"arguments": spelled(given[0])})

    def packet(self, text: str, time_ms: int) -> bytes:
        item = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]}
        return msgspec.json.encode(item)

    def accept(self, progress: Progress, messages: Said) -> Progress:
        return accept_pairs(progress, messages, reasoning_leads=True)

    def marks_message(self, message: MarkedMessage) -> bool:
        kind = message.type
        is_item = isinstance(kind, str) and (kind in OWN_ITEMS or kind.endswith(("_call", OUTPUT)))
        return (message.role is None and is_item) or message.object == "response"


def _view(item: Any) -> View | None:
    if isinstance(item, list):
        return _joined(item)
    kind = item.get("type", "message")
    if kind == "message":
        return _message(item)
    if isinstance(kind, str) and kind.endswith(OUTPUT):
        return View("result", (_output(item, kind),))
    if kind == "tool_search_output":
        return _loaded(item)
    if kind == "mcp_list_tools":
        return _listed(item)
    if kind == "mcp_approval_response":
        request = text(item.get("approval_request_id"))
        return View("result", (Block("other", text=spelled(item), tie=request, closes=bool(request)),))
    if kind == "item_reference" and text(item.get("id")).startswith(REASONING_ID):
        return View("prompt", (Block("other"),), leads=True)
    if kind in COMPACTED:
        return View("prompt", (Block("other"),), summary="compaction")
    if isinstance(item.get("output"), list) and item.get("object") == "response":
        return _answer(item)
    if isinstance(kind, str) and kind.startswith(EVENT):
        whole = item.get("response")
        listed = isinstance(whole, dict) and isinstance(whole.get("output"), list)
        return _answer(whole) if listed else failed_view(item)
    if item.get("role") in PROMPTING or kind == "additional_tools":
        return View("prompt", (Block("other", text=spelled(item)),))
    block = _block(item, kind)
    return View("assistant", (block,), joins=True) if block is not None else failed_view(item)


def _message(item: dict[str, Any]) -> View | None:
    role, member = item.get("role"), item.get("content")
    if role == "assistant":
        blocks = tuple(content.reply_part(number, raw_block) for number, raw_block in enumerate(raw_blocks(member)))
        return reply_view(item, View("assistant", blocks, usage=usage(item.get("usage")), joins=True))
    if role in (*PROMPTING, "user"):
        whole = plain(member)
        block = Block("text", text=whole.text, media=whole.media)
        if role != "user":
            return View("prompt", (block,))
        if content.is_packet(member):
            return View("packet", (block,))
        return content.user_view(msgspec.structs.replace(block, can_edit=True), holds_summary(member), member)
    if isinstance(item.get("output"), list):
        return _answer(item)
    return failed_view(item)


def _block(item: dict[str, Any], kind: Any) -> Block | None:
    """The block of an item that the model made; None for any other item."""
    id, name = text(item.get("call_id")) or text(item.get("id")), text(item.get("name"))
    action = item.get("action")
    if kind == "reasoning":
        texts = [plain(item.get(name)).text for name in ("summary", "content")]
        return Block("thinking", text="\n".join(filter(None, texts)), signed=True)
    if kind == "function_call":
        return _of_program(item, content.call(-1, id, name, item.get("arguments", ""), can_edit=True))
    if kind == "custom_tool_call":
        return _of_program(item, content.custom_call(-1, id, name, item.get("input")))
    if kind in PROGRAMS:
        return Block("other", text=spelled(item), tie=id, closes=bool(id) and kind == "program_output")
    if kind in ("local_shell_call", "shell_call"):
        return content.call(-1, id, kind.removesuffix("_call"), _shell(action))
    if kind == "apply_patch_call":
        return content.call(-1, id, "apply_patch", item.get("operation") or {})
    if kind == "computer_call":
        return content.call(-1, id, "computer", action if isinstance(action, dict) else {})
    if kind == "image_generation_call":
        return Block("image", media=(media.image(media.data_of(item)),))
    if kind == "tool_search_call" and item.get("call_id"):
        return content.call(-1, id, "tool_search", item.get("arguments") or {})
    if kind in ("mcp_approval_request", "mcp_call"):
        request = text(item.get("id" if kind == "mcp_approval_request" else "approval_request_id"))
        return Block("other", text=spelled(item), tie=request, closes=bool(request) and kind == "mcp_call")
    own = isinstance(kind, str) and kind.endswith("_call")
    return Block("other", text=spelled(item)) if own else None


def _of_program(item: dict[str, Any], call: Block) -> Block:
    """The call, with a reference to the program that made it (rule 4)."""
    maker = text(content.fields(item.get("caller")).get("caller_id"))
    return msgspec.structs.replace(call, tie=maker, closes=True) if maker else call


def _shell(action: Any) -> dict[str, Any]:
    """A shell's action as arguments, with its command under the name that other shells use."""
    if not isinstance(action, dict):
        return {}
    commands = action.get("commands")
    if isinstance(commands, list) and all(isinstance(command, str) for command in commands):
        return {"command": "\n".join(commands)}
    return {**action}


def _output(item: dict[str, Any], kind: str) -> Block:
    printed = _output_text(item.get("output"))
    failed = True if item.get("status") == "failed" else _exited(item.get("output"))
    how: Verdict = verdict(printed.text) if failed is None else "error" if failed else "fine"
    call_id = text(item.get("call_id")) or text(item.get("id"))
    return result_block(printed, call_id, how, can_edit=kind in EDITABLE)


def _loaded(item: dict[str, Any]) -> View:
    """The output of a tool search (rule 5)."""
    tools = content.objects(item.get("tools"))
    inner = [part for tool in tools for part in content.objects(tool.get("tools"))]  # of a namespace
    names = tuple(text(tool.get("name")) for tool in (*tools, *inner) if tool.get("name"))
    id = text(item.get("call_id"))
    if id:
        return View("result", (Block("result", text=spelled(item), call_id=id, loads=names),))
    return View("assistant", (Block("other", text=spelled(item), loads=names),), joins=True)


def _listed(item: dict[str, Any]) -> View:
    """The tools of a server (rule 5). An error in their place lists none."""
    server = text(item.get("server_label"))
    named = (text(tool.get("name")) for tool in content.objects(item.get("tools")))
    names = tuple(f"{server}.{name}" for name in named if name)
    return View("assistant", (Block("other", text=spelled(item), loads=names),), joins=True)


def _output_text(output: Any) -> ContentPart:
    """The text of an output; for a shell, stdout and stderr."""
    runs = [run for run in raw_blocks(output) if "stdout" in run or "stderr" in run]
    if isinstance(output, list) and runs:
        return ContentPart(
            "\n".join(text(run.get(name)) for run in runs for name in ("stdout", "stderr") if run.get(name))
        )
    return plain(output)


def _exited(output: Any) -> bool | None:
    """Whether a shell's run timed out or ended with an exit code other than 0. None if the output does not say."""
    ends = [run.get("outcome") for run in raw_blocks(output)] if isinstance(output, list) else []
    outcomes = [
        end for end in ends if isinstance(end, dict) and (end.get("type") == "timeout" or "exit_code" in end)
    ]
    failed = any(end.get("type") == "timeout" or bool(end["exit_code"]) for end in outcomes)
    return failed if failed or (outcomes and len(outcomes) == len(ends)) else None


def _joined(items: list[Any]) -> View:
    """The items of one answer as one message (rule 7). Blocks are numbered consecutively, and none can be
    edited.
    """
    views = [view for raw in items if isinstance(raw, dict) and (view := _view(raw)) is not None]
    blocks = tuple(block for view in views if view.role == "assistant" for block in view.blocks)
    error = next((view.error for view in views if view.error), "")
    return View("assistant", blocks, stop="error" if error else "", error=error, joins=True)


def _answer(answer: dict[str, Any]) -> View:
    view, error = _joined(answer["output"]), answer.get("error")
    stop = STOPS.get(text(answer.get("status")), text(answer.get("status")))
    if stop == "stop" and any(block.kind == "call" for block in view.blocks):
        stop = "toolUse"
    error_text = spelled(error) if error else ""
    return msgspec.structs.replace(view, usage=usage(answer.get("usage")), stop=stop, error=error_text)


responses = ResponsesItems("responses")
