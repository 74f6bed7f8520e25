"""Turns globs into one matcher of paths.

`*` is any run of characters, also over `/`; `?` any one; `[ab]`, `[a-z]`, `[!a]` one of a set. A pattern is met by
the whole path or by its end from a `/` on. The expressions of `fnmatch` never go back over a `*`: no pattern makes
a path cost more than the square of its length.
"""

import re
from collections.abc import Iterable
from fnmatch import translate

PATH_CHARACTERS = 4_096  # as Linux has it; what is longer is no path, and is not matched


def globs(patterns: Iterable[str]) -> re.Pattern[str]:
    """What matches a path that meets one of the patterns."""
    return re.compile("|".join(rf"(?s:.*/)?(?:{translate(pattern)})" for pattern in patterns) or "(?!)")
