"""A receipt: one prompt, run without and with ctxmgr, each in its own copy of the work tree.

1. Both runs use a proxy, which reads the provider's counts; in the first one every byte passes unchanged. So both
   run behind a base URL, and any loss from that is the same for both.
2. They run one after the other: they do not share the machine, and the second does not read the first one's prompt
   cache, because the paths of the copies are in the prompts and differ.
3. If ctxmgr changed no list in the second run, it saved nothing, however the bills differ: no model answers twice
   in the same way, and the second run may read the first one's cache.
4. The work tree does not change, and the copies are deleted unless you ask to keep them.
5. The whole tree is copied, including its repository and ignored files; links stay links. Anything that is not a
   file, folder or link is skipped. The repository's own folder does not count as a change.
"""

import argparse
import asyncio
import filecmp
import os
import shutil
import tempfile
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from ctxmgr.model import currency
from ctxmgr.programs import proxying, rows
from ctxmgr.programs.program import Launch, check, ended
from ctxmgr.proxy import BilledCall

OWN_FOLDERS = frozenset((".git", ".hg", ".svn"))
HEADINGS = ("", "without ctxmgr", "with ctxmgr")
NAMES = (
    "calls",
    "  with a pruned list",
    "input tokens",
    "  not cached",
    "  read from cache",
    "  written to cache",
    "output tokens",
    currency.NAME,
    "seconds",
    "exit code",
    "files changed",
)


class TreeChanges(msgspec.Struct, frozen=True):
    """Paths in the tree, sorted."""

    added: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    deleted: tuple[str, ...] = ()

    @property
    def all(self) -> tuple[str, ...]:
        return tuple(sorted((*self.added, *self.changed, *self.deleted)))


def copied(tree: Path, to: Path) -> Path:
    """Copies the tree. Raises OSError."""
    return Path(shutil.copytree(tree, to, symlinks=True, ignore=_special))


def changes(before: Path, after: Path) -> TreeChanges:
    """The differences of the second tree."""
    old, new = set(_files(before)), set(_files(after))
    return TreeChanges(
        tuple(sorted(new - old)),
        tuple(sorted(path for path in old & new if not same(before / path, after / path))),
        tuple(sorted(old - new)),
    )


def alike(left: Path, right: Path, paths: tuple[str, ...]) -> bool:
    """Whether both trees have the same content at these paths."""
    return all(same(left / path, right / path) for path in paths)


def same(left: Path, right: Path) -> bool:
    """Whether two paths are files with the same content, links to the same place, or both missing."""
    if left.is_symlink() or right.is_symlink():
        return left.is_symlink() and right.is_symlink() and os.readlink(left) == os.readlink(right)
    if not (left.is_file() and right.is_file()):
        return left.exists() == right.exists()
    return filecmp.cmp(left, right, shallow=False)


def _files(tree: Path) -> Iterator[str]:
    for folder, folders, names in os.walk(tree):
        folders[:] = [name for name in folders if name not in OWN_FOLDERS]
        linked = [name for name in folders if (Path(folder) / name).is_symlink()]
        for name in (*names, *linked):
            yield str((Path(folder) / name).relative_to(tree))


def _special(folder: str, names: list[str]) -> list[str]:
    paths = ((name, Path(folder) / name) for name in names)
    return [name for name, path in paths if not (path.is_symlink() or path.is_file() or path.is_dir())]


class TrialRun(msgspec.Struct, frozen=True, rename="camel"):
    """One run: how it ended, what the provider counted, how long it took, and what it changed.
    `rewritten_call_count`: calls with a pruned list; `price_notes`: the prices used for the dollars, if not the
    model's own.
    """

    exit_code: int
    call_count: int
    rewritten_call_count: int
    seconds: float
    billed: BilledCall
    changes: TreeChanges
    price_notes: tuple[str, ...] = ()


class TrialReceipt(msgspec.Struct, frozen=True, rename="camel"):
    """`alike`: both changed the same files, to the same content."""

    direct: TrialRun
    managed: TrialRun
    alike: bool
    folder: str | None


def run(parsed: argparse.Namespace, environ: Mapping[str, str] = os.environ) -> int:
    """Prints the receipt. The exit code is 1 if one of the runs failed."""
    return proxying.exit_code(lambda: _shown(parsed, dict(environ)))


def _shown(parsed: argparse.Namespace, environ: dict[str, str]) -> int:
    example = "put the prompt after --, for example: ctxmgr ab -- Fix the failing test"
    receipt = _receipt(parsed, " ".join(proxying.behind_dashes(parsed.prompt, example)), environ)
    if parsed.json:
        print(msgspec.json.format(msgspec.json.encode(receipt), indent=2).decode())
    else:
        print("\n".join(lines(receipt)))
    return 1 if receipt.direct.exit_code or receipt.managed.exit_code else 0


def _receipt(parsed: argparse.Namespace, prompt: str, environ: dict[str, str]) -> TrialReceipt:
    tree = Path.cwd()
    folder = tempfile.mkdtemp(prefix="ctxmgr-ab-")
    try:
        copies = [copied(tree, Path(folder) / name / tree.name) for name in ("direct", "managed")]
        direct, managed = (
            asyncio.run(_ran(parsed, prompt, environ, copy, tree, observe))
            for copy, observe in zip(copies, (True, False), strict=True)
        )
        paths = direct.changes.all
        same = paths == managed.changes.all and alike(copies[0], copies[1], paths)
        return TrialReceipt(direct, managed, same, folder if parsed.keep else None)
    finally:
        if not parsed.keep:
            shutil.rmtree(folder, ignore_errors=True)


async def _ran(
    parsed: argparse.Namespace, prompt: str, environ: dict[str, str], copy: Path, tree: Path, observe: bool
) -> TrialRun:
    program = rows.by_command(parsed.program)
    assert program is not None
    check(program.command, environ)
    arguments = (*program.asks, prompt, *parsed.arg)
    launch = Launch(arguments, {**environ, "PWD": str(copy)}, str(copy))
    flags = argparse.Namespace(**{**vars(parsed), "observe": observe, "holdout": 0})
    of = proxying.Keeping(False, False, program.command)
    made = proxying.proxy(flags, proxying.upstream_of(parsed, program, launch), of=of)
    start = time.monotonic()
    async with made:
        hooked = program.hook(launch, made.url, made.settings.upstream)
        code = await ended(program.command, hooked, quiet=True)
        seconds = time.monotonic() - start
    account = made.rewriter.account
    calls, rewritten, notes = account.calls, account.rewritten_calls, account.price_notes
    return TrialRun(code, calls, rewritten, round(seconds, 1), account.sent, changes(tree, copy), notes)


def lines(receipt: TrialReceipt) -> list[str]:
    """Lines for people, a verdict first."""
    direct, managed = receipt.direct, receipt.managed
    columns = zip(NAMES, _column(direct), _column(managed), strict=True)
    table = [f"{name:<20}{left!s:>14}{right!s:>14}" for name, left, right in [HEADINGS, *columns]]
    same = "both runs made the same changes" if receipt.alike else "the runs made different changes"
    only = [f"  {word}: {path}" for word, path in _differing(receipt)]
    kept = [f"copies: {receipt.folder}"] if receipt.folder else []
    notes = dict.fromkeys((*direct.price_notes, *managed.price_notes))
    return [f"{_verdict(direct, managed)}; {same}", "", *table, *notes, *only, *kept]


def _differing(receipt: TrialReceipt) -> list[tuple[str, str]]:
    direct, managed = set(receipt.direct.changes.all), set(receipt.managed.changes.all)
    return [("only without ctxmgr", path) for path in sorted(direct - managed)] + [
        ("only with ctxmgr", path) for path in sorted(managed - direct)
    ]


def _verdict(direct: TrialRun, managed: TrialRun) -> str:
    own, pruned = direct.billed, managed.billed
    before, after, what = own.input_tokens, pruned.input_tokens, "tokens"
    if own.dollars is not None and pruned.dollars is not None:
        before, after, what = own.dollars, pruned.dollars, currency.NAME
    if not before:
        return "the provider counted no tokens"
    if not managed.rewritten_call_count:
        return "ctxmgr changed no list and saved nothing: any difference is chance"
    share = (after - before) / before
    return f"with ctxmgr {abs(share):.0%} {'more' if share > 0 else 'fewer'} {what}"


def _column(run: TrialRun) -> tuple[Any, ...]:
    """The column for `NAMES`."""
    bill = run.billed
    tokens = (bill.input_tokens, bill.fresh_tokens, bill.read_tokens, bill.written_tokens, bill.output_tokens)
    return (
        run.call_count,
        run.rewritten_call_count,
        *(f"{count:,.0f}" for count in tokens),
        "unknown" if bill.dollars is None else currency.amount(bill.dollars, ",.3f"),
        run.seconds,
        run.exit_code,
        len(run.changes.all),
    )
