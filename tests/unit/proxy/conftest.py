"""A proxy before a provider, both on loopback, with a sidecar of its own state directory: in this process, unless a
test is about the process."""

import io
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from ctxmgr import settings
from ctxmgr.client import AsyncClientSession, InProcessSidecar, Timing
from ctxmgr.proxy import Proxy, ProxySettings, listener
from tests.unit.proxy.provider import Provider, provider


class Rig:
    """`post` sends as a program does; `ours` are the headers with which a program asks for what the page shows."""

    def __init__(self, upstream: Provider, proxy: Proxy, session: aiohttp.ClientSession, said: list[str]) -> None:
        self.upstream, self.proxy, self.session, self.said = upstream, proxy, session, said

    @property
    def token(self) -> str:
        return self.proxy.page_url.partition("?token=")[2]

    @property
    def ours(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.token}", "x-ctxmgr-page": "1"}

    async def post(
        self, body: bytes | io.BytesIO, path: str = "/v1/messages", headers: dict[str, str] | None = None
    ) -> tuple[aiohttp.ClientResponse, bytes]:
        response = await self.session.post(self.proxy.url + path, data=body, headers=headers or {})
        return response, await response.read()


@pytest.fixture
async def rig(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Callable[..., Any]]:
    """Makes one: keyword arguments are flags of the settings, `observe`, `timing`, and `before`, the address of
    another provider. `state`: the name of its state directory, one of its own where none is given. `spawned`: its
    sidecar is a process."""
    open_rigs: list[Any] = []

    async def make(
        observe: bool = False,
        timing: Timing | None = None,
        names: tuple[str, ...] = (),
        before: str = "",
        state: str = "",
        tools_token: str = "",
        host: str = "127.0.0.1",
        spawned: bool = False,
        **flags: Any,
    ) -> Rig:
        said: list[str] = []
        if not spawned:
            monkeypatch.setattr(listener, "_sidecar", lambda given: InProcessSidecar(given.state_dir))
        layers = settings.read({"window": 20_000} | flags, {}, tmp_path)
        upstream = provider()
        up = await upstream.__aenter__()
        made = ProxySettings(
            before or up.url,
            layers.settings_for,
            host=host,
            observe=observe,
            names=names,
            state_dir=str(tmp_path / (state or f"state-{len(open_rigs)}")),
            say=said.append,
            tools_token=tools_token,
        )
        proxy = Proxy(made, timing or Timing(timeouts_ms={"context": 30_000, "session_start": 30_000}))
        await proxy.__aenter__()
        session = aiohttp.ClientSession(auto_decompress=False, skip_auto_headers=("Accept-Encoding",))
        open_rigs.extend((upstream, proxy, session))
        return Rig(up, proxy, session, said)

    yield make
    for entered in reversed(open_rigs):
        await entered.__aexit__(None, None, None)


@pytest.fixture
def usages(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The usage of each turn that ctxmgr was told of."""
    found: list[Any] = []
    original = AsyncClientSession.turn_end

    async def turn_end(self: Any, message: Any, results: Any = (), **more: Any) -> Any:
        found.append(more.get("usage"))
        return await original(self, message, results, **more)

    monkeypatch.setattr(AsyncClientSession, "turn_end", turn_end)
    return found
