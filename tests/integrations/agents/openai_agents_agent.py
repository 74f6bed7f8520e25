"""An agent of the OpenAI Agents SDK with its list kept small.

    python openai_agents_agent.py URL openai|responses STATE PROMPT...

Each prompt is a run that goes on from the one before. Prints what `Counts` counts.
"""

import asyncio
import sys
from typing import Any

from agents import (
    Agent,
    ModelSettings,
    OpenAIChatCompletionsModel,
    OpenAIResponsesModel,
    Runner,
    function_tool,
    set_tracing_disabled,
)
from openai import AsyncOpenAI

from ctxmgr.integrations.openai_agents import ContextFilter
from tests.integrations.agents.counting import Counts, sidecar_of, text_of


@function_tool
def look_up(doc: str) -> str:
    """Shows a file."""
    return text_of(doc)


class Counted(ContextFilter):
    async def __call__(self, data: Any) -> Any:
        sent = await super().__call__(data)
        counts.listed(data.model_data.input, sent.input)
        return sent


async def main(url: str, kind: str, state: str, *prompts: str) -> None:
    global counts
    set_tracing_disabled(True)
    client = AsyncOpenAI(base_url=f"{url}/v1", api_key="none")
    sealed = ModelSettings(store=False, response_include=["reasoning.encrypted_content"])
    settings = sealed if kind == "responses" else ModelSettings()
    of = OpenAIResponsesModel if kind == "responses" else OpenAIChatCompletionsModel
    sidecar, tools = sidecar_of(state), [{"name": "look_up", "reads": "doc"}]
    fitting = Counted("one", {"preset": "balanced"}, window=16_000, tools=tools, sidecar=sidecar)
    counts = Counts(fitting.conversations)
    agent = Agent(
        "helper", instructions="Be short.", tools=[look_up], model=of("gpt-4o", client), model_settings=settings
    )
    held: list[Any] = []
    for prompt in prompts:
        held.append({"role": "user", "content": prompt})
        done = await Runner.run(agent, held, max_turns=200, run_config=fitting.run_config(), hooks=fitting)
        held = done.to_input_list()
    counts.tell(done.final_output)
    fitting.close()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
