"""Runs a real program in a work tree of its own, before a scripted provider: prompt by prompt, as a person would.

Its home, its settings and its sessions lie in the test's folder, and it reaches no other host. A process that does
not end is ended after RUN_SECONDS, with all that it started.
"""

import contextlib
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, Protocol

from tests.programs.installing import CLAUDE, CODEX, Program
from tests.provider import Provider

RUN_SECONDS = 100.0
WINDOW_TOKENS = 40_000  # that ctxmgr works with: thirty steps come to 55,000
ROOT = Path(__file__).resolve().parents[2]
NOWHERE = "http://127.0.0.1:9"  # nobody listens there
Through = Literal["direct", "proxy"]
_LISTENING = re.compile(r"listening on (http://\S+),")


class Agent(Protocol):
    """How a program is asked something without a screen, and pointed at a base URL."""

    @property
    def program(self) -> Program: ...

    def command(self, prompt: str, resumes: bool, url: str) -> list[str]: ...

    def environment(self, home: Path, url: str) -> dict[str, str]: ...


@dataclass(frozen=True)
class Claude:
    model: str = "claude-opus-5-5"
    program: Program = CLAUDE

    def command(self, prompt: str, resumes: bool, url: str) -> list[str]:
        tools = ("Agent", "Bash", "Edit", "Read", "Write")
        return ["-p", prompt, *(["--continue"] if resumes else []), "--model", self.model, "--allowedTools", *tools]

    def environment(self, home: Path, url: str) -> dict[str, str]:
        return {
            "ANTHROPIC_BASE_URL": url,
            "ANTHROPIC_API_KEY": "sk-scripted",
            "CLAUDE_CONFIG_DIR": str(home / "claude"),
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        }


@dataclass(frozen=True)
class Codex:
    """`custom`: with a provider of its own it compacts by a prompt, with the built-in one by an item.
    `compacts_at_tokens`: where it does so by itself."""

    custom: bool = True
    compacts_at_tokens: int | None = None
    program: Program = CODEX

    def command(self, prompt: str, resumes: bool, url: str) -> list[str]:
        keys = {"model": '"gpt-5.5"'}
        if self.custom:
            row = f'name="scripted", base_url="{url}/v1", env_key="OPENAI_API_KEY", wire_api="responses"'
            keys |= {"model_provider": '"scripted"', "model_providers.scripted": f"{{{row}}}"}
        else:
            keys |= {"openai_base_url": f'"{url}/v1"'}
        if self.compacts_at_tokens is not None:
            keys["model_auto_compact_token_limit"] = str(self.compacts_at_tokens)
        settings = [part for name, value in keys.items() for part in ("-c", f"{name}={value}")]
        alone = ["--dangerously-bypass-approvals-and-sandbox", "--skip-git-repo-check"]
        return ["exec", *settings, *alone, *(["resume", "--last"] if resumes else []), prompt]

    def environment(self, home: Path, url: str) -> dict[str, str]:
        (home / "codex").mkdir(parents=True, exist_ok=True)
        return {"CODEX_HOME": str(home / "codex"), "CODEX_API_KEY": "sk-scripted", "OPENAI_API_KEY": "sk-scripted"}


@dataclass
class Session:
    """One program in one work tree. `prompt` says something to it and returns its last words."""

    agent: Agent
    executable: Path
    url: str
    home: Path
    tree: Path
    prompts: list[str] = field(default_factory=list)

    def prompt(self, text: str) -> str:
        command = [str(self.executable), *self.agent.command(text, bool(self.prompts), self.url)]
        self.prompts.append(text)
        return ran(command, self.tree, environment(self.home) | self.agent.environment(self.home, self.url))


def environment(home: Path) -> dict[str, str]:
    home.mkdir(parents=True, exist_ok=True)
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(home),
        "LANG": "C.UTF-8",
        "HTTPS_PROXY": NOWHERE,
        "NO_PROXY": "127.0.0.1",
    }


def ran(command: list[str], folder: Path, variables: Mapping[str, str]) -> str:
    """What it printed. Raises AssertionError where it fails."""
    pipe = subprocess.PIPE
    process = subprocess.Popen(
        command, cwd=folder, env=dict(variables), stdin=subprocess.DEVNULL, stdout=pipe, stderr=pipe,
        encoding="utf-8", start_new_session=True,
    )  # fmt: skip
    try:
        out, errors = process.communicate(timeout=RUN_SECONDS)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        out, errors = process.communicate()
    assert process.returncode == 0, f"{command[:3]} ended with {process.returncode}: {out[-500:]} {errors[-1500:]}"
    return out.strip()


@contextlib.contextmanager
def way(through: Through, provider: Provider, place: Path) -> Iterator[str]:
    """The base URL that leads to the provider, through a proxy of ctxmgr or none."""
    if through == "direct":
        yield provider.url
        return
    state = place / "state"
    settings = ["--window", str(WINDOW_TOKENS), "--state-dir", str(state)]
    command = [sys.executable, "-m", "ctxmgr", "proxy", "--upstream", provider.url, *settings]
    process = subprocess.Popen(
        command, cwd=place, env=environment(place / "ctxmgr") | {"PYTHONPATH": str(ROOT)},
        stderr=subprocess.PIPE, encoding="utf-8",
    )  # fmt: skip
    assert process.stderr is not None
    try:
        found = next((one for line in process.stderr if (one := _LISTENING.search(line))), None)
        assert found is not None, "it ended before it listened"
        yield found[1]
    finally:
        process.terminate()
        process.communicate(timeout=RUN_SECONDS)
