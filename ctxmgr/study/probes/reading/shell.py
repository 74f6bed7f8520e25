"""A command line as its simple commands: words, redirections, and the text of here-documents.

No shell: quotes, backslashes, comment lines, `&&`, `||`, `;`, `|`, newlines and here-documents, and no expansion.
What it cannot make out is left out. It knows no program.
"""

import re
from collections.abc import Iterator

import msgspec

MOST_CHARACTERS = 200_000
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
