"""Lines of packets about checks, commits and changed files: whether the session's own calls confirm them.

1. A line about a check refers to the newest run of its kind or, if it says failed, to a failed run after which the
   same command never passed. The quoted output must be in the run's output; counts may be sums. "Files changed
   since" is confirmed by a call that changed one.
2. If the study cannot tell a run's kind or outcome, the line is not judged: a filter hid its status, another part
   of its line may have failed, or only its wording says so.
3. A commit must be one that a commit command printed, with hash and subject.
4. A file's newest change must be of the kind and by the tool that the line says. If a command of that tool named
   the file since, nobody knows.
5. Content that came since and is shown by the list itself does not contradict a line.

Packets and their lines:

1. A packet is a text that begins with the mark: a message's text, or a summary.
2. A section is identified by its heading, whatever follows in brackets. Instructions, the task and the
   scratchpad are others' words and have no lines here.
3. A line has the form of its section, or none: a packet says nothing outside its grammar, so such a line under a
   heading never holds. Lines above the first heading, about the location of the rest, or about messages that are
   not shown, state nothing that a recording could confirm.
4. Quotations and originals are compared without invisible differences: white space is one space, a quotation mark
   is `'`, and marks of fences, bold text and zero-width characters are dropped.
5. The pieces between cuts (`…`) must occur in one text, in order.
"""

import re
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from typing import Literal

import msgspec

from ctxmgr.model import PACKET_MARK
from ctxmgr.study.probes import wording
from ctxmgr.study.probes.commands import command_line
from ctxmgr.study.probes.history import CommandRun, FileUse, SessionHistory

Section = Literal["head", "now", "user", "state", "answers", "summary", "turns", "rest", "unknown"]
Form = Literal["none", "silent", "user", "assistant", "task", "run", "commit", "file", "answer", "summary"]

HEADINGS: dict[str, Section] = {
    "Now": "now",
    "The user said": "user",
    "State": "state",
    "Asked and answered": "answers",
    "From the summary": "summary",
    "From a branch that was left": "summary",
    "Said at the end of earlier turns": "turns",
    "Where the rest is": "rest",
}
SKIPPED = ("Instructions", "Scratchpad", "The task")
_AFTER = r"(?: after #\d+)?"
_TASK_ID = r"(?: \((?:task )?#\w+\))?"  # for the host's tool
FORMS: dict[Section, tuple[tuple[str, Form], ...]] = {
    "now": (
        (r'- the user asked last(?: \(#\d+\))?: "(.*)"', "user"),
        (r'- the assistant said (?:last|before what follows): "(.*)"', "assistant"),
        (rf"- \[([ ~])\] (.+?){_TASK_ID}", "task"),
    ),
    "user": ((r'- #\d+: "(.*)"', "user"), (r"- #\d+(?: to #\d+)?: not shown", "silent")),
    "state": (
        (
            rf'- (test|lint|types|build): `(.+)` (?:(failed|passed){_AFTER}(, files changed since)?(?:: "(.*)")?'
            rf"|ran{_AFTER}, outcome not shown)",
            "run",
        ),
        (r'- commit ([0-9a-f]{7,40}): "(.*)"', "commit"),
        (r"- (edited|written|deleted)(?: \((?:after #\d+|([^,()]+)(?:, after #\d+)?)\))?: (`.+`)", "file"),
    ),
    "answers": (
        (r'- approved: ".*"', "silent"),
        (r'- (rejected: )?"(.*)" → (?:its result said )?"(.*)"', "answer"),
    ),
    "summary": ((r"#{1,6} .*", "silent"), (rf"(?:[-*] (?:\[.\] )?)?(.+?){_TASK_ID}", "summary")),
    "turns": ((r'- (?:after #\d+|at the start): "(.*)"', "assistant"),),
    "head": ((r".*", "silent"),),
    "rest": ((r".*", "silent"),),
}
_FORMS = {section: tuple((re.compile(text), form) for text, form in forms) for section, forms in FORMS.items()}
_UNSEEN = re.compile(r"```\w*|\*\*|[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]")
_MARK = PACKET_MARK.encode()
_decode = msgspec.json.Decoder().decode


class PacketLine(msgspec.Struct, frozen=True):
    """`parts`: the variable parts of the form, "" for a missing one. Form "none" is unknown."""

    section: Section
    text: str
    form: Form
    parts: tuple[str, ...] = ()


def packets(raw: bytes) -> list[str]:
    """The packets in a message of pi's format (rule 1)."""
    if _MARK not in raw:
        return []
    message = _decode(raw)
    content = message.get("content")
    blocks = content if isinstance(content, list) else [{"text": content}, {"text": message.get("summary")}]
    texts = (block.get("text") for block in blocks if isinstance(block, dict))
    return [text for text in texts if isinstance(text, str) and text.startswith(PACKET_MARK)]


@lru_cache(maxsize=256)
def lines(packet: str) -> tuple[PacketLine, ...]:
    """In order, without the mark and empty lines."""
    parsed: list[PacketLine] = []
    section: Section | None = "head"
    for line in packet.split("\n")[1:]:
        if line.startswith("## "):
            name = line[3:].partition(" (")[0].strip()
            section = None if name.startswith(SKIPPED) else HEADINGS.get(name, "unknown")
        elif section is not None and line.strip():
            parsed += _parsed(section, line.rstrip())
    return tuple(parsed)


def _parsed(section: Section, text: str) -> Iterator[PacketLine]:
    """One per file if a line names several."""
    matches = ((pattern.fullmatch(text), form) for pattern, form in _FORMS.get(section, ()))
    nothing: tuple[re.Match[str] | None, Form] = (None, "none")
    match, form = next((pair for pair in matches if pair[0]), nothing)
    parts = tuple(part or "" for part in match.groups()) if match else ()
    if form != "file":
        yield PacketLine(section, text, form, parts)
        return
    action, tool, paths = parts
    for path in paths.strip("`").split("`, `"):
        yield PacketLine(section, text.replace(paths, f"`{path}`"), form, (action, path, tool))


# quotations


def folded(text: str) -> str:
    """Rule 4."""
    return " ".join(_UNSEEN.sub("", text).replace('"', "'").split())


@lru_cache(maxsize=1 << 12)
def pieces(quoted: str) -> tuple[str, ...]:
    """Rule 5; none if nothing is quoted."""
    return tuple(filter(None, map(folded, quoted.split("…"))))


def within(pieces: Sequence[str], text: str) -> bool:
    """Whether a folded text has these pieces, in this order; False if there are none."""
    for piece in pieces:
        _, found, text = text.partition(piece)
        if not found:
            return False
    return bool(pieces)


KINDS = {
    "test": wording.word_set("test tests unittest pytest jest vitest mocha ctest tox nextest"),
    "types": wording.word_set("mypy pyright tsc tsgo typecheck type types"),
    "lint": wording.word_set("lint eslint ruff biome clippy golangci vet"),
    "build": wording.word_set("build compile"),
}
LISTING = wording.word_set("--version --help --collect-only --co --no-run --dry-run")  # options that run nothing
LAST_CHARACTERS = 400  # of an output, where it says that it was stopped
_NEVER_BEGAN = re.compile(r"\bcode:? 12[67]\b|\bcommand not found\b|sh:(?:\d+:)? no such file", re.IGNORECASE)
_COUNTED = re.compile(r"\b[1-9]\d* (?:tests? )?failed\b")
_STOPPED = re.compile(r"^\W*(?:command |process )?(?:was )?(?:aborted|cancelled|interrupted)\b", re.I | re.M)
_COUNT = re.compile(r"(\d+) ([a-z]+(?: [a-z]+)?)")


class Deeds:
    """The checks, commits and changed files of one session."""

    def __init__(self, history: SessionHistory) -> None:
        self._history = history
        self._runs = [run for run in history.runs if not run.path]
        self._folded = [(run, folded(run.command)) for run in self._runs]
        self._calls = [
            (index, folded(command))
            for index, message in enumerate(history.messages)
            for call in message.calls
            for command in call.did.commands
        ]
        self._runs_of, self._touches_of = cache(self._find_runs), cache(self._find_touches)

    def check_holds(self, parts: Sequence[str], end: int, shown: frozenset[int]) -> bool | None:
        """`parts` of a line: kind, command, outcome ("": not shown), whether files changed since, the output. None:
        unknown.
        """
        kind, command, outcome, changed, printed = parts
        runs = [run for run in self._runs_of(command) if run.message_index < end]
        if not runs:  # nobody knows the outcome of one of several commands in a call
            named = any(index < end and within(pieces(command), text) for index, text in self._calls)
            return None if named else False
        for run in reversed(runs):
            held = self._holds(run, kind, outcome, printed, end, shown)
            if held is not False or not _is_shown(run, shown):
                break
        return None if held and changed and not self._changed_between(run.message_index, end) else held

    def _find_runs(self, command: str) -> list[CommandRun]:
        return [run for run, text in self._folded if within(pieces(command), text)]

    def _changed_between(self, start: int, end: int) -> bool:
        """As far as the study can read calls."""
        return any(start < touch.message_index < end and touch.action != "read" for touch in self._history.touches)

    def _holds(
        self, run: CommandRun, kind: str, outcome: str, printed: str, end: int, shown: frozenset[int]
    ) -> bool | None:
        if printed and not _is_printed(printed, self._output(run)):
            return False
        kinds = _kinds(run.command)
        if kind not in kinds:
            return False if "test" in (kind, *kinds) and kinds else None
        later = [
            later_run
            for later_run in self._runs
            if run.message_index < later_run.message_index < end
            and kind in _kinds(later_run.command)
            and not _is_shown(later_run, shown)
            and not self._tested_nothing(later_run)
        ]
        if later and (
            outcome != "failed"
            or any(one.command == run.command and self._outcome(one, kind) == "passed" for one in later)
        ):
            return False
        ended = self._outcome(run, kind)
        if not ended or (not outcome and command_line(run.command).status_hidden):
            return None
        return ended == outcome

    def _output(self, run: CommandRun) -> str:
        return self._history.messages[run.message_index].text

    def _outcome(self, run: CommandRun, kind: str) -> str:
        """Passed or failed, "" if unknown (rule 2)."""
        if self._tested_nothing(run):
            return ""
        line = command_line(run.command)
        if not run.ended.failed:
            return "passed" if run.ended.telling or not line.status_hidden else ""
        if kind == "test" and _COUNTED.search(self._output(run)):
            return "failed"
        return "failed" if run.ended.by_status and set(map(_kind, line.checks)) == {kind} else ""

    def _tested_nothing(self, run: CommandRun) -> bool:
        """It only lists, a person stopped it, or it never began."""
        output = self._output(run)
        stopped = _STOPPED.search(output[-LAST_CHARACTERS:])
        lists = any(word in LISTING or _is_list_option(word) for word in run.command.split()[1:])
        return bool(lists or stopped or (run.ended.failed and _NEVER_BEGAN.search(output)))

    def commit_holds(self, parts: Sequence[str], end: int) -> bool:
        """`parts` of a line: hash and subject."""
        hash, subject = parts
        return any(
            commit.message_index < end
            and (commit.hash.startswith(hash) or hash.startswith(commit.hash))
            and within(pieces(subject), folded(commit.message))
            for commit in self._history.commits
        )

    def file_holds(self, parts: Sequence[str], end: int, shown: frozenset[int]) -> bool | None:
        """`parts` of a line: kind of change, path, tool ("": not named). None: unknown."""
        kind, path, tool = parts
        last = -1
        for touch in reversed(self._touches_of(path)):
            if touch.message_index < end:
                last = max(last, touch.message_index)
                if (touch.action == "deleted") == (kind == "deleted") and _is_tool(tool, touch.tool):
                    return True
                if shown.isdisjoint((touch.message_index, touch.message_index - 1)):
                    break
        name = path.rpartition("/")[2]
        calls = (call for message in self._history.messages[last + 1 : end] for call in message.calls)
        named = any(
            _is_tool(tool, call.name) and name in command for call in calls for command in call.did.commands
        )
        return None if named else False

    def _find_touches(self, path: str) -> list[FileUse]:
        ending = f"/{self._history.relative(path)}"
        changed = [touch for touch in self._history.touches if touch.action != "read"]
        same = [touch for touch in changed if f"/{touch.path}" == ending]
        return same or [touch for touch in changed if f"/{self._history.cwd}{touch.path}".endswith(ending)]


def _is_printed(printed: str, output: str) -> bool:
    """Rule 1. If the output has no counts (errors by line), any count is accepted."""
    if within(pieces(printed), folded(output)):
        return True
    counts = [_COUNT.fullmatch(part) for part in printed.split(", ")]
    counted = [(int(count[1]), re.findall(rf"(\d+) {count[2]}\b", output)) for count in counts if count]
    return len(counted) == len(counts) and all(
        not numbers or number in (*map(int, numbers), sum(map(int, numbers))) for number, numbers in counted
    )


def _is_list_option(word: str) -> bool:
    """`--list` and its longer names."""
    return word.startswith("--list") and word.removeprefix("--").replace("_", "").isalnum()


def _is_shown(run: CommandRun, shown: frozenset[int]) -> bool:
    return run.call_message_index in shown or run.message_index in shown


@cache
def _kinds(command: str) -> frozenset[str]:
    return frozenset(filter(None, map(_kind, command_line(command).checks)))


def _kind(words: Sequence[str]) -> str:
    """Of one part of a command: by its program, else by the first word that is neither option nor path."""
    named = (*(word.rpartition("/")[2] for word in words[:1]), *(word for word in words[1:] if "/" not in word))
    kinds = (
        kind
        for word in named
        if not word.startswith("-")
        for kind, signs in KINDS.items()
        if not signs.isdisjoint(wording.runs(word.replace("_", " ")))
    )
    return next(kinds, "")


def _is_tool(named: str, name: str) -> bool:
    return named.casefold() in ("", name.casefold())
