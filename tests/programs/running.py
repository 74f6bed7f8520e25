"""Runs a real program in a work tree of its own, before a scripted provider: prompt by prompt, as a person would.

Its home, its settings and its sessions lie in the test's folder, and it reaches no other host. A process that does
not end is ended after RUN_SECONDS, with all that it started.
"""

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, Protocol

from tests.programs.installing import CLAUDE, CODEX, COPILOT, GEMINI, OPENCODE, Program
from tests.provider import Provider

RUN_SECONDS = 100.0
WINDOW_TOKENS = 40_000  # that ctxmgr works with: thirty steps come to 55,000
ROOT = Path(__file__).resolve().parents[2]
NOWHERE = "http://127.0.0.1:9"  # nobody listens there
SAID = "ctxmgr: "  # how a line of ctxmgr's own begins
Through = Literal["direct", "proxy", "run", "observe", "answered"]
_LISTENING = re.compile(r"listening on (http://\S+),")


class Agent(Protocol):
    """How a program is asked something without a screen, and pointed at a base URL."""

    @property
    def program(self) -> Program: ...

    def command(self, prompt: str, resumes: bool, url: str) -> list[str]: ...

    def environment(self, home: Path, url: str) -> dict[str, str]: ...


_TASKS = ("CLAUDE_CODE_ENABLE_TASKS", "CLAUDE_CODE_ENABLE_TODO_TOOLS")


@dataclass(frozen=True)
class Claude:
    """`has_tasks`: its model has a list of tasks, which else its screen alone gives it."""

    model: str = "claude-opus-5-5"
    has_tasks: bool = False
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
            **(dict.fromkeys(_TASKS, "1") if self.has_tasks else {}),
        }


@dataclass(frozen=True)
class Codex:
    """`custom`: with a provider of its own it compacts by a prompt, with the built-in one by an item.
    `compacts_at_tokens`: where it does so by itself. With "gpt-6.1-sol", its default, tools stand in the list, and
    the one that does the rest runs JavaScript."""

    custom: bool = True
    compacts_at_tokens: int | None = None
    model: str = "gpt-5.5"
    program: Program = CODEX

    def command(self, prompt: str, resumes: bool, url: str) -> list[str]:
        keys = {"model": f'"{self.model}"'}
        if self.custom:
            row = {
                "name": "scripted",
                "base_url": f"{url}/v1",
                "env_key": "OPENAI_API_KEY",
                "wire_api": "responses",
            }
            keys |= {f"model_providers.scripted.{name}": f'"{value}"' for name, value in row.items()}
            keys["model_provider"] = '"scripted"'
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


@dataclass(frozen=True)
class Gemini:
    """With a key that was chosen, without which it heeds no base URL. Its look at whether the model goes round in
    circles is off: that list begins with a call (its issue 11814), which its provider refuses."""

    model: str = "gemini-3-pro-preview"
    program: Program = GEMINI

    def command(self, prompt: str, resumes: bool, url: str) -> list[str]:
        return ["-p", prompt, *(["--resume", "latest"] if resumes else []), "--model", self.model, "--yolo"]

    def environment(self, home: Path, url: str) -> dict[str, str]:
        settings = {
            "security": {"auth": {"selectedType": "gemini-api-key"}},
            "model": {"disableLoopDetection": True},
            "privacy": {"usageStatisticsEnabled": False},
        }
        (home / ".gemini").mkdir(parents=True, exist_ok=True)
        (home / ".gemini" / "settings.json").write_text(json.dumps(settings), "utf-8")
        return {
            "GOOGLE_GEMINI_BASE_URL": url,
            "GEMINI_API_KEY": "sk-scripted",
            "GEMINI_CLI_TRUST_WORKSPACE": "true",
        }


@dataclass(frozen=True)
class OpenCode:
    """What it knows of models is what it was built with. `window_tokens`: by which it compacts."""

    model: str = "anthropic/claude-sonnet-4-5"
    window_tokens: int | None = None
    program: Program = OPENCODE

    def command(self, prompt: str, resumes: bool, url: str) -> list[str]:
        return ["run", *(["--continue"] if resumes else []), "--model", self.model, prompt]

    def environment(self, home: Path, url: str) -> dict[str, str]:
        off = ("AUTOUPDATE", "DEFAULT_PLUGINS", "LSP_DOWNLOAD", "MODELS_FETCH")
        switches = dict.fromkeys((f"OPENCODE_DISABLE_{name}" for name in off), "1")
        if self.window_tokens is not None:
            limits = {"limit": {"context": self.window_tokens, "output": 8_000}}
            provider, _, model = self.model.partition("/")
            switches["OPENCODE_CONFIG"] = str(home / "opencode.json")
            config = {"provider": {provider: {"models": {model: limits}}}}
            (home / "opencode.json").write_text(json.dumps(config), "utf-8")
        return {"ANTHROPIC_BASE_URL": f"{url}/v1", "ANTHROPIC_API_KEY": "sk-scripted", **switches}


@dataclass(frozen=True)
class Copilot:
    """With a provider of the user's own; `kind` and `wire` say what it speaks."""

    kind: str = "anthropic"
    wire: str = "completions"
    model: str = "claude-sonnet-4.5"
    program: Program = COPILOT

    def command(self, prompt: str, resumes: bool, url: str) -> list[str]:
        return ["-p", prompt, *(["--continue"] if resumes else []), "--allow-all-tools", "--no-auto-update"]

    def environment(self, home: Path, url: str) -> dict[str, str]:
        return {
            "COPILOT_PROVIDER_BASE_URL": url if self.kind == "anthropic" else f"{url}/v1",
            "COPILOT_PROVIDER_TYPE": self.kind,
            "COPILOT_PROVIDER_WIRE_API": self.wire,
            "COPILOT_PROVIDER_API_KEY": "sk-scripted",
            "COPILOT_MODEL": self.model,
            "COPILOT_HOME": str(home / "copilot"),
            "COPILOT_OFFLINE": "true",
        }


@dataclass(frozen=True)
class Way:
    """From a program to the provider: the base URL that it is told, what starts it, and the process of a proxy that
    stands all the time."""

    url: str
    starts: tuple[str, ...] = ()
    pid: int = 0


@dataclass
class Session:
    """One program in one work tree. `prompt` says something to it and returns its last words; `told` is what ctxmgr
    said beside."""

    agent: Agent
    executable: Path
    way: Way
    home: Path
    tree: Path
    prompts: list[str] = field(default_factory=list)
    told: list[str] = field(default_factory=list)
    errors: str = ""

    @property
    def summary(self) -> list[str]:
        """The last three lines of `ctxmgr run`, but for what it says of the cache: calls, what was sent, what was
        saved; [] where one is missing. A busy machine has notices before them."""
        found = [line for line in self.told if not line.startswith("the prompt cache ")][-3:]
        wanted = (r"\d calls?, ", "with(out)? ctxmgr: ", "saved|cost")
        complete = len(found) == 3 and all(map(re.search, wanted, found))
        return found if complete else []

    def prompt(self, text: str) -> str:
        own = self.agent.command(text, bool(self.prompts), self.way.url)
        variables = environment(self.home) | self.agent.environment(self.home, self.way.url)
        self.prompts.append(text)
        out, self.errors = ran([*self.way.starts, str(self.executable), *own], self.tree, variables)
        self.told = [line.removeprefix(SAID) for line in self.errors.splitlines() if line.startswith(SAID)]
        return out


def environment(home: Path) -> dict[str, str]:
    home.mkdir(parents=True, exist_ok=True)
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(home),
        "LANG": "C.UTF-8",
        "PYTHONPATH": str(ROOT),
        "HTTPS_PROXY": NOWHERE,
        "NO_PROXY": "127.0.0.1",
    }


def ran(command: list[str], folder: Path, variables: Mapping[str, str]) -> tuple[str, str]:
    """What it printed, and on standard error. Raises AssertionError where it fails."""
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
    return out.strip(), errors


@contextlib.contextmanager
def way(through: Through, provider: Provider, place: Path) -> Iterator[Way]:
    """Through a proxy that stands all the time, by a `ctxmgr run` each prompt, which may only
    observe, or answer what asks for summaries, or straight."""
    settings = ("--window", str(WINDOW_TOKENS), "--state-dir", str(place / "state"))
    ctxmgr = (sys.executable, "-m", "ctxmgr")
    if through == "direct":
        yield Way(provider.url)
    elif through == "run":
        yield Way(provider.url, (*ctxmgr, "run", *settings, "--"))
    elif through == "answered":
        yield Way(provider.url, (*ctxmgr, "run", "--compactions", "ctxmgr", *settings, "--"))
    elif through == "observe":
        yield Way(provider.url, (*ctxmgr, "run", "--observe", *settings, "--"))
    else:
        with _proxy([*ctxmgr, "proxy", "--upstream", provider.url, *settings], place) as road:
            yield road


@contextlib.contextmanager
def _proxy(command: list[str], place: Path) -> Iterator[Way]:
    process = subprocess.Popen(
        command, cwd=place, env=environment(place / "ctxmgr"), stderr=subprocess.PIPE, encoding="utf-8"
    )
    assert process.stderr is not None
    try:
        found = next((one for line in process.stderr if (one := _LISTENING.search(line))), None)
        assert found is not None, "it ended before it listened"
        yield Way(found[1], pid=process.pid)
    finally:
        process.terminate()
        process.communicate(timeout=RUN_SECONDS)
