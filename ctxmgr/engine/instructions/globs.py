"""Compiles globs into one matcher of paths.

`*` matches any run of characters, including `/`; `?` any one; `[ab]`, `[a-z]`, `[!a]` one of a set. A pattern
matches the whole path, or the part after any `/`. The expressions of `fnmatch` never backtrack over a `*`, so a
match takes at most quadratic time in the length of the path.
"""

import re
from collections.abc import Iterable
from fnmatch import translate

PATH_CHARACTERS = 4_096  # the limit of Linux; longer texts are not paths, and are not matched


def globs(patterns: Iterable[str]) -> re.Pattern[str]:
    """An expression that matches each path that matches one of the patterns."""
    return re.compile("|".join(rf"(?s:.*/)?(?:{translate(pattern)})" for pattern in patterns) or "(?!)")
