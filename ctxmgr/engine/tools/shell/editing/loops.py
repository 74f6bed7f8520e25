"""Turns the loops of a line over words that stand in it into the commands of their rounds.

`for f in a b; do rm $f; done` is `rm a; rm b`.
"""

import re

MOST_ROUNDS = 32
MOST_CHARACTERS = 20_000  # of what the loops of a line come to

_LOOP = re.compile(
    r"(?<![\w$])for\s+([A-Za-z_]\w*)\s+in\s+([^;\n]{1,1000})[;\n]\s*do\s((?:(?!\b(?:for|while|until|done)\b).)*?)\s*[;\n]\s*done\b",
    re.DOTALL,
)
_WORDS = re.compile(r"[\w./:=,+@%~ \t-]+")


def without_loops(line: str) -> str:
    """The line with the rounds of its loops in their place; "" where it has none that can be read."""
    found = _LOOP.sub(_rounds, line) if len(line) <= MOST_CHARACTERS and "done" in line else line
    return found if found != line and len(found) <= MOST_CHARACTERS else ""


def _rounds(loop: re.Match[str]) -> str:
    name, words, body = loop.groups()
    if not _WORDS.fullmatch(words) or len(words.split()) > MOST_ROUNDS:
        return loop[0]
    use = re.compile(rf"\$(?:{name}\b|\{{{name}\}})")
    return "; ".join(use.sub(lambda _, word=word: word, body) for word in words.split())
