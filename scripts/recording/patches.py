"""Carries out a patch as coding agents write it (`*** Begin Patch` ... `*** End Patch`) on files below a folder.

1. A hunk's blank and `-` lines must stand together in the file, once at least; the first place counts.
2. Nothing is written where one hunk does not fit.
"""

from collections.abc import Callable, Iterator

ADD, UPDATE, DELETE = "*** Add File: ", "*** Update File: ", "*** Delete File: "


class PatchError(Exception):
    """The patch does not fit; the text is the answer."""


def apply(patch: str, read: Callable[[str], str]) -> dict[str, str | None]:
    """The new text of each file that the patch names, None of one it deletes. `read` gives the old text."""
    lines = patch.strip().splitlines()
    if lines[0] != "*** Begin Patch" or lines[-1] != "*** End Patch":
        raise PatchError("a patch begins with *** Begin Patch and ends with *** End Patch")
    found: dict[str, str | None] = {}
    for head, body in _files(lines[1:-1]):
        if head.startswith(ADD):
            found[head.removeprefix(ADD)] = "".join(line[1:] + "\n" for line in body)
        elif head.startswith(DELETE):
            found[head.removeprefix(DELETE)] = None
        else:
            name = head.removeprefix(UPDATE)
            found[name] = _updated(name, read(name), body)
    return found


def _files(lines: list[str]) -> Iterator[tuple[str, list[str]]]:
    head, body = "", list[str]()
    for line in lines:
        if line.startswith((ADD, UPDATE, DELETE)):
            if head:
                yield head, body
            head, body = line, []
        else:
            body.append(line)
    yield head, body


def _updated(name: str, text: str, body: list[str]) -> str:
    for hunk in _hunks(body):
        old = "".join(line[1:] + "\n" for line in hunk if line[:1] in " -")
        new = "".join(line[1:] + "\n" for line in hunk if line[:1] in " +")
        if old not in text:
            raise PatchError(f"apply_patch verification failed: Failed to find expected lines in {name}:\n{old}")
        text = text.replace(old, new, 1)
    return text


def _hunks(body: list[str]) -> Iterator[list[str]]:
    hunk: list[str] = []
    for line in body:
        if line.startswith("@@"):
            if hunk:
                yield hunk
            hunk = []
        else:
            hunk.append(line or " ")
    yield hunk
