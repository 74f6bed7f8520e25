"""Turns a command line into its simple commands: words, redirections, and the text of here-documents.

No shell: quotes, backslashes, comments, `&&`, `||`, `;`, `|`, newlines and here-documents, and no expansion. What
it can not make out is left out. Knows no program.
"""

import re
from collections.abc import Iterator

import msgspec

_HEREDOC = re.compile(r"<<-?\s*(?:'([^']+)'|\"([^\"]+)\"|\\?([\w.-]+))")
_TOKEN = re.compile(
    r"""(?P<space>[ \t]+|\\\n)|(?P<end>&&|\|\||;|\n|\|&?|&(?![>\d]))|(?P<redirect>\d*&?>>?\|?&?\d*|<(?!<))"""
    r"""|(?P<word>(?:'[^']*'|"(?:\\.|[^"\\])*"|\\.|[^\s'"\\;|&<>])+)|(?P<odd>.)""",
    re.DOTALL,
)
_QUOTES = re.compile(r"""'([^']*)'|"((?:\\.|[^"\\])*)"|\\(.)""", re.DOTALL)
_ESCAPED = re.compile(r"\\([\"\\$`\n])")
MOST_CHARACTERS = 200_000


class Simple(msgspec.Struct, frozen=True):
    """One simple command. `text` as written; `written`: targets of `>` and `>>`; `document`: here-document or "".

    `piped`: its output goes to the next one.
    """

    words: tuple[str, ...]
    text: str
    written: tuple[str, ...] = ()
    document: str = ""
    piped: bool = False


def simples(command: str) -> tuple[Simple, ...]:
    """In the order written; `cd` too."""
    bare, documents = _without_documents(command[:MOST_CHARACTERS])
    out = []
    for text, piped in _segments(bare):
        found = _simple(text, documents, piped)
        if found is not None:
            out.append(found)
    return tuple(out)


def _without_documents(command: str) -> tuple[str, list[str]]:
    """The command with each here-document taken out, and their texts; `<<EOF` stays as `<<0`, by number."""
    out: list[str] = []
    documents: list[str] = []
    lines = iter(command.split("\n"))
    for line in lines:
        bare = line
        for found in _HEREDOC.finditer(line):
            mark = next(filter(None, found.groups()))
            bare = bare.replace(found[0], f"\0{len(documents)}\0", 1)
            body: list[str] = []
            for inner in lines:
                if inner.strip() == mark:
                    break
                body.append(inner)
            documents.append("\n".join(body))
        out.append(bare)
    return "\n".join(out), documents


def _segments(text: str) -> Iterator[tuple[str, bool]]:
    start = at = 0
    while at < len(text):
        found = _TOKEN.match(text, at)
        assert found is not None  # its last branch takes any character
        if found.lastgroup == "end":
            yield text[start:at], found[0].startswith("|") and found[0] != "||"
            start = found.end()
        at = found.end()
    yield text[start:], False


def _simple(text: str, documents: list[str], piped: bool) -> Simple | None:
    words: list[str] = []
    written: list[str] = []
    document = ""
    target = kept = False
    at = 0
    while at < len(text):
        found = _TOKEN.match(text, at)
        assert found is not None
        at = found.end()
        if found.lastgroup == "redirect":
            target, kept = not found[0][-1].isdigit(), ">" in found[0]
        elif found.lastgroup == "word":
            word = unquoted(found[0])
            if word.startswith("\0"):
                document = documents[int(word.split("\0")[1])]
            elif target:
                written += [word] if kept and word != "/dev/null" else []
            elif word.startswith("#") and not words:
                break
            else:
                words.append(word)
            target = False
    while words and re.fullmatch(r"[A-Za-z_]\w*=.*", words[0], re.DOTALL):
        words.pop(0)  # a variable set for this command alone
    if not words and not written:
        return None
    return Simple(tuple(words), re.sub("\0\\d+\0", "", text).strip(), tuple(written), document, piped)


def unquoted(word: str) -> str:
    def plain(found: re.Match[str]) -> str:
        single, double, escaped = found.groups()
        if single is not None:
            return single
        return escaped if double is None else _ESCAPED.sub(r"\1", double)

    return _QUOTES.sub(plain, word)
