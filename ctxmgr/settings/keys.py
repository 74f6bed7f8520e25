"""Which keys settings may contain: those of a policy, and some of their own. Also the table of provider APIs that
programs speak; what the proxy knows of each is in `proxy/apis/`.

Rules:
1. A key is one of the policy's, spelled as there, or one of `OWN`. A policy's `models` is not allowed here, since
   the tables `[models."GLOB"]` do the same and more.
2. A project's file came with a repository that somebody else wrote. It may set what stays in a list (`OF_PROJECTS`)
   and nothing else: no address that receives conversation and keys, no directory, no file, no prompt, nothing that
   spends money or deletes what other sessions saved.
3. `upstream`, `keep_originals`, `model_tools` and `holdout` can be set for programs, but not for models or
   sub-agents: one listener, and one session, has one of each. `state_dir` can be set only for all calls.
"""

import contextlib
import json
import math
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Literal
from urllib.parse import urlsplit

import msgspec

from ctxmgr.model import Policy, did_you_mean, misfit

Api = Literal["anthropic", "openai", "responses", "gemini"]


class SpokenApi(msgspec.Struct, frozen=True):
    """`title`: shown to people. `variables`: environment variables for its base URL; the first one set wins.
    `vendor`: the base URL without one.
    """

    title: str
    variables: tuple[str, ...]
    vendor: str


_OPENAI = ("OPENAI_BASE_URL", "OPENAI_API_BASE"), "https://api.openai.com/v1"

APIS: dict[Api, SpokenApi] = {
    "anthropic": SpokenApi("Anthropic's messages", ("ANTHROPIC_BASE_URL",), "https://api.anthropic.com"),
    "openai": SpokenApi("OpenAI's chat completions", *_OPENAI),
    "responses": SpokenApi("OpenAI's responses", *_OPENAI),
    "gemini": SpokenApi(
        "Gemini's contents", ("GOOGLE_GEMINI_BASE_URL",), "https://generativelanguage.googleapis.com"
    ),
}
"""By the name of their messages' format, which is a key of `upstream` in settings and an option of `ctxmgr run`."""


OWN = (
    "window",
    "state_dir",
    "upstream",
    "keep_originals",
    "model_tools",
    "holdout",
    "warn_on_cache_busts",
    "compactions",
)
COMPACTIONS = ("provider", "ctxmgr")  # who answers a program that requests a summary of its list
POLICY = tuple(field.encode_name for field in msgspec.structs.fields(Policy) if field.encode_name != "models")
OF_PROJECTS = frozenset(  # rule 2
    {
        *("preset", "window", "effectiveWindow", "reserve", "hostReserve", "zones", "recentUserTurns", "distill"),
        *(
            "packetTokens",
            "resumeTokens",
            "maxRequestBytes",
            "maxImages",
            "maxResultTokens",
            "costVersusRecall",
            "oldTokens",
            "newestTokens",
            "indexTokens",
            "keep",
            "idle",
            "workingSet",
            "prices",
            "cacheTtlMs",
        ),
        *("protectedTurns", "pruneProtect", "pruneMinimum", "protectedTools", "protectedInstructions"),
        "prunableTools",
    }
)

KeyPath = tuple[str, ...]


class KeyFault(Exception):
    """A fault in one key: its path below the table, and a sentence."""

    def __init__(self, path: KeyPath, text: str) -> None:
        super().__init__(text)
        self.path, self.text = path, text


def dotted(path: KeyPath) -> str:
    """The path as written in TOML."""
    return ".".join(name if re.fullmatch(r"[\w-]+", name) else f'"{name}"' for name in path)


def leaves(table: Mapping[str, Any], above: KeyPath = ()) -> Iterator[tuple[KeyPath, Any]]:
    """Every value that is no table, with its path."""
    for name, value in table.items():
        if isinstance(value, Mapping):
            yield from leaves(value, (*above, name))
        else:
            yield (*above, name), value


def check(table: Mapping[str, Any], places: frozenset[str] = frozenset(OWN)) -> None:
    """Raises KeyFault for the first unknown key, or value that does not fit. `places`: the keys of settings' own
    that this table may contain (rule 3).
    """
    for name, value in table.items():
        if name in OWN:
            if name not in places:
                raise KeyFault((name,), f"{name} cannot be set here, only for all models and sub-agents")
            _check_own(name, value)
        elif name in POLICY:
            _check_policy(name, value)
        else:
            raise KeyFault((name,), f"there is no key `{name}`{did_you_mean(name, (*POLICY, *OWN))}")


def check_project(table: Mapping[str, Any]) -> None:
    """Raises KeyFault for the first key that a project's file may not set (rule 2)."""
    for name in table:
        if name in (*POLICY, *OWN) and name not in OF_PROJECTS:
            raise KeyFault(
                (name,),
                f"a project's file may not set {name}, for it comes with the repository: set it in your own file",
            )


def _check_policy(name: str, value: Any) -> None:
    for path, leaf in leaves({name: value}):
        if isinstance(leaf, float) and not math.isfinite(leaf):
            raise KeyFault(path, f"{dotted(path)} must be a number")
    try:
        msgspec.convert({name: value}, Policy)
    except msgspec.ValidationError as fault:
        wrong = misfit(fault, Policy, {name: value})
        # a fault inside a list is reported for the list
        path = tuple(wrong.path.lstrip(".").partition("[")[0].split("."))
        if wrong.unknown is not None:
            raise KeyFault(path, f"there is no key `{dotted(path)}`{wrong.hint}") from None
        path = _written(path, {name: value})
        raise KeyFault(path, f"{dotted(path)}: {wrong.text}") from None


def _written(path: KeyPath, table: Any) -> KeyPath:
    """The longest prefix of the path that the table has: a missing member is a fault of the table around it."""
    for depth, name in enumerate(path):
        if not isinstance(table, Mapping) or name not in table:
            return path[:depth]
        table = table[name]
    return path


_SIMPLE: dict[str, tuple[Callable[[Any], bool], str]] = {  # key to (check, error text)
    "window": (
        lambda value: isinstance(value, int) and not isinstance(value, bool) and value >= 1,
        "must be a whole number of tokens, at least 1",
    ),
    "state_dir": (
        lambda value: isinstance(value, str) and value.startswith(("/", "~/")),
        "must be a path that begins with / or ~/",
    ),
    "keep_originals": (lambda value: isinstance(value, bool), "must be true or false"),
    "model_tools": (lambda value: isinstance(value, bool), "must be true or false"),
    "holdout": (lambda value: share_of(value) is not None, "must be a share of sessions, such as 10% or 0.1"),
    "warn_on_cache_busts": (lambda value: isinstance(value, bool), "must be true or false"),
    "compactions": (COMPACTIONS.__contains__, f"must be {' or '.join(COMPACTIONS)}"),
}


def share_of(value: Any) -> float | None:
    """A share from 0 to 1, from a number or a text such as "10%"; None if it is neither."""
    text = str(value).strip()
    try:
        share = float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
    except ValueError:
        return None
    return share if 0 <= share <= 1 and not isinstance(value, bool) else None


def _check_own(name: str, value: Any) -> None:
    if name == "upstream":
        _check_upstream(value)
    elif not _SIMPLE[name][0](value):
        raise KeyFault((name,), f"{name} {_SIMPLE[name][1]}")


def _check_upstream(value: Any) -> None:
    if not isinstance(value, Mapping):
        raise KeyFault(("upstream",), f"upstream is a table of addresses: {', '.join(APIS)}")
    for api, address in value.items():
        path = ("upstream", api)
        if api not in APIS:
            raise KeyFault(path, f"there is no key `{dotted(path)}`{did_you_mean(api, APIS)}")
        if not is_address(address):
            raise KeyFault(path, f"{dotted(path)} must be http:// or https://, a host and a path, and nothing more")


def is_address(value: Any) -> bool:
    """Whether it can be a provider's address: http:// or https://, a host and a path, and nothing else. Keys and
    passwords are refused, since addresses are shown.
    """
    if not isinstance(value, str):
        return False
    try:
        parts = urlsplit(value)
        has_port = parts.port != 0
    except ValueError:
        return False
    plain = not (parts.username or parts.password or parts.query or parts.fragment)
    return parts.scheme in ("http", "https") and bool(parts.hostname) and plain and has_port and value.isprintable()


class SettingsFault(ValueError):
    """Settings that cannot be used. The text is one sentence that names the file, variable or flag."""


# what people write on a command line

UNITS = {"": 1, "k": 1_000, "m": 1_000_000}
_COUNT = re.compile(r"(\d[\d_,]*(?:\.\d+)?)([km]?)", re.IGNORECASE | re.ASCII)


def token_count(text: str) -> int:
    """The number of tokens in 200000, 200_000, 200,000, 200k, 1M or 1.5M. Raises ValueError if the text is no whole
    number of tokens.
    """
    match = _COUNT.fullmatch(text.strip())
    if match is None:
        raise ValueError(text)
    count = float(re.sub("[_,]", "", match[1])) * UNITS[match[2].lower()]
    if not count.is_integer():
        raise ValueError(text)
    return int(count)


def policy_value(text: str) -> Any:
    """A number of tokens, otherwise JSON, otherwise the text itself."""
    with contextlib.suppress(ValueError):
        return token_count(text)
    try:
        return json.loads(text)
    except ValueError:
        return text
