"""Turns any text into the forms that facts, packets and summaries need: one clean line, a key to compare by, words,
sentences, and the line that represents a command.

A line for a packet cannot look like a heading, a list of its own, a code fence or the packet's mark, because a fact
may contain words that were written to imitate ctxmgr. The numbers of list items stay: somebody may say "do 2".
Knows nothing of facts, messages or packets. Never raises for any string, including unpaired surrogates.
"""

import hashlib
import re
from collections.abc import Iterator

from ctxmgr.model import expression

KEY_CHARACTERS = 120  # a longer key is its start and a digest of the whole, so that keys stay comparable
FENCE = expression(r"^\s*(`{3,}|~{3,})")

# Escape sequences, C0 and C1 controls, soft hyphen, zero-width space and direction marks, line separators, byte
# order mark, tags. Joiners are not included, because words of some scripts and emoji need them.
_UNSEEN = expression(
    r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\-_])"
    "|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\xad\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb"
    "\U000e0000-\U000e007f]"
)
_CUT = " … "
_SPACE = expression(r"\s+")
_NOT_WORD = expression(r"[\W_]+")
# after a mark with a blank after it; scripts without blanks have marks of their own, which need none
_SENTENCE_END = expression(
    r"(?<=[.!?؟।])([\"')\]*]*)\s+(?=[\"'(`*\[]*\w)|(?<=[。！？｡])([\"'”’」』）】\])*]*)\s*(?=[^\s。！？｡\"'”’」』）】\])*])"
)
_LETTERED = (") ", ". ")  # after the letter of a choice: `A) now`
_ASKS = ("?", "？", "؟")
_NO_PARAGRAPH = ("|", "::")  # a table; a directive to the host's window
_HEADINGS = tuple("#" * level + " " for level in range(1, 7))
_PARTED = "\n\n"
BULLET = expression(  # before a list item, with its checkbox
    r"(?P<indent>\s*)(?P<sign>(?:[-*+•]|\d{1,3}[.)])\s+)(?:\[(?P<box>[ xX✓✔✅~>/]?)\]\s+)?(?=\S)"
)
_ABBREVIATIONS = frozenset(
    ["e.g.", "i.e.", "etc.", "vs.", "cf.", "approx.", "resp.", "no.", "fig.", "incl.", "mr.", "dr."]
)


def plain(text: str) -> str:
    """The text as one line without control characters, escape sequences and unpaired surrogates."""
    if text.isascii() and text.isprintable():  # true for most texts; their only blanks are spaces
        return " ".join(text.split())
    text = _UNSEEN.sub("", text)
    if not text.isascii():
        text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return one_spaced(text)


def shorten(text: str, limit: int) -> str:
    """Cuts `text` to at most `limit` characters, at the end of a sentence if one is late enough, otherwise at a
    word.
    """
    if len(text) <= limit:
        return text
    head = text[: max(limit - 1, 0)]
    least = limit * 3 // 5  # an earlier cut would lose too much text for a clean end
    for match in reversed(list(_SENTENCE_END.finditer(head))):
        if _end(match) >= least:
            return head[: _end(match)] + "…"
    space = head.rfind(" ")
    if space >= least:
        head = head[:space]
    return head.rstrip(" ,;:-") + "…"


def both_ends(text: str, limit: int) -> str:
    """Cuts `text` to at most `limit` characters: its beginning and its end, with `…` between them. Cuts at the end
    of a sentence if there is a suitable one, otherwise at a word, otherwise anywhere.
    """
    if len(text) <= limit:
        return text
    room = max((limit - len(_CUT)) // 2, 1)
    least = room * 3 // 5  # less would lose too much text for a clean end
    head, tail = text[:room], text[-room:]
    for ends in (_SENTENCE_END, _SPACE):
        places = [_end(match) if ends is _SENTENCE_END else match.start() for match in ends.finditer(head)]
        if places and places[-1] >= least:
            head = head[: places[-1]]
            break
    for ends in (_SENTENCE_END, _SPACE):
        starts = [match.end() for match in ends.finditer(tail)]
        if starts and starts[0] <= room - least:
            tail = tail[starts[0] :]
            break
    return f"{head}{_CUT}{tail}"


def last_paragraph(text: str) -> str:
    """The text after the last blank line outside a fence. A fence belongs to the paragraph before it. A table, a
    heading and a directive to the host's window (`::name{...}`) are skipped if there is another paragraph. A list
    comes with the paragraph before it, and so does a question.
    """
    text = text.strip()
    read = text.splitlines()
    if all(map(str.strip, read)):  # one paragraph, with or without fences
        return "\n".join(read)
    paragraphs: list[list[str]] = [[]]
    for line, outside in outside_fences(text):
        if outside and paragraphs[-1] and not paragraphs[-1][-1].strip():
            paragraphs.append([])
        paragraphs[-1].append(line)
    written = [(index, text) for index, lines in enumerate(paragraphs) if (text := "\n".join(lines).strip())]
    prose = [(index, text) for index, text in written if not _is_no_paragraph(text)]
    if len(prose) > 1 and _needs_lead(prose[-1][1]):
        (before, lead), (last, text) = prose[-2:]
        return f"{lead}{_CUT if last - before > 1 else _PARTED}{text}"
    return (prose or written or [(0, "")])[-1][1]


def _needs_lead(text: str) -> bool:
    """Whether a paragraph is a list (also of lettered choices) or a question."""
    return bool(BULLET.match(text)) or text.lstrip("(")[1:3] in _LETTERED or text.endswith(_ASKS)


def _is_no_paragraph(text: str) -> bool:
    return text.startswith(_NO_PARAGRAPH) or (text.startswith(_HEADINGS) and "\n" not in text)


def key_of(text: str) -> str:
    """The key by which two statements count as the same: their words, in lower case."""
    words = words_of(text)
    if len(words) <= KEY_CHARACTERS:
        return words
    digest = hashlib.sha256(words.encode("utf-8", "backslashreplace")).hexdigest()[:12]
    return f"{words[:KEY_CHARACTERS]} {digest}"


def one_spaced(text: str) -> str:
    """The text with each run of blanks replaced by one space."""
    return " ".join(text.split())


def words_of(text: str) -> str:
    """The words of a text in lower case, separated by spaces. Without words, its characters."""
    return _NOT_WORD.sub(" ", text.casefold()).strip() or one_spaced(text)


def sentences_of(text: str) -> list[str]:
    """Splits prose into sentences. A line end ends a sentence; `e.g.` and similar abbreviations do not."""
    sentences: list[str] = []
    for line in text.splitlines():
        start = 0
        for match in _SENTENCE_END.finditer(line):
            sentence = line[start : _end(match)].strip()
            if sentence.rpartition(" ")[2].rpartition("(")[2].casefold() not in _ABBREVIATIONS:
                sentences.append(sentence)
                start = match.end()
        sentences.append(line[start:].strip())
    return [sentence for sentence in sentences if sentence]


def _end(match: re.Match[str]) -> int:
    """The end of a sentence, after closing quotation marks."""
    return match.end(match.lastindex or 0)


def fence_after(fence: str, line: str) -> str:
    """The code fence that is open after this line, or "". `fence`: the one open before."""
    mark = FENCE.match(line)
    if not mark:
        return fence
    return "" if fence and mark[1].startswith(fence) else fence or mark[1]


def outside_fences(text: str) -> Iterator[tuple[str, bool]]:
    """Each line, and whether it is outside code fences; the fence lines are not. An unclosed fence extends to the
    end.
    """
    fence = ""
    for line in text.splitlines():
        fence = fence_after(fence, line)
        yield line, not (fence or FENCE.match(line))


BULLET_CHARACTERS = 240
MOST_CHARACTERS_READ = 4  # times the limit; text that is cut off anyway need not be cleaned

_BULLET_BREAK = expression(r"[;,]?\n(?:[-*+•]\s+(?:\[[ xX~]?\]\s+)?|(?=\d{1,3}[.)]\s))")
_FIRST_MARK = expression(r"^(?:[-*+•>|=~]+\s+|#+(?:\s+|$)|\[[ xX~]?\]\s+|[-=~*_]{3,}\s*)+")
_FENCES = expression(r"(?:`{3,}|~{3,})\w*")
_MARK_START = expression(r"\[(?=\s*ctxmgr)", re.IGNORECASE)


def one_line(text: str, limit: int = BULLET_CHARACTERS) -> str:
    """The text on one line of at most `limit` characters, without Markdown marks at its start."""
    text = text[: MOST_CHARACTERS_READ * limit].strip()
    if "\n" in text:
        text = _BULLET_BREAK.sub("; ", "\n".join(filter(None, map(str.strip, text.split("\n")))))
    text = text.replace(":; ", ": ")
    text = plain(_FENCES.sub(" ", text) if "```" in text or "~~~" in text else text)
    text = without_mark(text)
    marks = _FIRST_MARK.match(text)
    return shorten(text[marks.end() :] if marks else text, limit)


def without_mark(text: str) -> str:
    """The text without the start of any ctxmgr mark."""
    return _MARK_START.sub("(", text) if "[" in text else text


def code(text: str, limit: int) -> str:
    """The text as inline code."""
    return f"`{one_line(text, limit).replace('`', chr(39))}`"


def quotation(text: str, limit: int) -> str:
    """What somebody said, in quotes, word for word on one line. A long text is cut to its beginning and end."""
    return f'"{without_mark(plain(both_ends(text.strip(), limit)))}"'


COMMAND_CHARACTERS = 240
DIGEST_CHARACTERS = 8  # hexadecimal, of sha256

_SCRIPT = expression(r" \(\d+ lines?, sha256 [0-9a-f]{8}\)$")


def command_line(command: str) -> str:
    """The command on one line of at most COMMAND_CHARACTERS."""
    command = command.strip()
    line = plain(command.replace("\\\n", " "))
    if len(line) <= COMMAND_CHARACTERS and "\n" not in command.replace("\\\n", ""):
        return line
    lines = command.count("\n") + 1
    digest = hashlib.sha256(command.encode("utf-8", "surrogatepass")).hexdigest()[:DIGEST_CHARACTERS]
    size = f" ({lines} line{'s' if lines > 1 else ''}, sha256 {digest})"
    shown = command if "<<" in command else re.sub(r"\s*\n\s*", "; ", command)
    return f"{shorten(plain(shown), COMMAND_CHARACTERS - len(size))}{size}"


def coded_command(text: str, limit: int = COMMAND_CHARACTERS) -> str:
    """Such a line with the command as inline code. The size and digest of a script follow it unchanged."""
    script = _SCRIPT.search(text)
    return f"{code(text[: script.start()], limit)}{script[0]}" if script else code(text, limit)
