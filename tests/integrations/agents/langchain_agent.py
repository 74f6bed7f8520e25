"""An agent of LangChain with its list kept small.

    python langchain_agent.py URL anthropic|openai|responses STATE PROMPT...

Each prompt goes on from the one before, in one thread; with `anthropic` asynchronously. Prints what `Counts`
counts.
"""

import asyncio
import sys
from typing import Any

from langchain.agents import create_agent
from langchain.messages import HumanMessage
from langchain_anthropic import ChatAnthropic
from langchain_core.tools import tool
from langchain_openai import ChatOpenAI
from langgraph.checkpoint.memory import InMemorySaver

from ctxmgr.integrations.langchain import ContextMiddleware
from tests.integrations.agents.counting import Counts, sidecar_of, text_of

PICTURE = {"type": "image", "base64": "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAA=", "mime_type": "image/png"}


SEALED: Any = {
    "use_responses_api": True,
    "store": False,
    "include": ["reasoning.encrypted_content"],
    "output_version": "responses/v1",
}


@tool
def look_up(doc: str) -> str:
    """Shows a file."""
    return text_of(doc)


class Counted(ContextMiddleware):
    def _fitted(self, name: str, request: Any) -> Any:
        sent = super()._fitted(name, request)
        counts.listed(request.messages, sent.messages)
        return sent


async def main(url: str, kind: str, state: str, *prompts: str) -> None:
    global counts
    if kind == "anthropic":
        headers = {"anthropic-version": "2023-06-01"}
        model: Any = ChatAnthropic(model="claude-sonnet-4-5", base_url=url, api_key="none", default_headers=headers)
    else:
        more = SEALED if kind == "responses" else {}
        model = ChatOpenAI(model="gpt-4o", base_url=f"{url}/v1", api_key="none", **more)
    sidecar, tools = sidecar_of(state), [{"name": "look_up", "reads": "doc"}]
    fitting = Counted({"preset": "balanced"}, window=16_000, tools=tools, sidecar=sidecar)
    counts = Counts(fitting.conversations)
    agent = create_agent(
        model, [look_up], system_prompt="Be short.", middleware=[fitting], checkpointer=InMemorySaver()
    )
    config: Any = {"configurable": {"thread_id": "thread-1"}, "recursion_limit": 500}
    for prompt in prompts:
        text = {"type": "text", "text": prompt}
        given: Any = {"messages": [HumanMessage([text, PICTURE] if prompt is prompts[0] else prompt)]}
        done = await agent.ainvoke(given, config) if kind == "anthropic" else agent.invoke(given, config)
    counts.tell(done["messages"][-1].text)
    fitting.close()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
