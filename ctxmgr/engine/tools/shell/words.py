"""Parses a shell's command line into the commands it runs, or None if only a shell could do that.

Rules:

1. Supported are words, quotes, pipes, `&&`, `||`, `;`, line ends, redirects, comments, heredocs, `!`, and groups
   outside pipes without redirects. Loops, conditions, functions and background runs make the whole line
   unsupported.
2. A word that a shell would expand (`$x`, `*.py`, `{a,b}`) is None, since its value is unknown; of a variable at
   the start of a line the name is kept. Command substitutions are not analyzed.
3. A command beside `||` or behind `!` is uncertain: it may not have run, or have failed unnoticed.

It knows no command's meaning. Python's shlex is not used because it reads character by character, 5 ms for a
heredoc of 10 kB.
"""

import re

import msgspec
from msgspec import structs

from ctxmgr.model import expression

Word = str | None
MOST_DEPTH = 8  # of groups within groups
MOST_PARTS = 200  # of an unsupported line


class ShellCommand(msgspec.Struct, frozen=True, gc=False):
    """One command. `writes`: (">" or ">>", file) for its standard output, in order. `stdin`: its heredoc. `source`:
    the file that replaces one, "" for none.
    """

    words: tuple[Word, ...]
    writes: tuple[tuple[str, Word], ...] = ()
    stdin: str | None = None
    source: Word = ""


class Pipeline(msgspec.Struct, frozen=True, gc=False):
    """Commands whose outputs feed each other. `sure`: it ran, and its failure would have been noticed (rule 3).

    `substitutes`: it runs others in its words. `opens`, `closes`: how many subshells begin before it and end behind
    it. `then`: the operator behind it, "" at the end of the line.
    """

    commands: tuple[ShellCommand, ...]
    sure: bool = True
    opens: int = 0
    closes: int = 0
    then: str = ""
    substitutes: bool = False


_HEREDOC = (
    r"<<-?[ \t]*(?:'(?P<single_mark>[^'\n]+)'|\"(?P<double_mark>[^\"\n\\$`]+)\"|\\?(?P<mark>\w[\w.-]*))"
    r"(?=[\s;|&<>()]|\Z)"
)
_TOKEN = expression(
    r"(?P<space>(?:[ \t\r]|\\\n)+)"
    r"|(?P<joined>[12]?>&[12])"
    r"|(?P<target>(?:[12]|&)?(?:>>|>\||>)(?![&(])|0?<(?![<(&>]))"
    r"|(?P<plain>[\w./:=,+@%^~!-]+)"
    r"|'(?P<single>[^']*)'"
    r'|"(?P<double>[^"\\$`]*(?:\\.[^"\\$`]*)*)"'
    r'|(?P<nested>"|\$\()|(?P<ticked>`[^`\\]*(?:\\.[^`\\]*)*`)'
    r"|\\(?P<escaped>[^\n])"
    rf"|(?P<heredoc>{_HEREDOC})"
    r"|(?P<operator>&&|\|\||\|&?|;|\n)"
    r"|(?P<comment>\#)"
    r"|(?P<group>\((?!\()|\)|\{(?=\s)|\}(?=[\s;&|)]|\Z))"
    r"|(?P<expands>\$\w+|\$[?$!\#@*-]|\$\{[^{}$`'\"\\\n]*\}|\$'[^'\\]*(?:\\.[^'\\]*)*'|[*?\[\]{}])",
    re.DOTALL,
)
_INSIDE = expression(  # of a command substitution
    rf"(?P<plain>[^'\"\\`$()\#<\n]+)|'[^']*'|\\.|`[^`\\]*(?:\\.[^`\\]*)*`|<<<|(?P<heredoc>{_HEREDOC})"
    r"|(?P<open>\$?\()|(?P<close>\))|(?P<quote>\")|(?P<comment>(?<=[\s;(])\#[^\n]*)|(?P<line>\n)|[$\#<]",
    re.DOTALL,
)
_QUOTED = expression(r"[^\"\\`$]+|\\.|`[^`\\]*(?:\\.[^`\\]*)*`|(?P<open>\$\()|(?P<quote>\")|\$", re.DOTALL)
_PLAIN = expression(r"[\w./:=,+@%^~-]+")
_EXPANDS = expression(r"\$[\w{?$!#@*-]|\$\(|`")
_ESCAPED = expression(r'\\(["\\$`\n])')
_PART_ENDS = expression(r"[;\n]|&&|\|\||(?<![>&])&(?![>&])|\b(?:if|then|elif|else|while|until|do)\s")
_KEYWORDS = frozenset(("if", "then", "else", "elif", "fi", "for", "while", "until", "do", "done", "case", "esac"))
_KEYWORDS |= {"function", "select", "{", "}", "!"}
_BRACKETS = ("[", "]", "[[", "]]")  # of a test; one that is a separate word expands to nothing
_PAIRS = {")": "(", "}": "{"}


def parse(line: str) -> tuple[Pipeline, ...] | None:
    """The pipelines of a command line in order; None by rule 1. Linear in the line."""
    reading = _LineReading()
    if not reading.read(line) or reading.groups:
        return None
    return tuple(reading.pipelines)


def pipelines_of(line: str) -> tuple[Pipeline, ...]:
    """The pipelines of a line; of an unsupported line those of its parts, all uncertain."""
    parsed = parse(line)
    if parsed is not None:
        return parsed
    parts = (parse(part.strip()) or () for part in _PART_ENDS.split(line, MOST_PARTS))
    return tuple(Pipeline(pipeline.commands, sure=False) for part in parts for pipeline in part)


def name_of(command: ShellCommand) -> str:
    """The program that a command runs, without its directory; "" if unknown."""
    first = command.words[0] if command.words else None
    return (first or "").rpartition("/")[2]


def variable_set(word: str) -> str:
    """The variable that a word before a command sets (`x=1`, `x+=1`), "" for none."""
    name, sign, _ = word.partition("=")
    return name if sign and name.removesuffix("+").isidentifier() else ""


def quoted(word: str) -> str:
    """A word as spelled in a command line."""
    return word if word and _PLAIN.fullmatch(word) else "'" + word.replace("'", "'\\''") + "'"


class _LineReading:
    """A line while it is read. The methods return whether what was read is supported."""

    def __init__(self) -> None:
        self.pipelines: list[Pipeline] = []
        self.commands: list[ShellCommand] = []
        self.words: list[Word] = []
        self.writes: list[tuple[str, Word]] = []
        self.stdin: str | None = None
        self.source: Word = ""
        self.word: str | None = None  # the part of the current word that has been read
        self.is_literal = True  # whether its value is known (rule 2)
        self.redirect = ""  # the redirect whose target is the next word
        self.after_or = self.inverted = self.substitutes = False
        self.groups: list[tuple[str, int, bool]] = []  # open groups: mark, first pipeline, whether it is after "||"
        self.ended_group: int | None = None  # the first pipeline of the group that just ended

    def read(self, line: str) -> bool:
        """Reads a whole line."""
        position, size, resume = 0, len(line), 0  # `resume`: where the line continues after its heredocs
        while position < size:
            token = _TOKEN.match(line, position)
            if token is None:
                return False
            kind, piece, position = token.lastgroup, token.group(), token.end()
            if kind == "group" and piece != ")" and not self._is_at_start():
                kind = "expands" if piece != "(" else None
            if self.ended_group is not None and kind not in ("space", "operator", "comment", "group"):
                return False
            if kind == "operator":
                is_pipe = piece in ("|", "|&")
                if not (self._end_command() if is_pipe else self._end_pipeline(piece)):
                    return False
                if piece == "\n" and resume:
                    position, resume = resume, 0
            elif kind == "nested":
                end = _closing(line, position, piece[-1])
                if end is None:
                    return False
                if piece == '"':
                    self._add_quoted(line[position : end - 1])
                else:
                    self.substitutes = True
                    self._add(piece, is_literal=False)
                position = end
            elif kind == "comment" and self.word is None:
                end_of_line = line.find("\n", position)
                position = size if end_of_line < 0 else end_of_line
            elif kind == "heredoc":
                self._end_word()
                span = _heredoc(line, resume or line.find("\n", position) + 1, token)
                if span is None:
                    return False
                self.stdin, resume = line[span[0] : span[1]], span[2]
            elif kind is None or not self._take(kind, token):
                return False
        return self._end_pipeline("")

    def _take(self, kind: str, token: re.Match[str]) -> bool:
        """Adds a token that is complete in itself."""
        piece = token.group()
        if kind == "space":
            self._end_word()
        elif kind == "double":
            self._add_quoted(token["double"])
        elif kind in ("plain", "comment"):
            self._add(piece)
        elif kind in ("single", "escaped"):
            self._add(token[kind])
        elif kind == "group":
            return self._group(piece)
        elif kind in ("expands", "ticked"):
            self.substitutes = self.substitutes or kind == "ticked"
            self._add(piece, is_literal=False)
        else:
            self._end_word()
            self.redirect = piece if kind == "target" else ""
        return True

    def _add(self, piece: str, is_literal: bool = True) -> None:
        self.word = (self.word or "") + piece
        self.is_literal = self.is_literal and is_literal

    def _add_quoted(self, text: str) -> None:
        """Adds the text in double quotes."""
        self.substitutes = self.substitutes or "$(" in text or "`" in text
        inside = _ESCAPED.sub(lambda escaped: escaped[1].strip("\n"), text)
        self._add(inside, not _EXPANDS.search(inside))

    def _end_word(self) -> None:
        if self.word is None:
            return
        word = self.word if self.is_literal or self.word in _BRACKETS else None
        is_first = all("=" in (before or "") for before in self.words)
        if word is None and is_first and (variable := variable_set(self.word)):
            word = f"{variable}="
        if not self.redirect:
            self.words.append(word)
        elif "<" in self.redirect:
            self.source = word
        elif self.redirect[0] != "2":
            self.writes.append((">>" if ">>" in self.redirect else ">", word))
        self.word, self.is_literal, self.redirect = None, True, ""

    def _is_at_start(self) -> bool:
        """Whether a pipeline may begin here."""
        read = self.words or self.writes or self.commands or self.redirect or self.word is not None
        return not read and self.stdin is None and self.source == ""

    def _end_command(self) -> bool:
        self._end_word()
        if self.words[:1] == ["!"] and not self.commands:
            self.inverted = True
            del self.words[0]
        if self.ended_group is not None or self.redirect or (self.words and self.words[0] in _KEYWORDS):
            return False
        if self.words or self.writes or self.stdin is not None or self.source != "":
            self.commands.append(ShellCommand(tuple(self.words), tuple(self.writes), self.stdin, self.source))
        self.words, self.writes, self.stdin, self.source = [], [], None, ""
        return True

    def _end_pipeline(self, operator: str) -> bool:
        if self.ended_group is not None:
            self._end_group(operator)
            return True
        if not self._end_command():
            return False
        if self.commands:
            sure = operator != "||" and not self.after_or and not self.inverted
            commands = tuple(self.commands)
            self.pipelines.append(Pipeline(commands, sure, then=operator, substitutes=self.substitutes))
            self.after_or = operator == "||"
            self.commands, self.inverted, self.substitutes = [], False, False
        return True

    def _end_group(self, operator: str) -> None:
        if operator == "||" or self.after_or:
            for index in range(self.ended_group or 0, len(self.pipelines)):
                self.pipelines[index] = structs.replace(self.pipelines[index], sure=False)
        self.pipelines[-1] = structs.replace(self.pipelines[-1], then=operator)
        self.after_or, self.ended_group = operator == "||", None

    def _group(self, mark: str) -> bool:
        """Begins or ends a group."""
        if mark in "({":
            self.groups.append((mark, len(self.pipelines), self.after_or))
            self.after_or = False
            return len(self.groups) <= MOST_DEPTH
        if not self._end_pipeline("") or not self.groups:
            return False
        opened, first, self.after_or = self.groups.pop()
        if opened != _PAIRS[mark] or first == len(self.pipelines):
            return False
        if mark == ")":
            self.pipelines[first] = structs.replace(self.pipelines[first], opens=self.pipelines[first].opens + 1)
            self.pipelines[-1] = structs.replace(self.pipelines[-1], closes=self.pipelines[-1].closes + 1)
        self.ended_group = first
        return True


def _heredoc(line: str, start: int, token: re.Match[str]) -> tuple[int, int, int] | None:
    """(start, end, where the line continues) of the heredoc that a token begins; None without its end."""
    if not start:
        return None
    mark = token["single_mark"] or token["double_mark"] or token["mark"]
    end = re.compile(rf"^\t*{re.escape(mark)}(?:\n|\Z)", re.MULTILINE).search(line, start)
    return (start, end.start(), end.end()) if end else None


def _closing(text: str, position: int, opened: str) -> int | None:
    """The index behind the `)` or `"` that closes what `(` or `"` opened before this position; None without one."""
    stack = [opened]
    resume = 0  # where a line continues after its heredocs
    while stack:
        is_quoted = stack[-1] == '"'
        token = (_QUOTED if is_quoted else _INSIDE).match(text, position)
        if token is None:
            return None
        kind, position = token.lastgroup, token.end()
        if kind == "open":
            stack.append("(")
        elif kind == "close" or (kind == "quote" and is_quoted):
            stack.pop()
        elif kind == "quote":
            stack.append('"')
        elif kind == "line" and resume:
            position, resume = resume, 0
        elif kind == "heredoc":
            span = _heredoc(text, resume or text.find("\n", position) + 1, token)
            if span is None:
                return None
            resume = span[2]
    return None if resume else position
