"""Turns a shell's command line into the commands it runs, or None where only a shell could tell.

Rules:

1. Understood are words, quotes, pipes, `&&`, `||`, `;`, line ends, redirects, comments, heredocs, `!`, and groups
   that stand in no pipe and are sent nowhere. Loops, conditions, functions and background runs make the whole line
   one that is not understood (`outline` says what it may run).
2. A word that a shell would expand (`$x`, `*.py`, `{a,b}`) is None: what it stands for is not known; of a variable
   that a line begins with the name is kept. What a command substitution runs is kept too, and not looked into.
3. A command beside `||` or behind `!` is not sure: it may not have run, or have failed unseen.

It knows no command by its meaning.

Not by Python's shlex: that reads character by character, 5 ms for a heredoc of 10 kB.
"""

import re

import msgspec

from ctxmgr.engine.tools.shell.heredocs import MARK, body, mark_of
from ctxmgr.engine.tools.shell.nested import closing

Word = str | None
MOST_DEPTH = 8  # of groups within groups


class ShellCommand(msgspec.Struct, frozen=True, gc=False):
    """One command. `writes`: (">" or ">>", file) of its standard output, in order; `stdin`: its heredoc; `source`:
    the file that comes instead of one, "" for none."""

    words: tuple[Word, ...]
    writes: tuple[tuple[str, Word], ...] = ()
    stdin: str | None = None
    source: Word = ""


class Pipeline(msgspec.Struct, frozen=True, gc=False):
    """Commands whose outputs feed one another. `sure`: it ran, and its failure would have been seen (rule 3).

    `substitutes`: it runs others in its words, `inner`: these, "" for one that is not known. `opens`, `closes`: how
    many subshells begin before it, end behind. `then`: the operator behind it, "" at the end of the line. `often`:
    it may run more than once. `behind`: the commands of the pipe that the group which it stands in goes on to.
    """

    commands: tuple[ShellCommand, ...]
    sure: bool = True
    opens: int = 0
    closes: int = 0
    then: str = ""
    inner: tuple[str, ...] = ()
    often: bool = False
    behind: tuple[ShellCommand, ...] = ()

    @property
    def substitutes(self) -> bool:
        return bool(self.inner)


TOKEN = re.compile(
    r"(?P<space>(?:[ \t\r]|\\\n)+)"
    r"|(?P<joined>[12]?>&[12])"
    r"|(?P<target>(?:[12]|&)?(?:>>|>\||>)(?![&(])|0?<(?![<(&>]))"
    r"|(?P<plain>[\w./:=,+@%^~!-]+)"
    r"|'(?P<single>[^']*)'"
    r'|"(?P<double>[^"\\$`]*(?:\\.[^"\\$`]*)*)"'
    r'|(?P<nested>"|\$\()|(?P<ticked>`[^`\\]*(?:\\.[^`\\]*)*`)'
    r"|\\(?P<escaped>[^\n])"
    rf"|(?P<heredoc>{MARK})"
    r"|(?P<operator>&&|\|\||\|&?|;|\n)"
    r"|(?P<comment>\#)"
    r"|(?P<group>\((?!\()|\)|\{(?=\s)|\}(?=[\s;&|)]|\Z))"
    r"|(?P<expands>\$\w+|\$[?$!\#@*-]|\$\{[^{}$`'\"\\\n]*\}|\$'[^'\\]*(?:\\.[^'\\]*)*'|[*?\[\]{}])",
    re.DOTALL,
)
_PLAIN = re.compile(r"[\w./:=,+@%^~-]+")
_EXPANDS = re.compile(r"\$[\w{?$!#@*-]")
_SUBSTITUTES = re.compile(r"\$\(|`")
_ESCAPED = re.compile(r'\\(["\\$`\n])')
_KEYWORDS = frozenset(("if", "then", "else", "elif", "fi", "for", "while", "until", "do", "done", "case", "esac"))
_KEYWORDS |= {"function", "select", "{", "}", "!"}
_BRACKETS = ("[", "]", "[[", "]]")  # of a test: one that stands alone expands to nothing
_SETS = re.compile(r"[A-Za-z_]\w*\+?=")
_PAIRS = {")": "(", "}": "{"}


class LineReading:
    """A line while it is read."""

    def __init__(self) -> None:
        self.pipelines: list[Pipeline] = []
        self.commands: list[ShellCommand] = []
        self.words: list[Word] = []
        self.writes: list[tuple[str, Word]] = []
        self.stdin: str | None = None
        self.source: Word = ""
        self.word: str | None = None  # what there is of the word that is being read
        self.is_literal = True  # whether its value is (rule 2)
        self.redirect = ""  # what the next word is the target of
        self.after_or = self.inverted = False
        self.inner: list[str] = []  # what is run in the words of this pipeline
        self.groups: list[
            tuple[str, int, bool]
        ] = []  # those open: how, its first pipeline, whether it is after "||"
        self.ended_pipeline: int | None = None  # the first pipeline of the group that has just ended

    def add(self, piece: str, known: bool = True) -> None:
        self.word = (self.word or "") + piece
        self.is_literal = self.is_literal and known

    def double(self, text: str) -> None:
        """What stands in double quotes."""
        if _SUBSTITUTES.search(text):
            self.inner.append("")
        inside = _ESCAPED.sub(lambda found: found[1].strip("\n"), text)
        self.add(inside, not (_EXPANDS.search(inside) or _SUBSTITUTES.search(inside)))

    def end_word(self) -> None:
        if self.word is None:
            return
        word = self.word if self.is_literal or self.word in _BRACKETS else None
        if word is None and all("=" in (one or "") for one in self.words) and (sets := _SETS.match(self.word)):
            word = sets[0]
        if not self.redirect:
            self.words.append(word)
        elif "<" in self.redirect:
            self.source = word
        elif self.redirect[0] != "2":
            self.writes.append((">>" if ">>" in self.redirect else ">", word))
        self.word, self.is_literal, self.redirect = None, True, ""

    @property
    def starts(self) -> bool:
        """Is this where a pipeline may begin?"""
        read = self.words or self.writes or self.commands or self.redirect or self.word is not None
        return not read and self.stdin is None and self.source == ""

    def end_command(self) -> bool:
        """Whether what was read is understood."""
        self.end_word()
        if self.words[:1] == ["!"] and not self.commands:
            self.inverted = True
            del self.words[0]
        if self.redirect or (self.words and self.words[0] in _KEYWORDS):
            return False
        if self.words or self.writes or self.stdin is not None or self.source != "":
            command = ShellCommand(tuple(self.words), tuple(self.writes), self.stdin, self.source)
            self.commands.append(command)
        self.words, self.writes, self.stdin, self.source = [], [], None, ""
        return True

    def end_pipeline(self, operator: str) -> bool:
        """Whether what was read is understood."""
        if self.ended_pipeline is not None:
            self._end_group(operator)
            return True
        if not self.end_command():
            return False
        if self.commands:
            sure = operator != "||" and not self.after_or and not self.inverted
            inner = tuple(self.inner)
            self.pipelines.append(Pipeline(tuple(self.commands), sure, then=operator, inner=inner))
            self.after_or = operator == "||"
            self.commands, self.inverted, self.inner = [], False, []
        return True

    def pipe(self) -> bool:
        """Goes on behind `|`; whether what was read is understood."""
        return self.ended_pipeline is None and self.end_command()

    def ahead(self, line: str, place: int) -> int:
        """Where it goes on that takes what stands here by itself; `place` where it leaves it to others."""
        return place

    def _end_group(self, operator: str) -> None:
        if operator == "||" or self.after_or:
            for place in range(self.ended_pipeline or 0, len(self.pipelines)):
                self.pipelines[place] = msgspec.structs.replace(self.pipelines[place], sure=False)
        self.pipelines[-1] = msgspec.structs.replace(self.pipelines[-1], then=operator)
        self.after_or, self.ended_pipeline = operator == "||", None

    def group(self, mark: str) -> bool:
        """Begins or ends a group; whether what was read is understood."""
        if mark in "({":
            self.groups.append((mark, len(self.pipelines), self.after_or))
            self.after_or = False
            return len(self.groups) <= MOST_DEPTH
        if not self.end_pipeline("") or not self.groups:
            return False
        opened, first, self.after_or = self.groups.pop()
        if opened != _PAIRS[mark] or first == len(self.pipelines):
            return False
        if mark == ")":
            of_first, replace = self.pipelines[first], msgspec.structs.replace
            self.pipelines[first] = replace(of_first, opens=of_first.opens + 1)
            self.pipelines[-1] = replace(self.pipelines[-1], closes=self.pipelines[-1].closes + 1)
        self.ended_pipeline = first
        return True


def parse(line: str) -> tuple[Pipeline, ...] | None:
    """The pipelines of a command line in order; None by rule 1. Time is linear in the line."""
    reading = LineReading()
    if not read_into(reading, line) or reading.groups:
        return None
    return tuple(reading.pipelines)


def read_into(reading: LineReading, line: str) -> bool:
    """Reads a whole line; whether it is understood."""
    place, size, resume = 0, len(line), 0  # `resume`: where the line goes on after its heredocs
    while place < size:
        ahead = reading.ahead(line, place)
        if ahead != place:
            place = ahead
            continue
        token = TOKEN.match(line, place)
        if token is None:
            return False
        kind, piece, place = token.lastgroup, token.group(), token.end()
        if kind == "group" and piece != ")" and not reading.starts:
            kind = "expands" if piece != "(" else None
        if reading.ended_pipeline is not None and kind not in ("space", "operator", "comment", "group"):
            return False
        if kind == "operator":
            if not (reading.pipe() if piece in ("|", "|&") else reading.end_pipeline(piece)):
                return False
            if piece == "\n" and resume:
                place, resume = resume, 0
        elif kind == "nested":
            end = closing(line, place, piece[-1])
            if end is None:
                return False
            _add_nested(reading, line[place : end - 1], piece)
            place = end
        elif kind == "comment" and reading.word is None:
            end = line.find("\n", place)
            place = size if end < 0 else end
        elif kind == "heredoc":
            reading.end_word()
            found = body(line, resume or line.find("\n", place) + 1, mark_of(token))
            if found is None:
                return False
            reading.stdin, resume = line[found[0] : found[1]], found[2]
        elif kind is None or not _take(reading, kind, token):
            return False
    return reading.end_pipeline("")


def _add_nested(reading: LineReading, text: str, opened: str) -> None:
    if opened == '"':
        reading.double(text)
    else:
        reading.inner.append(text)
        reading.add(text, known=False)


def _take(reading: LineReading, kind: str, token: re.Match[str]) -> bool:
    """Adds what begins and ends at once; whether it is understood."""
    piece = token.group()
    if kind == "space":
        reading.end_word()
    elif kind == "double":
        reading.double(token["double"])
    elif kind in ("plain", "comment"):
        reading.add(piece)
    elif kind in ("single", "escaped"):
        reading.add(token[kind])
    elif kind == "group":
        return reading.group(piece)
    elif kind in ("expands", "ticked"):
        if kind == "ticked":
            reading.inner.append("")
        reading.add(piece, known=False)
    else:
        reading.end_word()
        reading.redirect = piece if kind == "target" else ""
    return True


def name_of(command: ShellCommand) -> str:
    """The program that a command runs, without its directory; "" where that is not known."""
    first = command.words[0] if command.words else None
    return (first or "").rpartition("/")[2]


def quoted(word: str) -> str:
    """A word as it is spelled in a command line."""
    return word if word and _PLAIN.fullmatch(word) else "'" + word.replace("'", "'\\''") + "'"
