"""The settings of a proxy: where it listens, its provider, and what applies to a call."""

from collections.abc import Callable

import msgspec
from platformdirs import user_state_dir

from ctxmgr.settings import ProgramSettings

# program, model, whether it is a sub-agent
SettingsFor = Callable[[str, str, bool], ProgramSettings]


class ProxySettings(msgspec.Struct, frozen=True):
    """`upstream`: the one address that requests go to, with its path if it has one. `host`: the address to listen
    on; `port` 0: any free one. `observe`: every byte passes unchanged, and the possible savings are reported.
    `names`: accepted host names of requests, besides loopback. `state_dir`: the folder for snapshots; default: the
    user's. `models`: a file of model facts that override the built-in ones. `keeps_originals`: what is removed is
    archived. `tools_token`: the token of the model's tools, "" if it has none. `project`: the folder that the
    program works in; None if unknown.
    """

    upstream: str
    settings_for: SettingsFor
    host: str = "127.0.0.1"
    port: int = 0
    observe: bool = False
    names: tuple[str, ...] = ()
    state_dir: str | None = None
    say: Callable[[str], None] = lambda line: None
    models: str | None = None
    keeps_originals: bool = False
    tools_token: str = ""
    project: str | None = None

    @property
    def directory(self) -> str:
        """The folder for snapshots."""
        return self.state_dir or user_state_dir("ctxmgr", appauthor=False)
