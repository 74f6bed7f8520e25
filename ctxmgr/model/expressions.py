"""Regular expressions that are compiled at first use, so that they do not delay a start."""

import re
from typing import TYPE_CHECKING, Any, AnyStr

MEMBERS = ("findall", "finditer", "flags", "fullmatch", "groups", "match", "search", "split", "sub", "subn")


class _Expression:
    """A pattern and its flags; at first use, the members of the compiled expression are added."""

    __slots__ = ("_flags", "pattern", *MEMBERS)

    def __init__(self, text: str | bytes, flags: int = 0) -> None:
        self.pattern, self._flags = text, flags

    def __reduce__(self) -> tuple[Any, ...]:
        return _Expression, (self.pattern, self._flags)

    def __getattr__(self, name: str) -> Any:
        """Called for members that are not set yet, and for rarely used ones."""
        if name.startswith("__"):  # protocols of Python itself
            raise AttributeError(name)
        compiled = re.compile(self.pattern, self._flags)
        for member in MEMBERS:
            setattr(self, member, getattr(compiled, member))
        return getattr(compiled, name)


if TYPE_CHECKING:

    def expression(text: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
        """For a module's constants, instead of `re.compile`. Functions of `re` itself need a compiled pattern."""
else:
    expression = _Expression
