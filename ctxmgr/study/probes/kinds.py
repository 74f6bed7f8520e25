"""The kinds of probes: the questions that the history of a session answers up to some place.

1. A constraint is a sentence of the user that demands or forbids; a correction is one that says that something is
   wrong. A question counts if the assistant's message before the user's ends with one.
2. A file's state is that of its last change. It is used if the file is touched or named again; its content is used
   if the next touch is a change, which is then made from memory.
3. An error is open while the same command, or an edit of the same file, has not succeeded since, and git has not
   done for other arguments what it refused. Lines of an output are asked for in pieces of six words, like
   sentences.
4. A next step is a sentence that announces what comes, by patterns, in English. A task is used while it is not
   done.
5. Instructions are what a file of rules, a skill or a host told the model to follow; all their lines are asked for.
   A file is recognized by its name (CLAUDE.md, AGENTS.md, GEMINI.md, SKILL.md), and its content by the result of a
   successful call that looked at it alone. A newer read of the same file replaces it. A tool with the word skill in
   its name brings one; a line that only says that it was launched does not. What a host puts beside the user's
   words is in tags or under a heading that names such a file.

They know nothing of policies, lists or grades.

The same session and window give the same questions (`examined`). They are asked
1. at EVEN points, evenly spaced over the tokens from FROM_TOKENS on: the ends of equal stretches, the last at the
   last call;
2. where the list first reaches each of SHARES of the window;
3. where the recorded host had compacted.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import accumulate
from typing import TypeVar

import msgspec

from ctxmgr.study.observations import paths
from ctxmgr.study.probes import timeline, wording
from ctxmgr.study.probes.commands import command_line
from ctxmgr.study.probes.evidence import (
    Evidence,
    Exact,
    FactState,
    PathMention,
    PathState,
    Probe,
    ProbeKind,
    ProbePart,
    TextState,
    Wording,
)
from ctxmgr.study.probes.history import CommandRun, FileUse, SessionHistory
from ctxmgr.study.probes.messages import SessionCall, SessionMessage, name_words, read_message
from ctxmgr.study.probes.timeline import Timeline
from ctxmgr.study.recordings import Recording

T = TypeVar("T")

GOAL_CHARACTERS = 400
ASK_CHARACTERS = 300
COMMAND_CHARACTERS = 240
ASKS = 3
QUESTIONS = 3
ERRORS = 6
TESTS = 3
STATES = 25  # newest changed files whose content is asked for
NEXT_WITHIN = 20  # replies; what was announced before that is no next step any more
LEAST_WORDS = 5
NO_BRANCH = frozenset({"main", "master", "HEAD", "trunk"})  # whoever works on it needs no memory for that

# inserted by hosts, and commands that they execute themselves (`/model`)
_NOT_SAID = re.compile(
    r"\s*(?:\[Request interrupted|<(?:bash-|local-command|command-|system-reminder)|/[\w:-]+\s*$)"
)
_DEMANDS = re.compile(
    r"\b(?:must|never|always|don'?t|do not|should(?:n'?t| not)?|need(?:s)? to|has to|have to|make sure|ensure|only"
    r"|no need|required?|not allowed|avoid|without|leave|keep|prefer|instead of|let'?s not|stop)\b",
    re.IGNORECASE,
)
_CORRECTS = re.compile(
    r"(?:^|[,;:.] ?)(?:no|nope|nah|wrong|actually|wait)\b[,. ]|\bnot (?:correct|right|true|what|quite|the)\b"
    r"|\bwrong\b|\bincorrect\b|\bi (?:meant|mean|said|asked)\b|\b(?:still|again) (?:not|broken|fails?|wrong"
    r"|the same)\b"
    r"|\b(?:doesn'?t|does not|didn'?t|did not|isn'?t|is not) (?:work|look|right|correct|what)\w*|\brevert\b"
    r"|\bundo\b|\bshould(?:n'?t| not)? (?:have|be)\b|\bwhy did you\b",
    re.IGNORECASE,
)
_NEXT = re.compile(
    r"(?:^|[.;:,] |\band )(?:now |next,? |then |so )?(?:i'll|i will|i'm going to|i am going to|let me|let's"
    r"|i'm (?:now )?(?!not)\w+ing|next (?:step|up|i)|next:|i need to|now i need)\b",
    re.IGNORECASE,
)

RULE_FILES = wording.word_set("claude.md agents.md gemini.md skill.md")
LAUNCHES = tuple(f"{verb} skill" for verb in ("launching", "loading", "running"))
_HOSTS = re.compile(
    r"(?:Contents of \S*|# )(?:CLAUDE|AGENTS|GEMINI)\.md\b.*?(?=\n</system-reminder>|\n</INSTRUCTIONS>|\Z)",
    re.DOTALL,
)
_PART = frozenset(("offset", "limit", "start_line", "end_line", "view_range", "range"))  # only a part is read
_CUTS = re.compile(r"\||\b(?:head|tail|sed|awk|grep|rg)\b")


def probes(history: SessionHistory, end: int) -> tuple[Probe, ...]:
    """Everything that can be asked before message number `end`. Probes without a word are skipped."""
    families = (_of_user, _of_instructions, _of_files, _of_runs, _of_commits, _of_env, _of_next, _of_tasks)
    return tuple(
        probe
        for family in families
        for probe in family(history, end)
        if all(
            evidence.pieces for part in probe.parts for evidence in part.evidence if isinstance(evidence, Wording)
        )
    )


def request(message: SessionMessage) -> str:
    """The prose of what the user said; "" if a host or nobody said it."""
    if message.role != "user" or _NOT_SAID.match(message.text):
        return ""
    text = wording.prose(message.text)
    return text if wording.words(text) else ""


def _of_user(history: SessionHistory, end: int) -> Iterator[Probe]:
    requests = [(index, text) for index, message in enumerate(history.messages[:end]) if (text := request(message))]
    if requests:
        yield _quote("goal", "What was asked for at the start?", wording.shortened(requests[0][1], GOAL_CHARACTERS))
    for _, text in requests:
        for sentence in wording.sentences(text):
            if sentence.endswith("?"):
                continue
            if _CORRECTS.search(sentence):
                yield _quote("correction", "What did the user put right?", sentence)
            elif _DEMANDS.search(sentence):
                yield _quote("constraint", "What did the user demand or forbid?", sentence)
    for number, (_, text) in enumerate(reversed(requests[-ASKS:]), 1):
        question = f"What did the user ask for, request {number} from the end?"
        yield _quote("asks", question, wording.shortened(text, ASK_CHARACTERS))
    answered = [(asked, text) for index, text in requests if (asked := _question_before(history, index))]
    for asked, text in answered[-QUESTIONS:]:
        answer = wording.shortened(text, ASK_CHARACTERS)
        used = any(history.mentioned_again(name, end) for name in wording.references(f"{asked}\n{answer}"))
        parts = (_wording_part(asked, 0.5), _wording_part(answer, 0.5))
        yield Probe("question", f"What did the user answer to: {asked}", wording.readable(answer), parts, used)


def _quote(kind: ProbeKind, question: str, answer: str) -> Probe:
    return Probe(kind, question, wording.readable(answer), (_wording_part(answer),), used=True)


def _wording_part(text: str, weight: float = 1.0) -> ProbePart:
    return ProbePart(weight, (Wording(wording.pieces(text)),))


def _question_before(history: SessionHistory, index: int) -> str:
    """The last question of the assistant's message before this one, if it ends with one."""
    speakers = (message for message in reversed(history.messages[:index]) if message.role in ("user", "assistant"))
    before = next(speakers, None)
    if before is None or before.role == "user" or "?" not in before.text.rstrip()[-600:]:
        return ""
    questions = [sentence for sentence in wording.sentences(before.text) if sentence.rstrip("*_) ").endswith("?")]
    return questions[-1] if questions else ""


def _of_instructions(history: SessionHistory, end: int) -> Iterator[Probe]:
    texts: dict[str, str] = {}
    open_calls: dict[str, str] = {}
    for message in history.messages[:end]:
        for call in message.calls:
            open_calls.pop(call.id, None)  # ids repeat
            if source := _instruction_source(call):
                open_calls[call.id] = source
        if message.call_id in open_calls and not message.failed:
            source = open_calls.pop(message.call_id)
            texts[source] = "" if message.text.lower().startswith(LAUNCHES) else message.text
        elif message.role == "user":
            for text in _HOSTS.findall(message.text):
                heading, _, texts[heading] = text.partition("\n")
    for source, text in texts.items():
        if pieces := wording.line_pieces(text.split("\n")):
            part = ProbePart(1.0, (Wording(pieces),))
            yield Probe("instructions", f"What is to be gone by, of {source}?", text, (part,), used=True)


def _instruction_source(call: SessionCall) -> str:
    """What instructions a call brings, "" for none."""
    looked_at, commands = call.did.looked_at, call.did.commands
    if "skill" in name_words(call.name):
        return f"{call.name} {sorted(call.arguments.items())}"
    if len(looked_at) != 1 or call.did.changes or looked_at[0].rpartition("/")[2].lower() not in RULE_FILES:
        return ""
    is_part = not _PART.isdisjoint(call.arguments) or any(map(_CUTS.search, commands))
    return "" if is_part or len(commands) > 1 else looked_at[0]


def _of_files(history: SessionHistory, end: int) -> Iterator[Probe]:
    before = [touch for touch in history.touches if touch.message_index < end]
    changed = _newest((touch.path, touch) for touch in before if touch.action != "read")
    looked_at = dict.fromkeys(touch.path for touch in before if touch.action == "read")
    later = {touch.path: touch for touch in reversed(history.touches) if touch.message_index >= end}  # the first

    def is_used(path: str) -> bool:
        return path in later or history.mentioned_again(path.rpartition("/")[2], end)

    for path, touch in changed.items():
        parts = (ProbePart(0.5, (PathMention(path),)), ProbePart(0.5, (_state(touch),)))
        yield Probe("files.modified", f"What was done to {path}?", touch.action, parts, is_used(path))
    for path in looked_at:
        if path not in changed:
            mention = ProbePart(1.0, (PathMention(path),))
            yield Probe("files.read", "Which files were looked at?", path, (mention,), is_used(path))
    for path, touch in list(changed.items())[-STATES:]:
        question = f"What did the last change of {path} put there?"
        used = path in later and later[path].action != "read"
        answer = "\n".join(touch.lines) or touch.action
        yield Probe("file.state", question, answer, _content(touch), used, path)


def _newest(pairs: Iterable[tuple[str, T]]) -> dict[str, T]:
    """The newest value of each key, ordered by age, newest last."""
    found: dict[str, T] = {}
    for key, value in pairs:
        found.pop(key, None)
        found[key] = value
    return found


def _state(touch: FileUse) -> PathState:
    return PathState(touch.path, "deleted" if touch.action == "deleted" else "changed")


def _content(touch: FileUse) -> tuple[ProbePart, ...]:
    lines = wording.line_pieces(touch.lines)
    weight = 0.25 if lines else 0.5
    parts = (ProbePart(weight, (PathMention(touch.path),)), ProbePart(weight, (_state(touch),)))
    return (*parts, ProbePart(0.5, (Wording(lines),))) if lines else parts


def _of_runs(history: SessionHistory, end: int) -> Iterator[Probe]:
    newest = _newest((run.key, run) for run in history.runs if run.message_index < end)
    later = {run.key for run in history.runs if run.message_index >= end}
    changed = {
        touch.path: touch.message_index
        for touch in history.touches
        if touch.message_index < end and touch.action != "read"
    }
    failed = [
        run
        for run in newest.values()
        if run.ended.failed
        and run.ended.errors
        and changed.get(run.path, -1) <= run.message_index
        and not _git_went_on(run, newest.values())
    ]
    for run in failed[-ERRORS:]:
        lines = tuple(Wording(wording.pieces(line)) for line in run.ended.errors)
        answer = "\n".join(run.ended.errors)
        used = run.key in later or any(history.mentioned_again(name, end) for name in wording.references(answer))
        subject = wording.shortened(run.command, COMMAND_CHARACTERS)
        command: Evidence = PathMention(run.path) if run.path else Wording(_command_pieces(run))
        parts = (ProbePart(0.5, (command,)), ProbePart(0.5, lines, best=True))
        yield Probe("errors", f"What did this fail with: {subject}", answer, parts, used, subject)
    for run in [run for run in newest.values() if run.check][-TESTS:]:
        yield _test(run, run.key in later)


def _git_went_on(failed: CommandRun, newest: Iterable[CommandRun]) -> bool:
    """Whether git later did what a run of it last failed in, or committed the merge that it refused."""
    verbs = [words[0] for words in command_line(failed.command).git_calls][-1:]
    verbs += ["commit"] if verbs == ["merge"] else []
    later = (run for run in newest if run.message_index > failed.message_index and not run.ended.failed)
    return any(words[0] in verbs for run in later for words in command_line(run.command).git_calls)


def _command_pieces(run: CommandRun) -> tuple[str, ...]:
    return wording.pieces(wording.shortened(run.command, COMMAND_CHARACTERS))


def _test(run: CommandRun, used: bool) -> Probe:
    command = _command_pieces(run)
    lines = tuple(piece for line in run.ended.telling or run.ended.errors for piece in wording.pieces(line))
    state: FactState = "failed" if run.ended.failed else "working"
    outcome = ProbePart(0.5, (Wording(lines), TextState(command, state)), best=True)
    named = ProbePart(0.5 if lines else 1.0, (Wording(command),))
    parts = (named, outcome) if lines else (named,)
    question = f"How did this end: {wording.shortened(run.command, COMMAND_CHARACTERS)}"
    return Probe("tests", question, "\n".join(run.ended.telling) or state, parts, used)


def _of_commits(history: SessionHistory, end: int) -> Iterator[Probe]:
    for commit in history.commits:
        if commit.message_index < end:
            parts = (ProbePart(0.5, (Exact(commit.hash),)), _wording_part(commit.message, 0.5))
            used = _is_spoken(history, commit.hash, end)
            yield Probe("commits", f"Which commit is: {commit.message}?", commit.hash, parts, used)


def _of_env(history: SessionHistory, end: int) -> Iterator[Probe]:
    for what, values in (("branch", history.branches), ("directory", history.directories)):
        name = next((said for index, said in reversed(values) if index < end), "")
        if name and name not in NO_BRANCH:
            # for a directory the last two components
            text = "/".join(name.rstrip("/").split("/")[-2:]) if name.startswith(("/", "~")) else name
            part = ProbePart(1.0, (Exact(text),))
            yield Probe("env", f"Which {what} is worked in?", name, (part,), _is_spoken(history, name, end))


def _is_spoken(history: SessionHistory, text: str, end: int) -> bool:
    """By user or assistant from `end` on, exactly."""
    return any(text in spoken for spoken in history.spoken[end:])


@lru_cache(maxsize=1 << 14)
def _announced(text: str) -> str:
    """The last sentence of a reply that says what comes next, "" for none."""
    announced = list(filter(_NEXT.search, wording.sentences(text, LEAST_WORDS)))
    return announced[-1] if announced else ""


def _of_next(history: SessionHistory, end: int) -> Iterator[Probe]:
    replies = [reply for reply in history.messages[:end] if reply.role == "assistant"][-NEXT_WITHIN:]
    sentence = next(filter(None, (_announced(reply.text) for reply in reversed(replies))), "")
    if sentence:
        yield Probe("next", "What was announced as the next step?", sentence, (_wording_part(sentence),), used=True)


def _of_tasks(history: SessionHistory, end: int) -> Iterator[Probe]:
    for task in next((tasks for index, tasks in reversed(history.tasks) if index < end), ()):
        names = (*wording.pieces(task.text)[:1], *((f" taskid {task.id.lower()} ",) if task.id else ()))
        state = TextState(names, "done" if task.done else "open")
        parts = (_wording_part(task.text, 0.5), ProbePart(0.5, (state,)))
        answer = "done" if task.done else "not done"
        yield Probe("tasks", f"How does this task stand: {task.text}", answer, parts, not task.done)


EVEN = 8
FROM_TOKENS = 30_000
SHARES = (0.5, 0.7, 0.9, 1.0)


class Point(msgspec.Struct, frozen=True):
    """`end`: the number of messages before the model's call. `reply`: id of the entry that answered it."""

    end: int
    reply: str
    probes: tuple[Probe, ...]


class Examined(msgspec.Struct, frozen=True):
    """One session at one window. `names`: how many of its files have this last component."""

    course: Timeline
    history: SessionHistory
    points: tuple[Point, ...]
    names: dict[str, int]


def examined(recording: Recording, window: int, weigh: Callable[[bytes], int]) -> Examined:
    """`window` in tokens; `weigh`: bytes of a message to tokens."""
    course = timeline.of(recording)
    history = SessionHistory([read_message(item.raw) for item in course.items], recording.cwd)
    before = list(accumulate((weigh(item.raw) for item in course.items), initial=0))
    compacted = []
    call_count = 0
    for entry in recording.entries:
        if entry.kind == "compaction":
            compacted.append(call_count)
        call_count += entry.kind == "message" and entry.role == "assistant"
    ends = [call.end_index for call in course.calls]
    calls = points([before[end] for end in ends], window, compacted)
    asked = tuple(Point(ends[call], course.items[ends[call]].id, probes(history, ends[call])) for call in calls)
    return Examined(course, history, asked, names_of(history))


def points(weights: Sequence[int], window: int, compacted: Iterable[int] = ()) -> tuple[int, ...]:
    """Numbers of calls, ascending, unique. `weights`: tokens of the whole list at each call. `window` in tokens.
    `compacted`: numbers of the first calls after a recorded compaction.
    """
    wanted = [share * window for share in SHARES]
    if weights and weights[-1] > FROM_TOKENS:
        wanted += [FROM_TOKENS + (weights[-1] - FROM_TOKENS) * number / EVEN for number in range(1, EVEN + 1)]
    first = (next((call for call, weight in enumerate(weights) if weight >= tokens), None) for tokens in wanted)
    calls = {call for call in first if call is not None} | {call for call in compacted if call < len(weights)}
    return tuple(sorted(calls))


def names_of(history: SessionHistory) -> dict[str, int]:
    """Last components of all paths that were touched or mentioned, with the number of directories that have
    each.
    """
    named = {touch.path for touch in history.touches}
    for message, spoken in zip(history.messages, history.spoken, strict=True):
        named.update(paths(f"{message.text}\n{spoken}"))
    endings = {tuple(path.lower().split("/")[-2:]) for path in named}
    return Counter(ending[-1] for ending in endings if len(ending) > 1)
