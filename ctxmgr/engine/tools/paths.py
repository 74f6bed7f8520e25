"""Normalizes the paths that calls name, and finds which of them are certainly the same file.

Rules:

1. A path is normalized: no `.`, doubled slashes or resolved `..`; Windows' backslashes become slashes, and a
   `file://` prefix is removed.
2. A relative path is the absolute one that ends with it if there is exactly one, under the session's working
   directory. That is the directory under which most of the relative paths are found. A single bare name does not
   determine it, since half of all directories have a README.
3. Otherwise two spellings are two files.

It uses no file system.
"""

from collections import Counter
from collections.abc import Iterable, Mapping

UNKNOWN = "?"  # an unknown directory: no file is named from there
LEAST_VOTES = 2  # names, or parts of one name, that must agree on the directory (rule 2)
_FILE_URI = "file://"
_OF_DRIVE = (":\\", ":/")  # behind the letter of a drive


def normal(path: str) -> str:
    """The path by rule 1; "" stays ""."""
    if "\\" in path and (path[1:3] in _OF_DRIVE or "/" not in path):
        path = path.replace("\\", "/")
    if path.startswith(_FILE_URI):
        path = path.removeprefix(_FILE_URI)
    if path == ".":
        return ""
    if "//" not in path and "/." not in path and not path.startswith("./") and not path.endswith("/"):
        return path
    parts: list[str] = []
    for part in path.split("/"):
        if part == ".." and parts and parts[-1] != "..":
            parts.pop()
        elif part not in ("", ".") and not (part == ".." and path.startswith("/")):
            parts.append(part)
    return ("/" if path.startswith("/") else "") + "/".join(parts)


def is_absolute(path: str) -> bool:
    return path.startswith(("/", "~")) or path[1:3] in _OF_DRIVE


def joined(directory: str, path: str) -> str:
    """The path relative to a directory ("" if it is unknown)."""
    return normal(path if not directory or is_absolute(path) else f"{directory}/{path}")


def same(paths: Iterable[str]) -> Mapping[str, str]:
    """Each relative path that is certainly an absolute one (rule 2), with that one."""
    known = dict.fromkeys(paths)
    relative = {path for path in known if path and not is_absolute(path)}
    if not relative:
        return {}
    roots: dict[str, list[str]] = {}
    for path in known:
        slash = path.find("/") if is_absolute(path) else -1
        while slash >= 0:
            if path[slash + 1 :] in relative:
                roots.setdefault(path[slash + 1 :], []).append(path[:slash])
            slash = path.find("/", slash + 1)
    votes = Counter(root for candidates in roots.values() for root in candidates)
    for path, candidates in roots.items():
        for root in candidates:
            votes[root] += path.count("/") > 0
    ranked = votes.most_common(2)
    if not ranked or ranked[0][1] < LEAST_VOTES or (len(ranked) > 1 and ranked[1][1] == ranked[0][1]):
        return {}
    root = ranked[0][0]
    return {path: f"{root}/{path}" for path, candidates in roots.items() if candidates == [root]}


def root_of(paths: Iterable[str]) -> str:
    """The directory, with its slash, that shortens absolute paths most when named once; "" for fewer than two
    paths.
    """
    held = Counter(path[: index + 1] for path in paths for index in range(1, len(path)) if path[index] == "/")
    shared = [directory for directory, count in held.items() if count > 1]
    return max(shared, key=lambda root: ((held[root] - 1) * len(root), root), default="")
