"""Finds the two settings files, and reads their tables with the calls each applies to.

Rules:
1. The user's file is the one that CTXMGR_CONFIG names, otherwise `ctxmgr/config.toml` in the user's settings
   folder.
2. The project's file is the nearest `.ctxmgr.toml` from the working directory upward, at most up to the root of its
   repository (the folder with `.git`), and never in the home directory or above it. Outside a repository and
   outside the home directory only the working directory is searched.
3. A table applies to all calls, or to a model (`[models."GLOB"]`), a program (`[programs.NAME]`), sub-agents
   (`[subagents]`), or a program's sub-agents (`[programs.NAME.subagents]`). Later ones in this order override
   earlier ones. If the tables of two models match, the lower one in the file wins.
4. In the user's file a prompt of `compaction.prompts` may be `{ file = NAME }`: the text of that file. NAME is
   relative to the folder of the settings file. A project's file cannot set prompts.
"""

import fnmatch
import os
import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Literal

import msgspec

from ctxmgr.known_models import BadFacts, Registry, read
from ctxmgr.settings import keys
from ctxmgr.settings.keys import KeyFault, KeyPath, SettingsFault

USER_FILE, PROJECT_FILE, NAMED_BY = "config.toml", ".ctxmgr.toml", "CTXMGR_CONFIG"
MAX_BYTES = 65_536  # of a file: nobody writes a larger one
MAX_LINES = 500  # of a file that is searched for a line, since each step parses all lines before it again
_TABLES = ("models", "programs", "subagents")
_AT_LINE = re.compile(r" \(at (?:line (\d+), column \d+|end of document)\)$")


class Scope(msgspec.Struct, frozen=True):
    """The calls that a table applies to; None matches everything. `model` is a glob."""

    program: str | None = None
    model: str | None = None
    subagents: bool = False

    def covers(self, program: str | None, model: str | None, is_subagent: bool) -> bool:
        return (
            self.program in (None, program)
            and (self.model is None or (model is not None and fnmatch.fnmatchcase(model, self.model)))
            and (is_subagent or not self.subagents)
        )


class Table(msgspec.Struct, frozen=True):
    """The keys that one table sets. `under`: its path in the file."""

    scope: Scope
    values: dict[str, Any]
    under: KeyPath = ()


class SettingsFile(msgspec.Struct, frozen=True):
    """One file. Later tables override earlier ones."""

    owner: Literal["user", "project"]
    path: str
    tables: tuple[Table, ...]


def user_path(environ: Mapping[str, str]) -> Path:
    """The path by rule 1; the file need not exist."""
    if environ.get(NAMED_BY):
        return Path(environ[NAMED_BY]).expanduser()
    from platformdirs import user_config_dir

    return Path(user_config_dir("ctxmgr", appauthor=False)) / USER_FILE


def project_path(directory: Path) -> Path | None:
    """The path by rule 2; None if there is no such file."""
    home = Path(os.path.expanduser("~"))
    above = [directory, *directory.parents]
    root = next((index for index, folder in enumerate(above) if (folder / ".git").exists()), None)
    if root is None:
        root = above.index(home) if home in above else 0
    for folder in above[: root + 1]:
        if folder == home:
            return None
        if (folder / PROJECT_FILE).exists():
            return folder / PROJECT_FILE
    return None


def files(environ: Mapping[str, str], directory: Path) -> Iterator[SettingsFile]:
    """The existing files, the user's first. Raises SettingsFault."""
    user = user_path(environ)
    if user.exists() or environ.get(NAMED_BY):
        yield read_file(user, "user")
    project = project_path(directory)
    if project is not None and not (user.exists() and project.samefile(user)):
        yield read_file(project, "project")


def read_file(path: Path, owner: Literal["user", "project"]) -> SettingsFile:
    """Raises SettingsFault if the file cannot be read, or contains something that settings may not."""
    text = _text(path)
    try:
        whole = tomllib.loads(text)
    except tomllib.TOMLDecodeError as fault:
        where = _AT_LINE.search(str(fault))
        numbered = f" line {where[1]}" if where and where[1] else ""
        raise SettingsFault(f"{path}{numbered}: {_AT_LINE.sub('', str(fault))}") from None
    tables = []
    try:
        for table in _tables(whole):
            if owner == "user":
                table = _with_prompts(table, path.parent)
            _check(table, owner)
            tables.append(table)
    except KeyFault as fault:
        line = _line(text, fault.path)
        raise SettingsFault(f"{path}{f' line {line}' if line else ''}: {fault.text}") from None
    return SettingsFile(owner, str(path), tuple(tables))


def _with_prompts(table: Table, folder: Path) -> Table:
    """Rule 4. Raises KeyFault."""
    compaction = table.values.get("compaction")
    prompts = compaction.get("prompts") if isinstance(compaction, Mapping) else None
    if not isinstance(compaction, Mapping) or not isinstance(prompts, Mapping):
        return table
    texts = dict(prompts)
    for name, value in prompts.items():
        if isinstance(value, Mapping) and value.keys() == {"file"} and isinstance(value["file"], str):
            try:
                texts[name] = _text(folder / Path(value["file"]).expanduser())
            except SettingsFault as fault:
                raise KeyFault((*table.under, "compaction", "prompts", name), str(fault)) from None
    values = {**table.values, "compaction": {**compaction, "prompts": texts}}
    return msgspec.structs.replace(table, values=values)


def _check(table: Table, owner: str) -> None:
    places = set(keys.OWN)
    if table.under:
        places.discard("state_dir")
    if table.scope.model is not None or table.scope.subagents:
        places -= {"upstream", "keep_originals", "model_tools", "holdout"}
    try:
        if owner == "project":
            keys.check_project(table.values)
        keys.check(table.values, frozenset(places))
    except KeyFault as fault:
        raise KeyFault((*table.under, *fault.path), fault.text) from None


def _text(path: Path) -> str:
    content = _content(path, MAX_BYTES + 1)
    if len(content) > MAX_BYTES:
        raise SettingsFault(f"{path} is longer than {MAX_BYTES:,} bytes")
    try:
        return content.decode()
    except UnicodeDecodeError:
        raise SettingsFault(f"{path} is not UTF-8") from None


def _content(path: Path, size: int = -1) -> bytes:
    """The content of a file of at most `size` bytes. Raises SettingsFault."""
    try:
        if not path.is_file():
            raise SettingsFault(f"{path} is no file" if path.exists() else f"{path}: no such file")
        with path.open("rb") as file:
            return file.read(size)
    except OSError as fault:
        raise SettingsFault(f"{path} cannot be read: {fault.strerror or type(fault).__name__}") from None


def _tables(whole: Mapping[str, Any]) -> Iterator[Table]:
    """Rule 3. Raises KeyFault."""
    yield Table(Scope(), _values(whole, _TABLES))
    for glob, inner in _named(whole, ("models",)):
        yield Table(Scope(model=glob), _values(inner), ("models", glob))
    programs = _named(whole, ("programs",))
    for name, inner in programs:
        yield Table(Scope(program=name), _values(inner, ("subagents",)), ("programs", name))
    if "subagents" in whole:
        yield Table(Scope(subagents=True), _values(_inner(whole, ("subagents",))), ("subagents",))
    for name, inner in programs:
        if "subagents" in inner:
            under = ("programs", name, "subagents")
            yield Table(Scope(name, subagents=True), _values(_inner(inner, under)), under)


def _values(table: Mapping[str, Any], tables: tuple[str, ...] = ()) -> dict[str, Any]:
    """The table's own values, without the tables in it. Expands the short form of `compaction`, so that two can be
    merged.
    """
    values = {name: value for name, value in table.items() if name not in tables}
    if isinstance(values.get("compaction"), str):
        values["compaction"] = {"by": values["compaction"]}
    return values


def _named(whole: Mapping[str, Any], path: KeyPath) -> list[tuple[str, Mapping[str, Any]]]:
    tables = _inner(whole, path) if path[-1] in whole else {}
    return [(name, _inner(tables, (*path, name))) for name in tables]


def _inner(table: Mapping[str, Any], path: KeyPath) -> Mapping[str, Any]:
    """The table at this path."""
    inner = table[path[-1]]
    if not isinstance(inner, Mapping):
        raise KeyFault(path, f"{keys.dotted(path)} must be a table, [{keys.dotted(path)}]")
    return inner


def _line(text: str, path: KeyPath) -> int | None:
    """The number of the line on which the statement that sets this key begins: the first line up to which the file
    has it.
    """
    lines, whole = text.split("\n"), 0
    for end in range(1, min(len(lines), MAX_LINES) + 1):
        try:
            parsed: Any = tomllib.loads("\n".join(lines[:end]))
        except tomllib.TOMLDecodeError:
            continue
        for name in path:
            parsed = parsed.get(name) if isinstance(parsed, dict) else None
        if parsed is not None:
            return whole + 1
        whole = end
    return None


def models_file(path: str | None) -> Registry | None:
    """None means the shipped facts. Raises SettingsFault, which names the file, the row and the member."""
    if path is None:
        return None
    try:
        return read(_content(Path(path)))
    except BadFacts as fault:
        raise SettingsFault(f"{path}: {fault}") from None
