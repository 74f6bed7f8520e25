"""Merges the layers of settings: which values apply to a call, and where each comes from.

Rules:
1. Default < the user's file < the project's < environment < flags. In a file the more specific table wins (`files`,
   rule 3).
2. Policy tables are merged key by key; a list replaces a list.
3. Files and environment are read once, and all their tables are checked then.
4. Only a fixed list of environment variables counts, each with the key that it sets. An empty variable is ignored.
"""

import os
import re
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import msgspec

from ctxmgr.known_models import ModelFacts, Registry, nearest, shipped, tiered, with_long_write
from ctxmgr.model import InvalidPolicy, Policy, TieredPrices, closest, policy_keys
from ctxmgr.settings import keys
from ctxmgr.settings.files import NAMED_BY, Scope, files
from ctxmgr.settings.keys import APIS, KeyFault, KeyPath, SettingsFault, dotted, leaves, token_count


def _value(text: str) -> str | int | float | bool:
    """A number or boolean as in TOML, otherwise a text."""
    try:
        value = tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return text.strip()
    return value if isinstance(value, int | float) else text.strip()


def _count(text: str) -> str | int | float | bool:
    """A number of tokens as people write it, otherwise as `_value` reads it."""
    try:
        return token_count(text)
    except ValueError:
        return _value(text)


def _names(text: str) -> list[str] | bool:
    """A list of comma-separated names, or true or false for keys that accept it."""
    value = _value(text.lower())
    return value if isinstance(value, bool) else [name.strip() for name in text.split(",") if name.strip()]


VARIABLES: dict[str, tuple[KeyPath, Callable[[str], Any]]] = {
    "CTXMGR_PRESET": (("preset",), str),
    "CTXMGR_WINDOW": (("window",), _count),
    "CTXMGR_EFFECTIVE_WINDOW": (("effectiveWindow",), _count),
    "CTXMGR_RESERVE": (("reserve",), _count),
    "CTXMGR_KEEP": (("keep",), _count),
    "CTXMGR_COST_VERSUS_RECALL": (("costVersusRecall",), _value),  # from older releases, without effect
    "CTXMGR_PROTECTED_TOOLS": (("protectedTools",), _names),
    "CTXMGR_PROTECTED_INSTRUCTIONS": (("protectedInstructions",), _names),
    "CTXMGR_STATE_DIR": (("state_dir",), str),
    **{f"CTXMGR_UPSTREAM_{api.upper()}": (("upstream", api), str) for api in APIS},
}


def environment_values(environ: Mapping[str, str]) -> dict[str, dict[str, Any]]:
    """A table of settings for each variable that is set. Raises SettingsFault."""
    tables = {}
    for variable, (path, parse) in VARIABLES.items():
        text = environ.get(variable)
        if not text:
            continue
        tables[variable] = nested(path, parse(text))
        try:
            keys.check(tables[variable])
        except KeyFault as fault:
            raise SettingsFault(f"{variable}: {fault.text}") from None
    return tables


def nested(path: KeyPath, value: Any) -> dict[str, Any]:
    """A table with one value at this path."""
    for name in reversed(path):
        value = {name: value}
    table: dict[str, Any] = value
    return table


PREFIX = "CTXMGR_"


def meant_variable(name: str) -> str | None:
    """For a variable that sets nothing: the variable of ours with the most similar name."""
    if not name.startswith(PREFIX) or name in (*VARIABLES, NAMED_BY):
        return None
    meant = closest(name.removeprefix(PREFIX), (variable.removeprefix(PREFIX) for variable in VARIABLES))
    return meant and PREFIX + meant


class Origin(msgspec.Struct, frozen=True):
    """Where a value comes from. `kind`: "user" or "project" (files), "environment", "flag", "model" (known facts)
    or "default". `where`: the file, variable or flag. For a file also `key`, the full key, and `table`, the path of
    its table.
    """

    kind: str
    where: str
    key: str = ""
    table: KeyPath = ()

    def text(self) -> str:
        return f"{self.where}:{self.key}" if self.key else self.where


DEFAULT = Origin("default", "default")


class Layer(msgspec.Struct, frozen=True):
    """One table of settings, the calls it applies to, and its origin. `under`: its path in a file."""

    kind: str
    where: str
    scope: Scope
    values: dict[str, Any]
    under: KeyPath = ()

    def origin(self, path: KeyPath) -> Origin:
        if self.kind not in ("user", "project"):
            return Origin(self.kind, self.where)
        return Origin(self.kind, self.where, dotted((*self.under, *path)), self.under)


class ProgramSettings(msgspec.Struct, frozen=True):
    """The settings of a call.

    `policy`: the keys that are set, as `initialize` and `setPolicy` take them. `window`: the model's, in tokens.
    `prices`: dollars per million tokens; None if neither set nor known. `prices_of`: the model of the family that
    the prices belong to, "" for the model's own. `long_prices`: the prices if the provider keeps cache writes
    longer, None if they do not differ. `upstream`: addresses by API (`anthropic`, `openai`, `responses`), if set.
    `state_dir`: None for the user's. `keep_originals`: whether removed content is archived. `model_tools`: whether
    the program's model gets tools to retrieve it. Both None if not set. `holdout`: the share of sessions that pass
    untouched. `warns_of_cache_busts`: whether ctxmgr reports prompts that changed early without its doing.
    `compactions`: who answers the program's request for a summary, of `keys.COMPACTIONS`. `origins`: of each value,
    by its dotted key; other values are defaults.
    """

    policy: dict[str, Any]
    window: int
    prices: TieredPrices | None
    upstream: dict[str, str]
    state_dir: str | None
    origins: dict[str, Origin]
    keep_originals: bool | None = None
    model_tools: bool | None = None
    compactions: str = "provider"
    long_prices: TieredPrices | None = None
    prices_of: str = ""
    holdout: float = 0.0
    warns_of_cache_busts: bool = True


class Layers(msgspec.Struct, frozen=True):
    """All settings that were read, the weakest layer first. `paths`: of the files found. `models`: facts about
    models; None: the shipped ones.
    """

    layers: tuple[Layer, ...]
    paths: tuple[str, ...]
    models: Registry | None = None

    def settings_for(
        self, program: str | None = None, model: str | None = None, is_subagent: bool = False
    ) -> ProgramSettings:
        """The settings of a call. `program`: its name, such as "claude". `model`: the id in the request. Raises
        SettingsFault if tables that are valid alone contradict each other.
        """
        values: dict[str, Any] = {}
        origins: dict[KeyPath, Origin] = {}
        for layer in self.layers:
            if layer.scope.covers(program, model, is_subagent):
                values = policy_keys.merged(values, layer.values)
                origins.update({path: layer.origin(path) for path, _ in leaves(layer.values)})
        origins = {path: origins[path] for path, _ in leaves(values)}
        policy = {name: value for name, value in values.items() if name not in keys.OWN}
        known = (self.models or shipped()).find(model)
        if values.get("window", known.usual_window) < known.usual_window and known.matched != "unknown":
            policy.setdefault("hostReserve", 0)  # the program compacts by the model's own window
        held = _checked(policy, origins)
        state_dir = values.get("state_dir")
        is_set = held.prices is not None
        # a set price overrides a known one
        held_prices = nearest(known) if held.prices is None else tiered(held.prices, known)
        return ProgramSettings(
            policy,
            values.get("window", known.usual_window),
            held_prices,
            values.get("upstream", {}),
            state_dir and os.path.expanduser(state_dir),
            _with_known({dotted(path): origin for path, origin in origins.items()}, known, held_prices),
            values.get("keep_originals"),
            values.get("model_tools"),
            values.get("compactions", "provider"),
            _long_prices(held_prices, known),
            "" if is_set or held_prices is None or known.matched == "model" else known.row,
            keys.share_of(values.get("holdout", 0)) or 0.0,
            values.get("warn_on_cache_busts", True),
        )


def read(
    flags: Mapping[str, Any] | None = None,
    environ: Mapping[str, str] = os.environ,
    directory: str | os.PathLike[str] | None = None,
    models: Registry | None = None,
) -> Layers:
    """`flags`: values by key, as in a file; None: not given. `directory`: where the search for the project's file
    starts (default: the working directory). `models`: facts about models (default: the shipped ones). Raises
    SettingsFault.
    """
    given = list(files(environ, Path(directory or os.getcwd()).absolute()))
    layers = [
        Layer(file.owner, file.path, table.scope, table.values, table.under)
        for file in given
        for table in file.tables
        if table.values
    ]
    for variable, values in environment_values(environ).items():
        layers.append(Layer("environment", variable, Scope(), values))
    for name, value in (flags or {}).items():
        if value is not None:
            layers.append(_flag(name, value))
    made = Layers(tuple(layers), tuple(file.path for file in given), models)
    for scope in dict.fromkeys([Scope(), *(layer.scope for layer in layers)]):
        made.settings_for(scope.program, scope.model, scope.subagents)
    return made


def _flag(name: str, value: Any) -> Layer:
    flag = "--" + re.sub(r"(?<=[a-z])[A-Z]|_", lambda match: "-" + match[0].strip("_").lower(), name)
    try:
        keys.check({name: value})
    except KeyFault as fault:
        raise SettingsFault(f"{flag}: {fault.text}") from None
    return Layer("flag", flag, Scope(), {name: value})


def _checked(policy: dict[str, Any], origins: Mapping[KeyPath, Origin]) -> Policy:
    """Checks that keys that are valid alone are valid together. Raises SettingsFault, with the origin of the first
    one at fault.
    """
    try:
        return policy_keys.policy(policy)
    except InvalidPolicy as refused:
        path = tuple(refused.path.strip(".").split("."))
        near = [origin.text() for key, origin in origins.items() if key[: len(path)] == path]
        near += [origin.text() for key, origin in origins.items() if key[0] == path[0]]
        raise SettingsFault(f"{near[0] if near else refused.path.strip('.')}: {refused}") from None


def _long_prices(held: TieredPrices | None, known: ModelFacts) -> TieredPrices | None:
    if known.long_cache is None or known.prices is None:
        return None
    dearer = with_long_write(held, known.prices, known.long_cache.cache_write)
    return dearer if isinstance(dearer, TieredPrices) else None


def _with_known(origins: dict[str, Origin], known: ModelFacts, held: TieredPrices | None) -> dict[str, Origin]:
    """The origins with those of known facts, for values set nowhere. `held`: the prices that apply."""
    origin = Origin("model", f"known of {known.row}")
    if known.matched == "family":
        origin = Origin("model", f"guessed by {known.row or known.family}")
    if known.matched == "unknown":
        origin = DEFAULT
    if "window" not in origins:
        origins = {**origins, "window": origin}
    if known.prices is not None and not any(key.startswith("prices.") for key in origins):
        origins = {**origins, "prices": origin}
    if held is not None and held.tiers and "prices.tiers" not in origins:
        origins = {**origins, "prices.tiers": origin}
    return origins
