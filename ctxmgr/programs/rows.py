"""The known programs. Those that a variable or a flag redirects have their row here: aider, Copilot CLI, crush,
goose, pi, Qwen Code; and Cline, which cannot be redirected. Others have a file of their own. `by_api` is any other
program.

A row of a program with several providers has a `Pointing`. Its `chosen` returns the provider that the program uses:
its name, a key of `places`, or another name if it is none of them.

Rules:
1. aider (tested with 0.86.2): its model determines the provider, by an alias or the start of a name; without a
   model, the key that is set. A project's `.env` overrides the environment, so aider is redirected by flags, which
   override both.
2. Copilot CLI (tested with 1.0.102): uses GitHub, whose address no variable changes, unless
   COPILOT_PROVIDER_BASE_URL is set (`copilot help providers`).
3. crush (from the model catalogue that it ships, which has the addresses of its two providers): the last chosen
   model names its provider. An address in `crush.json` overrides the variable, so then crush is refused.
4. goose (from its page "Environment variables"): GOOSE_PROVIDER, in the environment before `config.yaml`; its hosts
   likewise.
5. Qwen Code (tested with 0.24.4): `--auth-type`, otherwise the choice in its settings, otherwise the key that is
   set. A model in `modelProviders` of its settings has an address that overrides any variable, so then it is
   refused.
6. Cline (tested with 3.0.65): its address is in its settings, beside the key, and nowhere else. Only the user
   writes its settings, so an error says what to do.
7. pi (tested with 1.6.0 and 0.73.1): its provider is given by `--provider`, the part before the `/` of `--model`,
   or `defaultProvider` of its settings; the address by `baseUrl` in `models.json`, otherwise it is the vendor's. A
   call adds `/v1/messages` to Anthropic's and `/responses` to OpenAI's. It is redirected by an extension of ours,
   which sets the `baseUrl` of one provider and keeps its models and keys (`registerProvider`), and reads the
   provider and the address from the environment. pi's own files stay unchanged.
"""

import re
from collections.abc import Callable, Mapping
from pathlib import Path, PurePath
from typing import NoReturn

import msgspec

from ctxmgr.programs.claude import CLAUDE
from ctxmgr.programs.codex import CODEX
from ctxmgr.programs.gemini import GEMINI
from ctxmgr.programs.opencode import KILO, OPENCODE
from ctxmgr.programs.program import (
    Launch,
    NotHookable,
    Program,
    Unsaid,
    flag,
    home,
    last_match,
    read_json,
    table,
    with_environ,
    with_flags,
)
from ctxmgr.settings import APIS, Api


class Place(msgspec.Struct, frozen=True):
    """A provider of a program: its API, the variables with its address (the first one that is set counts), and its
    default address; "" if unknown.
    """

    api: Api
    variables: tuple[str, ...]
    own: str = ""


class Pointing(msgspec.Struct, frozen=True):
    """`settled(start)`: the address in the program's own files, which its variables override; "" without one.
    `hooked(start, place, base_url)`: how to redirect it, if a variable is not enough.
    """

    title: str
    places: Mapping[str, Place]
    chosen: Callable[[Launch], str]
    settled: Callable[[Launch, Place], str] = lambda start, place: ""
    hooked: Callable[[Launch, Place, str], Launch] | None = None

    def place(self, start: Launch) -> Place:
        name = self.chosen(start)
        place = self.places.get(name)
        if place is None:
            known = " or ".join(self.places)
            asked = f"uses the provider {name}" if name else "does not say which provider it uses"
            fault = NotHookable if name else Unsaid
            raise fault(f"{self.title} {asked}: ctxmgr can redirect only {known}")
        return place

    def speaks(self, start: Launch) -> Api:
        return self.place(start).api

    def upstream(self, start: Launch) -> str:
        place = self.place(start)
        named = next(filter(None, map(start.environ.get, place.variables)), "")
        address = named or self.settled(start, place) or place.own
        if not address:
            raise NotHookable(f"the address of {self.title}'s provider is unknown: set {place.variables[0]}")
        return address.rstrip("/")

    def of(self, api: Api) -> "Pointing | None":
        """The same for its first provider with this API; None if there is none."""
        name = next((name for name, place in self.places.items() if place.api == api), None)
        return None if name is None else msgspec.structs.replace(self, chosen=lambda start: name)

    def hook(self, start: Launch, base_url: str, upstream: str) -> Launch:
        place = self.place(start)
        if self.hooked is not None:
            return self.hooked(start, place, base_url)
        return with_environ(start, **{place.variables[0]: base_url})


def program(
    command: str,
    pointing: Pointing,
    asks: tuple[str, ...],
    losses: tuple[str, ...],
    tried: str = "",
    takes_flag: bool = True,
) -> Program:
    """`tried`: the version it was tested with, "" if it is known only from its documentation. `takes_flag`: a flag
    may name its API if nothing else does.
    """

    def speaking(api: Api) -> Program | None:
        told = pointing.of(api)
        return None if told is None else program(command, told, asks, losses, tried, False)

    return Program(
        command,
        pointing.title,
        pointing.speaks,
        pointing.upstream,
        pointing.hook,
        asks=asks,
        losses=losses,
        tried=tried,
        speaking=speaking if takes_flag else None,
    )


def yaml_line(path: Path, name: str) -> str:
    """The value of a top-level key of a YAML file; "" without one. Reads no other YAML."""
    return last_match(path, re.compile(rf"^{re.escape(name)}\s*:\s*['\"]?([^'\"#\s]*)", re.MULTILINE))


ANTHROPIC, OPENAI = APIS["anthropic"].vendor, APIS["openai"].vendor
KEYS = {"ANTHROPIC_API_KEY": "anthropic", "OPENAI_API_KEY": "openai"}
ELSEWHERE = "only calls to its model's provider go through ctxmgr: it calls other providers directly"


def _by_key(start: Launch) -> str:
    return next((name for key, name in KEYS.items() if start.environ.get(key)), "")


AIDER_ALIASES = {"sonnet": "anthropic", "haiku": "anthropic", "opus": "anthropic", "4o": "openai", "4": "openai"}
AIDER_BEGINNINGS = {"claude": "anthropic", "gpt": "openai", "o1": "openai", "o3": "openai", "o4": "openai"}


def _aider(start: Launch) -> str:
    """The provider (rule 1)."""
    folders = (Path(start.directory), home(start))
    files = (yaml_line(folder / ".aider.conf.yml", "model") for folder in folders)
    said = flag(start.arguments, "--model") or start.environ.get("AIDER_MODEL") or next(filter(None, files), "")
    provider, _, _ = said.partition("/")
    begins = next((name for word, name in AIDER_BEGINNINGS.items() if said.startswith(word)), provider)
    return AIDER_ALIASES.get(said, begins) if said else _by_key(start)


def _aider_hooked(start: Launch, place: Place, base_url: str) -> Launch:
    pairs = [word for name in place.variables for word in ("--set-env", f"{name}={base_url}")]
    openai = ["--openai-api-base", base_url] if place.api == "openai" else []
    return with_flags(with_environ(start), *pairs, *openai)


def _copilot(start: Launch) -> str:
    """The provider (rule 2)."""
    if not start.environ.get("COPILOT_PROVIDER_BASE_URL"):
        raise NotHookable(
            "Copilot CLI uses GitHub, and ignores any base URL: to use your own provider through ctxmgr, set "
            "COPILOT_PROVIDER_BASE_URL, COPILOT_PROVIDER_API_KEY and COPILOT_MODEL"
        )
    kind = start.environ.get("COPILOT_PROVIDER_TYPE") or "openai"
    return (
        "responses" if kind == "openai" and start.environ.get("COPILOT_PROVIDER_WIRE_API") == "responses" else kind
    )


def _crush(start: Launch) -> str:
    """The provider (rule 3)."""
    paths = (".local/share/crush/crush.json", ".config/crush/crush.json")
    files = [read_json(Path(start.directory) / name) for name in (".crush.json", "crush.json")]
    files += [read_json(home(start) / path) for path in paths]
    named = flag(start.arguments, "--model", "-m").partition("/")
    models = (table(table(content.get("models")).get("large")).get("provider") for content in files)
    name = (named[0] if named[1] else "") or next((str(one) for one in models if one), "") or _by_key(start)
    if any(table(table(content.get("providers")).get(name)).get("base_url") for content in files):
        raise NotHookable(
            f"crush.json has the address of crush's provider {name}, which overrides any variable: write "
            "the address of `ctxmgr proxy` there yourself"
        )
    return name


def _goose_file(start: Launch) -> Path:
    folder = start.environ.get("XDG_CONFIG_HOME")
    return (Path(folder) if folder else home(start) / ".config") / "goose" / "config.yaml"


def _goose(start: Launch) -> str:
    """The provider (rule 4)."""
    said = flag(start.arguments, "--provider") or start.environ.get("GOOSE_PROVIDER")
    return said or yaml_line(_goose_file(start), "GOOSE_PROVIDER")


def _qwen(start: Launch) -> str:
    """The provider (rule 5)."""
    settings = [read_json(folder / ".qwen/settings.json") for folder in (Path(start.directory), home(start))]
    selected = (table(table(one.get("security")).get("auth")).get("selectedType") for one in settings)
    name = flag(start.arguments, "--auth-type") or next((str(one) for one in selected if one), "") or _by_key(start)
    if any(table(one.get("modelProviders")).get(name) for one in settings):
        raise NotHookable(
            "Qwen Code's settings have modelProviders, whose addresses override any variable: write the address "
            "of `ctxmgr proxy` there yourself"
        )
    return name


AIDER = program(
    "aider",
    Pointing(
        "aider",
        {
            "anthropic": Place("anthropic", ("ANTHROPIC_API_BASE", "ANTHROPIC_BASE_URL"), ANTHROPIC),
            "openai": Place("openai", ("OPENAI_API_BASE", "OPENAI_BASE_URL"), OPENAI),
        },
        _aider,
        hooked=_aider_hooked,
    ),
    asks=("--yes-always", "--message"),
    losses=("it uses no tools, so ctxmgr prunes nothing and saves nothing", ELSEWHERE),
    tried="0.86.2",
)
COPILOT = program(
    "copilot",
    Pointing(
        "Copilot CLI",
        {
            "openai": Place("openai", ("COPILOT_PROVIDER_BASE_URL",)),
            "anthropic": Place("anthropic", ("COPILOT_PROVIDER_BASE_URL",)),
            "responses": Place("responses", ("COPILOT_PROVIDER_BASE_URL",)),
        },
        _copilot,
    ),
    asks=("--allow-all-tools", "-p"),
    losses=("only calls to your own provider go through ctxmgr: calls to GitHub cannot be redirected",),
    tried="1.0.102",
)
CRUSH = program(
    "crush",
    Pointing(
        "crush",
        {
            "anthropic": Place("anthropic", ("ANTHROPIC_API_ENDPOINT",), ANTHROPIC),
            "openai": Place("responses", ("OPENAI_API_ENDPOINT",), OPENAI),
        },
        _crush,
    ),
    asks=("run",),
    losses=(ELSEWHERE,),
)
GOOSE = program(
    "goose",
    Pointing(
        "goose",
        {
            "anthropic": Place("anthropic", ("ANTHROPIC_HOST",), ANTHROPIC),
            "openai": Place("openai", ("OPENAI_HOST",), OPENAI.removesuffix("/v1")),
        },
        _goose,
        settled=lambda start, place: yaml_line(_goose_file(start), place.variables[0]),
    ),
    asks=("run", "-t"),
    losses=(ELSEWHERE,),
)
QWEN = program(
    "qwen",
    Pointing(
        "Qwen Code",
        {
            "openai": Place("openai", ("OPENAI_BASE_URL",), OPENAI),
            "anthropic": Place("anthropic", ("ANTHROPIC_BASE_URL",), ANTHROPIC),
        },
        _qwen,
    ),
    asks=("--yolo", "-p"),
    losses=("its own login and the models in modelProviders of its settings cannot be redirected",),
    tried="0.24.4",
)


def _cline(*_: object) -> NoReturn:
    """Raises NotHookable (rule 6)."""
    raise NotHookable(
        "Cline reads its address only from its settings: write it there once (cline auth -p openai -k KEY -m MODEL "
        "-b http://127.0.0.1:8484/v1), and start ctxmgr proxy --listen 127.0.0.1:8484 --upstream URL first"
    )


CLINE = Program(
    "cline",
    "Cline",
    "openai",
    _cline,
    _cline,
    asks=("--auto-approve", "true"),
    losses=(
        "`cline auth` redirects it to `ctxmgr proxy`; `ctxmgr run` cannot, nor redirect its Anthropic provider",
    ),
    tried="3.0.65",
)
EXTENSION = Path(__file__).with_name("pi_extension.js")
PI_PROVIDER, PI_URL = "CTXMGR_PI_PROVIDER", "CTXMGR_PI_URL"
PI_PLACES = {
    "anthropic": Place("anthropic", (), ANTHROPIC),
    "openai": Place("responses", (), APIS["responses"].vendor),
}


def _pi_folder(start: Launch) -> Path:
    folder = start.environ.get("PI_CODING_AGENT_DIR")
    return Path(folder) if folder else home(start) / ".pi" / "agent"


def _pi(start: Launch) -> str:
    """The provider (rule 7)."""
    before, slash, _ = flag(start.arguments, "--model").partition("/")
    named = flag(start.arguments, "--provider") or (before if slash else "")
    return named or str(read_json(_pi_folder(start) / "settings.json").get("defaultProvider") or "")


def _pi_settled(start: Launch, place: Place) -> str:
    """Its address in pi's own files (rule 7)."""
    providers = table(read_json(_pi_folder(start) / "models.json").get("providers"))
    return str(table(providers.get(_pi(start))).get("baseUrl") or "")


def _pi_hooked(start: Launch, place: Place, base_url: str) -> Launch:
    """Redirects it (rule 7)."""
    told = with_environ(start, **{PI_PROVIDER: _pi(start), PI_URL: base_url})
    return with_flags(told, "--extension", str(EXTENSION))


PI = program(
    "pi",
    Pointing("pi", PI_PLACES, _pi, _pi_settled, _pi_hooked),
    asks=("-p",),
    losses=("only calls to its model's provider go through ctxmgr: one that you select later is called directly",),
    tried="1.6.0",
    takes_flag=False,  # its extension needs the provider's name
)

PROGRAMS = (CLAUDE, CODEX, OPENCODE, GEMINI, AIDER, CLINE, COPILOT, CRUSH, GOOSE, KILO, PI, QWEN)


def by_command(command: str) -> Program | None:
    """The program with this file name or path."""
    name = PurePath(command).name.removesuffix(".exe").lower()
    return next((program for program in PROGRAMS if program.command == name), None)


def by_api(api: Api, command: str) -> Program:
    """Any program that uses the usual variables of this API."""

    def upstream(start: Launch) -> str:
        addresses = (start.environ.get(variable) for variable in APIS[api].variables)
        return next(filter(None, addresses), APIS[api].vendor).rstrip("/")

    def hook(start: Launch, base_url: str, upstream: str) -> Launch:
        return with_environ(start, **dict.fromkeys(APIS[api].variables, base_url))

    name = PurePath(command).name
    return Program(name, name, api, upstream, hook)
