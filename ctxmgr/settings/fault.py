"""What is wrong with settings, in one line: where it stands, what is the matter, what may have been meant."""

import difflib
from collections.abc import Iterable


class SettingsFault(ValueError):
    """Settings that can not be used; the text is one sentence that names the file, variable or flag."""


def nearest(name: str, names: Iterable[str]) -> str:
    """ "; did you mean ...?" where a name is like it, else ""."""
    close = difflib.get_close_matches(name, list(names), 1)
    return f'; did you mean "{close[0]}"?' if close else ""
