"""Turns a checkout's texts and a version into what prevents its release, or into the released texts.

1. The changelog's first section is the version's, marked `(unreleased)`, and has items. Those below it are dated,
   each older than the one above.
2. All files of `VERSIONED` name the same version, which is not later than this one.
3. The release is the newest that replays its own rules (`RELEASES` in `ctxmgr/wire/transcript.py`).
4. Everything is committed, so that what was tested is what is released.

`--build FOLDER` builds everything that is published (`scripts/artifacts.py`), with the checkout's version.
"""

import argparse
import re
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from ctxmgr import __version__
from ctxmgr.wire import transcript
from scripts import artifacts

ROOT = Path(__file__).parents[1]
CHANGELOG, PROJECT, MODULE = "CHANGELOG.md", "pyproject.toml", "ctxmgr/__init__.py"
STUDY, HOSTS = "ctxmgr/study/pyproject.toml", "protocol/hosts"
UNRELEASED = "unreleased"
NEXT = "now: scripts/gen, .ci/run, a commit, a tag, scripts/release --build dist"
_VERSION = re.compile(r"(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)")
_SECTION = re.compile(r"^## (?P<version>\S+)(?: \((?P<when>[^)]*)\))?[ ]*$", re.MULTILINE)
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_TOML = re.compile(r'^(version = ")([^"]*)(")', re.MULTILINE)
_PINNED = re.compile(r'("ctxmgr-(?:sidecar|study)(?:\[\w+\])?==)([^"]*)(")')
_JSON = re.compile(r'^(  "version": ")([^"]*)(")', re.MULTILINE)
_NPM_LOCK = re.compile(r'("name": "ctxmgr-(?:client|pi)",\s+"version": ")([^"]*)(")')
VERSIONED = {  # by path: the places of a version, as the text before it, the version, and the text after it
    PROJECT: (_TOML, _PINNED),
    STUDY: (_TOML, _PINNED),
    MODULE: (re.compile(r'^(__version__ = ")([^"]*)(")$', re.MULTILINE),),
    f"{HOSTS}/typescript/package.json": (_JSON,),
    f"{HOSTS}/typescript/package-lock.json": (_NPM_LOCK,),
    f"{HOSTS}/pi/package.json": (_JSON,),
    f"{HOSTS}/pi/package-lock.json": (_NPM_LOCK,),
    f"{HOSTS}/rust/Cargo.toml": (_TOML,),
    f"{HOSTS}/rust/Cargo.lock": (re.compile(r'(name = "ctxmgr-client"\nversion = ")([^"]*)(")'),),
    f"{HOSTS}/claude-code-hooks/.claude-plugin/plugin.json": (_JSON,),
}


class Section(msgspec.Struct, frozen=True):
    """A section of the changelog. `when`: a date, "unreleased", or "" for neither. `items`: its bullets."""

    version: str
    when: str
    items: int


class Checkout(msgspec.Struct, frozen=True):
    """`texts`: of the changelog and of `VERSIONED`, by path. `newest`: the release that replays today's rules, such
    as "0.1". `changed`: what is not committed, "" if everything is.
    """

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
    """A sentence for each thing that prevents the release."""
    if not _VERSION.fullmatch(version):
        yield f"{version} is no version such as 0.2.0"
        return
    yield from _in_changelog(version, sections(checkout.texts[CHANGELOG]))
    named = {name: versions(name, checkout.texts[name]) for name in VERSIONED}
    for name, several in named.items():
        if not several or not all(map(_VERSION.fullmatch, several)):
            yield f"{name} does not name a version"
            return
    before = set().union(*named.values())
    if len(before) > 1:
        first = versions(PROJECT, checkout.texts[PROJECT])
        others = "; ".join(f"{name}: {', '.join(sorted(some))}" for name, some in named.items() if some != first)
        yield (
            f"{PROJECT} names {', '.join(sorted(first))}, but {others}"
            if others
            else f"{PROJECT} names two versions"
        )
    elif _order(version) < _order(*before):
        yield f"{PROJECT} names {before.pop()} already, which is later than {version}"
    if checkout.newest != ".".join(version.split(".")[:2]):
        yield f"the table of rules says that ctxmgr {checkout.newest} replays today's rules, not {version}"
    if checkout.changed:
        yield f"uncommitted changes:\n{checkout.changed}"


def _in_changelog(version: str, sections: list[Section]) -> Iterator[str]:
    """Rule 1."""
    if not sections or sections[0].version != version:
        newest = sections[0].version if sections else "nothing"
        yield f"{CHANGELOG} starts with {newest}, not with {version}"
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
            yield f"{CHANGELOG}: {section.version} is listed below {later.version}"


def versions(name: str, text: str) -> set[str]:
    """All versions in the text of this file."""
    return {match[2] for place in VERSIONED[name] for match in place.finditer(text)}


def _order(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")))


def released(version: str, date: str, checkout: Checkout) -> dict[str, str]:
    """The texts with this version in them and this date in the changelog, by path."""
    heading = f"## {version} ({UNRELEASED})"
    texts = {CHANGELOG: checkout.texts[CHANGELOG].replace(heading, f"## {version} ({date})", 1)}
    for name, places in VERSIONED.items():
        texts[name] = checkout.texts[name]
        for place in places:
            texts[name] = place.sub(rf"\g<1>{version}\g<3>", texts[name])
    return texts


def read(root: Path) -> Checkout:
    texts = {name: (root / name).read_text(encoding="utf-8") for name in (CHANGELOG, *VERSIONED)}
    status = subprocess.run(
        ["git", "status", "--porcelain"], cwd=root, capture_output=True, check=True, encoding="utf-8"
    )
    return Checkout(texts, transcript.RELEASES[transcript.RULES], status.stdout.rstrip())


def main(arguments: list[str] | None = None, root: Path = ROOT) -> int:
    """Returns 0 if it was released, or all is in order; 1 if something prevents it and nothing was written."""
    parser = argparse.ArgumentParser(
        prog="scripts/release",
        description="Writes a version and its date into every file that has one, or builds what is published.",
    )
    parser.add_argument("version", metavar="VERSION", nargs="?", help="such as 0.2.0")
    parser.add_argument("--check", action="store_true", help="only report what prevents the release")
    parser.add_argument(
        "--build", metavar="FOLDER", type=Path, help="build all artifacts of this checkout into FOLDER"
    )
    parsed = parser.parse_args(arguments)
    if (parsed.version is None) == (parsed.build is None):
        parser.error("a VERSION or --build FOLDER is needed")
    if parsed.build:
        return _built(parsed.build.resolve())
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


def _built(folder: Path) -> int:
    try:
        for step in artifacts.build(__version__, folder):
            print(f"{step} ...", flush=True)
    except artifacts.BuildFault as fault:
        print(fault, file=sys.stderr)
        return 1
    for file in sorted(folder.iterdir()):
        print(f"  {file.stat().st_size / 1_000:8,.0f} kB  {file.name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
