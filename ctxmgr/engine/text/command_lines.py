"""Turns a command into the one line that tells it, and that line into what a packet or a summary shows.

1. One that fits on a line is told as it was run. Of several lines those that a shell would read the same with `;`
   between them are put on one.
2. A script (a heredoc, many lines, or a line too long) is told by how it begins, how long it is, what it writes,
   and a digest of the whole, so that two scripts that begin alike are two. Of a heredoc what follows its first
   line is no command: where a file is named that it writes, that says more than how the text begins. Where commands
   follow its text, they are shown, the last of them at least, and its text is not. Of one that is a word of a
   command (`git commit -m "$(cat <<'EOF'`), or its message (`-F -`), the first line stands in its place.
"""

import hashlib
import re
from collections.abc import Sequence

from ctxmgr.engine.text.one_line import code
from ctxmgr.engine.text.wording import plain, shorten

COMMAND_CHARACTERS = 240
DIGEST_CHARACTERS = 8  # hexadecimal, of sha256
MOST_WRITTEN = 3  # files of a script that are named
SUBJECT_CHARACTERS = 100  # of the first line of a heredoc that is a word

_QUOTES = ("'", '"', "`")
_CONTINUED = re.compile(r"\\\n[ \t]*")
_GOES_ON = re.compile(r"(?:[;&|({\\]|\b(?:do|then|else|in))\s*$|(?:^|\s)#")
_HEREDOC = re.compile(r"<<-?\s*[\\'\"]?\w")
_MARK = re.compile(r"(?<!<)<<-?\s*[\\'\"]?(\w[\w.-]*)")
_IN_WORD = re.compile(r"\$\(\s*cat\s+<<")
_AS_MESSAGE = re.compile(r"\s(?:-F|--file|--body-file)[ =]-\s")
_LAST_COMMAND = re.compile(r".*(?:&&|\|\||;)\s*")
_SIZE = r" \(\d+ (?:lines|characters), (?:writes [^\n]*, )?sha256 [0-9a-f]{8}\)"
_SCRIPT = re.compile(f"{_SIZE}$")
_SHOWN = re.compile(f"^`([^`]+)`({_SIZE})?")


def command_line(command: str, written: Sequence[str] = ()) -> str:
    """The command on one line of at most COMMAND_CHARACTERS. `written`: paths of the files that it writes."""
    command = command.strip()
    joined = _joined(command)
    if len(joined) <= COMMAND_CHARACTERS and (joined or not command):
        return joined
    lines = command.count("\n") + 1
    size = f"{lines} lines" if lines > 1 else f"{len(command)} characters"
    names = ", ".join(shorten(plain(path), COMMAND_CHARACTERS // 4) for path in written[:MOST_WRITTEN])
    writes = shorten(names, COMMAND_CHARACTERS // 3)
    digest = hashlib.sha256(command.encode("utf-8", "surrogatepass")).hexdigest()[:DIGEST_CHARACTERS]
    size = f" ({size}, {f'writes {writes}, ' if writes else ''}sha256 {digest})"
    room = COMMAND_CHARACTERS - len(size)
    begins = command.partition("\n")[0] if writes and _HEREDOC.search(command) else command
    return f"{shorten(plain(_without_texts(command, room) or begins), room)}{size}"


def _without_texts(command: str, room: int) -> str:
    """The commands around and behind the texts of heredocs, the last that there is room for; "" where none is
    behind one, or a text does not end."""
    told: list[str] = []
    marks: list[str] = []
    text: list[str] = []
    follows = in_word = False
    for line in command.splitlines():
        if marks:
            if line.strip() == marks[0]:
                del marks[0]
                if not in_word and _AS_MESSAGE.search(told[-1]):
                    told[-1] = _with_subject(told[-1], text, "", room)
            elif line.strip():
                text.append(line)
            continue
        marks = _MARK.findall(line)
        if line.strip() and not line.lstrip().startswith("#"):
            follows = bool(told) and not marks
            if in_word:
                told[-1] = _with_subject(told[-1], text, plain(line), room)
            else:
                told.append(plain(line))
            text, in_word = [], bool(marks) and _IN_WORD.search(line) is not None
    if marks or not follows or not _MARK.search(command):
        return ""
    while len(told) > 1 and len("; ".join(told)) > room:
        del told[0]
    return "; ".join(told)


def _with_subject(opens: str, text: Sequence[str], closes: str, room: int) -> str:
    """A command with the first line of a heredoc that is one of its words, or its message; without the commands
    before it where there is no room for more."""
    subject = shorten(plain(text[0]), SUBJECT_CHARACTERS) if text else ""
    more = "…" if len(text) > 1 and not subject.endswith("…") else ""
    found = f"{opens} {subject}{more} {closes}".rstrip()
    return _LAST_COMMAND.sub("", opens, count=1) + found[len(opens) :] if len(found) > room else found


def coded_command(text: str, limit: int = COMMAND_CHARACTERS) -> str:
    """Such a line with the command as inline code, of at most about `limit` characters; what is said of a script
    stands whole behind it."""
    said = _SCRIPT.search(text)
    if said is None:
        return code(text, limit)
    return f"{code(text[: said.start()], limit)}{said[0]}"


def leading_command(text: str) -> str:
    """The command that a text begins with as `coded_command` shows it; "" for none. Its ticks were quotes."""
    found = _SHOWN.match(text)
    return f"{found[1]}{found[2] or ''}" if found else ""


def is_script(text: str) -> bool:
    """Does such a line tell a command by how it begins alone?"""
    return _SCRIPT.search(text) is not None


def begins(text: str) -> str:
    """How the command of such a line begins: all of it where it is no script."""
    return _SCRIPT.sub("", text)


def _joined(command: str) -> str:
    """A command of several lines on one that runs the same; "" where that is not certain."""
    lines = [line for line in _CONTINUED.sub(" ", command).splitlines() if line.strip()]
    if len(lines) <= 1:
        return plain(command.replace("\\\n", " "))
    whole = all(
        line.count("'") % 2 == 0 and line.count('"') % 2 == 0 and line.count("`") % 2 == 0 for line in lines
    )
    if not whole or _HEREDOC.search(command) or any(map(_GOES_ON.search, lines)):
        return ""
    return "; ".join(plain(line) for line in lines)
