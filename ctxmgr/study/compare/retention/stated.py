"""Turns messages into the decisions and the open tasks that they state, by patterns of their own.

For measuring summaries: nothing here is shared with what writes them (`ctxmgr.engine`), so that what the extraction
does not see is in the denominator all the same. Rules:
1. A decision is a sentence of the user that names what to take, keep or leave, or one of the assistant that says
   what it took and instead of what or why, or a question of the assistant that the user answered with yes or no and
   no more. Wider than the extraction on purpose: some are passing choices, and a summary need not hold all.
2. An open task is a checkbox without a mark that no later text marks, and what stands under the last heading or
   line that says what remains ("Remaining:", "Next steps", "Still to do"), where nothing was said done of it since.
3. Code fences, quotes and the output of tools state nothing.
"""

import re
from collections.abc import Iterator, Sequence

from ctxmgr.model.compaction import BranchMessage

MOST_CHARACTERS = 400  # of a statement; a longer one is a document
LEAST_WORDS = 4
MOST_READ = 20_000  # characters of one text
SHORT_REPLY_WORDS = 4
SAME_SHARE = 0.6  # of the words of a task that a later text holds which says it is done

_FENCED = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_PARTS = re.compile(r"(?<=[.!?])\s+|\n+")
_BULLET = re.compile(r"^\s{0,12}(?:[-*+•]|\d{1,3}[.)])\s+")
_BOX = re.compile(r"^\s{0,12}(?:[-*+•]|\d{1,3}[.)])\s+\[([ xX✓])\]\s+(.+)$")
_USER = re.compile(
    r"(?:^|[,:;] )(?:\w+ ){0,2}?(?:let'?s |we'?ll |i'?ll )?(?:just )?"
    r"(?:use|keep|leave|pick|choose|go with|stick with|stick to|switch to|change (?:it|that|them) to|rename (?:it"
    r"|them) to)\s",
    re.IGNORECASE,
)
_ASSISTANT = re.compile(
    r"\b(?:decided|we(?:'ll| will)? go with|going with|went with|opted|settled on|agreed (?:on|to))\b"
    r"|\b(?:i|we)(?:'ll| will|'ve| have)? (?:use|used|keep|kept|chose|chosen|pick|picked|put|store|replaced?"
    r"|switch(?:ed)?)\b"
    r".*\b(?:instead of|rather than|because|since|so that|to avoid)\b",
    re.IGNORECASE,
)
_OFFER = re.compile(r"\b(?:should|shall) (?:i|we)\b|\bwant me to\b|\bwould you (?:like|prefer)\b", re.IGNORECASE)
_YES_NO = re.compile(
    r"(?:yes|yeah|yep|sure|ok|okay|no|nope|please do|do it|agreed|leave it|keep it)\b", re.IGNORECASE
)
_REMAINS = re.compile(
    r"^\W*(?:what(?:'s| is) left|remaining|still (?:to do|open|missing)|to-?do|next steps?|open (?:points"
    r"|tasks))\b[^.]{0,60}$",
    re.IGNORECASE,
)


def decisions(messages: Sequence[BranchMessage]) -> list[str]:
    """In the order they were stated, each once."""
    found: list[str] = []
    offered = ""
    for role, text in _texts(messages):
        parts = list(_sentences(text))
        if role == "user":
            reply = text.strip().rstrip(".!")
            if offered and len(reply.split()) <= SHORT_REPLY_WORDS and _YES_NO.match(reply):
                found.append(offered)
            found += [part for part in parts if _USER.search(part) and not part.endswith("?")]
            offered = ""
        else:
            found += [part for part in parts if _ASSISTANT.search(part) and not part.endswith("?")]
            offered = parts[-1] if parts and parts[-1].endswith("?") and _OFFER.search(parts[-1]) else ""
    return list(dict.fromkeys(one for one in found if len(one.split()) >= LEAST_WORDS))


def open_tasks(messages: Sequence[BranchMessage]) -> list[str]:
    """What was still to be done at the end, each once."""
    boxes: dict[str, bool] = {}
    left: list[str] = []
    since: list[frozenset[str]] = []
    for role, text in _texts(messages):
        if role != "assistant":
            continue
        lines = _FENCED.sub("", text).splitlines()
        for box in filter(None, map(_BOX.match, lines)):
            boxes[box[2].strip()] = box[1] == " "
        since += [_words(line) for line in lines]
        if remains := list(_under(lines)):
            left, since = remains, []
    gone = [words for words in since if words]
    left = [one for one in left if not _held(one, gone)]
    return list(dict.fromkeys([*(text for text, is_open in boxes.items() if is_open), *left]))


def _under(lines: list[str]) -> Iterator[str]:
    """The list items under the last line that says what remains."""
    start = next((at for at in reversed(range(len(lines))) if _REMAINS.match(lines[at])), None)
    for line in lines[start + 1 :] if start is not None else []:
        bullet = _BULLET.match(line)
        if bullet and not _BOX.match(line):
            yield line[bullet.end() :].strip()[:MOST_CHARACTERS]
        elif line.strip():
            return


def _held(task: str, later: list[frozenset[str]]) -> bool:
    words = _words(task)
    return bool(words) and any(len(words & one) >= SAME_SHARE * len(words) for one in later)


def _words(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"[^\W_]{4,}", text[:MOST_CHARACTERS].casefold()))


def _texts(messages: Sequence[BranchMessage]) -> Iterator[tuple[str, str]]:
    for message in messages:
        role = message.view.role
        text = "\n".join(block.text for block in message.view.blocks if block.kind == "text")
        if role in ("user", "assistant") and text.strip():
            yield role, text[:MOST_READ]


def _sentences(text: str) -> Iterator[str]:
    for part in _PARTS.split(_FENCED.sub("\n", text)):
        if not part.lstrip().startswith((">", "|", "#", "- [")):
            bare = _BULLET.sub("", part).replace("**", "").strip()
            if bare and len(bare) <= MOST_CHARACTERS:
                yield bare
