"""Turns text of any origin into the forms that facts, packets and summaries need: one clean line, a key to compare
by, words, sentences, and the line that stands for a command.

A line for a packet cannot look like a heading, a list of its own, a code fence or the packet's mark: a fact may
hold words that somebody wrote to be read as ours. The numbers of a list's items stay: somebody may say "do 2".
Knows nothing of facts, messages or packets. Never raises for any string, unpaired surrogates included.
"""

import hashlib
import re
from collections.abc import Iterator

from ctxmgr.model import expression

KEY_CHARACTERS = 120  # a longer key keeps its start and a digest of the whole, so that keys stay comparable
FENCE = expression(r"^\s*(`{3,}|~{3,})")

# Escape sequences, C0 and C1 controls, soft hyphen, zero-width space and direction marks, line separators, byte
# order mark, tags; not the joiners, which words of some scripts and emoji are made with.
_UNSEEN = expression(
    r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\-_])"
    "|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\xad\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb"
    "\U000e0000-\U000e007f]"
)
_CUT = " … "
_SPACE = expression(r"\s+")
_NOT_WORD = expression(r"[\W_]+")
# behind a mark with a blank after it; in a script without blanks behind its own marks, which need none
_SENTENCE_END = expression(
    r"(?<=[.!?؟।])([\"')\]*]*)\s+(?=[\"'(`*\[]*\w)|(?<=[。！？｡])([\"'”’」』）】\])*]*)\s*(?=[^\s。！？｡\"'”’」』）】\])*])"
)
_LETTERED = (") ", ". ")  # behind the letter of a choice: `A) now`
_ASKS = ("?", "？", "؟")
_NO_PARAGRAPH = ("|", "::")  # a table; what the host's window is told to show
_HEADINGS = tuple("#" * level + " " for level in range(1, 7))
_PARTED = "\n\n"
BULLET = expression(  # before an item of a list, with its checkbox
    r"(?P<indent>\s*)(?P<sign>(?:[-*+•]|\d{1,3}[.)])\s+)(?:\[(?P<box>[ xX✓✔✅~>/]?)\]\s+)?(?=\S)"
)
_ABBREVIATIONS = frozenset(
    ["e.g.", "i.e.", "etc.", "vs.", "cf.", "approx.", "resp.", "no.", "fig.", "incl.", "mr.", "dr."]
)


def plain(text: str) -> str:
    """Return `text` as one line without control characters, escape sequences and unpaired surrogates."""
    if text.isascii() and text.isprintable():  # most are: of blanks they have spaces alone
        return " ".join(text.split())
    text = _UNSEEN.sub("", text)
    if not text.isascii():
        text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return one_spaced(text)


def shorten(text: str, limit: int) -> str:
    """Cut `text` to at most `limit` characters, at a sentence if one ends late enough, else at a word."""
    if len(text) <= limit:
        return text
    head = text[: max(limit - 1, 0)]
    least = limit * 3 // 5  # a cut before this would throw away too much for the sake of a clean end
    for match in reversed(list(_SENTENCE_END.finditer(head))):
        if _end(match) >= least:
            return head[: _end(match)] + "…"
    space = head.rfind(" ")
    if space >= least:
        head = head[:space]
    return head.rstrip(" ,;:-") + "…"


def both_ends(text: str, limit: int) -> str:
    """Cut `text` to at most `limit` characters: how it begins and how it ends, at a sentence if one ends late
    enough, else at a word, else anywhere; what is left out is `…` between them."""
    if len(text) <= limit:
        return text
    room = max((limit - len(_CUT)) // 2, 1)
    least = room * 3 // 5  # less would throw away too much for the sake of a clean end
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
    """What stands behind the last blank line outside a fence; a fence belongs to the paragraph that it follows. A
    table, a heading and what the host's window is told to show (`::name{...}`) are none, where there is another. A
    list stands with what it is a list of, and a question with what was said before it."""
    text = text.strip()
    read = text.splitlines()
    if all(map(str.strip, read)):  # one, fences or none
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
    """Whether a paragraph is a list, also of lettered choices, or a question."""
    return bool(BULLET.match(text)) or text.lstrip("(")[1:3] in _LETTERED or text.endswith(_ASKS)


def _is_no_paragraph(text: str) -> bool:
    return text.startswith(_NO_PARAGRAPH) or (text.startswith(_HEADINGS) and "\n" not in text)


def key_of(text: str) -> str:
    """Return what two statements must share to count as the same: their words, in lower case."""
    words = words_of(text)
    if len(words) <= KEY_CHARACTERS:
        return words
    digest = hashlib.sha256(words.encode("utf-8", "backslashreplace")).hexdigest()[:12]
    return f"{words[:KEY_CHARACTERS]} {digest}"


def one_spaced(text: str) -> str:
    """The text with one space for any run of blanks."""
    return " ".join(text.split())


def words_of(text: str) -> str:
    """The words of a text in lower case, a space between them; where it has none, its characters."""
    return _NOT_WORD.sub(" ", text.casefold()).strip() or one_spaced(text)


def sentences_of(text: str) -> list[str]:
    """Split prose into sentences; a line end is a sentence end, `e.g.` and its like are none."""
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
    """Where a sentence ends, with what closes a quotation behind its mark."""
    return match.end(match.lastindex or 0)


def fence_after(fence: str, line: str) -> str:
    """The code fence that is open after this line, given the one open before; "" for none."""
    mark = FENCE.match(line)
    if not mark:
        return fence
    return "" if fence and mark[1].startswith(fence) else fence or mark[1]


def outside_fences(text: str) -> Iterator[tuple[str, bool]]:
    """Each line, and whether it stands outside code fences; the fences' own lines do not. An unclosed fence runs to
    the end."""
    fence = ""
    for line in text.splitlines():
        fence = fence_after(fence, line)
        yield line, not (fence or FENCE.match(line))


BULLET_CHARACTERS = 240
MOST_CHARACTERS_READ = 4  # times the limit: what is cut off anyway is not worth cleaning

_BULLET_BREAK = expression(r"[;,]?\n(?:[-*+•]\s+(?:\[[ xX~]?\]\s+)?|(?=\d{1,3}[.)]\s))")
_FIRST_MARK = expression(r"^(?:[-*+•>|=~]+\s+|#+(?:\s+|$)|\[[ xX~]?\]\s+|[-=~*_]{3,}\s*)+")
_FENCES = expression(r"(?:`{3,}|~{3,})\w*")
_MARK_START = expression(r"\[(?=\s*ctxmgr)", re.IGNORECASE)


def one_line(text: str, limit: int = BULLET_CHARACTERS) -> str:
    """Return `text` on one line of at most `limit` characters, without marks of its own."""
    text = text[: MOST_CHARACTERS_READ * limit].strip()
    if "\n" in text:
        text = _BULLET_BREAK.sub("; ", "\n".join(filter(None, map(str.strip, text.split("\n")))))
    text = text.replace(":; ", ": ")
    text = plain(_FENCES.sub(" ", text) if "```" in text or "~~~" in text else text)
    text = without_mark(text)
    marks = _FIRST_MARK.match(text)
    return shorten(text[marks.end() :] if marks else text, limit)


def without_mark(text: str) -> str:
    """The text, in which none of our marks begins."""
    return _MARK_START.sub("(", text) if "[" in text else text


def code(text: str, limit: int) -> str:
    """Return `text` as inline code."""
    return f"`{one_line(text, limit).replace('`', chr(39))}`"


def quotation(text: str, limit: int) -> str:
    """What somebody said, in quotes, word for word on one line; of a long text how it begins and how it ends."""
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
    """Such a line with the command as inline code; what is said of a script stands whole behind it."""
    script = _SCRIPT.search(text)
    return f"{code(text[: script.start()], limit)}{script[0]}" if script else code(text, limit)
