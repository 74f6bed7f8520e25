"""Turns a shell's command line into the commands it runs, or None where only a shell could tell.

Rules:

1. Understood are words, quotes, pipes, `&&`, `||`, `;`, line ends, redirects, comments and heredocs. Command
   substitution, groups, loops, conditions and background runs make the whole line one that is not understood.
2. A word that a shell would expand (`$x`, `*.py`, `{a,b}`) is None: what it stands for is not known.
3. A command beside `||` is not sure: it may not have run, or have failed unseen.

It knows no command by its meaning.

Not by Python's shlex: that reads character by character, 5 ms for a heredoc of 10 kB.
"""

import re

import msgspec

Word = str | None


class ShellCommand(msgspec.Struct, frozen=True, gc=False):
    """One command. `writes`: (">" or ">>", file) of its standard output, in order; `stdin`: its heredoc."""

    words: tuple[Word, ...]
    writes: tuple[tuple[str, Word], ...] = ()
    stdin: str | None = None


class Pipeline(msgspec.Struct, frozen=True, gc=False):
    """Commands whose outputs feed one another. `sure`: it ran, and its failure would have been seen (rule 3)."""

    commands: tuple[ShellCommand, ...]
    sure: bool = True


_TOKEN = re.compile(
    r"(?P<space>(?:[ \t\r]|\\\n)+)"
    r"|(?P<joined>[12]?>&[12])"
    r"|(?P<target>(?:[12]|&)?>>?(?![&(]))"
    r"|(?P<plain>[\w./:=,+@%^~!-]+)"
    r"|'(?P<single>[^']*)'"
    r'|"(?P<double>[^"\\]*(?:\\.[^"\\]*)*)"'
    r"|\\(?P<escaped>[^\n])"
    r"|<<-?[ \t]*(?:(?P<quote>['\"])(?P<quoted>\w+)(?P=quote)|(?P<heredoc>\w+))"
    r"|(?P<operator>&&|\|\||\|&?|;|\n)"
    r"|(?P<comment>\#)"
    r"|(?P<expands>\$\w+|\$\{\w+\}|[*?\[\]{}])",
    re.DOTALL,
)
_PLAIN = re.compile(r"[\w./:=,+@%^~-]+")
_EXPANDS = re.compile(r"\$[\w{]")
_SUBSTITUTES = re.compile(r"\$\(|`")
_ESCAPED = re.compile(r'\\(["\\$`\n])')
_KEYWORDS = frozenset(("if", "then", "else", "elif", "fi", "for", "while", "until", "do", "done", "case", "esac"))
_KEYWORDS |= {"function", "select", "{", "}", "!", "[[", "time"}


class _Reading:
    """A line while it is read."""

    def __init__(self) -> None:
        self.pipelines: list[Pipeline] = []
        self.commands: list[ShellCommand] = []
        self.words: list[Word] = []
        self.writes: list[tuple[str, Word]] = []
        self.stdin: str | None = None
        self.word: str | None = None  # what there is of the word that is being read
        self.is_literal = True  # whether its value is (rule 2)
        self.redirect = ""  # what the next word is the target of
        self.after_or = False

    def add(self, piece: str, known: bool = True) -> None:
        self.word = (self.word or "") + piece
        self.is_literal = self.is_literal and known

    def end_word(self) -> None:
        if self.word is None:
            return
        word = self.word if self.is_literal else None
        if not self.redirect:
            self.words.append(word)
        elif self.redirect[0] != "2":
            self.writes.append((">>" if ">>" in self.redirect else ">", word))
        self.word, self.is_literal, self.redirect = None, True, ""

    def end_command(self) -> bool:
        """Whether what was read is understood."""
        self.end_word()
        if self.redirect or (self.words and self.words[0] in _KEYWORDS):
            return False
        if self.words or self.writes or self.stdin is not None:
            self.commands.append(ShellCommand(tuple(self.words), tuple(self.writes), self.stdin))
        self.words, self.writes, self.stdin = [], [], None
        return True

    def end_pipeline(self, operator: str) -> bool:
        """Whether what was read is understood."""
        if not self.end_command():
            return False
        if self.commands:
            self.pipelines.append(Pipeline(tuple(self.commands), operator != "||" and not self.after_or))
            self.after_or = operator == "||"
            self.commands = []
        return True


def parse(line: str) -> tuple[Pipeline, ...] | None:
    """The pipelines of a command line in order; None by rule 1. Time is linear in the line."""
    reading = _Reading()
    place, size, resume = 0, len(line), 0  # `resume`: where the line goes on after its heredocs
    while place < size:
        token = _TOKEN.match(line, place)
        if token is None:
            return None
        kind, piece, place = token.lastgroup, token.group(), token.end()
        if kind == "plain":
            reading.add(piece)
        elif kind == "space":
            reading.end_word()
        elif kind == "single":
            reading.add(token["single"])
        elif kind == "double":
            if _SUBSTITUTES.search(token["double"]):
                return None
            inside = _ESCAPED.sub(lambda found: found[1].strip("\n"), token["double"])
            reading.add(inside, not _EXPANDS.search(inside))
        elif kind == "escaped":
            reading.add(token["escaped"])
        elif kind == "expands":
            reading.add(piece, known=False)
        elif kind == "comment":
            if reading.word is not None:
                reading.add(piece)
            else:
                end = line.find("\n", place)
                place = size if end < 0 else end
        elif kind in ("joined", "target"):
            reading.end_word()
            reading.redirect = piece if kind == "target" else ""
        elif kind == "operator":
            if not (reading.end_command() if piece in ("|", "|&") else reading.end_pipeline(piece)):
                return None
            if piece == "\n" and resume:
                place, resume = resume, 0
        else:
            reading.end_word()
            body = _body(line, resume or line.find("\n", place) + 1, token["quoted"] or token["heredoc"])
            if body is None:
                return None
            reading.stdin, resume = line[body[0] : body[1]], body[2]
    return tuple(reading.pipelines) if reading.end_pipeline("") else None


def _body(line: str, start: int, mark: str) -> tuple[int, int, int] | None:
    """(start, end, where the line after its mark begins) of a heredoc; None without its mark."""
    if not start:
        return None
    end = re.compile(rf"^\t*{mark}(?:\n|\Z)", re.MULTILINE).search(line, start)
    return (start, end.start(), end.end()) if end else None


def name_of(command: ShellCommand) -> str:
    """The program that a command runs, without its directory; "" where that is not known."""
    first = command.words[0] if command.words else None
    return (first or "").rpartition("/")[2]


def quoted(word: str) -> str:
    """A word as it is spelled in a command line."""
    return word if word and _PLAIN.fullmatch(word) else "'" + word.replace("'", "'\\''") + "'"
