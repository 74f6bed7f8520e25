"""Snapshots that earlier releases wrote: what today's code makes of them, and what it writes of that again.

`X.snapshot` is as it was on a disk; `X.json` is the state that it held, by the names on disk. A field that is
renamed keeps its name on disk (`msgspec.field(name=...)`), or it would be restored as its default and nobody told.
"""

import json
import typing
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, Literal

import msgspec
import pytest

from ctxmgr.devices import snapshots
from ctxmgr.devices.snapshots import to_line
from ctxmgr.model.saved.state import State
from ctxmgr.session import journal

FOLDER = Path(__file__).parent / "snapshots"
FILES = sorted(FOLDER.rglob("*.snapshot"))
FIX = "an earlier release wrote it so: give the field its name on disk, or add snapshots (README beside them)"
# reasons for an epoch that hold at once, so that none is kept for the next list
NEVER_WAITING = {f"State.reopen: {why}" for why in ("price", "cold", "red", "forced", "rewritten", "fit")}

LEFT = frozenset(("failedParts",))  # members of facts that nothing reads any more: they are not written again

hints = cache(typing.get_type_hints)

each = pytest.mark.parametrize("path", FILES, ids=[path.stem for path in FILES])


def lines_of(path: Path) -> tuple[bytes, ...]:
    reading = snapshots.read(path)
    assert (reading.fault, reading.torn_bytes) == (None, 0)
    return reading.bodies


def expected(path: Path) -> Any:
    return read(path.with_suffix(".json").read_bytes())


def read(line: bytes) -> Any:
    """A line, or a state, without what is not written again."""

    def kept(members: dict[str, Any]) -> dict[str, Any]:
        return {name: value for name, value in members.items() if name not in LEFT}

    return json.loads(line, object_hook=kept)


def again(line: bytes) -> bytes:
    """The bytes of a line as it is written again."""
    return msgspec.json.encode(read(line)) if any(f'"{name}":'.encode() in line for name in LEFT) else line


def written(state: State) -> Any:
    return json.loads(journal.base(state))["state"]


@each
def test_it_restores_equal(path: Path) -> None:
    state, strange = journal.restore(lines_of(path))
    assert written(state) == expected(path), FIX
    assert strange == ()


@each
def test_saved_again_it_has_the_same_bytes(path: Path) -> None:
    lines = lines_of(path)
    states = [journal.restore(lines[: count + 1])[0] for count in range(len(lines))]
    assert journal.base(states[0]) == again(lines[0])
    for number, line in enumerate(lines[1:], 1):
        assert journal.delta(states[number - 1], only(states[number - 1], states[number], line)) == again(line)
    assert b"".join(map(to_line, lines)) == path.read_bytes()


def only(before: State, after: State, line: bytes) -> State:
    """`after` as it came about: what its line does not name is the very object that it was."""
    body = json.loads(line)
    names = {*body.get("set", {}), *body.get("add", {})}
    fields = {field.name: field.encode_name for field in msgspec.structs.fields(State)}
    changed = {name: getattr(after, name) for name, on_disk in fields.items() if on_disk in names}
    return msgspec.structs.replace(before, **changed)


def test_there_are_bases_alone_and_bases_with_lines() -> None:
    counts = {len(lines_of(path)) for path in FILES}
    assert max(counts) >= 10
    assert {path.stem for path in FILES} == {path.stem for path in FOLDER.rglob("*.json")}


def test_every_field_of_the_state_was_saved_by_an_earlier_release() -> None:
    saved = set().union(*(found(State, expected(path)) for path in FILES))
    assert wanted(State) - saved - NEVER_WAITING == set(), FIX
    assert saved & NEVER_WAITING == set()


def wanted(kind: type[msgspec.Struct]) -> set[str]:
    """All there is to save: `Struct.name on disk` of each field, and `...: value` of those with few values."""
    names = set()
    for struct in structs(kind, set()):
        types = hints(struct)
        for field in msgspec.structs.fields(struct):
            name = f"{struct.__name__}.{field.encode_name}"
            names |= {name, *(f"{name}: {value}" for value in literals(types[field.name]))}
    return names


def structs(kind: Any, seen: set[type[msgspec.Struct]]) -> set[type[msgspec.Struct]]:
    """The structs of which values of a type are made."""
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        if kind not in seen:
            seen.add(kind)
            for inner in hints(kind).values():
                structs(inner, seen)
    else:
        for inner in typing.get_args(kind):
            structs(inner, seen)
    return seen


def literals(kind: Any) -> set[Any]:
    if typing.get_origin(kind) is Literal:
        return set(typing.get_args(kind))
    return set().union(*map(literals, typing.get_args(kind)))


def found(kind: Any, value: Any) -> set[str]:
    """What of `wanted` a value from a disk has, where it is not as by default."""
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        return set(_fields(kind, value)) if isinstance(value, dict) else set()
    if typing.get_origin(kind) is dict:
        inner, members = typing.get_args(kind)[1:], list(value.values())
    elif typing.get_origin(kind) is tuple:
        inner, members = typing.get_args(kind)[:1], value
    else:  # one of several types, or none that is made of others
        inner, members = typing.get_args(kind), [value]
    return set().union(*(found(one, member) for one in inner for member in members))


def _fields(kind: type[msgspec.Struct], value: dict[str, Any]) -> Iterator[str]:
    types = hints(kind)
    for field in msgspec.structs.fields(kind):
        if field.encode_name not in value:
            continue
        name, here = f"{kind.__name__}.{field.encode_name}", value.get(field.encode_name, msgspec.UNSET)
        if here != default_of(field):
            yield name
        yield from (f"{name}: {one}" for one in literals(types[field.name]) if one == here)
        yield from found(types[field.name], here)


def default_of(field: msgspec.structs.FieldInfo) -> Any:
    if field.default_factory is not msgspec.NODEFAULT:
        return msgspec.to_builtins(field.default_factory())
    none = (msgspec.NODEFAULT, msgspec.UNSET)
    return field.default if field.default in none else msgspec.to_builtins(field.default)
