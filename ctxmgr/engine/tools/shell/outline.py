"""Turns a command line that `words` does not understand into the commands that it may run.

Rules:

1. What stands in a loop, a condition or a function may run never, once or often; what runs in the background ends
   when it likes. Of none of it, and of no group whose output goes into a pipe, a status speaks: it is not sure.
2. What a group prints goes through the commands behind its pipe, or into the file that it is sent to.
3. What is no command (an arithmetic, a test in double brackets, a pattern) is passed over. A line whose quotes or
   groups do not end is none that a shell would run: None.

What a line does to files is not told by this: it would have to be sure.
"""

import re

from msgspec.structs import replace

from ctxmgr.engine.tools.shell.nested import closing
from ctxmgr.engine.tools.shell.words import TOKEN, LineReading, Pipeline, ShellCommand, read_into

_BEGINS = frozenset(("if", "while", "until", "for", "select", "case", "function"))
_GOES_ON = frozenset(("then", "else", "elif", "do"))
_ENDS = {"fi": ("if",), "done": ("while", "until", "for", "select"), "esac": ("case",)}
_OFTEN = frozenset(("while", "until", "for", "select", "function"))
_NAMED = frozenset(("for", "select", "case", "function"))  # the words behind them are no command
_TEST = re.compile(r"\[\[\s.*?\s\]\](?=[\s;&|)]|\Z)", re.DOTALL)
_NO_ARGUMENTS = re.compile(r"\(\s*\)")
_JOINED = re.compile(r"\d*[<>]&(?:\d+|-)")
_IN_BRACES = re.compile(r"\$\{(?:[^{}]|\{[^{}]*\})*\}")


def outlined(line: str) -> tuple[Pipeline, ...] | None:
    """Its pipelines in order; None by rule 3."""
    reading = _Outline()
    if not read_into(reading, line) or reading.open or reading.is_broken:
        return None
    return tuple(reading.pipelines)


class _Outline(LineReading):
    """A line while it is read, that holds more than lists of commands."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[tuple[str, int, bool]] = []  # how, its first pipeline, whether it is after "||"
        self.ended: tuple[int, bool] | None = None  # of the group that has just ended: the same
        self.feeds: int | None = None  # the first pipeline of the group whose output the next commands read
        self.is_passing = self.is_broken = False  # over words that are no command; would no shell run it?

    @property
    def starts(self) -> bool:
        """Has nothing of the next command been read? A pipe may go on into a group."""
        read = self.words or self.writes or self.redirect or self.word is not None
        return not read and self.stdin is None and self.source == ""

    def end_word(self) -> None:
        super().end_word()
        if len(self.words) != 1 or self.is_passing:
            if self.is_passing and self.words[-1:] == ["do"]:
                self.words, self.is_passing = [], False
            return
        word = self.words[0] or ""
        if word in _BEGINS:
            self.words = []
            self._begin(word)
            self.is_passing = word in _NAMED
        elif word in _GOES_ON:
            self.words = []
        elif word in _ENDS:
            self.words = []
            self._end(_ENDS[word])

    def _begin(self, how: str) -> None:
        """Begins a group; a pipe may go on into it."""
        if self.commands:
            self.end_pipeline("|")
        self.open.append((how, len(self.pipelines), self.after_or))
        self.after_or = False

    def _end(self, how: tuple[str, ...]) -> None:
        if not self.open or self.open[-1][0] not in how:
            self.is_broken = True
            return
        _, first, after_or = self.open.pop()
        while self.open and self.open[-1][0] == "function":
            self.open.pop()
        self.ended = (first, after_or)

    def end_command(self) -> bool:
        self.end_word()
        if self.is_passing:
            self.words, self.is_passing = [], False
        return super().end_command()

    def end_pipeline(self, operator: str) -> bool:
        self.end_word()
        if self.ended is not None and self._is_group():
            self._end_group(operator)
            return True
        count = len(self.pipelines)
        if self.ended is not None or not super().end_pipeline(operator):
            return False
        for place in range(count, len(self.pipelines)):
            self._place(place, operator)
        return True

    def _is_group(self) -> bool:
        """Is what has been read a group, and where it is sent, and no command?"""
        return not self.words and not self.commands

    def _place(self, place: int, operator: str) -> None:
        """Says of a pipeline where it stands (rules 1 and 2)."""
        hows = {how for how, _, _ in self.open} - {"(", "{"}
        sure = self.pipelines[place].sure and not hows and operator not in ("|", "&")
        self.pipelines[place] = replace(self.pipelines[place], sure=sure, often=not hows.isdisjoint(_OFTEN))
        if self.feeds is not None:
            self._goes_to(self.feeds, place, self.pipelines[place].commands)
            self.feeds = None

    def _goes_to(self, first: int, end: int, commands: tuple[ShellCommand, ...]) -> None:
        for at in range(first, end):
            of_group = self.pipelines[at]
            self.pipelines[at] = replace(of_group, behind=(*of_group.behind, *commands))

    def _end_group(self, operator: str) -> None:
        assert self.ended is not None
        first, after_or = self.ended
        end, self.ended = len(self.pipelines), None
        if self.writes:
            self._goes_to(first, end, (ShellCommand((), tuple(self.writes)),))
        self.writes, self.stdin, self.source = [], None, ""
        if operator in ("||", "&", "|") or after_or:
            for at in range(first, end):
                self.pipelines[at] = replace(self.pipelines[at], sure=False)
        if end > first:
            self.pipelines[-1] = replace(self.pipelines[-1], then=operator)
        self.after_or = operator == "||"
        self.feeds = first if operator == "|" else None

    def pipe(self) -> bool:
        self.end_word()
        if self.ended is not None and self._is_group():
            self._end_group("|")
            return True
        return self.end_command()

    def group(self, mark: str) -> bool:
        if mark in "({":
            self._begin(mark)
            return True
        if mark == ")" and self.open and self.open[-1][0] == "case":
            self.end_word()
            self.words, self.commands, self.is_passing = [], [], False  # a pattern
            return True
        if not self.end_pipeline(""):
            return False
        self._end(("(",) if mark == ")" else ("{",))
        return not self.is_broken

    def ahead(self, line: str, place: int) -> int:
        mark = line[place]
        if mark == "[" and (self.starts or self.words == ["!"]) and (test := _TEST.match(line, place)):
            self.words.append("[")
            return test.end()
        if mark == "{" and self.is_passing and self.open[-1][0] == "function":
            self.words, self.word, self.is_passing = [], None, False
            return place
        if mark == "(":
            return self._parenthesis(line, place)
        if joined := _JOINED.match(line, place):
            return joined.end()
        if line.startswith(("<(", ">("), place):
            return self._nested(line, place + 2)
        if line.startswith("<<<", place):
            self.end_word()
            self.redirect = "<"
            return place + 3
        if line.startswith("${", place) and (braces := _IN_BRACES.match(line, place)):
            self.add("", known=False)
            return braces.end()
        if mark == "&" and line[place + 1 : place + 2] not in ("&", ">"):
            self.is_broken = self.is_broken or not self.end_pipeline("&")
            return place + 1
        if TOKEN.match(line, place) is None and mark not in "'\"`":
            self.add(mark)
            return place + 1
        return place

    def _parenthesis(self, line: str, place: int) -> int:
        """Where it goes on behind a `(` that is none of a subshell: of a function, an arithmetic, a list."""
        if self.starts and not line.startswith("((", place):
            return place
        if self.starts:
            end = closing(line, place + 1, "(")
            self.is_broken = self.is_broken or end is None
            self.words.append("[")
            return end or len(line)
        declared = _NO_ARGUMENTS.match(line, place)
        if declared is None:
            return self._nested(line, place + 1)
        self.end_word()
        self.words, self.is_passing = [], False
        self._begin("function")
        return declared.end()

    def _nested(self, line: str, place: int) -> int:
        """Where it goes on behind a line that stands in a word."""
        end = closing(line, place, "(")
        if end is None:
            self.is_broken = True
            return len(line)
        self.inner.append(line[place : end - 1])
        self.add("", known=False)
        return end
