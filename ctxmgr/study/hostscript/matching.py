"""Turns what a line expects and the value that came into the first place where they differ, or None.

1. Numbers are equal as numbers: `0` is `0.0`. true and false are no numbers.
2. An object has the members that are named. Whether it may have more, the script says (`match` in its header);
   inside `$exact` it may not, nor where no placeholder is read (`$literal`, `$ref`).
3. An array has the items that are named, in order. Where `$rest` stands there may be any number of items: what is
   before the first stands at the start, what is after the last at the end, the rest somewhere between, in order.
4. What was captured on the way to a match that failed is forgotten.
"""

from typing import Any, Literal

import msgspec

from ctxmgr.study.hostscript.placeholders import COMPARISONS, TYPES, is_number, is_placeholder
from ctxmgr.study.spawning import differences

MatchMode = Literal["literal", "exact", "subset"]  # no placeholders; placeholders; and more members


class Mismatch(msgspec.Struct, frozen=True):
    """Where, as a JSON path; what was expected there and what came, as text."""

    path: str
    expected: str
    got: str


def match(pattern: Any, value: Any, mode: MatchMode, names: dict[str, Any]) -> Mismatch | None:
    """`value` is plain JSON. `names` are those captured so far; where it matches, what it captures is added."""
    attempt = _Attempt(names)
    found = attempt.match(pattern, value, mode, "$")
    if found is None:
        names |= attempt.names
    return found


def contains(value: Any, text: str) -> bool:
    """Whether a string in it, however deep, holds the text."""
    if isinstance(value, str):
        return text in value
    if isinstance(value, dict):
        return any(contains(inner, text) for inner in value.values())
    return isinstance(value, list) and any(contains(inner, text) for inner in value)


class _Attempt:
    """One match. `names`: what is captured."""

    def __init__(self, names: dict[str, Any]) -> None:
        self.names = dict(names)

    def match(self, pattern: Any, value: Any, mode: MatchMode, path: str) -> Mismatch | None:
        if mode != "literal" and is_placeholder(pattern):
            return self._placeholder(pattern, value, mode, path)
        if isinstance(pattern, dict) and isinstance(value, dict):
            return self._object(pattern, value, mode, path)
        if isinstance(pattern, list) and isinstance(value, list):
            return self._array(pattern, value, mode, path)
        numbers = is_number(pattern) and is_number(value)
        same = (numbers or type(pattern) is type(value)) and pattern == value
        return None if same else Mismatch(path, differences.rendered(pattern), differences.rendered(value))

    def _placeholder(self, pattern: dict[str, Any], value: Any, mode: MatchMode, path: str) -> Mismatch | None:
        """All its members hold together."""
        for name, argument in pattern.items():
            if value is differences.ABSENT and name not in ("$absent", "$not"):
                return Mismatch(path, differences.rendered(pattern), differences.rendered(value))
            if name == "$exact":
                found = self.match(argument, value, "exact", path)
            elif name == "$literal":
                found = self.match(argument, value, "literal", path)
            elif name == "$ref":
                found = self.match(self.names[argument], value, "literal", path)
            elif self._fits(name, argument, value, mode):
                continue
            else:
                found = Mismatch(path, differences.rendered(pattern), differences.rendered(value))
            if found is not None:
                return found
        if "$capture" in pattern:
            self.names[pattern["$capture"]] = value
        return None

    def _fits(self, name: str, argument: Any, value: Any, mode: MatchMode) -> bool:
        if name == "$absent":
            return value is differences.ABSENT
        if name == "$not":
            return _Attempt(self.names).match(argument, value, mode, "$") is not None
        if name == "$type":
            return TYPES[argument](value)
        if name == "$contains":
            return contains(value, argument)
        if name in COMPARISONS:
            return is_number(value) and COMPARISONS[name](value, argument)
        return True  # `$any`, `$capture`

    def _object(
        self, pattern: dict[str, Any], value: dict[str, Any], mode: MatchMode, path: str
    ) -> Mismatch | None:
        for name, inner in pattern.items():
            found = self.match(inner, value.get(name, differences.ABSENT), mode, path + differences.step(name))
            if found is not None:
                return found
        more = [name for name in value if name not in pattern]
        if more and mode != "subset":
            return Mismatch(
                path + differences.step(more[0]),
                differences.rendered(differences.ABSENT),
                differences.rendered(value[more[0]]),
            )
        return None

    def _array(self, pattern: list[Any], value: list[Any], mode: MatchMode, path: str) -> Mismatch | None:
        """Rule 3."""
        first, *between = _runs(pattern, mode)
        if (found := self._items(first, value, 0, mode, path)) is not None:
            return found
        at = len(first)
        if not between:
            extra = at < len(value)
            return (
                Mismatch(f"{path}[{at}]", differences.rendered(differences.ABSENT), differences.rendered(value[at]))
                if extra
                else None
            )
        *between, last = between
        for run in between:
            start = self._find(run, value, at, mode)
            if start is None:
                return Mismatch(
                    path, f"{differences.rendered(run)} from item {at} on", differences.rendered(value[at:])
                )
            at = start + len(run)
        start = len(value) - len(last)
        if start < at:
            return Mismatch(path, f"{at + len(last)} items or more", f"{len(value)} items")
        return self._items(last, value, start, mode, path)

    def _items(self, run: list[Any], value: list[Any], start: int, mode: MatchMode, path: str) -> Mismatch | None:
        for at, item in enumerate(run, start):
            came = value[at] if at < len(value) else differences.ABSENT
            found = self.match(item, came, mode, f"{path}[{at}]")
            if found is not None:
                return found
        return None

    def _find(self, run: list[Any], value: list[Any], at: int, mode: MatchMode) -> int | None:
        """The first place from `at` on where the run matches. Rule 4."""
        before = dict(self.names)
        for start in range(at, len(value) - len(run) + 1):
            if self._items(run, value, start, mode, "$") is None:
                return start
            self.names = dict(before)
        return None


def _runs(pattern: list[Any], mode: MatchMode) -> list[list[Any]]:
    """The items between the `$rest`; one run where there is none."""
    runs: list[list[Any]] = [[]]
    for item in pattern:
        if mode != "literal" and is_placeholder(item) and "$rest" in item:
            runs.append([])
        else:
            runs[-1].append(item)
    return runs
