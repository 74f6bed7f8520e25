"""Finds where one subject ends and another begins: the depth of the break before each step.

Rules (TextTiling: M. Hearst, Computational Linguistics 23/1, 1997; blocks are of steps, not of sentences):
1. Two blocks, the few steps before a place and the few after it, are as close as the terms they share. A term
   counts once per step: a log that prints one word a thousand times is not about it.
2. Paths and identifiers say more about a coding session's subject than words, and rare terms more than common ones.
   A term in only one step connects nothing, and a term in every step says nothing.
3. The depth of a place is how far closeness falls from the peaks on both sides. It is not absolute: a loose session
   has shallow breaks, and so does a tight one. The curve is not smoothed, because that moved the valleys of
   recorded sessions by a step, and blocks of eight are smooth enough.
4. The subject often changes where a user speaks, while blocks locate a change only to within some steps. So a
   user's break counts as deeper, and as deep as any within its reach. This does not apply if nothing was answered
   yet: then the user continues.
5. Only the start of a tool result counts, since it says what was looked at.

Term weights are whole numbers, so that sums are exact. Runs in linear time. The same depths can come from external
vectors (`depths_from_vectors`).
"""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TypeVar

from ctxmgr.model import expression
from ctxmgr.model.compaction import BranchMessage

BLOCK = 8
"""Steps on each side. Hearst's blocks are six to ten sentences long."""

TEXT_UNITS = 2_000  # characters read of a text, from its start
RESULT_UNITS = 400  # of a tool result: the first lines of a file or an output
USER_FACTOR = 1.5  # rule 4; found by looking at where recorded sessions are cut
USER_REACH = 3  # steps on each side, less than half a block
USER_FALL = 0.1  # of a depth for each step of distance, so that the nearest of two user messages gets it
USER_DEPTH = 0.1  # least depth of such a break, on a scale of 0 to 2

PATH_WEIGHT, NAME_WEIGHT, WORD_WEIGHT = 3, 2, 1
SCALE = 100  # a term's weight in hundredths

Key = TypeVar("Key")
_RUN = expression(r"[\w$@~./-]+")
_NAME = expression(r"[a-z0-9][A-Z]|[A-Za-z0-9][_./]+[A-Za-z0-9]|[A-Z]{2,}[a-z0-9]|[A-Za-z]\d|^--[a-z]")
_WORD = expression(r"[^\W\d]\w{2,63}")
_ENDS = "./-~@"
SHORTEST, LONGEST = 4, 120  # characters of a name; longer ones were pasted
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
    """The depths with users' breaks by rule 4; also for depths from vectors."""
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
    """Depths from one vector per step (`step_text`), all of one length; zeros say nothing."""
    return depths_of(closeness([dict(enumerate(_normal(vector))) for vector in vectors]))


def step_text(step: Sequence[BranchMessage]) -> str:
    """The part of a step that vectors are made from: what was said and called, and the start of each result."""
    return "\n".join(text for message in step for text in _texts(message))


def step_terms(step: Sequence[BranchMessage]) -> dict[str, int]:
    """The terms of a step and the weight of each kind."""
    weights: dict[str, int] = {}
    for message in step:
        for text in _texts(message):
            weights.update(terms(text))
    return weights


def terms(text: str) -> dict[str, int]:
    """Words, identifiers and paths of a text, weighted by kind; the last part of a path counts too."""
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
    """How close the blocks before and after each step are, 0.0 to 1.0; 1.0 before the first. A step's vector holds
    the weight of each term or dimension.
    """
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
    """Terms weighted by kind and rarity (rule 2), in hundredths, without those in only one step."""
    count = Counter(term for weights in terms_of for term in weights)
    all_steps = len(terms_of) + 1
    rarity = {term: round(SCALE * math.log(all_steps / steps)) for term, steps in count.items() if steps > 1}
    return [{term: kind * rarity[term] for term, kind in weights.items() if term in rarity} for weights in terms_of]


def depths_of(scores: Sequence[float]) -> list[float]:
    """The depth of each place from the closeness around it (rule 3); the first place has none."""
    inner = list(scores[1:])
    lefts, rights = _peaks(inner), _peaks(inner[::-1])[::-1]
    depths = [left + right - 2 * score for left, right, score in zip(lefts, rights, inner, strict=True)]
    return [0.0, *depths] if scores else []


def _peaks(scores: Sequence[float]) -> list[float]:
    """For each place, the height reached by climbing to the left as long as it does not descend."""
    heights: list[float] = []
    for index, score in enumerate(scores):
        heights.append(heights[-1] if index and scores[index - 1] >= score else score)
    return heights


def _normal(vector: Iterable[float]) -> list[float]:
    values = list(vector)
    length = math.sqrt(sum(value * value for value in values))
    return [value / length for value in values] if length else values


def _texts(message: BranchMessage) -> list[str]:
    """The parts of a message that show its subject, each cut to its start (rule 5)."""
    content = message.content
    if content.speaker == "result":
        return [(content.text or "")[:RESULT_UNITS]]
    if not content.speaker:
        return []
    return [(content.text or "")[:TEXT_UNITS], *(arguments[:TEXT_UNITS] for _, arguments in content.calls)]
