"""The table of sessions that are recorded: what the agent works on, by what tools, and in whose file format."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from recording import allotment, ledger, ledger_story, repository, site_story, story, tools
from recording.editor_tools import EditorToolbox
from recording.moves import Story
from recording.shell_tools import ShellToolbox
from recording.tools import Toolbox
from recording.writer import SessionFile, ToolCall
from recording.writer_claude import HOME as SITE_HOME
from recording.writer_claude import TranscriptFile
from recording.writer_codex import HOME as LEDGER_HOME
from recording.writer_codex import RolloutFile


class Writer(Protocol):
    """A growing session file; `lines` is what stands in it."""

    lines: list[str]

    def user(self, text: str, after: int) -> None: ...
    def shell(self, command: str, output: str, code: int, after: int) -> None: ...
    def assistant(self, text: str, thinking: str, calls: list[ToolCall], stop: str) -> list[str]: ...
    def result(self, call_id: str, tool: str, text: str, is_error: bool, details: dict[str, Any]) -> None: ...


class Session(NamedTuple):
    """`home`: what the folder that `build` fills is shown as."""

    build: Callable[[Path], None]
    story: Story
    toolbox: Callable[[Path, Path, str], Toolbox]
    writer: Callable[[], Writer]
    home: str


SESSIONS = {
    "greenhouse": Session(repository.build, story.STORY, Toolbox, SessionFile, tools.HOME),
    "ledger": Session(ledger.build, ledger_story.STORY, ShellToolbox, RolloutFile, LEDGER_HOME),
    "allotment": Session(allotment.build, site_story.STORY, EditorToolbox, TranscriptFile, SITE_HOME),
}
