"""Turns what the assistant asked at the end of a text, and the user's words on it, into the question and what they
choose.

Rules, of no language but where said:
1. A text asks where a question stands in its last TAIL_CHARACTERS; of several the last is the one that is answered.
2. A question that says nothing alone is told with what it is about: one of a few words that names nothing ("Should
   I?"), and in English one that only asks for a word ("What do you think?", "Does this look right?"). That is the
   sentence before it, or the items of the list before it.
3. Of a list of options with letters or numbers a reply chooses one by that ("B please", "2", "option c"), or in
   English by its place ("the second one"): its words are what was chosen. Where two options have the same letter
   the later list counts. Where it takes several, or refuses some (`choices`), each is told with its letter.
4. Questions that stand one after the other with a number or a letter each are told together.
5. Options that the text asks to choose from are proposed, and nothing that it states.
6. In English a short reply that agrees to what was said ("good, do that") is of the last sentence of a text that
   asks nothing.
7. A later word on it ("hmm, let me think", then "actually no") is told with the first.
"""

import re

import msgspec

from ctxmgr.engine.findings.choices import Choice, choice, names_several
from ctxmgr.engine.findings.options import (
    EDGES,
    ENDS,
    LEAST_OPTIONS,
    OPTION,
    at_place,
    last_lines,
    options_of,
    words_of_option,
)
from ctxmgr.engine.text import count_words, identifiers, one_line, sentences_of, shorten, words_of

QUESTION_CHARACTERS = 400  # a longer sentence is no question that one answers
TAIL_CHARACTERS = 600  # in which it asks: what stands higher up was not what the text ends with
SEVERAL_CHARACTERS = 110  # of each option where several are told
SHORT_WORDS = 4  # of a question that is about what was said before it
ANEW_WORDS = 6  # of a later answer to a question: a longer one says something else
CHOICE_WORDS = 4  # of a reply that begins with a bare letter: "B please"; "A cache would be nice" chooses nothing

ITEM_CHARACTERS = 90  # of each item of a list that a question is about
ABOUT_CHARACTERS = 240  # of all that a question is about
_FILLING = frozenset(  # words of questions that are about something else
    words_of(
        "a about ahead all also an and any anything approach are as be before begin can change changes choose"
        " concerns continue could do does else feedback feel fine first for from go good happy have help how i"
        " if implement is it keep know let like look looks make makes may me more move my need needed now of"
        " ok okay on one option or plan prefer proceed proposal questions ready right s say sense shall should"
        " so something sound sounds start suggest that the them there these thing think this those thoughts to"
        " us want way we what when which with would yes you your"
    ).split()
)
_CHOSEN = re.compile(r"^\W*(?:\S+ ){0,3}?(?:option|variante?|approach|opci[oó]n)\s+([a-f]|\d)\b", re.IGNORECASE)
_PLACE = re.compile(r"^\W*(?:the )?(first|second|third|fourth|last)(?: (?:one|option))?\b", re.IGNORECASE)
_ITEM = re.compile(r"^\s*(?:[-*+•|#>]|\d{1,3}[.)])\s")
_LETTER = re.compile(r"^\W*([A-Fa-f]|\d)(?:[.):,!]|\s|$)")
_FIRST_OF_ALL = re.compile(r"^\W*([A-Fa-f]|\d{1,2}), (?!(?:\d|[a-f]\b))")  # and then something else
_INSTEAD = re.compile(r"[,;.:–—]|\b(?:but|instead|rather)\b", re.IGNORECASE)
_SERIES = re.compile(r"(?<=\?)\s+(?=(?:Q\w*\s*)?(?:\d{1,2}|[A-Ha-h])\s*[.):–-])")
_LABELLED = re.compile(r"^\W*(?:Q\w*?\s*)?(?:\d{1,2}|[A-Ha-h])\s*[.):–-]+\s*\S")
_OF_CHOICE = re.compile(r"\b(?:which|what|prefer|options?|pick|choose|or|either|rather)\b", re.IGNORECASE)
_ON_SECOND_THOUGHT = re.compile(
    r"^\W*(?:(?:ok(?:ay)?|hm+|oh|wait|sorry|well|no|so)\W+)*(?:actually|on second thought|changed my mind"
    r"|i changed my mind|scratch that|no wait|wait,? no|after all)\b",
    re.IGNORECASE,
)
_LEFT_OPEN = re.compile(
    r"\b(?:not (?:yet )?sure|let me (?:think|check|see|ask|sleep)|i['’]?ll (?:think|check|see|ask|let you know"
    r"|get back)"
    r"|don['’]?t know|dunno|idk|maybe|perhaps|later|not yet|give me|hold on|wait|undecided|no idea|thinking)\b"
    r"|^\W*hm+\b",
    re.IGNORECASE,
)
_YES_OR_NO = re.compile(
    r"^\W*(?:(?:ok(?:ay)?|hm+|so|well|then|alright|right)\W+)*(?:yes|yeah|yep|yup|sure|no|nope|nah|do|don['’]?t"
    r"|go|keep"
    r"|leave|drop|delete|skip|please|let['’]?s|both|neither|the|option|[a-f]|\d)\b",
    re.IGNORECASE,
)


_AGREES = re.compile(
    r"^\W*(?:(?:ok(?:ay)?|yes|yeah|yep|good|great|perfect|sure|fine|right|cool|nice|alright)[,.! ]+)*"
    r"(?:(?:please |let['’]?s |then |just )*(?:do (?:that|it|so|this)|go ahead|go (?:for|with) (?:it|that))"
    r"|sounds (?:good|right|great)|agreed|exactly|make it so|yes,? please|yes)\b(?! (?:but|if|when|after|again)\b)",
    re.IGNORECASE,
)


class Asked(msgspec.Struct, frozen=True):
    """An assistant's text, and the digest of its message, before a user's. `pending`: what it had asked before, and
    `replies` what the user said to that, where it asks nothing itself."""

    text: str
    origin: str
    pending: "Asked | None" = None
    replies: tuple[str, ...] = ()


def answers_anew(reply: str, before: str) -> bool:
    """Is it a later word on a question that was answered by `before`, in English?"""
    if len(reply.split()) > ANEW_WORDS:
        return False
    return bool(_ON_SECOND_THOUGHT.match(reply) or (_LEFT_OPEN.search(before) and _YES_OR_NO.match(reply)))


def offered(text: str) -> frozenset[str]:
    """The lines of options that a text asks to choose from (rule 5)."""
    lines = {line: found for line in last_lines(text) if (found := OPTION.match(line))}
    if len(lines) < LEAST_OPTIONS or not (asked := closing_question(text, about=False)):
        return frozenset()
    letters = all(found[1].isalpha() for found in lines.values())
    return frozenset(lines) if letters or _OF_CHOICE.search(asked) else frozenset()


def agreed_to(text: str, reply: str) -> str:
    """The sentence that a reply agrees to (rule 6); "" for none."""
    if not _AGREES.match(reply) or reply.rstrip().endswith(ENDS):
        return ""
    line = next((one for one in last_lines(text) if one.strip()), "")
    said = sentences_of(line) if not line.lstrip().startswith(("#", "|", ">")) else []
    sentence = one_line(said[-1], QUESTION_CHARACTERS) if said else ""
    return sentence if count_words(sentence) > SHORT_WORDS else ""


def closing_question(text: str, *, about: bool = True) -> str:
    """On one line; "" where it does not end with one. `about`: with what it is about, where it does not say (rule
    2)."""
    if not any(end in text[-TAIL_CHARACTERS:] for end in ENDS):
        return ""
    lines = last_lines(text)
    for at, line in enumerate(lines):
        sentences = sentences_of(line)
        for number in range(len(sentences) - 1, -1, -1):
            if sentences[number].rstrip(EDGES).endswith(ENDS):
                if len(series := _series(lines[at:])) > 1:
                    return one_line(" ".join(series), QUESTION_CHARACTERS)
                above = lines[at + 1 :] if about else []
                asked = _whole(sentences[: number + 1] if about else [sentences[number]], above)
                return asked if len(asked) <= QUESTION_CHARACTERS else ""
    return ""


def _series(lines: list[str]) -> list[str]:
    """The questions with numbers or letters that the lines end with; `lines` from the last one up."""
    found: list[str] = []
    for line in filter(str.strip, lines):
        parts = _SERIES.split(line.strip()) if line.count("?") > 1 else [line.strip()]
        asking = [part for part in parts if _LABELLED.match(part) and part.rstrip(EDGES).endswith(ENDS)]
        found[:0] = [shorten(part, SEVERAL_CHARACTERS) for part in asking]
        if not asking or len(asking) < len(parts):
            break
    return found


def _whole(sentences: list[str], above: list[str]) -> str:
    """Rule 2. The last of the sentences asks; `above`: lines before them, from the last one up."""
    asked = one_line(sentences[-1], len(sentences[-1]))
    if "`" in asked or identifiers(asked):
        return asked
    if count_words(asked) > SHORT_WORDS and not says_nothing(asked):
        return asked
    about = shorten(sentences[-2] if len(sentences) > 1 else _about(above), ABOUT_CHARACTERS)
    whole = one_line(f"{about} {asked}".strip(), len(about) + len(asked) + 1)
    return whole if len(whole) <= QUESTION_CHARACTERS else asked


def says_nothing(question: str) -> bool:
    """Does it ask for a word on something that it does not name, in English?"""
    return frozenset(words_of(question).split()) <= _FILLING and "`" not in question


def _about(above: list[str]) -> str:
    """The last sentence of the lines above, or the items of the list that they end with; "" for none."""
    lines = [one for one in above if one.strip()]
    items: list[str] = []
    for line in lines:
        if not (_ITEM.match(line) or OPTION.match(line)) or line.lstrip().startswith(("#", "|", ">")):
            break
        items.append(shorten(one_line(line, len(line)), ITEM_CHARACTERS))
    if items:
        return "; ".join(reversed(items)) + "."
    said = sentences_of(lines[0]) if lines and not lines[0].lstrip().startswith(("#", "|", ">")) else []
    return said[-1] if said else ""


def chosen(text: str, reply: str) -> str:
    """The words of the option that a reply chooses of those in the text; "" for none."""
    options = options_of(text)
    several = several_of(text, reply)
    if several or names_several(reply, list(options)):
        return several
    brief = len(reply.split()) <= CHOICE_WORDS
    named = _CHOSEN.match(reply) or (_LETTER.match(reply) if brief else _FIRST_OF_ALL.match(reply))
    placed = _PLACE.match(reply) if brief and named is None else None
    what = ""
    if named is not None:
        what = options.get(named[1].casefold(), "")
    elif placed is not None:
        what = at_place(placed[1].casefold(), [*options.values()])
    return words_of_option(what)


def several_of(text: str, reply: str) -> str:
    """The options that a reply takes and refuses, each with its letter; "" where it takes one and refuses none."""
    options = options_of(text)
    found = choice(reply, list(options)) or _none(reply, list(options))
    if found is None or (len(found.accepted) == 1 and not found.refused):
        return ""
    told = [f"{name.upper()}: {words_of_option(options[name], SEVERAL_CHARACTERS)}" for name in found.accepted]
    told += [f"not {name.upper()}: {words_of_option(options[name], SEVERAL_CHARACTERS)}" for name in found.refused]
    return "; ".join(told)


def _none(reply: str, names: list[str]) -> Choice | None:
    """What it refuses, where it takes none of them and says what it would have instead."""
    refused = choice(_INSTEAD.split(reply, maxsplit=1)[0], names)
    return refused if refused is not None and len(refused.refused) == len(names) else None
