"""Turns a checkout's texts and a version into what stands in the way of its release, or into the released texts.

1. The changelog's first section is the version's, marked `(unreleased)`, and says something. Those below it are
   dated, and older from one to the next.
2. `pyproject.toml`, that of `ctxmgr/study` and `ctxmgr/__init__.py` name one version, which is not later than this
   one; the two distributions ask for each other at that version.
3. The release is the newest that replays its own rules (`RELEASES` in `ctxmgr/model/rules.py`).
4. Nothing is uncommitted: what is tested is what is released.
"""

import argparse
import re
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from ctxmgr.model import RELEASES, RULES

ROOT = Path(__file__).parents[1]
CHANGELOG, PROJECT, MODULE = "CHANGELOG.md", "pyproject.toml", "ctxmgr/__init__.py"
STUDY = "ctxmgr/study/pyproject.toml"
UNRELEASED = "unreleased"
NEXT = "now: scripts/gen, .ci/run, a commit, a tag"
_VERSION = re.compile(r"(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)")
_SECTION = re.compile(r"^## (?P<version>\S+)(?: \((?P<when>[^)]*)\))?[ ]*$", re.MULTILINE)
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_PROJECT_VERSION = re.compile(r'^(version = ")([^"]*)(")', re.MULTILINE)
_PINNED = re.compile(r'("ctxmgr-(?:sidecar|study)(?:\[\w+\])?==)([^"]*)(")')
_NAMED = {
    PROJECT: _PROJECT_VERSION,
    STUDY: _PROJECT_VERSION,
    MODULE: re.compile(r'^(__version__ = ")([^"]*)(")$', re.MULTILINE),
}


class Section(msgspec.Struct, frozen=True):
    """One of the changelog's. `when`: a date, "unreleased", or "" where it says neither; `items`: its bullets."""

    version: str
    when: str
    items: int


class Checkout(msgspec.Struct, frozen=True):
    """`texts` of the four files by path; `newest`: the release that replays today's rules, as "0.1"; `changed`:
    what is not committed, "" where all is."""

    texts: dict[str, str]
    newest: str
    changed: str = ""


def sections(changelog: str) -> list[Section]:
    heads = list(_SECTION.finditer(changelog))
    ends = [*(head.start() for head in heads[1:]), len(changelog)]
    return [
        Section(head["version"], head["when"] or "", len(re.findall(r"^- \S", changelog[head.end() : end], re.M)))
        for head, end in zip(heads, ends, strict=False)
    ]


def faults(version: str, checkout: Checkout) -> Iterator[str]:
    """A sentence for each thing that stands in the way."""
    if not _VERSION.fullmatch(version):
        yield f"{version} is no version such as 0.2.0"
        return
    yield from _in_changelog(version, sections(checkout.texts[CHANGELOG]))
    named = {name: _NAMED[name].findall(checkout.texts[name]) for name in _NAMED}
    for name, matches in named.items():
        if len(matches) != 1 or not _VERSION.fullmatch(matches[0][1]):
            yield f"{name} does not name one version"
            return
    before = {matches[0][1] for matches in named.values()}
    before |= {match[1] for name in (PROJECT, STUDY) for match in _PINNED.findall(checkout.texts[name])}
    if len(before) > 1:
        yield f"{PROJECT}, {STUDY} and {MODULE} name different versions: {', '.join(sorted(before))}"
    elif _order(version) < _order(*before):
        yield f"{PROJECT} names {before.pop()} already, which is later than {version}"
    if checkout.newest != ".".join(version.split(".")[:2]):
        yield f"the table of rules says that ctxmgr {checkout.newest} replays today's rules, not {version}"
    if checkout.changed:
        yield f"this is not committed:\n{checkout.changed}"


def _in_changelog(version: str, sections: list[Section]) -> Iterator[str]:
    """Rule 1."""
    if not sections or sections[0].version != version:
        newest = sections[0].version if sections else "nothing"
        yield f"{CHANGELOG} does not begin with {version}, but with {newest}"
        return
    first, *older = sections
    if first.when != UNRELEASED:
        yield f"{CHANGELOG}: {version} is marked ({first.when}), not ({UNRELEASED})"
    if not first.items:
        yield f"{CHANGELOG} says nothing of {version}"
    for later, section in zip(sections, older, strict=False):
        if not _DATE.fullmatch(section.when):
            yield f"{CHANGELOG}: {section.version} has no date"
        if not _VERSION.fullmatch(section.version) or _order(section.version) >= _order(later.version):
            yield f"{CHANGELOG}: {section.version} stands below {later.version}"


def _order(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")))


def released(version: str, date: str, checkout: Checkout) -> dict[str, str]:
    """The texts with this version in them and this date in the changelog, by path."""
    heading = f"## {version} ({UNRELEASED})"
    new = rf"\g<1>{version}\g<3>"
    texts = {name: _PINNED.sub(new, _NAMED[name].sub(new, checkout.texts[name])) for name in _NAMED}
    return texts | {CHANGELOG: checkout.texts[CHANGELOG].replace(heading, f"## {version} ({date})", 1)}


def read(root: Path) -> Checkout:
    texts = {name: (root / name).read_text(encoding="utf-8") for name in (CHANGELOG, *_NAMED)}
    status = subprocess.run(
        ["git", "status", "--porcelain"], cwd=root, capture_output=True, check=True, encoding="utf-8"
    )
    return Checkout(texts, RELEASES[RULES], status.stdout.rstrip())


def main(arguments: list[str] | None = None, root: Path = ROOT) -> int:
    """0: released, or in order; 1: something stands in the way, and nothing was written."""
    parser = argparse.ArgumentParser(prog="scripts/release", description="Writes a version, and its date.")
    parser.add_argument("version", metavar="VERSION", help="such as 0.2.0")
    parser.add_argument("--check", action="store_true", help="only say what stands in the way")
    parsed = parser.parse_args(arguments)
    checkout = read(root)
    if problems := list(faults(parsed.version, checkout)):
        print("\n".join(problems), file=sys.stderr)
        return 1
    if parsed.check:
        print(f"{parsed.version} can be released")
        return 0
    for name, text in released(parsed.version, f"{datetime.now(UTC):%Y-%m-%d}", checkout).items():
        (root / name).write_text(text, encoding="utf-8")
        print(f"wrote {name}")
    print(NEXT)
    return 0


if __name__ == "__main__":
    sys.exit(main())
