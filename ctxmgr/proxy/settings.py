"""What a proxy is told: where it listens, to whom it speaks, and what holds for a call."""

from collections.abc import Callable

import msgspec
from platformdirs import user_state_dir

from ctxmgr.settings import ProgramSettings

# program, model, whether it is a sub-agent
SettingsFor = Callable[[str, str, bool], ProgramSettings]


class ProxySettings(msgspec.Struct, frozen=True):
    """`upstream`: the one address that requests go to, with its path if it has one. `host`: the address to listen
    on; `port` 0: any free one. `observe`: every byte passes untouched, and what would have been saved is told.
    `names`: hosts that a request may be for beside loopback's. `state_dir`: where snapshots go; default: the
    user's. `models`: a file of facts about models, which goes before what is shipped. `keeps_originals`: what
    leaves is archived. `tools_token`: what the model's tools bear, "" where it has none. `project`: the folder that
    the program works in; None: not known."""

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
        """Where snapshots go."""
        return self.state_dir or user_state_dir("ctxmgr", appauthor=False)
