"""Claude Code and Codex, as they are and without a proxy, with the hooks of protocol/hosts."""

import os
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.programs.conftest import Playing
from tests.programs.running import ROOT, Agent, Claude, Codex, Session
from tests.provider import Call, Found, Provider, Run, script, step

pytestmark = [pytest.mark.real, pytest.mark.parametrize("through", ["direct"])]

HOSTS = ROOT / "protocol" / "hosts"
DONE, DONE_AGAIN = "All steps are done.", "And all that came after."
RULE, RULE_FILE = "Never touch README.md", "Generated files are never edited by hand."
LONG = "cat src/mod_00[0-4].py"  # some 25,000 characters: Claude Code puts 30,000 into a file


def with_command(home: Path) -> dict[str, str]:
    """`ctxmgr` for the program, and where it keeps things."""
    command = home / "bin" / "ctxmgr"
    command.parent.mkdir(parents=True, exist_ok=True)
    command.write_text(f'#!/bin/sh\nexec {sys.executable} -P -m ctxmgr "$@"\n', "utf-8")
    command.chmod(0o755)
    (home / ".profile").write_text(f'PATH="{command.parent}:$PATH"\n', "utf-8")  # Codex runs login shells
    return {"PATH": f"{command.parent}:{os.environ['PATH']}", "XDG_STATE_HOME": str(home / "state")}


@dataclass(frozen=True)
class HookedClaude(Claude):
    def command(self, prompt: str, resumes: bool, url: str) -> list[str]:
        return [*super().command(prompt, resumes, url), "--plugin-dir", str(HOSTS / "claude-code-hooks")]

    def environment(self, home: Path, url: str) -> dict[str, str]:
        return super().environment(home, url) | with_command(home)


@dataclass(frozen=True)
class HookedCodex(Codex):
    def command(self, prompt: str, resumes: bool, url: str) -> list[str]:
        exec, *rest = super().command(prompt, resumes, url)
        return [exec, "--dangerously-bypass-hook-trust", *rest]

    def environment(self, home: Path, url: str) -> dict[str, str]:
        made = super().environment(home, url) | with_command(home)
        shutil.copy(HOSTS / "codex-hooks" / "hooks.json", made["CODEX_HOME"])
        return made


def nothing_failed(session: Session, provider: Provider) -> None:
    assert provider.record.refused == []
    assert not (session.home / "state" / "ctxmgr" / "hooks.log").exists()


def looking(count: int) -> list[object]:
    return [step(Run(f"cat src/mod_{n:03}.py"), say=f"I look on. [play 0 step {n}]") for n in range(count)]


GO_ON = script("And after that", step(Run("wc -l src/mod_090.py")), final=DONE_AGAIN)
READS_RULES = step(Run("cat CLAUDE.md"))


def test_claude_code_is_told_after_each_compaction_what_the_user_said(playing: Playing) -> None:
    first = script("Look through", READS_RULES, *looking(3), final=DONE)
    session, provider = playing(HookedClaude(), first, GO_ON)
    (session.tree / "CLAUDE.md").write_text(f"{RULE_FILE}\n")
    assert session.prompt(f"Look through the modules, please. {RULE}.") == DONE
    for _ in range(2):
        session.prompt("/compact")
        assert session.prompt("And after that? Then stop.") == DONE_AGAIN
        sent = provider.record.answered[-1].body.decode()
        assert "[ctxmgr packet]" in sent
        assert f"{RULE}." in sent.partition("[ctxmgr packet]")[2]
    nothing_failed(session, provider)


def test_codex_is_told_after_a_compaction_what_the_user_said(playing: Playing) -> None:
    first = script("Look through", *looking(12), final=DONE)
    session, provider = playing(HookedCodex(compacts_at_tokens=15_000), first, GO_ON)
    assert session.prompt(f"Look through the modules, please. {RULE}.") == DONE
    assert session.prompt("And after that? Then stop.") == DONE_AGAIN
    sent = provider.record.answered[-1].body.decode()
    assert f"{RULE}." in sent.partition("[ctxmgr packet]")[2]
    nothing_failed(session, provider)


GET = Found(r"(ctxmgr search --original \w+)")
CUT: list[tuple[Agent, str]] = [(HookedClaude(), "Bash"), (HookedCodex(), "exec_command")]


@pytest.mark.parametrize(("agent", "tool"), CUT, ids=["claude", "codex"])
def test_a_long_result_is_cut_as_it_arrives_and_the_model_gets_it_whole(
    playing: Playing, agent: Agent, tool: str
) -> None:
    named = {"Bash": "command", "exec_command": "cmd"}[tool]
    played = script("Look", step(Run(LONG)), step(Call(tool, {named: GET})), final=DONE)
    session, provider = playing(agent, played)
    assert session.prompt("Look, please.") == DONE
    cut, whole = provider.record.results.values()
    assert "[cut — ~" in cut
    assert "ctxmgr search --original" in cut
    assert len(cut) < len(whole)
    nothing_failed(session, provider)
