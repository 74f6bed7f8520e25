"""OpenAI Agents SDK: changes the list of each model call by `call_model_input_filter`, and reads its usage by run
hooks.

    from ctxmgr.integrations.openai_agents import ContextFilter
    fitting = ContextFilter("conversation-1")
    await Runner.run(agent, prompt, run_config=fitting.run_config(), hooks=fitting)

Use one filter for each conversation, since the SDK does not identify conversations. Items are passed unchanged in
the format of the responses API. If the server holds the conversation (`previous_response_id`, `conversation_id`),
the list is incomplete, and is sent unchanged.
"""

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from agents import Agent, ModelResponse, RunConfig, RunContextWrapper, RunHooks
from agents.run_config import CallModelData, ModelInputData

from ctxmgr.integrations.conversations import FrameworkSessions, Json
from ctxmgr.model import Policy

_ANSWERS = ("function_call_output", "custom_tool_call_output", "computer_call_output", "local_shell_call_output")


class ContextFilter(RunHooks[Any]):
    """`conversation`: any name that stays the same when the conversation continues. `conversations`: shares one
    sidecar among filters; otherwise the filter starts its own, with `policy` and `more` as in `FrameworkSessions`.
    """

    def __init__(
        self,
        conversation: str,
        policy: Policy | Mapping[str, Any] | None = None,
        *,
        conversations: FrameworkSessions | None = None,
        **more: Any,
    ) -> None:
        self.conversation = conversation
        self.conversations = conversations or FrameworkSessions("responses", policy, **more)

    def run_config(self, config: RunConfig | None = None) -> RunConfig:
        """The run configuration with this filter."""
        return replace(config or RunConfig(), call_model_input_filter=self)

    async def __call__(self, data: CallModelData[Any]) -> ModelInputData:
        given = data.model_data
        if not _is_whole(given.input):
            return given
        try:
            items = await asyncio.to_thread(
                self.conversations.sent, self.conversation, _model(data.agent), given.input
            )
        except Exception:  # noqa: BLE001  ctxmgr must not make a model call fail
            return given
        return replace(given, input=items)

    async def on_llm_end(self, context: RunContextWrapper[Any], agent: Agent[Any], response: ModelResponse) -> None:
        """Reports the answer and its usage. Does nothing after a retry, since the SDK then sums the usage of all
        tries.
        """
        usage = response.usage
        if usage.requests != 1:
            return
        cached = getattr(usage.input_tokens_details, "cached_tokens", None) or 0
        fields = {
            "input_tokens": usage.input_tokens,
            "output_tokens": usage.output_tokens,
            "total_tokens": usage.total_tokens,
            "input_tokens_details": {"cached_tokens": cached},
        }
        try:
            whole = {"object": "response", "output": [dict(item) for item in response.to_input_items()]}
            await asyncio.to_thread(self.conversations.ended, self.conversation, whole, fields)
        except Exception:  # noqa: BLE001  as above
            return

    def close(self) -> None:
        """The sidecar saves and ends."""
        self.conversations.close()


def _model(agent: Agent[Any]) -> str:
    return agent.model if isinstance(agent.model, str) else str(getattr(agent.model, "model", "") or "unknown")


def _is_whole(items: list[Json]) -> bool:
    """Whether the list has the call of each result."""
    calls = {item.get("call_id") for item in items if item.get("type") not in _ANSWERS}
    return all(item.get("call_id") in calls for item in items if item.get("type") in _ANSWERS)
