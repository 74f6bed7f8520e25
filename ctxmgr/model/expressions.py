"""Regular expressions that are compiled when they are first used: a start waits for none of them."""

import re
from typing import TYPE_CHECKING, Any, AnyStr

METHODS = ("findall", "finditer", "fullmatch", "match", "search", "split", "sub", "subn")


class _Expression:
    """Until it is used, a text and its flags; from then on its methods are those of what was compiled."""

    __slots__ = ("_flags", "pattern", *METHODS)

    def __init__(self, text: str | bytes, flags: int = 0) -> None:
        self.pattern, self._flags = text, flags

    def __getattr__(self, name: str) -> Any:
        """Of a slot that is not filled yet, and of all that is asked seldom."""
        compiled = re.compile(self.pattern, self._flags)
        for method in METHODS:
            setattr(self, method, getattr(compiled, method))
        return getattr(compiled, name)


if TYPE_CHECKING:

    def expression(text: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
        """For a module's constants, in place of `re.compile`. What `re` is handed must be compiled."""
else:
    expression = _Expression
