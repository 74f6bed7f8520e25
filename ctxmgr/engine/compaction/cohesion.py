"""Turns a row of steps into the depth of the break before each: where one subject ends and another begins.

Rules (TextTiling: M. Hearst, Computational Linguistics 23/1, 1997; blocks are of steps, not of sentences):
1. Two blocks, the few steps before a place and the few after it, are as close as the terms they share. A term
   counts once a step: a log that prints one word a thousand times is not about it.
2. Paths and identifiers say more of a coding session's subject than words do, rare terms more than common ones.
   A term of one step alone binds nothing, one of all steps tells nothing.
3. The depth of a place is how far closeness falls from the peaks on both sides of it. So it is no absolute
   measure: a session that is loose all through has shallow breaks, as one that is tight all through. The curve
   is not smoothed: that moved the valleys of recorded sessions by a step, and blocks of eight are smooth enough.
4. Where a user speaks, the subject turns more often than elsewhere, and blocks of some steps tell the place only
   to within some steps: a user's break counts as deeper, and as deep as any in its reach. Not so where nothing
   was answered yet: that user goes on with what was said.
5. Tool results are seen by their start alone: it says what was looked at, the rest is what was there.

Weights of terms are whole numbers, so that their sums are exact. Linear in the text looked at. The same depths come
from vectors that somebody else made (`depths_from_vectors`).
"""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TypeVar

from ctxmgr.model import expression
from ctxmgr.model.compaction import BranchMessage

BLOCK = 8
"""Steps on each side. Hearst's blocks are six to ten sentences long."""

TEXT_UNITS = 2_000  # characters of a text that are looked at, its start
RESULT_UNITS = 400  # of a tool result: the first lines of a file or an output
USER_FACTOR = 1.5  # rule 4; found by looking at where recorded sessions are cut
USER_REACH = 3  # steps on each side, less than half a block
USER_FALL = 0.1  # of a depth for each step it is away, so that the nearest of two user messages gets it
USER_DEPTH = 0.1  # and what such a break has at least, of a depth between 0 and 2

PATH_WEIGHT, NAME_WEIGHT, WORD_WEIGHT = 3, 2, 1
SCALE = 100  # a term's weight in hundredths

Key = TypeVar("Key")
_RUN = expression(r"[\w$@~./-]+")
_NAME = expression(r"[a-z0-9][A-Z]|[A-Za-z0-9][_./]+[A-Za-z0-9]|[A-Z]{2,}[a-z0-9]|[A-Za-z]\d|^--[a-z]")
_WORD = expression(r"[^\W\d]\w{2,63}")
_ENDS = "./-~@"
SHORTEST, LONGEST = 4, 120  # characters of a name: what is longer was pasted
_STOP_WORDS = """
the and for that this with you are not but was have has from can will its let all now one out use see get there here
they them then than when what which would should could into also just like more some any our your how why where who
did does done been being were had may must about after before over under only very same still need want make made
sure yes okay true false null none return const import export function string number type content text path file
command name value
"""
_STOP = frozenset(_STOP_WORDS.split())


def depths(steps: Sequence[Sequence[BranchMessage]]) -> list[float]:
    """The depth of the break before each step, 0.0 (no break) to 3.0; 0.0 before the first."""
    return deepened(depths_of(closeness(weighted([step_terms(step) for step in steps]))), steps)


def deepened(deep: Sequence[float], steps: Sequence[Sequence[BranchMessage]]) -> list[float]:
    """The same depths with those of users' breaks as rule 4 has them; for depths from vectors as well."""
    result = list(deep)
    for number, step in enumerate(steps):
        before = steps[number - 1] if number and step[0].content.speaker == "user" else ()
        said = [message.content for message in before if message.content.speaker == "assistant"]
        if any((content.text or "").strip() or content.calls for content in said):
            reach = range(max(1, number - USER_REACH), min(len(deep), number + USER_REACH + 1))
            near = max(deep[index] * (1 - USER_FALL * abs(index - number)) for index in reach)
            result[number] = max(USER_DEPTH, near * USER_FACTOR)
    return result


def depths_from_vectors(vectors: Sequence[Sequence[float]]) -> list[float]:
    """The same from a vector a step (`step_text`), of any length but all the same; zeros say nothing."""
    return depths_of(closeness([dict(enumerate(_normal(vector))) for vector in vectors]))


def step_text(step: Sequence[BranchMessage]) -> str:
    """What of a step is worth a vector: what was said and called, and the start of each result."""
    return "\n".join(text for message in step for text in _texts(message))


def step_terms(step: Sequence[BranchMessage]) -> dict[str, int]:
    """The terms of a step and what each counts by its kind."""
    weights: dict[str, int] = {}
    for message in step:
        for text in _texts(message):
            weights.update(terms(text))
    return weights


def terms(text: str) -> dict[str, int]:
    """Words, identifiers and paths of a text with their weights by kind; a path counts by its last part too."""
    weights: dict[str, int] = {}
    for run in _RUN.findall(text):
        name = run.rstrip(_ENDS)
        if not SHORTEST <= len(name) <= LONGEST or not _NAME.search(name):
            for word in map(str.casefold, _WORD.findall(run)):
                if word not in _STOP:
                    weights.setdefault(word, WORD_WEIGHT)
            continue
        if "/" in name:
            weights[name.lstrip("./~")] = PATH_WEIGHT
            name = name.rsplit("/", 1)[1].partition(".")[0]
        name = name.lstrip(_ENDS).casefold()
        if len(name) > 2 and name not in _STOP:
            weights[name] = NAME_WEIGHT
    return weights


def closeness(vectors: Sequence[Mapping[Key, float]]) -> list[float]:
    """How close the blocks before and after each step's start are, 0.0 to 1.0; 1.0 before the first. Of a step its
    vector: what each term, or each dimension, counts."""
    scores = [
        _cosine(_sum(vectors[max(0, index - BLOCK) : index]), _sum(vectors[index : index + BLOCK]))
        for index in range(1, len(vectors))
    ]
    return [1.0, *scores] if vectors else []


def _sum(vectors: Sequence[Mapping[Key, float]]) -> dict[Key, float]:
    total: dict[Key, float] = {}
    for vector in vectors:
        for key, number in vector.items():
            total[key] = total.get(key, 0) + number
    return total


def _cosine(left: Mapping[Key, float], other: Mapping[Key, float]) -> float:
    dot = sum(number * other[key] for key, number in left.items() if key in other)
    squares = sum(number * number for number in left.values()) * sum(number * number for number in other.values())
    return dot / math.sqrt(squares) if squares else 0.0


def weighted(terms_of: Sequence[dict[str, int]]) -> list[dict[str, int]]:
    """Terms by kind and rarity (rule 2), in hundredths; without those of one step."""
    count = Counter(term for weights in terms_of for term in weights)
    all_steps = len(terms_of) + 1
    rarity = {term: round(SCALE * math.log(all_steps / steps)) for term, steps in count.items() if steps > 1}
    return [{term: kind * rarity[term] for term, kind in weights.items() if term in rarity} for weights in terms_of]


def depths_of(scores: Sequence[float]) -> list[float]:
    """Depth of each place from how close the blocks around it are (rule 3); the first place has none."""
    inner = list(scores[1:])
    lefts, rights = _peaks(inner), _peaks(inner[::-1])[::-1]
    depths = [left + right - 2 * score for left, right, score in zip(lefts, rights, inner, strict=True)]
    return [0.0, *depths] if scores else []


def _peaks(scores: Sequence[float]) -> list[float]:
    """For each place the height one comes to by climbing to the left as long as it does not go down."""
    heights: list[float] = []
    for index, score in enumerate(scores):
        heights.append(heights[-1] if index and scores[index - 1] >= score else score)
    return heights


def _normal(vector: Iterable[float]) -> list[float]:
    values = list(vector)
    length = math.sqrt(sum(value * value for value in values))
    return [value / length for value in values] if length else values


def _texts(message: BranchMessage) -> list[str]:
    """The parts of a message that tell its subject, each cut to its start (rule 5)."""
    content = message.content
    if content.speaker == "result":
        return [(content.text or "")[:RESULT_UNITS]]
    if not content.speaker:
        return []
    return [(content.text or "")[:TEXT_UNITS], *(arguments[:TEXT_UNITS] for _, arguments in content.calls)]
