"""Regular expressions that are compiled when they are first used: a start waits for none of them."""

import re
from typing import TYPE_CHECKING, Any, AnyStr

MEMBERS = ("findall", "finditer", "flags", "fullmatch", "groups", "match", "search", "split", "sub", "subn")


class _Expression:
    """Until it is used, a text and its flags; from then on its members are those of what was compiled."""

    __slots__ = ("_flags", "pattern", *MEMBERS)

    def __init__(self, text: str | bytes, flags: int = 0) -> None:
        self.pattern, self._flags = text, flags

    def __reduce__(self) -> tuple[Any, ...]:
        return _Expression, (self.pattern, self._flags)

    def __getattr__(self, name: str) -> Any:
        """Of a slot that is not filled yet, and of what is asked seldom."""
        if name.startswith("__"):  # Python asks for those of its own protocols
            raise AttributeError(name)
        compiled = re.compile(self.pattern, self._flags)
        for member in MEMBERS:
            setattr(self, member, getattr(compiled, member))
        return getattr(compiled, name)


if TYPE_CHECKING:

    def expression(text: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
        """For a module's constants, in place of `re.compile`. What `re` is handed must be compiled."""
else:
    expression = _Expression
