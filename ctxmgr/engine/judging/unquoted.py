"""Finds what a line tells to be so without naming a command, though the command that does it failed last.

Rules:
1. All tests, the build, the linter or the types are told to be well, or nothing of them to fail: the newest run of
   any failed, and nothing else ran in the same command that could have. Of unit tests no run counts that names
   others.
2. Something is told to be done that a command does (`_DEEDS`): each that did it failed, the newest one as the last
   of its line; nothing since may have done it in another manner, nor the user; and the line names nothing that
   this command does not name.
3. Told with a place, with code, or not plainly, it is not judged; where something was pushed to is its name.
"""

import re
from collections.abc import Iterator, Sequence

import msgspec

from ctxmgr.engine.stating import CODE, FAILS, directory_of, ending, is_plain
from ctxmgr.engine.text import content_words
from ctxmgr.engine.tools import is_checking, is_of_kind
from ctxmgr.model.saved import Fact

PLACE = re.compile(r"\b(?:in|inside|under|within|at|from|for|on)\b(?!\s*\d)|[\w.~-]*/[\w.-]*", re.IGNORECASE)
_MENDED_FIRST = re.compile(r"^\W*(?:fix|resolv|repair|mend)ed\b[^;\n]*?(?:;|\.(?=\s+(?-i:[A-Z]))|\s[—–-])\s+", re.I)
_KINDS = {"test": "test", "buil": "build", "lint": "lint", "type": "type"}  # by how its word begins
_KIND = r"tests?|build|lint(?:er|ing)?|type(?:s|[- ]?check(?:s|er|ing)?)"
_EVERY = re.compile(
    rf"^\W*(?:(?:all|the|all (?:of )?the|every) )?(?:\d+ )?(?P<unit>unit )?(?P<kind>{_KIND})(?: suite)? "
    r"(?:are |is |now |all |also |fully |still )*"
    r"(?P<works>pass|succeed|green|work|clean)(?![- ]?up)",
    re.IGNORECASE,
)
_NONE = re.compile(
    r"\W*(?:there (?:are|is) )?(?:no|zero|0) (?:more |remaining |open )?"
    r"(?:(?P<of>test|build|lint(?:er|ing)?|type)[- ]?(?:errors?|failures?)"
    r"|(?:failing|failed|broken) (?P<kind>tests?))"
    r"(?: (?:are|is|remain|remains|remaining|left|now|anymore|any more))*\W*",
    re.IGNORECASE,
)


class _Deed(msgspec.Struct, frozen=True):
    """`by`: the commands that do it. `may`: those that may have done it in another manner. `words`: of its line,
    that name nothing."""

    by: re.Pattern[str]
    may: re.Pattern[str]
    words: frozenset[str]


def _deed(by: str, may: str, words: str) -> _Deed:
    return _Deed(re.compile(by), re.compile(may), content_words(f"{words} all change changes successfully"))


_DEEDS = {
    "pushed": _deed(
        r"\bgit\b[^;&|\n]*\spush\b", r"push|\bgh\b|\bglab\b", "git branch commit commits origin remote upstream"
    ),
    "merged": _deed(
        r"\b(?:gh pr|glab mr|git) merge\b",
        r"merge|\bgh\b|\bglab\b|\bgit\b.*\b(?:commit|pull|rebase|cherry-pick)\b",
        "git branch pr pull request",
    ),
    "published": _deed(
        r"\bpublish\b|\btwine upload\b",
        r"publish|upload|release|deploy|ship",
        "package release registry new version",
    ),
    "deployed": _deed(r"\bdeploy\b", r"publish|upload|release|deploy|ship", "app application service site build"),
    "committed": _deed(r"\bgit commit\b", r"\bgit\b", "git work everything"),
}
_DOES = "|".join(_DEEDS)
_TELLS = re.compile(
    rf"^\W*(?:(?P<first>{_DOES})\b"
    rf"|(?P<of>[^.;:`]{{1,60}}?) (?:was|were|is|are|has been|have been) (?P<then>{_DOES})\b)",
    re.IGNORECASE,
)
_REGISTRIES = {
    "twine": "pypi",
    "poetry": "pypi",
    "uv": "pypi",
    "flit": "pypi",
    "hatch": "pypi",
    "cargo": "crates io",
}
_FOR_SHOW = re.compile(r"--dry-run\b|\s-n\b|\s-C\s")  # it does nothing, or somewhere else
# what may run anything
_SCRIPT = re.compile(r"^(?:make|just|task|npm run|pnpm|yarn|bash|sh|python|node)\b|/|\.\w{2,3}$")
_LAST = re.compile(r"&&|\|\||[;\n]")
_IS_SO = re.compile(r"\balready\b|\bprevious|up[- ]to[- ]date", re.IGNORECASE)  # of what cannot be done twice
_TO = re.compile(r"\bto\b", re.IGNORECASE)  # where it was pushed, not what shall be: each other word is known
_PUSHED_TO = re.compile(r"(\bpushed\b[^/]{0,40}?\bto )([\w.-]+)/(?=[\w.-]+[.!]?$)", re.IGNORECASE)
_OF_MORE = re.compile(r"e2e|end-to-end|integration|smoke|acceptance|playwright|cypress", re.IGNORECASE)
_AND_ALL = re.compile(r", and (?=all (?:\d+ )?(?:unit )?tests\b)", re.IGNORECASE)
_NUMBER = re.compile(r"\d+")


def failed_since(text: str, facts: Sequence[Fact], home: str) -> Iterator[tuple[int, Fact]]:
    """The lines of an item that tell what failed last, and what that is. `facts`, oldest first; `home`: the
    directory where all commands ran."""
    commands = [fact for fact in facts if fact.slot == "command"]
    for number, line in enumerate(text.split("\n")):
        said = _PUSHED_TO.sub(r"\1\2 ", without_mended(line))
        if CODE.search(said) or PLACE.search(_PUSHED_TO.sub(r"\1\2 ", line)):
            continue
        fact = _every(said, commands) or _none(said, commands) or _done(said, facts, commands, home)
        if fact is not None:
            yield number, fact


def without_mended(text: str) -> str:
    """Without what is told first to be mended: "Fixed the login; "."""
    return _MENDED_FIRST.sub("", text, count=1)


def _every(line: str, commands: Sequence[Fact]) -> Fact | None:
    """Rule 1, of all."""
    line = _AND_ALL.split(line)[-1]
    said = _EVERY.match(line)
    if not said or ending(line[said.start("works") :]) != "works" or not is_plain(line, now=False):
        return None
    return newest_failure(said["kind"], of_units(commands) if said["unit"] else commands)


def _none(line: str, commands: Sequence[Fact]) -> Fact | None:
    """Rule 1, of none that fails."""
    said = _NONE.fullmatch(line)
    fact = newest_failure(said["kind"] or said["of"], commands) if said else None
    return fact if fact and FAILS.search(fact.detail) else None


def runs_of(kind: str, commands: Sequence[Fact]) -> list[Fact]:
    """The runs of a kind (`test`, `build`, `lint`, `type`)."""
    name = _KINDS[kind[:4].lower()]
    return [fact for fact in commands if any(is_of_kind(run, name) for run in fact.runs.split("\n"))]


def of_units(commands: Sequence[Fact]) -> list[Fact]:
    """Without runs of tests that are told to be of more than a unit."""
    return [fact for fact in commands if not _OF_MORE.search(fact.text)]


def newest_failure(kind: str, commands: Sequence[Fact]) -> Fact | None:
    """The newest run of a kind, where it failed."""
    name, ran = _KINDS[kind[:4].lower()], runs_of(kind, commands)
    if not ran or ran[-1].status != "failed":
        return None
    fact, runs = ran[-1], ran[-1].runs.split("\n")
    counted = name == "test" and re.search(r"\d+ failed", fact.detail)
    return fact if counted or all(is_of_kind(run, name) for run in runs) else None


def _done(line: str, facts: Sequence[Fact], commands: Sequence[Fact], home: str) -> Fact | None:
    """Rule 2."""
    said = _TELLS.match(line)
    if not said:
        return None
    told = (said["first"] or said["then"]).lower()
    rest = f"{said['of'] or ''} {line[said.end() :]}"
    if FAILS.search(line) or not is_plain(_TO.sub(" ", rest), now=False):
        return None
    deed = _DEEDS[told]
    numbers = set(_NUMBER.findall(line))
    mine = [fact for fact in commands if _concerns(fact, numbers)]
    tried = [fact for fact in mine if deed.by.search(fact.text) and not _FOR_SHOW.search(fact.text)]
    if not tried or any(fact.status != "failed" for fact in tried):
        return None
    last = tried[-1]
    names = content_words(rest) - deed.words
    known = content_words(f"{last.text} {_registry(last.text)} {last.detail if told == 'pushed' else ''}")
    if not names <= known or not deed.by.search(_LAST.split(last.text)[-1]) or _IS_SO.search(last.detail):
        return None
    if directory_of(last.text) not in ("", home) or any(_may_have(told, last, fact) for fact in facts):
        return None
    return last


def _concerns(fact: Fact, numbers: set[str]) -> bool:
    """May it be of what has these numbers?"""
    own = set(_NUMBER.findall(fact.text))
    return not numbers or not own or bool(numbers & own)


def _may_have(told: str, failed: Fact, fact: Fact) -> bool:
    """May this have done what failed then, before or since?"""
    since = (fact.time_ms, fact.seq, fact.order) > (failed.time_ms, failed.seq, failed.order)
    if fact.slot == "value":  # what a run printed that is not known any more
        return not since and fact.detail == failed.text and (fact.time_ms, fact.seq) != (failed.time_ms, failed.seq)
    if fact.source == "user":
        return since and told.removesuffix("ed").rstrip("t") in fact.text.lower()
    if fact.slot != "command" or fact.status == "failed" or not since:
        return False
    return may_do(told, fact)


def may_do(told: str, fact: Fact) -> bool:
    """May this command have done what is told ("pushed"), by itself or as a script that runs anything?"""
    return bool(_DEEDS[told].may.search(fact.text)) or any(
        _SCRIPT.search(run) and not is_checking(run) for run in fact.runs.split("\n")
    )


def _registry(command: str) -> str:
    return " ".join(name for program, name in _REGISTRIES.items() if re.search(rf"\b{program}\b", command))
