"""An agent of pydantic-ai with its list kept small.

    python pydantic_ai_agent.py URL anthropic|openai STATE PROMPT...

Each prompt is a run that goes on from the one before. Prints what `Counts` counts.
"""

import asyncio
import sys
from typing import Any

from anthropic import AsyncAnthropic
from pydantic_ai import Agent, BinaryContent
from pydantic_ai.models.anthropic import AnthropicModel
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.anthropic import AnthropicProvider
from pydantic_ai.providers.openai import OpenAIProvider

from ctxmgr.integrations.pydantic_ai import ContextCapability
from tests.integrations.agents.counting import Counts, sidecar_of, text_of

VERSION = {"anthropic-version": "2023-06-01"}
PNG = bytes.fromhex("89504e470d0a1a0a0000000d4948445200000001000000010806000000")


class Counted(ContextCapability):
    async def before_model_request(self, ctx: Any, request_context: Any) -> Any:
        sent = await super().before_model_request(ctx, request_context)
        counts.listed(request_context.messages, sent.messages)
        return sent


async def main(url: str, kind: str, state: str, *prompts: str) -> None:
    if kind == "anthropic":
        client = AsyncAnthropic(api_key="none", base_url=url, default_headers=VERSION)
        model = AnthropicModel("claude-sonnet-4-5", provider=AnthropicProvider(anthropic_client=client))
    else:
        model = OpenAIChatModel("gpt-4o", provider=OpenAIProvider(api_key="none", base_url=f"{url}/v1"))
    fitting = Counted(
        {"preset": "balanced"}, window=16_000, tools=[{"name": "look_up", "reads": "doc"}],
        sidecar=sidecar_of(state),
    )  # fmt: skip
    global counts
    counts = Counts(fitting.conversations)
    agent = Agent(model, system_prompt="Be short.", capabilities=[fitting])

    @agent.tool_plain
    def look_up(doc: str) -> str:
        return text_of(doc)

    history = None
    for prompt in prompts:
        given = [prompt, BinaryContent(PNG, media_type="image/png")] if prompt is prompts[0] else prompt
        done = await agent.run(given, message_history=history)
        history = done.all_messages()
    counts.tell(done.output)
    fitting.close()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
