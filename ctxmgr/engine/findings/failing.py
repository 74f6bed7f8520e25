"""Turns a sentence into what it says to fail as things are, or to work again, for English.

1. It fails now where the sentence says so of now ("is failing", "fails because ...", "does not work"), and not of
   what was, or of what would be under a condition ("fails when two run at once").
2. What fails stands before that: a kind of work ("the build", "CI"), and names in backticks, a command among them.
   After it stands what fails of several ("has one failing job (`a`)"). Who sees a FAIL sees it of tests.
3. It works again where the sentence says that it now does, or that it formerly did not, or was resolved.
"""

import re

import msgspec

FAILING_REACH = 60  # characters between what fails and that it does

_KINDS = {
    "test": r"(?:py|unit )?(?:tests?|specs?)\w*|(?:test )?suite",
    "build": r"builds?|compilation",
    "lint": r"lint\w*",
    "type": r"types?[- ]?check\w*",
    "ci": r"ci|pipelines?|workflows?|(?:\w+ )?jobs?|github actions",
    "merge": r"merge",
    "rebase": r"rebase",
    "push": r"push",
    "install": r"install(?:ation)?",
}
_KIND = re.compile("|".join(rf"(?P<{name}>\b(?:{words})\b)" for name, words in _KINDS.items()), re.IGNORECASE)
_LATELY = r"(?:still |now |also |all |currently |again )*"
_FAILS = re.compile(
    rf"\b(?:(?:is|are) {_LATELY}(?:failing|broken|red)|(?:still |also )*fails?|keeps? failing"
    r"|(?:does|do)(?:n['’]t| not) (?:work|pass|compile|build|run|start)"
    r"|(?:can['’]t|cannot) (?:find|import|start|run))\b"
    r"(?! (?:fast|safe|over|open|closed)\b)",
    re.IGNORECASE,
)
_HAS_FAILING = re.compile(
    r"\bha(?:s|ve) (?:\w+ )?(?:\w+ )?(?:failing|broken|red) (?P<what>[\w ]*)(?:\W{0,3}(`[^`\n]+`))?", re.IGNORECASE
)
_SEEN = re.compile(
    r"\W*(?:but )?(?:now )?(?:i|we) (?:can |still |also )*see (?:a|an|the|one|some|\d+) "
    r"(?:(?-i:FAIL(?:ED|URES?)?)|(?:test )?failures?|failing tests?)\b",
    re.IGNORECASE,
)
_SUPPOSED = re.compile(
    r"\b(?:if|when|whenever|unless|without|until|would|could|should|might|may|only)\b", re.IGNORECASE
)
_DENIED = re.compile(r"\b(?:no|none|not|never|nothing)\b|n['’]t\b", re.IGNORECASE)
_ENDS = re.compile(r"[;!?]|\.(?=\s)")
_QUOTED = re.compile(r"`([^`\n]+)`")
_WORKS_AGAIN = re.compile(
    r"\bnow (?:pass(?:es)?|works?|succeeds?|builds?|compiles?|runs?)\b"
    r"|\b(?:pass(?:es)?|works?|succeeds?|builds?) (?:now|again)\b"
    r"|\b(?:is|are) (?:now |all )*(?:green|passing|fixed|resolved)\b"
    r"|\b(?:formerly|previously) (?:failing|broken)\b|^\W*(?:i(?:['’]ve| have)? )?(?:fixed|resolved)\b",
    re.IGNORECASE,
)


class Failing(msgspec.Struct, frozen=True):
    """`kinds`: of work ("test", "build", "lint", "type", "ci", "merge", "rebase", "push", "install"); `names`: what
    stands in backticks, as written."""

    kinds: frozenset[str] = frozenset()
    names: frozenset[str] = frozenset()


NOTHING = Failing()


def failing_now(sentence: str) -> Failing:
    """What it says to fail as things are (rules 1 and 2)."""
    several = _HAS_FAILING.search(sentence)
    if several:
        return Failing(_kinds(several["what"]), frozenset(_QUOTED.findall(several[2] or "")))
    if _SEEN.match(sentence):
        return Failing(frozenset(("test",)), frozenset(_QUOTED.findall(sentence)))
    for said in _FAILS.finditer(sentence):
        before = _ENDS.split(sentence[: said.start()])[-1][-FAILING_REACH:]
        after = _ENDS.split(sentence[said.end() :])[0]
        if _DENIED.search(before) or _SUPPOSED.search(before) or _SUPPOSED.match(after.lstrip()):
            continue
        found = Failing(_kinds(before), frozenset(_QUOTED.findall(before)))
        if found != NOTHING:
            return found
    return NOTHING


def working_again(sentence: str) -> Failing:
    """What it says to work again (rule 3)."""
    if not _WORKS_AGAIN.search(sentence) or failing_now(sentence) != NOTHING:
        return NOTHING
    return Failing(_kinds(sentence), frozenset(_QUOTED.findall(sentence)))


def _kinds(text: str) -> frozenset[str]:
    return frozenset(one.lastgroup for one in _KIND.finditer(text) if one.lastgroup)
