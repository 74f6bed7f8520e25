"""Reads the next action from a model's answer, requests it through either of two APIs, and compares what a model
does next with each list, against what chance alone would do.

1. An action is the first tool that an answer calls, and its target: the paths that the call names, otherwise its
   most informative argument with white space normalized. An answer in words is an action without a tool.
2. An answer that was cut off before a tool call has no action.
3. Each list is sent twice: A and A' with the host's list, B and B' with ctxmgr's. A model seldom answers the same
   twice, so the agreement of A with A', and of B with B', is how often a list agrees with itself. If A and B agree
   less than that, the list made the difference. If the answers have probabilities p and q, the expected difference
   is half the squared distance of p and q: zero if they are equal, and never negative. Its interval is a bootstrap
   over calls.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

import msgspec

from ctxmgr.devices.endpoint import Answer, AnthropicAnswer, AnthropicApi, Api, ChatAnswer, ChatApi
from ctxmgr.engine.tools import tool_call
from ctxmgr.model import Message
from ctxmgr.model.compaction import Completion, CompletionRequest
from ctxmgr.study.figures import difference
from ctxmgr.study.next_action import requests

CUT_OFF = "the answer was cut off before it called a tool"


class Action(msgspec.Struct, frozen=True):
    """`tool` is "" for an answer in words."""

    tool: str = ""
    target: str = ""


class ListRequest(CompletionRequest, frozen=True):
    """`messages` as they are shown to the model. `tools`: argument names by tool."""

    messages: Sequence[Message] = ()
    tools: dict[str, list[str]] = {}


class ActionCompletion(Completion, frozen=True):
    """`action` is None if there is none; `fault` then says why."""

    action: Action | None = None


def action_of(tool: str, arguments: Any) -> Action:
    """Rule 1."""
    call = tool_call(tool, arguments if isinstance(arguments, dict) else None)
    return Action(tool, " ".join(sorted(set(call.paths)) or call.main_argument.split()))


def _completion(made: Completion, action: Action | None) -> ActionCompletion:
    """Rule 2."""
    if action is None and made.stop == "stop":
        action = Action()
    fault = made.fault or ("" if action else CUT_OFF)
    return ActionCompletion(stop=made.stop, fault=fault, usage=made.usage, action=None if made.fault else action)


class _Block(msgspec.Struct, frozen=True):
    type: str = ""
    name: str = ""
    input: Any = None


class _Content(msgspec.Struct, frozen=True):
    content: list[_Block] | None = None


class _AnthropicAction(AnthropicAnswer):
    action: Action | None = None

    def _hear(self, piece: object) -> None:
        super()._hear(piece)
        for block in msgspec.convert(piece, _Content).content or ():
            if block.type == "tool_use" and self.action is None:
                self.action = action_of(block.name, block.input)

    def completion(self) -> Completion:
        return _completion(super().completion(), self.action)


class _Function(msgspec.Struct, frozen=True):
    name: str = ""
    arguments: str = ""


class _ChatCall(msgspec.Struct, frozen=True):
    function: _Function = _Function()


class _ChatMessage(msgspec.Struct, frozen=True):
    tool_calls: list[_ChatCall] | None = None


class _Choice(msgspec.Struct, frozen=True):
    message: _ChatMessage = _ChatMessage()


class _Choices(msgspec.Struct, frozen=True):
    choices: list[_Choice] | None = None


class _ChatAction(ChatAnswer):
    action: Action | None = None

    def _hear(self, piece: object) -> None:
        super()._hear(piece)
        for choice in (msgspec.convert(piece, _Choices).choices or ())[:1]:
            for call in (choice.message.tool_calls or ())[:1]:
                self.action = action_of(call.function.name, _decoded(call.function.arguments))

    def completion(self) -> Completion:
        return _completion(super().completion(), self.action)


def _decoded(arguments: str) -> Any:
    try:
        return msgspec.json.decode(arguments)
    except (msgspec.MsgspecError, RecursionError):  # written by a model: only the tool is known
        return None


class AnthropicActionApi(AnthropicApi):
    """Anthropic's messages API, with tools, without streaming."""

    def body(self, model: str, ask: CompletionRequest) -> dict[str, Any]:
        assert isinstance(ask, ListRequest)
        return requests.anthropic_body(model, ask.system, ask.messages, ask.tools)

    def answer(self, max_tokens: int) -> Answer:
        return _AnthropicAction(max_tokens)


@dataclass(frozen=True)
class ChatActionApi(ChatApi):
    """Chat completions, with tools, without streaming."""

    def body(self, model: str, ask: CompletionRequest) -> dict[str, Any]:
        assert isinstance(ask, ListRequest)
        return requests.chat_body(model, ask.system, ask.messages, ask.tools, self.limit_key)

    def answer(self, max_tokens: int) -> Answer:
        return _ChatAction(max_tokens)


APIS: dict[str, Api] = {"chat": ChatActionApi(), "anthropic": AnthropicActionApi()}


FEWEST_CALLS = 10  # with fewer, an interval says nothing
UNSEEN = 0.05  # n calls show a change in more than 1 - UNSEEN ** (1 / n) of all calls, 19 times of 20

Same = Callable[[Action, Action], bool]


class Sample(msgspec.Struct, frozen=True):
    """The answers for one call. `number`: of the call in its session, from 1. `before`: A and A'. `after`: B and
    B'.
    """

    number: int
    before: tuple[Action, Action]
    after: tuple[Action, Action]


class Agreement(msgspec.Struct, frozen=True, rename="camel"):
    """Shares of calls, 0 to 1. `before`: A equals A'; `after`: B equals B'; `across`: one of each. `changed`: how
    much lower the agreement is across than within, with the ends of its 95 % interval, `low` and `high`.
    """

    before: float
    after: float
    across: float
    changed: float
    low: float
    high: float


def same_tool(one: Action, other: Action) -> bool:
    return one.tool == other.tool


def same_action(one: Action, other: Action) -> bool:
    return one == other


def agreement(samples: Sequence[Sample], same: Same) -> Agreement:
    """The agreement over at least one call."""
    before = [float(same(*sample.before)) for sample in samples]
    after = [float(same(*sample.after)) for sample in samples]
    across = [fmean(same(one, other) for one in sample.before for other in sample.after) for sample in samples]
    within = map(fmean, zip(before, after, strict=True))
    told = difference(list(zip(within, across, strict=True)))
    return Agreement(fmean(before), fmean(after), fmean(across), told["mean"], told["low"], told["high"])


def sentence(samples: Sequence[Sample]) -> str:
    """The conclusion in words."""
    calls = f"{len(samples)} call{'' if len(samples) == 1 else 's'}"
    if len(samples) < FEWEST_CALLS:
        are = "is" if len(samples) == 1 else "are"
        return f"{calls} {are} too few to say anything: ask for at least {FEWEST_CALLS}."
    action = agreement(samples, same_action)
    agree = f"the two lists agree {action.across:.0%} of the time, each with itself {_mean(action):.0%}"
    if action.low > 0:
        return f"ctxmgr's list changes the next action: over {calls} {agree}."
    hidden = max(action.high, 1 - UNSEEN ** (1 / len(samples)))
    return f"No change shown over {calls}: {agree}. A change of up to {hidden:.0%} could hide in that."


def _mean(told: Agreement) -> float:
    return (told.before + told.after) / 2
