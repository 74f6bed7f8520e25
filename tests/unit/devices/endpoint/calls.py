"""Calls of an endpoint against the scripted server, and what they are expected to give."""

from collections.abc import Mapping
from typing import Any

from ctxmgr.devices.endpoint import Chat
from ctxmgr.model.compaction import Completion, CompletionRequest
from ctxmgr.model.policy import Endpoint
from tests.model_server import ModelServer, Reply

KEY = "sk-do-not-tell"
SECRET = "the conversation"
QUOTED = f"you sent {SECRET} with {KEY}"  # what a careless server writes into its errors
APIS = ("chat", "anthropic")
ASK = CompletionRequest("history", "Summarise.", SECRET, 100)


class Calls:
    """A `Chat` at a server, with the pauses it would have made, in seconds."""

    def __init__(self, url: str, environment: Mapping[str, str] | None = None, **settings: Any) -> None:
        settings = {"model": "small", "api_key_env": "KEY", "timeout_ms": 20_000, **settings}
        self.pauses: list[float] = []
        self.chat = Chat(
            Endpoint(url, **settings), {"KEY": KEY} if environment is None else environment, self.pause
        )

    async def pause(self, seconds: float) -> None:
        self.pauses.append(seconds)

    async def __aenter__(self) -> "Calls":
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.chat.close()

    async def complete(self, ask: CompletionRequest = ASK) -> Completion:
        done = await self.chat.complete(ask)
        assert SECRET not in done.fault
        assert KEY not in done.fault
        assert (done.stop == "error") == bool(done.fault)
        return done


async def completed(*replies: Reply, ask: CompletionRequest = ASK, api: str = "chat") -> Completion:
    async with ModelServer(replies) as server, Calls(server.url, api=api) as calls:
        return await calls.complete(ask)
