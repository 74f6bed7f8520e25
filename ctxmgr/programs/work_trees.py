"""Copies of a work tree, and what a program changed in one.

1. All of the tree is copied, its repository and what is not in it too; links stay links. What is no file, folder or
   link is left out.
2. A repository's own folder is no change of the work.
"""

import filecmp
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import msgspec

OWN_FOLDERS = frozenset((".git", ".hg", ".svn"))


class TreeChanges(msgspec.Struct, frozen=True):
    """Paths in the tree, sorted."""

    added: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    deleted: tuple[str, ...] = ()

    @property
    def all(self) -> tuple[str, ...]:
        return tuple(sorted((*self.added, *self.changed, *self.deleted)))


def copied(tree: Path, to: Path) -> Path:
    """Raises OSError."""
    shutil.copytree(tree, to, symlinks=True, ignore=_special)
    return to


def changes(before: Path, after: Path) -> TreeChanges:
    """What the second tree has differently."""
    old, new = set(_files(before)), set(_files(after))
    return TreeChanges(
        tuple(sorted(new - old)),
        tuple(sorted(path for path in old & new if not same(before / path, after / path))),
        tuple(sorted(old - new)),
    )


def alike(one: Path, other: Path, paths: tuple[str, ...]) -> bool:
    """Do both trees hold the same at these paths?"""
    return all(same(one / path, other / path) for path in paths)


def same(one: Path, other: Path) -> bool:
    """Two files of one content, two links to one place, or two that are not there."""
    if one.is_symlink() or other.is_symlink():
        return one.is_symlink() and other.is_symlink() and os.readlink(one) == os.readlink(other)
    if not (one.is_file() and other.is_file()):
        return one.exists() == other.exists()
    return filecmp.cmp(one, other, shallow=False)


def _files(tree: Path) -> Iterator[str]:
    for folder, folders, names in os.walk(tree):
        folders[:] = [name for name in folders if name not in OWN_FOLDERS]
        linked = [name for name in folders if (Path(folder) / name).is_symlink()]
        for name in (*names, *linked):
            yield str((Path(folder) / name).relative_to(tree))


def _special(folder: str, names: list[str]) -> list[str]:
    paths = ((name, Path(folder) / name) for name in names)
    return [name for name, path in paths if not (path.is_symlink() or path.is_file() or path.is_dir())]
