"""Puts the layers of settings over one another: what holds for a call, and where each value comes from.

Rules:
1. Default < the user's file < the project's < environment < flags. Inside a file the more special table goes before
   the more general one (`files`, rule 3).
2. Tables of a policy are merged key by key; a list takes the place of a list.
3. Files and environment are read once; what they hold is checked then, for every table in them.
4. Of the environment a fixed list of variables counts, each with the key that it sets. An empty one counts as none.
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
from ctxmgr.settings.keys import APIS, KeyFault, KeyPath, SettingsFault, dotted, leaves
from ctxmgr.settings.written import token_count


def _value(text: str) -> str | int | float | bool:
    """A number, true or false, as TOML has them; else a text."""
    try:
        value = tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return text.strip()
    return value if isinstance(value, int | float) else text.strip()


def _count(text: str) -> str | int | float | bool:
    """A number of tokens, as people write it; else as `_value` reads it."""
    try:
        return token_count(text)
    except ValueError:
        return _value(text)


def _names(text: str) -> list[str] | bool:
    """Of a list with commas; or true or false, where the key takes that."""
    value = _value(text.lower())
    return value if isinstance(value, bool) else [name.strip() for name in text.split(",") if name.strip()]


VARIABLES: dict[str, tuple[KeyPath, Callable[[str], Any]]] = {
    "CTXMGR_PRESET": (("preset",), str),
    "CTXMGR_WINDOW": (("window",), _count),
    "CTXMGR_EFFECTIVE_WINDOW": (("effectiveWindow",), _count),
    "CTXMGR_RESERVE": (("reserve",), _count),
    "CTXMGR_KEEP": (("keep",), _count),
    "CTXMGR_COST_VERSUS_RECALL": (("costVersusRecall",), _value),  # of older releases, without effect
    "CTXMGR_PROTECTED_TOOLS": (("protectedTools",), _names),
    "CTXMGR_PROTECTED_INSTRUCTIONS": (("protectedInstructions",), _names),
    "CTXMGR_STATE_DIR": (("state_dir",), str),
    **{f"CTXMGR_UPSTREAM_{api.upper()}": (("upstream", api), str) for api in APIS},
}


def environment_values(environ: Mapping[str, str]) -> dict[str, dict[str, Any]]:
    """What each variable that is set sets, as a table of settings. SettingsFault."""
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
    """The table that holds one value at this path."""
    for name in reversed(path):
        value = {name: value}
    table: dict[str, Any] = value
    return table


PREFIX = "CTXMGR_"


def meant_variable(name: str) -> str | None:
    """Of a variable that sets nothing: the one of ours that it is nearly spelled as."""
    if not name.startswith(PREFIX) or name in (*VARIABLES, NAMED_BY):
        return None
    meant = closest(name.removeprefix(PREFIX), (variable.removeprefix(PREFIX) for variable in VARIABLES))
    return meant and PREFIX + meant


class Origin(msgspec.Struct, frozen=True):
    """Where a value comes from. `kind`: "user" and "project" (files), "environment", "flag", "model" (what is known
    of models) or "default". `where`: the file, the variable, the flag; `key`: of a file, the whole key in it, and
    `table` the path of the table that it stands in."""

    kind: str
    where: str
    key: str = ""
    table: KeyPath = ()

    def text(self) -> str:
        return f"{self.where}:{self.key}" if self.key else self.where


DEFAULT = Origin("default", "default")


class Layer(msgspec.Struct, frozen=True):
    """One table of settings, the calls that it holds for, and where it stands. `under`: its path in a file."""

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
    """What holds for a call.

    `policy`: the keys that are set, as `initialize` and `setPolicy` take them. `window`: the model's, in tokens.
    `prices`: dollars a million tokens; None where they are neither set nor known. `prices_of`: the model of the
    family whose prices these are, "" where they are its own. `long_prices`: where the provider keeps what is
    written for longer, None where it does so for no other price. `upstream`: addresses by API
    (`anthropic`, `openai`, `responses`), those that are set. `state_dir` None: the user's. `keep_originals`: is
    what leaves archived? `model_tools`: is the program's model given tools to get it back? None: nobody says it.
    `holdout`: the share of sessions that pass untouched.
    `warns_of_cache_busts`: is it said where prompts change early and ctxmgr did not change them?
    `compactions`: who answers the program's request for a summary, of `keys.COMPACTIONS`.
    `origins`: of each value, by its dotted key; what is not in it is as by default.
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
    """All settings that were read, the weakest first. `paths`: of the files that were there. `models`: what is
    known of models; None: what is shipped."""

    layers: tuple[Layer, ...]
    paths: tuple[str, ...]
    models: Registry | None = None

    def settings_for(
        self, program: str | None = None, model: str | None = None, is_subagent: bool = False
    ) -> ProgramSettings:
        """What holds for a call of this model by this program. `program`: its name, such as "claude"; `model`: the
        id that the request names. Raises SettingsFault where tables that are right alone contradict each other."""
        values: dict[str, Any] = {}
        origins: dict[KeyPath, Origin] = {}
        for layer in self.layers:
            if layer.scope.covers(program, model, is_subagent):
                values = policy_keys.merged(values, layer.values)
                origins.update({path: layer.origin(path) for path, _ in leaves(layer.values)})
        origins = {path: origins[path] for path, _ in leaves(values)}
        policy = {name: value for name, value in values.items() if name not in keys.OWN}
        held = _checked(policy, origins)
        known = (self.models or shipped()).find(model)
        state_dir = values.get("state_dir")
        is_set = held.prices is not None
        held_prices = nearest(known) if held.prices is None else tiered(held.prices, known)  # set before known
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
    """`flags`: values by key, as a file has them; None: not given. `directory`: where the project's file is looked
    for (default: the working directory). `models`: what is known of them (default: what is shipped). Raises
    SettingsFault."""
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
    """Keys which are right each are right together. SettingsFault, with where the first of them comes from."""
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
    """With what is known of the model, where nothing else says it. `held`: the prices that hold."""
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
