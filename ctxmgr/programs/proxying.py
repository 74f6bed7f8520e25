"""A proxy for the command line: made of flags and settings, and what it says to people."""

import argparse
import asyncio
import os
import secrets
import signal
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from ctxmgr import settings
from ctxmgr.devices import ArchiveFault, retention
from ctxmgr.masking import without_secrets
from ctxmgr.model import policy_keys
from ctxmgr.programs.launching import NoProgram
from ctxmgr.programs.program import NotHookable
from ctxmgr.proxy import Proxy, ProxySettings

WRONG_USAGE = 2
TOKEN_BYTES = 32  # of the model's tools, for one run
FLAGS = ("preset", "window", "keep_originals", "model_tools")  # that are keys of a settings file


class WrongFlag(ValueError):
    """A flag or a settings file can not be used; the text says which."""


class Keeping(NamedTuple):
    """What holds for a program by default: whether what leaves is archived, and whether the model has tools to get
    it back. `program`: its name, whatever its calls call themselves; "" for any."""

    originals: bool
    tools: bool
    program: str = ""


NOTHING = Keeping(False, False)


def until_ended(parsed: argparse.Namespace) -> int:
    """Serves until the process is asked to end; the exit code."""
    return exit_code(
        lambda: asyncio.run(_served(proxy(parsed, parsed.upstream, parsed.listen, tuple(parsed.name))))
    )


def exit_code(command: Callable[[], int]) -> int:
    """What it gives; where it can not be run as it was asked for, why is said, and a code of its own given."""
    try:
        return command()
    except (WrongFlag, settings.SettingsFault, NotHookable) as fault:
        say(str(fault))
        return WRONG_USAGE
    except NoProgram as fault:
        say(str(fault))
        return fault.code


def behind_dashes(words: Sequence[str], what: str) -> tuple[str, ...]:
    """What stands behind `--`. Raises WrongFlag, with this sentence, where nothing does."""
    rest = tuple(words[1:] if words[:1] == ["--"] else words)
    if not rest:
        raise WrongFlag(what)
    return rest


def say(line: str) -> None:
    """To people, on standard error."""
    print(f"ctxmgr: {without_secrets(line)}", file=sys.stderr, flush=True)


def say_page(made: Proxy) -> None:
    """The one place where the token of its page is said."""
    print(f"ctxmgr: what it does is shown at {made.page_url}", file=sys.stderr, flush=True)


def proxy(
    parsed: argparse.Namespace,
    upstream: str,
    listen: str = "127.0.0.1:0",
    names: Sequence[str] = (),
    say: Callable[[str], None] = say,
    of: Keeping = NOTHING,
) -> Proxy:
    """`say` gets what goes wrong on the way, a line at a time. `of`: whose calls these are. Raises WrongFlag and
    SettingsFault."""
    models = settings.models_file(parsed.models)
    layers = settings.read({name: getattr(parsed, name) for name in FLAGS}, models=models)
    host, port = _address(listen)

    def settings_for(speaker: str, model: str, is_subagent: bool) -> settings.ProgramSettings:
        return layers.settings_for(of.program or speaker, model, is_subagent)

    chosen = layers.settings_for(of.program or None)
    can_have_tools = of.tools and chosen.model_tools is not False
    keeps_originals = not parsed.observe and (
        of.originals if chosen.keep_originals is None else chosen.keep_originals
    )
    made = ProxySettings(
        _checked(upstream),
        settings_for,
        host,
        port,
        parsed.observe,
        tuple(name.lower() for name in names),
        parsed.state_dir or layers.settings_for().state_dir,
        say,
        parsed.models and os.path.abspath(parsed.models),
        keeps_originals,
        secrets.token_urlsafe(TOKEN_BYTES) if keeps_originals and can_have_tools else "",
    )
    return Proxy(made)


def tidy(made: ProxySettings) -> None:
    """Originals of earlier runs that are too old, or have no room, go; those of open sessions stay."""
    if made.keeps_originals:
        limits = policy_keys.policy(made.settings_for("", "", False).policy).archive
        try:
            retention.tidy_originals(Path(made.directory), limits)
        except (ArchiveFault, OSError) as fault:
            made.say(f"originals of earlier runs could not be tidied: {fault}")


def lines(made: Proxy) -> list[str]:
    """What its calls came to, for people."""
    return [*made.rewriter.account.lines(made.settings.observe), *made.cache_gaps]


async def _served(made: Proxy) -> int:
    ended = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        loop.add_signal_handler(number, ended.set)
    try:
        async with made:
            say(f"listening on {made.url}, before {made.settings.upstream}")
            say_page(made)
            await ended.wait()
    except OSError as fault:
        say(f"{made.settings.host}:{made.settings.port} can not be listened on: {fault.strerror or fault}")
        return 1
    for line in lines(made):
        say(line)
    return 0


def _address(listen: str) -> tuple[str, int]:
    host, _, port = listen.rpartition(":")
    if not host or not port.isdigit() or int(port) > 0xFFFF:
        raise WrongFlag(f"--listen {listen}: HOST:PORT is needed, such as 127.0.0.1:8484")
    return host.strip("[]"), int(port)


def _checked(upstream: str) -> str:
    parts = urlsplit(upstream)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment:
        raise WrongFlag(f"--upstream {upstream}: an address such as https://api.anthropic.com is needed")
    if parts.username or parts.password:
        raise WrongFlag("--upstream: keys come from the program, not with the address")
    return upstream.rstrip("/")
