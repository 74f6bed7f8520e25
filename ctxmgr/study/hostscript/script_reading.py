"""Turns the text of values and patterns of a script into nodes.

JSON, and beside it: names of members without quotes, `$name.path` for what is known while the script runs,
`${name}` inside a string, `"text" * 400`. A pattern may also hold `...`, `~"text"`, `!PATTERN`, `< 5`.
The grammar as people see it stands in `scripts`; what a pattern matches in `script_matching`.
"""

import json
import re

from ctxmgr.study.hostscript.script_nodes import (
    Anything,
    Compared,
    Holds,
    Items,
    Literal,
    Node,
    Not,
    Object,
    Ref,
    ScriptFault,
    Text,
)

NAME = re.compile(r"[A-Za-z_]\w*")
_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?")
STRING = re.compile(r'"(?:[^"\\\n]|\\.)*"')
_INSIDE = re.compile(r"\$\{([^}\"\\]*)\}")
_WORD = re.compile(r"[^\s\"{}\[\],]+")
_SLICE = re.compile(r"\[\s*(-?\d+)?\s*(:)?\s*(-?\d+)?\s*\]")
_MEMBER = re.compile(r"\.([A-Za-z_$][\w$]*)")
_QUOTED = re.compile(r"\[(\"(?:[^\"\\\n]|\\.)*\")\]")
_CONSTANTS = {"true": True, "false": False, "null": None}
_COMPARISONS = ("<=", ">=", "<", ">")


class Reader:
    """Reads one line of a script, which may span several of the file while brackets are open."""

    def __init__(self, text: str, line: int) -> None:
        self.text, self.start, self.at = text, line, 0

    def fault(self, text: str) -> ScriptFault:
        return ScriptFault(self.start + self.text.count("\n", 0, self.at), text)

    def skip(self) -> None:
        while self.at < len(self.text) and self.text[self.at].isspace():
            self.at += 1

    @property
    def done(self) -> bool:
        self.skip()
        return self.at >= len(self.text)

    def finish(self) -> None:
        """Raises ScriptFault where something is left."""
        if not self.done:
            raise self.fault(f"this is not understood: {self.text[self.at :][:60].strip()}")

    def take(self, sign: str) -> bool:
        """Whether this is next; it is passed over."""
        self.skip()
        found = self.text.startswith(sign, self.at)
        self.at += len(sign) if found else 0
        return found

    def need(self, sign: str) -> None:
        if not self.take(sign):
            raise self.fault(f"`{sign}` is missing before: {self.text[self.at :][:40].strip() or 'the end'}")

    def match(self, pattern: re.Pattern[str]) -> str | None:
        self.skip()
        found = pattern.match(self.text, self.at)
        if found is None:
            return None
        self.at = found.end()
        return found[0]

    def word(self, what: str) -> str:
        """A run of characters without white space and brackets. `what` it is, for the fault."""
        found = self.match(_WORD)
        if found is None:
            raise self.fault(f"{what} is missing")
        return found

    def keyword(self, word: str) -> bool:
        """Whether this word is next, as a word of its own; it is passed over."""
        self.skip()
        end = self.at + len(word)
        if not self.text.startswith(word, self.at) or self.text[end : end + 1].strip():
            return False
        self.at = end
        return True

    def label(self) -> str | None:
        self.skip()
        if not self.text.startswith("@", self.at):
            return None
        return self.word("a label")

    # values

    def value(self, pattern: bool = False) -> Node:
        """Raises ScriptFault."""
        self.skip()
        rest = self.text[self.at : self.at + 3]
        if pattern and (found := self._only_in_patterns(rest)):
            return found
        if rest[:1] == "{":
            return self._object(pattern)
        if rest[:1] == "[":
            return self._items(pattern)
        if rest[:1] == '"':
            return self.string()
        if rest[:1] == "$":
            return self.reference()
        if number := self.match(_NUMBER):
            return Literal(json.loads(number))
        if (name := self.match(NAME)) in _CONSTANTS:
            return Literal(_CONSTANTS[name or ""])
        if rest == "...":
            raise self.fault("`...` is for what is expected, not for what is sent")
        raise self.fault(f"a value is missing before: {(name or self.text[self.at :])[:40].strip() or 'the end'}")

    def _only_in_patterns(self, rest: str) -> Node | None:
        if self.take("..."):
            return Anything()
        if self.take("~"):
            return Holds(self.string())
        if self.take("!"):
            return Not(self.value(pattern=True))
        for sign in _COMPARISONS:
            if rest.startswith(sign):
                self.take(sign)
                return Compared(sign, self.value())
        return None

    def string(self) -> Node:
        found = self.match(STRING)
        if found is None:
            raise self.fault("a text in double quotes is missing")
        parts: list[str | Ref] = []
        for number, piece in enumerate(_INSIDE.split(found[1:-1])):
            if number % 2:
                inner = Reader(f"${piece}", self.start)
                parts.append(inner.reference())
                inner.finish()
            elif piece:
                parts.append(self._decoded(piece))
        times = self.value() if self.take("*") else None
        if times is None and all(isinstance(part, str) for part in parts):
            return Literal("".join(map(str, parts)))
        return Text(tuple(parts), times)

    def _decoded(self, piece: str) -> str:
        try:
            return str(json.loads(f'"{piece}"', strict=False))
        except ValueError:
            raise self.fault(f"this is no JSON string: {piece[:60]}") from None

    def reference(self) -> Ref:
        start = self.at
        self.need("$")
        name = NAME.match(self.text, self.at)
        self.at = name.end() if name else self.at
        steps: list[str | int | slice] = []
        while (step := self._step()) is not None:
            steps.append(step)
        return Ref(name[0] if name else "", tuple(steps), self.text[start : self.at].strip())

    def _step(self) -> str | int | slice | None:
        if found := _MEMBER.match(self.text, self.at):
            self.at = found.end()
            return found[1]
        if found := _QUOTED.match(self.text, self.at):
            self.at = found.end()
            return str(json.loads(found[1]))
        found = _SLICE.match(self.text, self.at)
        if found is None or not (found[1] or found[2]):
            return None
        self.at = found.end()
        first, last = (int(one) if one else None for one in (found[1], found[3]))
        return slice(first, last) if found[2] else first

    def _object(self, pattern: bool) -> Node:
        self.need("{")
        members: list[tuple[str, Node]] = []
        more = False
        while not self.take("}"):
            if members or more:
                self.need(",")
            if self.take("..."):
                if not pattern:
                    raise self.fault("`...` is for what is expected, not for what is sent")
                more = True
                continue
            members.append((self._key(), self._member(pattern)))
        return Object(tuple(members), more)

    def _key(self) -> str:
        if (name := self.match(NAME)) is not None:
            return name
        found = self.match(STRING)
        if found is None:
            raise self.fault(f"the name of a member is missing before: {self.text[self.at :][:40].strip()}")
        return self._decoded(found[1:-1])

    def _member(self, pattern: bool) -> Node:
        self.need(":")
        return self.value(pattern)

    def _items(self, pattern: bool) -> Node:
        self.need("[")
        items: list[Node] = []
        while not self.take("]"):
            if items:
                self.need(",")
            found = self.value(pattern)
            items.append(Anything(more=True) if isinstance(found, Anything) else found)
        return Items(tuple(items))

    def arguments(self, until: str = "") -> Node:
        """A value, or `name=value` as often as wanted; a word after `=` needs no quotes. `until` this word."""
        self.skip()
        if self.text[self.at : self.at + 1] in ("{", "[", "$"):
            return self.value()
        members: list[tuple[str, Node]] = []
        while not self.done:
            before = self.at
            if until and self.keyword(until):
                self.at = before
                break
            name = self.match(NAME)
            if name is None:
                break
            if self.text[self.at : self.at + 1] != "=":
                self.at = before
                raise self.fault(f"`{name}` is no `name=value`")
            self.at += 1
            members.append((name, self._after_equals()))
        return Object(tuple(members))

    def _after_equals(self) -> Node:
        first = self.text[self.at : self.at + 1]
        if not first.strip():
            raise self.fault("a value is missing after `=`")
        word = _WORD.match(self.text, self.at)
        if word and first not in '{["$-0123456789' and word[0] not in _CONSTANTS:
            self.at = word.end()
            return Literal(word[0])
        return self.value()
