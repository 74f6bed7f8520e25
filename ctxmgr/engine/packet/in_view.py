"""Tells which facts a list states by itself, in whatever words, so that the packet beside it need not.

Rules:
1. What came from a message that is in view whole is stated there.
2. Else what people, the assistant and summaries say in view is asked, by references and words (`engine.stating`).
3. A goal, a task and what was announced are stated by all of their words: much is worded like them. An open task
   is stated where it is not told as done, with the id that its tool gave it, a done one where it is; a change of a
   file where a word on its line, or above its list, tells of a change; a failure where its reason is; an end with
   all that it counted, or that it works.
4. What is in doubt is not stated: said twice, it is not lost.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

import msgspec

from ctxmgr.engine.judging import how_it_ended, reason
from ctxmgr.engine.ledger import task_ids
from ctxmgr.engine.stating import (
    FAILS,
    SAID_SHARE,
    WORKS,
    DraftLines,
    bare_command,
    draft_lines,
    items_saying,
    names_any,
    says,
    says_failure,
    states_it,
)
from ctxmgr.engine.text import heading, sentences_of, words_of
from ctxmgr.model import Message
from ctxmgr.model.saved import Fact

EVERY = 1.0
_WHOLE = ("user", "assistant", "summary", "result", "shell", "note")  # whose facts stand where they do
_SPEAKING = ("user", "assistant", "summary", "note")  # whose words are read: a tool's text states nothing
_CHANGES = re.compile(
    r"\b(?:add|chang|creat|edit|extend|fix|implement|modif|new|refactor|replac|rewr|split|updat|writ|wrote)\w*",
    re.IGNORECASE,
)
_DELETES = re.compile(r"\b(?:delet|remov)\w*", re.IGNORECASE)
_TAG = re.compile(r"^</?[\w-]+>$")
_DONE = re.compile(r"\b(?:done|complete[d]?|finished)\b|[✓✔✅]", re.IGNORECASE)
_NUMBER = re.compile(r"\d+")


class InView(msgspec.Struct, frozen=True):
    """`origins`: digests of what is in view whole. `lines`: what is said there; `changes` and `deletions`: those of
    them that tell of changed, of deleted files alone. `names`: last components that one known path alone has.
    `beside_names`: what `packet.render` takes for `shown`, for which this stands."""

    origins: frozenset[str]
    lines: DraftLines
    changes: str
    deletions: str
    names: frozenset[str]
    beside_names: frozenset[str] = frozenset()

    def __contains__(self, name: object) -> bool:
        return name in self.beside_names

    def states(self, fact: Fact) -> bool:
        """Need the packet not say it?"""
        if fact.slot == "question":
            return fact.key.partition("\n")[0] in self.origins or (
                says(self.lines, fact.text) and says(self.lines, fact.detail)
            )
        if fact.origin in self.origins:
            return True
        if fact.slot == "task":
            items = list(items_saying(self.lines, fact.text, EVERY))
            if fact.status != "done" and fact.key.startswith(task_ids.KEY):
                number = fact.key.removeprefix(task_ids.KEY)
                items = [item for item in items if re.search(rf"#{re.escape(number)}\b", item.text)]
            told = [
                item.box in ("x", "X") or item.kind == "done" or bool(_DONE.search(item.text)) for item in items
            ]
            return (fact.status == "done") in told
        if fact.slot == "file":
            return self._names(fact)
        if fact.slot == "command":
            return self._ended(fact)
        if fact.slot in ("goal", "request"):  # several sentences, which may stand apart
            share = EVERY if fact.slot == "goal" else SAID_SHARE
            return all(says(self.lines, one, share=share) for one in sentences_of(fact.text))
        share = EVERY if fact.slot in ("next", "current") else SAID_SHARE
        return all(
            states_it(self.lines, line, share) for line in fact.text.splitlines()
        )  # a list is one of context

    def _names(self, fact: Fact) -> bool:
        name = fact.text.rpartition("/")[2]
        told = {"read": "\n".join(self.lines.lines), "deleted": self.deletions}
        text = told.get(fact.status, self.changes)
        return names_any(text, (fact.text, name) if name in self.names else (fact.text,))

    def _ended(self, fact: Fact) -> bool:
        """How a command ended: a failure with its reason; else the counts, beside the command."""
        if fact.status == "failed":
            return says_failure(self.lines, (fact,), still=True) and says(self.lines, reason(fact))
        named, counts = bare_command(fact.text), _NUMBER.findall(how_it_ended(fact))
        said = (
            f" {words_of(sentence)} "
            for item in self.lines.items_naming(named)
            for sentence in sentences_of(item.text)
        )
        return fact.status == "ok" and any(
            f" {named} " in one and _tells_end(one.replace(f" {named} ", " "), counts) for one in said
        )


def _tells_end(words: str, counts: Sequence[str]) -> bool:
    """Does a sentence say that it worked, with all that was counted? `words`: without the command's."""
    if FAILS.search(words):
        return False
    return all(count in words.split() for count in counts) if counts else bool(WORKS.search(words))


def in_view(messages: Iterable[Message], files: Iterable[str], shown: frozenset[str] = frozenset()) -> InView:
    """`messages`: what is shown whole; `files`: all paths that are known."""
    whole = [message for message in messages if message.view.role in _WHOLE]
    said = [
        block.text
        for message in whole
        if message.view.role in _SPEAKING
        for block in message.view.blocks
        if block.kind in ("text", "summary")
    ]
    lines = draft_lines("\n\n".join(said))
    names = Counter(path.rpartition("/")[2] for path in dict.fromkeys(files))
    alone = frozenset(name for name, count in names.items() if count == 1)
    changes, deletions = (
        "\n".join(_telling(lines.lines, *words)) for words in ((_CHANGES, _DELETES), (_DELETES, _CHANGES))
    )
    return InView(frozenset(one.digest for one in whole), lines, changes, deletions, alone, shown)


def _telling(lines: Sequence[str], of: re.Pattern[str], other: re.Pattern[str]) -> Iterator[str]:
    """The lines that tell of the one by a word in them, or above them, and not of the other."""
    above = ""
    for line in lines:
        if line.startswith("</"):
            above = ""
        elif _TAG.match(line) or heading(line) is not None:
            above = line
        told = line if of.search(line) or other.search(line) else above
        if of.search(told) and not other.search(told):
            yield line
