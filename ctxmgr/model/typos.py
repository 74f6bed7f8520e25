"""Says what is wrong with a name or value, and what is valid: on the wire, in settings files, on the command line.

Rules:

1. A name counts as a typo of another if their similarity is at least `LIKENESS`. Case and separators are ignored:
   `session_id` and `sessionid` both mean `sessionId`.
2. A text quotes at most `MAX_CHARS` characters of what was sent.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from ctxmgr.model.expressions import expression

if TYPE_CHECKING:
    from msgspec import inspect

LIKENESS = 0.75  # least ratio of difflib for a typo
MAX_CHARS = 64

_SEPARATORS = str.maketrans("", "", "-_. ")
_STEP = expression(r"\.([^.\[]+)|\[([^\]]*)\]")
_UNKNOWN = expression(r"unknown field `([^`]+)`")
_EXPECTED = expression(r"Expected `([^`]+)`(?: (of length )?(>=|<=|>|<) ([\d.]+))?(?:, got `(\w+)`)?")
_TYPES = {
    "int": "a whole number",
    "float": "a number",
    "str": "a string",
    "bool": "true or false",
    "array": "a list",
    "object": "an object",
    "null": "null",
}
_SIGNS = {">=": "at least", "<=": "at most", ">": "above", "<": "below"}
_REQUIRED = expression(r"required field `([^`]+)`")


class Misfit(NamedTuple):
    """Why a value does not fit its type. `path`: the JSON path of the invalid member, "" for the value itself.
    `unknown`: the member's name if it does not exist, and `hint` what it may mean.
    """

    text: str
    path: str
    unknown: str | None = None
    hint: str = ""


def closest(name: str, names: Iterable[str]) -> str | None:
    """The name of which `name` is most likely a typo, or None if none is similar."""
    import difflib  # imported here so that it does not delay a start

    plain = {_plain(other): other for other in names}
    found = difflib.get_close_matches(_plain(name), plain, 1, LIKENESS)
    return plain[found[0]] if found else None


def did_you_mean(name: str, names: Iterable[str]) -> str:
    """ "; did you mean `...`?" if a name is similar, otherwise ""."""
    meant = closest(name, names)
    return f"; did you mean `{meant}`?" if meant else ""


def not_one_of(value: str, words: Sequence[str]) -> str:
    """Says that a value is not valid, which values are, and which one may be meant."""
    valid = ", ".join(f"`{word}`" for word in words)
    return f"`{value[:MAX_CHARS]}` is not one of {valid}{did_you_mean(value, words)}"


def _plain(name: str) -> str:
    return name.translate(_SEPARATORS).lower()


def misfit(fault: msgspec.ValidationError, kind: Any, given: Any = None) -> Misfit:
    """Describes what msgspec found wrong with a value of type `kind`. `given`: the value, if available; a missing
    required member is then looked for among misspelled ones.
    """
    text, _, path = str(fault).partition(" - at `")
    path = path.rstrip("`").removeprefix("key in `").removeprefix("$")
    if unknown := _UNKNOWN.search(text):
        name = unknown[1]
        hint = did_you_mean(name, _members(kind, path))
        return Misfit(f"unknown member `{name[:MAX_CHARS]}`{hint}", f"{path}.{name}", name, hint)
    if required := _REQUIRED.search(text):
        name, sent = required[1], _below(given, path)
        others = [other for other in sent if other not in _members(kind, path)] if isinstance(sent, Mapping) else []
        if typo := closest(name, others):
            return Misfit(f"unknown member `{typo[:MAX_CHARS]}`; did you mean `{name}`?", f"{path}.{name}")
        return Misfit(f"the member `{name}` is missing", f"{path}.{name}")
    if text.startswith("Invalid enum value ") and (words := _words(kind, path)):
        return Misfit(not_one_of(text.removeprefix("Invalid enum value ").strip("'"), words), path)
    return Misfit(_expected(text) or f"{text[:1].lower()}{text[1:]}", path)


def _expected(text: str) -> str:
    """The expected value, from msgspec's words for a wrong type, number or length; "" for other words."""
    match = _EXPECTED.fullmatch(text)
    if match is None:
        return ""
    types, of_length, sign, bound, got = match.groups()
    names = [_TYPES.get(name, name) for name in types.split(" | ") if name != "null"]
    if "a number" in names and "a whole number" in names:
        names.remove("a whole number")
    must = f"must be {' or '.join(names)}"
    if sign is not None:
        number = bound.removesuffix(".0")
        unit = (" item" if "a list" in names else " character") + "s" * (number != "1") if of_length else ""
        must += f"{' of ' if of_length else ', '}{_SIGNS[sign]} {number}{unit}"
    return must if got is None else f"{must}, not {_TYPES.get(got, got)}"


def misspelled(value: Any, given: Any, path: str = "") -> Iterator[Misfit]:
    """The members of `given`, plain JSON, that are not members of `value`, the struct decoded from it, and are most
    likely typos of absent members. Other unknown members are no error, because later versions add members.
    """
    if isinstance(value, msgspec.Struct) and isinstance(given, Mapping):
        names = dict(zip(value.__struct_encode_fields__, value.__struct_fields__, strict=True))
        absent = [name for name in names if name not in given]
        for name, inner in given.items():
            if name in names:
                yield from misspelled(getattr(value, names[name]), inner, f"{path}.{name}")
            elif hint := did_you_mean(name, absent):
                yield Misfit(f"unknown member `{name[:MAX_CHARS]}`{hint}", f"{path}.{name}", name, hint)
    elif isinstance(value, list | tuple) and isinstance(given, list):
        for at, (inner, sent) in enumerate(zip(value, given, strict=False)):
            yield from misspelled(inner, sent, f"{path}[{at}]")


def _below(value: Any, path: str) -> Any:
    """The value at this path, or None if the path does not exist."""
    for name, index in _STEP.findall(path):
        if isinstance(value, Mapping):
            value = value.get(name)
        elif isinstance(value, list) and index.isdigit() and int(index) < len(value):
            value = value[int(index)]
        else:
            return None
    return value


def _members(kind: Any, path: str) -> list[str]:
    """The names of members that an object at this path may have."""
    from msgspec import inspect

    structs = [found for found in types_at(kind, path) if isinstance(found, inspect.StructType)]
    return [field.encode_name for struct in structs for field in struct.fields]


def _words(kind: Any, path: str) -> list[str]:
    """The words that are valid at this path."""
    from msgspec import inspect

    return [
        str(word)
        for found in types_at(kind, path)
        if isinstance(found, inspect.LiteralType)
        for word in found.values
    ]


def types_at(kind: Any, path: str) -> "list[inspect.Type]":
    """The types that are valid at this JSON path below a value of type `kind`."""
    from msgspec import inspect

    kinds = _alternatives(inspect.type_info(kind))
    for name, _index in _STEP.findall(path):
        kinds = [option for found in kinds for inner in _inside(found, name) for option in _alternatives(inner)]
    return kinds


def _inside(kind: "inspect.Type", name: str) -> "list[inspect.Type]":
    """The types of the member with this name; the items' type if the name is ""."""
    from msgspec import inspect

    if isinstance(kind, inspect.StructType):
        return [field.type for field in kind.fields if field.encode_name == name]
    if isinstance(kind, inspect.DictType):
        return [kind.value_type]
    if isinstance(kind, inspect.TupleType):
        return list(kind.item_types)
    if isinstance(kind, inspect.ListType | inspect.VarTupleType | inspect.SetType | inspect.FrozenSetType):
        return [kind.item_type]
    return []


def _alternatives(kind: "inspect.Type") -> "list[inspect.Type]":
    from msgspec import inspect

    if isinstance(kind, inspect.Metadata):
        return _alternatives(kind.type)
    if isinstance(kind, inspect.UnionType):
        return [inner for option in kind.types for inner in _alternatives(option)]
    return [kind]
