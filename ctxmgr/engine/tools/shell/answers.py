"""Turns a command into what its statuses say that are no failures, by the manuals of well-known programs.

Rules:

1. A status is an answer where the program's manual says so: nothing found, differs, not running. What was asked for
   was done.
2. A status may say that nothing has ended yet: `gh pr checks` while checks are pending.
"""

from collections.abc import Mapping

from ctxmgr.engine.tools.effects import CallOutcome
from ctxmgr.engine.tools.shell.words import ShellCommand
from ctxmgr.engine.tools.shell.wrappers import unwrapped_words

Codes = Mapping[int, CallOutcome]

NO_ANSWERS: Codes = {}
TIMED_OUT = 124  # of timeout
PIPE_CLOSED = 141  # of a shell with pipefail, where what reads had enough
PIPED_ANSWERED = 123  # of xargs, where one that it ran did not end with 0


def _table(text: str, codes: Codes) -> dict[str, Codes]:
    return {name.strip(): codes for name in text.split(",")}


_NAMED = {
    **_table(
        "grep, egrep, fgrep, zgrep, rg, ag, ack, git grep, diff, colordiff, sdiff, cmp, git diff, git diff-index"
        ", git diff-files, test, [, [[, expr, false, which, type, hash, command -v, command -V, pgrep, pkill, lsof"
        ", fuser, kill -0, ps -p, nc -z, mountpoint, tty, git merge-base, git check-ignore, git show-ref"
        ", git ls-files, git config, git cat-file, git symbolic-ref, tmux has-session, npm outdated"
        ", pnpm outdated, pip show, pip3 show, brew list, brew outdated, dpkg -s, rpm -q, ssh-add -l"
        ", systemctl is-failed",
        {1: "ok"},
    ),
    **_table("systemctl is-active, systemctl status", {3: "ok", 4: "ok"}),
    **_table("systemctl is-enabled", {1: "ok", 4: "ok"}),
    **_table("jq -e, jq --exit-status", {1: "ok", 4: "ok"}),
    **_table("git ls-remote, terraform plan, tofu plan, getent", {2: "ok"}),  # two of them by an option
    **_table("dnf check-update, yum check-update", {100: "ok"}),
    **_table("gh pr checks", {8: "unknown"}),
}
_DEEPEST = 3  # words of a name


def is_the_systems(command: ShellCommand) -> bool:
    """Is it the program of this name that every system has, and no script of a project (`./scripts/test`)?"""
    word = (command.words[0] or "") if command.words else ""
    return "/" not in word or word.startswith(("/bin/", "/usr/"))


def codes_of(command: ShellCommand) -> Codes:
    """What a command's statuses say that are neither 0 nor failures (rules 1 and 2)."""
    if not is_the_systems(command):
        return NO_ANSWERS
    name, *plain = unwrapped_words(command.words)
    told = [" ".join((name, *plain[:depth])) for depth in range(_DEEPEST)]
    told += [f"{name} {word}" for word in command.words[1:] if word and word.startswith("-")]
    return next((_NAMED[one] for one in told if one in _NAMED), NO_ANSWERS)
