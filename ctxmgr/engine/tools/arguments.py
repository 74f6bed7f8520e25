"""Classifies the arguments of a call by role: paths, texts, lines, and the parts of a list.

Arguments may have any type: a value without the type of its role is ignored.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ctxmgr.engine.tools import patches
from ctxmgr.engine.tools.names import ArgumentRole, role_of
from ctxmgr.engine.tools.paths import normal
from ctxmgr.model import expression, once

Arguments = Mapping[str, Any]

GREATEST = 2**53  # no line number is larger
MOST_PARTS = 200  # read from one list
_GLOB = expression(r"[*?\[{]")
_PLACES: tuple[ArgumentRole, ...] = ("path", "paths", "source", "destination", "directory")
_ENDS: dict[str, ArgumentRole] = {"from": "source", "to": "destination"}  # when a call has both
_NO_PARTS: frozenset[ArgumentRole] = frozenset(("tasks", "arguments", "aside"))


class CallArguments:
    """The arguments of one call, or of one part of a list in them. `roles`: for misleading names."""

    def __init__(self, arguments: Arguments, roles: Mapping[str, ArgumentRole] | None = None) -> None:
        self.arguments = arguments
        self.roles = roles or {}
        self._both_ends = isinstance(arguments.get("from"), str) and isinstance(arguments.get("to"), str)
        self._roles: dict[str, ArgumentRole] = {}
        self._by_role: dict[ArgumentRole, list[Any]] = {}
        for name, value in arguments.items():
            role = self._roles[name] = self._role(name)
            self._by_role.setdefault(role, []).append(value)

    def role(self, name: str) -> ArgumentRole:
        """Of an argument that the call has."""
        return self._roles[name]

    def _role(self, name: str) -> ArgumentRole:
        role = self.roles.get(name) or role_of(name)
        if role == "url" and str(self.arguments[name])[:7].casefold() == "file://":
            return "path"
        if not role and self._both_ends:
            return _ENDS.get(name, "")
        return role

    def values(self, *roles: ArgumentRole) -> Iterator[Any]:
        """The values with these roles, in the order of the roles."""
        for role in roles:
            yield from self._by_role.get(role, ())

    def has(self, *roles: ArgumentRole) -> bool:
        return any(self._by_role.get(role) not in (None, [None]) for role in roles)

    def text(self, *roles: ArgumentRole) -> str | None:
        for role in roles:
            for value in self._by_role.get(role, ()):
                if isinstance(value, str):
                    return value
        return None

    def number(self, *roles: ArgumentRole) -> int | None:
        for value in self.values(*roles):
            if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < GREATEST:
                return int(value)
        return None

    @property
    @once
    def path(self) -> str:
        """The file it names, normalized; "" for none."""
        return normal(self.text("path", "destination", "source") or "")

    @property
    @once
    def several(self) -> tuple[str, ...]:
        """The files of a list; names with wildcards are skipped."""
        texts = [
            text
            for value in self.values("paths", "path")
            for text in (value if isinstance(value, list) else (value,))
            if isinstance(text, str) and text
        ]
        return tuple([normal(text) for text in texts if not _GLOB.search(text)])

    @property
    def looked_at(self) -> str:
        """The file or directory that a look is at."""
        path = self.path or normal(self.text("directory") or "")
        return path or next(iter(self.several), "")

    @property
    @once
    def parts(self) -> tuple["CallArguments", ...]:
        """The elements of object lists, and objects, one by one: edits, files with their texts."""
        parts: list[CallArguments] = []
        for role, values in self._by_role.items():
            if role in _NO_PARTS:
                continue
            for value in values:
                if isinstance(value, list | dict):
                    each: Sequence[Any] = value[:MOST_PARTS] if isinstance(value, list) else (value,)
                    if role == "paths" and isinstance(value, dict):  # texts by file
                        each = [{"path": name, "content": text} for name, text in value.items()][:MOST_PARTS]
                    parts += [CallArguments(part, self.roles) for part in each if isinstance(part, dict)]
        return tuple(parts)

    @property
    def patch(self) -> str | None:
        """The text of a patch that names its files, whatever the argument's name."""
        return next(
            (value for value in self.arguments.values() if isinstance(value, str) and patches.is_patch(value)), None
        )

    def paths(self) -> tuple[str, ...]:
        """Every file and directory that an argument names, also as spelled there; without duplicates."""
        spelled: dict[str, None] = {}
        for part in (self, *self.parts):
            for role in _PLACES:
                for value in part._by_role.get(role, ()):
                    for text in value if isinstance(value, list) else (value,):
                        if isinstance(text, str) and text:
                            text = text.replace("\\", "/")
                            spelled[text] = None
                            spelled[normal(text)] = None
        spelled.pop("", None)
        return tuple(spelled)
