"""Reduces an answer to what an older host knows: members that are newer than its version are removed.

Rules:
1. A new member of what hosts and ctxmgr send each other needs a row here, in the same commit. A new type needs
   none: it is reached through a new member, or through a method that older hosts do not call.
2. Nothing with a version is ever removed or changes its meaning. A new version only adds.
3. What a host sends is accepted whatever its version. What it receives has no member newer than its version.
"""

from typing import Annotated, Any, Literal, TypeVar, get_args, get_origin

import msgspec

FIRST_VERSION = "1.0"
PROTOCOL_VERSION = "1.1"

Value = TypeVar("Value")

# "Type.member", as on the wire, and the version that added it
SINCE: dict[str, str] = {
    "Archive.keepSecrets": "1.1",
    "BeforeCompactParams.at": "1.1",
    "CompactParams.at": "1.1",
    "CompactionPolicy.prompts": "1.1",
    "CompleteParams.instruction": "1.1",
    "ContextParams.ownMarks": "1.1",
    "ContextParams.prefixChange": "1.1",
    "Endpoint.api": "1.1",
    "EntryIds.user": "1.1",
    "EpochReceipt.paysAfter": "1.1",
    "EpochReceipt.text": "1.1",
    "ExplainResult.pins": "1.1",
    "GetStatusParams.coldCost": "1.1",
    "GetStatusParams.flush": "1.1",
    "HostCapabilities.archive": "1.1",
    "HostCapabilities.completeOnContext": "1.1",
    "HostCapabilities.telemetry": "1.1",
    "InitializeParams.tools": "1.1",
    "Model.batch": "1.1",
    "Model.strictRoles": "1.1",
    "ModelPrices.tiers": "1.1",
    "Policy.indexTokens": "1.1",
    "Policy.keep": "1.1",
    "Policy.workingSet": "1.1",
    "Policy.maxImages": "1.1",
    "Policy.maxRequestBytes": "1.1",
    "Policy.maxResultTokens": "1.1",
    "Policy.protectedInstructions": "1.1",
    "Policy.idle": "1.1",
    "Policy.idleMinutes": "1.1",
    "Policy.newestTokens": "1.1",
    "Policy.oldTokens": "1.1",
    "Prices.tiers": "1.1",
    "Report.blocksCut": "1.1",
    "Report.cacheBreakpoints": "1.1",
    "Report.cacheBust": "1.1",
    "Report.carriedTokens": "1.1",
    "Report.tooBig": "1.1",
    "PolicyResult.presets": "1.1",
    "RetrieveResult.masked": "1.1",
    "SessionStartParams.messageFormat": "1.1",
    "SessionStartParams.tools": "1.1",
    "Status.cache": "1.1",
    "Status.countedBy": "1.1",
    "Status.durable": "1.1",
    "Status.learnedWindow": "1.1",
    "Status.model": "1.1",
    "Status.ratio": "1.1",
    "TurnEndResult.send": "1.1",
    "UsageParams.cachedContentTokenCount": "1.1",
    "UsageParams.candidatesTokenCount": "1.1",
    "UsageParams.promptTokenCount": "1.1",
    "UsageParams.thoughtsTokenCount": "1.1",
    "UsageParams.toolUsePromptTokenCount": "1.1",
    "UsageParams.totalTokenCount": "1.1",
    "Verdict.call": "1.1",
}


def agreed(version: str) -> str | None:
    """The version to use with a host of this `version`: the older of that and ctxmgr's own. Returns None for
    another major version.
    """
    major, _, minor = version.partition(".")
    if major != PROTOCOL_VERSION.partition(".")[0]:
        return None
    return min(f"{major}.{int(minor) if minor.isdecimal() else 0}", PROTOCOL_VERSION, key=_order)


def is_in(row: str, version: str) -> bool:
    """Whether a host of this `version` knows the member of this row."""
    return _order(SINCE.get(row, FIRST_VERSION)) <= _order(version)


HOLDING = (msgspec.Struct, list, tuple, dict)  # types that may contain structs
PLAIN = (str, int, float, bool, type(None), bytes, msgspec.Raw, ...)  # types that cannot


def as_of(value: Value, version: str) -> Value:
    """The value (of any structs, lists and mappings) without members that are newer than `version`."""
    return value if version == PROTOCOL_VERSION else _older(value, version)


def _older(value: Any, version: str) -> Any:
    if isinstance(value, msgspec.Struct):
        return _older_struct(value, version)
    if isinstance(value, list | tuple):
        return [_older(item, version) for item in value]
    if isinstance(value, dict):
        return {name: _older(item, version) for name, item in value.items()}
    return value


def _older_struct(value: msgspec.Struct, version: str) -> msgspec.Struct:
    early, late = _members(type(value), version)
    changed: dict[str, Any] = dict.fromkeys(late, msgspec.UNSET)  # these are not encoded
    for name in early:
        held = getattr(value, name)
        if held and isinstance(held, HOLDING):
            older = _older(held, version)
            if older is not held:
                changed[name] = older
    return msgspec.structs.replace(value, **changed) if changed else value


_known: dict[tuple[type[msgspec.Struct], str], tuple[tuple[str, ...], tuple[str, ...]]] = {}


def _members(kind: type[msgspec.Struct], version: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Two lists, computed once: the fields that a host of this version knows but that may contain unknown members,
    and the newer fields.
    """
    if (kind, version) not in _known:
        _known[kind, version] = kind.__struct_fields__, ()  # a placeholder, for a type that contains itself
        _known[kind, version] = _parted(kind, version)
    return _known[kind, version]


def _parted(kind: type[msgspec.Struct], version: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    rows = zip(kind.__struct_fields__, kind.__struct_encode_fields__, strict=True)
    late = tuple(name for name, member in rows if not is_in(f"{kind.__name__}.{member}", version))
    shapes = _shapes(kind)
    known = [name for name in kind.__struct_fields__ if name not in late]
    return tuple(name for name in known if _may_change(shapes[name], version)), late


def _shapes(kind: type[msgspec.Struct]) -> dict[str, Any]:
    """The types of a struct's fields. They are evaluated, which is slow, only if they are still strings."""
    shapes: dict[str, Any] = {}
    for base in reversed(kind.__mro__):
        shapes |= getattr(base, "__annotations__", {})
    if any(isinstance(shape, str) for shape in shapes.values()):
        return {field.name: field.type for field in msgspec.structs.fields(kind)}
    return shapes


def _may_change(shape: Any, version: str) -> bool:
    """Whether a value of this type may contain a member that is newer than `version`."""
    if isinstance(shape, type) and issubclass(shape, msgspec.Struct):
        return any(_members(shape, version))
    kind, held = get_origin(shape), get_args(shape)
    if kind is Literal:
        return False
    if kind is Annotated:
        held = held[:1]
    return any(_may_change(each, version) for each in held) if held else shape not in PLAIN


def _order(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")))
