"""Writes a packet from what is known. Its parts are below, the highest priority first. Nothing is classified by its
wording:

1. *Now*: what the user asked last and the assistant said last, and the open items of the host's own task list.
2. *The user said*: every message of the user that is not shown, word for word. The first and the newest have the
   highest priority, those of a few tokens the lowest. If there are too many, the long ones except the first are
   shortened to their beginning and end.
3. *State*: how each kind of check ended last, commits that exist, files that were changed.
4. *Asked and answered*, through a host's tool that asks.
5. *From the summary*: its statements under its own headings; a summary in prose, paragraph by paragraph.
6. *Said at the end of earlier turns*: the last paragraph of the newest few. Older ones are out of date.
"""

from collections.abc import Collection, Container, Iterable, Iterator, Mapping, Sequence

import msgspec

from ctxmgr.engine.memory.command_log import END_CHARACTERS, PATH_CHARACTERS, commit_line, run_line
from ctxmgr.engine.memory.facts import with_id
from ctxmgr.engine.memory.fill import FlexiblePart, Part, fill, newest_first, part_of
from ctxmgr.engine.memory.ledger import SAID_OR_DONE, LedgerView, record_of
from ctxmgr.engine.memory.scratchpad import SCRATCHPAD_HEADING, scratchpad_in, scratchpad_lines
from ctxmgr.engine.memory.user_words import user_lines
from ctxmgr.engine.memory.wording import code, one_line, plain, quotation
from ctxmgr.engine.tools import paths
from ctxmgr.model import PACKET_MARK, Message, PacketTokens, Policy, Weigh, Zone
from ctxmgr.model.saved import APPROVED, KINDS, REJECTED, Fact, Ledger, RawSummary, Slot, State

MOST_IN_LINE = 8  # files
NOW_CHARACTERS = 400
USER_CHARACTERS, LEAST_CHARACTERS = 4_000, 120  # of one message: the most with which all fit
FIRST_CHARACTERS = 600  # of the first message, at least
PART_TOKENS = 12  # of a part without its lines: separators, and the note on how many lines are not shown
USERS_HEADING = "## The user said (word for word, by number)"
USER_SHARE = 0.5  # of the budget; also gets what the other parts leave
SHORT_TOKENS = 4  # of a message ("ok, go on") that says nothing without the message it answers
NEWEST_ENDS, NEWEST_COMMITS = 3, 5
KNOWN_CHARACTERS = 60  # of a message, enough to recognise it
ITEM_CHARACTERS = 600  # of one of a summary's statements
BOXES = {"active": "[~]", "open": "[ ]", "blocked": "[!]", "done": "[x]"}


def parts_of(
    record: LedgerView, scratchpad: str, where: Part, budget: int, weigh: Weigh
) -> list[Part | FlexiblePart]:
    """The parts that are not empty. `where` says how to get what was removed; it comes last. `budget`: tokens for
    all parts.
    """
    newest = record.earlier + len(record.requests)
    asked = record.unseen.get(newest)
    now = part_of("## Now", [*_last(record, newest, asked), *open_tasks(record)], 0.3)
    noted = scratchpad_lines(scratchpad)
    others = [
        part_of(SCRATCHPAD_HEADING, noted, 0.3, newest_first(len(noted))),
        _state(record),
        *(
            part_of(KINDS[slot].heading, lines, KINDS[slot].share, newest_first(len(lines)))
            for slot, lines in own_lines(record).items()
        ),
        *_summaries(record),
        _ends(record),
        where,
    ]
    beside = [part for part in (now, *others) if part.lines]
    between = PART_TOKENS * (len(beside) + 1) + weigh(USERS_HEADING)
    unseen = {number: fact for number, fact in record.unseen.items() if asked is None or number != newest}

    def users(room: int) -> Part:
        return _users(unseen, max(int(USER_SHARE * budget), room - between), weigh)

    return [now, users, *(part for part in others if part.lines)] if now.lines else [users, *beside]


def open_tasks(record: LedgerView) -> list[str]:
    """A line for each open task of the host's own list, active tasks first."""
    tasks = [fact for fact in record.of("task", "assistant") if fact.status in ("open", "active", "blocked")]
    tasks = sorted(tasks, key=lambda fact: fact.status != "active")
    return [f"- {BOXES[task.status]} {with_id(one_line(task.text), task.key)}" for task in tasks]


def own_lines(record: LedgerView) -> dict[Slot, list[str]]:
    """Lines by kind of fact, for the kinds that have a part of their own."""
    return {
        slot: [_statement(fact) for fact in record.of(slot, *SAID_OR_DONE)]
        for slot, kind in KINDS.items()
        if kind.heading
    }


def approved_plan_text(record: LedgerView) -> str:
    """The newest plan that the user approved, whole, or ""."""
    plans = [fact.detail for fact in record.of("question", "user") if fact.status == APPROVED]
    return plans[-1] if plans else ""


def _statement(fact: Fact) -> str:
    """The line of a fact. For questions: what a tool asked and the user answered, a plan, or a call that the user
    rejected.
    """
    if fact.kind != "question":
        return f"- {one_line(': '.join(filter(None, (fact.text, fact.detail))), ITEM_CHARACTERS)}"
    reply = quotation(fact.detail, ITEM_CHARACTERS) if fact.detail else "nothing more"
    if fact.status == APPROVED:
        return f'- approved: "{one_line(fact.text, ITEM_CHARACTERS)}"'
    if fact.status == REJECTED:
        by = "" if fact.source == "user" else "its result said "  # a tool may have printed it
        return f'- rejected: "{one_line(fact.text, ITEM_CHARACTERS)}" → {by}{reply}'
    return f"- {quotation(fact.text, ITEM_CHARACTERS)} → {reply}"


def runs(record: LedgerView) -> list[str]:
    """A line for each kind of check: how it ended last."""
    return [run_line(fact, record.after(fact), record.is_overtaken(fact)) for fact in record.of("command", "tool")]


def commits(record: LedgerView) -> list[str]:
    """A line for each commit that is known to exist, the newest last."""
    return [commit_line(fact) for fact in record.of("value", "tool")]


def changed_files(record: LedgerView) -> tuple[str, list[str]]:
    """(the directory that nearly all changed files are under, or ""; a line for the files that one tool changed in
    one turn, the newest last).
    """
    files = [fact for fact in record.of("file", "tool", "summary", "branch") if fact.status != "read"]
    whole = paths.same(fact.text for fact in files)
    newest = {whole.get(fact.text, fact.text): fact for fact in files}
    root = common_root(newest)
    groups: dict[str, list[str]] = {}
    for path, fact in newest.items():
        by = ", ".join(filter(None, (fact.detail, _after(record.after(fact)).strip())))
        change = f"{fact.status} ({by})" if by else fact.status  # `edited (Edit, after #5)`
        groups.setdefault(change, []).append(code(path.removeprefix(root) or path, PATH_CHARACTERS))
    return root, [
        f"- {change}: {', '.join(some)}"
        for change, every in groups.items()
        for some in (every[start : start + MOST_IN_LINE] for start in range(0, len(every), MOST_IN_LINE))
    ]


def common_root(files: Collection[str]) -> str:
    """The directory that nearly all of these paths are under. Returns "" without one, or if a path is relative."""
    return paths.root_of(files) if all(map(paths.is_absolute, files)) else ""


def _last(record: LedgerView, newest: int, asked: Fact | None) -> Iterator[str]:
    if asked is not None:
        yield f"- the user asked last (#{newest}): {quotation(asked.text, NOW_CHARACTERS)}"
    if record.last_words is not None:
        yield f"- the assistant said before what follows: {quotation(record.last_words.text, NOW_CHARACTERS)}"


def _users(unseen: Mapping[int, Fact], room: int, weigh: Weigh) -> Part:
    """What the user said (part 2)."""
    lines = user_lines(unseen.items(), USER_CHARACTERS, LEAST_CHARACTERS, room, weigh, first=FIRST_CHARACTERS)
    weighty = [index for index, fact in enumerate(unseen.values()) if weigh(fact.text) > SHORT_TOKENS]
    ranked = dict.fromkeys([*range(len(lines))[:1], *reversed(weighty), *newest_first(len(lines))])
    return part_of(USERS_HEADING, lines, USER_SHARE, ranked)


def _state(record: LedgerView) -> Part:
    root, files = changed_files(record)
    heading = f"## State (files under {code(root, PATH_CHARACTERS)})" if root else "## State"
    ran, made = runs(record), commits(record)[::-1]
    first, commit_count = len(ran) + min(NEWEST_COMMITS, len(made)), len(ran) + len(made)
    lines = [*ran, *made, *reversed(files)]
    ranked = (*range(first), *range(commit_count, len(lines)), *range(first, commit_count))
    return part_of(heading, lines, 0.35, ranked)


def _after(number: int) -> str:
    return f" after #{number}" if number else ""


def _summaries(record: LedgerView) -> Iterator[Part]:
    starts = frozenset(plain(fact.text)[:KNOWN_CHARACTERS] for fact in record.requests)
    for source, heading in (("summary", "## From the summary"), ("branch", "## From a branch that was left")):
        lines = [
            line
            for slot, kind in KINDS.items()
            if kind.title
            for line in _section(
                [fact for fact in record.of(slot, source) if not _repeats(fact, starts)], kind.title
            )
        ]
        yield part_of(heading, lines, 0.4 if source == "summary" else 0.15)


def _repeats(fact: Fact, starts: Collection[str]) -> bool:
    """Whether a summary's statement repeats a known message of the user. `starts`: the beginnings of these
    messages.
    """
    text = plain(fact.text)
    return text in starts or any(
        (len(start) == KNOWN_CHARACTERS and start in text) or (text.startswith("#") and f': "{start}' in text)
        for start in starts
    )


def _section(facts: Sequence[Fact], title: str) -> Iterator[str]:
    """The statements, each group under its heading."""
    heading = ""
    for fact in facts:
        name = one_line(fact.detail or title, END_CHARACTERS)
        if name != heading:
            heading = name
            yield f"### {name}"
        box = f"{BOXES.get(fact.status, '')} " if fact.kind == "task" and fact.status in BOXES else ""
        yield f"- {box}{with_id(one_line(fact.text, ITEM_CHARACTERS), fact.key)}"


def _ends(record: LedgerView) -> Part:
    """How earlier turns ended (part 6)."""
    lines = [
        f"-{_after(record.after(fact)) or ' at the start'}: {quotation(fact.text, END_CHARACTERS)}"
        for fact in record.ends[-NEWEST_ENDS:]
    ]
    return part_of("## Said at the end of earlier turns", lines, 0.12, newest_first(len(lines)))


NOTE = "Kept by ctxmgr from earlier conversation that is no longer shown. A record, not a new instruction."
FILES_TOKENS = 300  # for the files that were read
SMALLEST_TOKENS = 600  # of the default policy; with less, nothing is removed without a packet


def packet_budget(policy: Policy, zone: Zone, resume: bool) -> int:
    """The budget of a packet, in tokens."""
    if resume:
        return policy.resume_tokens
    if isinstance(policy.packet_tokens, PacketTokens):
        return int(getattr(policy.packet_tokens, zone))
    usual = PacketTokens()
    return policy.packet_tokens * int(getattr(usual, zone)) // usual.green


def packet_allowance(state: State, budget: int) -> int:
    """The tokens that a packet may have beyond those removed from the list. After a compaction or a move by the
    host, the packet also stands for what the host removed. A scratchpad is always shown.
    """
    return budget if state.summaries or state.resume or state.scratchpad.strip() else 0


class Removed(msgspec.Struct, frozen=True):
    """What a packet stands for: the number of `messages` removed from the list, and of `results` in them; the
    `files` that they named, newest first. `may_ask`: the model has the tools that return removed content.
    """

    messages: int = 0
    results: int = 0
    files: tuple[str, ...] = ()
    may_ask: bool = False


NOTHING_REMOVED = Removed()
NONE_QUOTED: Mapping[str, str] = {}


class PacketText(msgspec.Struct, frozen=True):
    """What a packet is written from. `summaries` as hosts wrote them."""

    ledger: Ledger
    scratchpad: str
    weigh: Weigh
    summaries: tuple[RawSummary, ...] = ()

    @classmethod
    def of(cls, state: State, ledger: Ledger, weigh: Weigh) -> "PacketText":
        """The material for the packet of a session in this state."""
        return cls(ledger, state.scratchpad, weigh, state.summaries)

    def is_outdated(self, shown: str) -> bool:
        """Whether the shown packet has out-of-date notes."""
        return scratchpad_in(shown) != scratchpad_lines(self.scratchpad)

    def in_view(self, messages: Iterable[Message], quoted: Mapping[str, str] = NONE_QUOTED) -> frozenset[str]:
        """The digests of these messages, and of the summaries whose text they contain: not every format has a
        message of its own for a summary. `quoted`: other texts that are shown, by digest.
        """
        kept = list(messages)
        texts = ["\n".join(block.text for block in message.view.blocks) for message in kept if self.summaries]
        texts += quoted.values()
        summaries = (
            summary.digest for summary in self.summaries if any(summary.text.strip() in text for text in texts)
        )
        return frozenset((*(message.digest for message in kept), *quoted, *summaries))

    def within(
        self,
        budget: int,
        shown: Container[str],
        removed: Removed = NOTHING_REMOVED,
        cut: Container[str] = frozenset(),
    ) -> str:
        """The packet in at most `budget` tokens, or "" if it has nothing to say or nothing fits. `shown`: digests
        of what the list itself shows. `cut`: those of them with shortened results.
        """
        record = record_of(self.ledger, shown, cut)
        where = part_of("## Where the rest is", _where(removed, record, self.weigh), 0.3)
        for head in (f"{PACKET_MARK}\n{NOTE}", PACKET_MARK):
            room = budget - self.weigh(f"{head}\n\n")
            text = fill(parts_of(record, self.scratchpad, where, room, self.weigh), room, self.weigh)
            if text:
                return f"{head}\n\n{text}"
        return ""


def _where(removed: Removed, record: LedgerView, weigh: Weigh) -> list[str]:
    """How far the packet goes, how much was removed, how to get it back, and which files it was about."""
    if not removed.messages:
        return []
    to = f"Up to the turn of the user's message #{record.edge}: " if record.edge else ""
    results = f" with {_counted(removed.results, 'tool result')}" if removed.results else ""
    were = "was" if removed.messages == 1 else "were"
    head = f"{to}{_counted(removed.messages, 'message')}{results} {were} removed."
    more = " `search` finds what they said, `retrieve` gives it back." if removed.may_ask else ""
    return [f"{head}{more}", *_files_read(removed.files, record, weigh)]


def _counted(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def _files_read(files: Sequence[str], record: LedgerView, weigh: Weigh) -> list[str]:
    """The files that no other line reports as changed, on one line of at most FILES_TOKENS tokens."""
    changed = {fact.text for fact in record.of("file", "tool") if fact.status != "read"}
    whole = paths.same((*files, *changed))
    changed = {whole.get(path, path) for path in changed}
    read = [path for path in files if whole.get(path, path) not in changed]
    root = common_root(read)
    line = f"- files in it, under {code(root, PATH_CHARACTERS)}:" if root else "- files in it:"
    for path in read:
        longer = f"{line} {code(path.removeprefix(root) or path, PATH_CHARACTERS)}"
        if weigh(longer) > FILES_TOKENS:
            break
        line = longer
    return [line] if not line.endswith(":") else []
