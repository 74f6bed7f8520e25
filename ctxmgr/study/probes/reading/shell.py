"""A command line as its simple commands: words, redirections, and the text of here-documents; and the patches and
string literals in a text.

1. No shell: quotes, backslashes, comment lines, `&&`, `||`, `;`, `|`, newlines and here-documents, and no
   expansion. What it cannot make out is left out. It knows no program.
2. Patches are of the form that starts with "*** Begin Patch" (Codex, OpenCode). One may stand as a string in a
   program: its literals are read too.
"""

import re
from collections.abc import Iterator
from typing import Literal

import msgspec

Action = Literal["changed", "deleted"]

MOST_CHARACTERS = 200_000
BEGIN = "*** Begin Patch"
_HEAD = re.compile(r"^\*\*\* (?:(Add|Update|Delete) File: |(Move) to: |End Patch)(.*)$", re.MULTILINE)
_LITERAL = re.compile(r'"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\'|`(?:[^`\\]|\\.)*`', re.DOTALL)
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r", "\n": ""}
_HEREDOC = re.compile(r"<<-?\s*(?:'([^']+)'|\"([^\"]+)\"|\\?([\w.-]+))")
_TOKEN = re.compile(
    r"""(?P<space>[ \t]+|\\\n)|(?P<end>&&|\|\||;|\n|\|&?|&(?![>\d]))|(?P<redirect>\d*&?>>?\|?&?\d*|<(?!<))"""
    r"""|(?P<word>(?:'[^']*'|"(?:\\.|[^"\\])*"|\\.|[^\s'"\\;|&<>])+)""",
    re.DOTALL,
)
_QUOTED = re.compile(r"""'([^']*)'|"((?:\\.|[^"\\])*)"|\\(.)""", re.DOTALL)
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")


class SimpleCommand(msgspec.Struct, frozen=True):
    """`written`: targets of `>` and `>>`; `document`: its here-document or "". `piped`: its output goes to the
    next."""

    words: tuple[str, ...]
    written: tuple[str, ...] = ()
    document: str = ""
    piped: bool = False


def simple_commands(command: str) -> Iterator[SimpleCommand]:
    """In the order written; `cd` too."""
    text, documents = _without_documents(command[:MOST_CHARACTERS])
    words: list[str] = []
    written: list[str] = []
    document, redirect = "", ""
    for token in _TOKEN.finditer(f"{text}\n"):
        if token["end"]:
            if words or written:
                yield SimpleCommand(tuple(words), tuple(written), document, token[0] in ("|", "|&"))
            words, written, document, redirect = [], [], "", ""
        elif token["redirect"]:
            redirect = "" if token[0][-1].isdigit() else token[0]
        elif token["word"]:
            word = _QUOTED.sub(lambda quoted: next(filter(None, quoted.groups()), ""), token[0])
            if word.startswith("\0"):
                document = documents[int(word.split("\0")[1])]
            elif redirect:
                written += [word] if ">" in redirect and word != "/dev/null" else []
            elif words or not _ASSIGNMENT.match(word):  # a variable set for this command alone is no word
                words.append(word)
            redirect = ""


def _without_documents(command: str) -> tuple[str, list[str]]:
    """The command with a number between NULs in the place of each here-document, and their texts."""
    lines_left: list[str] = []
    documents: list[str] = []
    lines = iter(command.split("\n"))
    for line in lines:
        for mark in _HEREDOC.finditer(line):
            line = line.replace(mark[0], f"\0{len(documents)}\0", 1)
            body: list[str] = []
            for inner in lines:
                if inner.strip() == next(filter(None, mark.groups())):
                    break
                body.append(inner)
            documents.append("\n".join(body))
        lines_left.append("" if line.lstrip().startswith("#") else line)
    return "\n".join(lines_left), documents


# patches


class Change(msgspec.Struct, frozen=True):
    """`lines`: what the change put there, as written."""

    path: str
    action: Action
    lines: tuple[str, ...] = ()


def changes(text: str) -> tuple[Change, ...]:
    """Of each patch in a text; of a program, those in its string literals."""
    if BEGIN not in text:
        return ()
    texts = [text] if _HEAD.search(text) else [literal for literal in literals(text) if BEGIN in literal]
    return tuple(change for patch in texts for change in _of_patch(patch))


def literals(code: str) -> Iterator[str]:
    """The string literals of a program in JavaScript or the like, their escapes resolved."""
    for literal in _LITERAL.findall(code):
        yield _ESCAPE.sub(lambda escape: _ESCAPED.get(escape[1], escape[1]), literal[1:-1])


def _of_patch(text: str) -> Iterator[Change]:
    path = ""
    action: Action = "changed"
    added: list[str] = []
    for line in [*text.split("\n"), "*** End Patch"]:
        head = _HEAD.match(line)
        if head and head[2]:
            yield Change(path, "deleted")
            path = head[3].strip()
        elif head:
            if path:
                yield Change(path, action, tuple(added))
            path, added, action = head[3].strip(), [], "deleted" if head[1] == "Delete" else "changed"
        elif line.startswith("+"):
            added.append(line[1:])
