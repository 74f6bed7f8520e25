"""Turns a probe and what the session went on to do into what a model would ask for the answer by.

1. It is made of what the next step knew: of an error the command that is run again, of a value the line with which
   the session goes on to speak of it, of a decision what that step names of it, and the line. Of those that it
   never speaks of again nobody asks.
2. It never holds the answer: a value, and a decision's sentence, are taken out of each line.
3. The first is the narrowest; each that follows has more words around it.
"""

import re
from collections.abc import Iterator, Sequence

from ctxmgr.study.probes.evidence import Probe
from ctxmgr.study.probes.reading import SessionHistory, wording

HINT_CHARACTERS = 1_000  # of each: what is longer nobody types


def hints(of: SessionHistory, probe: Probe, end: int) -> tuple[str, ...]:
    """At most four, none of them empty, for a probe of message number `end`."""
    given = (hint.strip()[:HINT_CHARACTERS] for hint in _hints(of, probe, end))
    return tuple(dict.fromkeys(hint for hint in given if re.search(r"\w", hint)))


def _hints(of: SessionHistory, probe: Probe, end: int) -> Iterator[str]:
    doing = of.spoken[end] if end < len(of.spoken) else ""
    if probe.kind == "errors":
        command = probe.question.partition(":")[2]
        yield command
        yield f"{command} {doing}"
        return
    names = [probe.answer] if probe.kind == "values" else sorted(wording.references(probe.answer))
    at = next((at for at in range(end, len(of.spoken)) if _names(of.spoken[at], names)), None)
    if at is None:
        return
    said = of.spoken[at]
    line = next(line for line in said.splitlines() if _names(line, names))
    if probe.kind != "values":
        yield " ".join(name for name in names if _names(said, [name]))
    for text in (line, said, f"{doing} {of.spoken[at - 1] if at > end else ''}"):
        yield _without(text, probe.answer)


def _names(text: str, names: Sequence[str]) -> bool:
    lowered = text.lower()
    return any(name.lower() in lowered for name in names)


def _without(text: str, hidden: str) -> str:
    """Rule 2."""
    return re.sub(re.escape(hidden), " ", text, flags=re.IGNORECASE)
