"""What the words of a name say: an argument's role, or an unknown tool's purpose.

Rules for arguments:

1. A name is split into words: `file_path`, `filePath`, `AbsolutePath` and `target_file` all name a file. Numbers at
   its end are ignored (`old_str_1`).
2. Whole names come first (`WHOLE`), then the last word decides, and the words before it refine that.
3. A role says what an argument may be; the reader of the value checks it. `before` is text in an edit, and a number
   of lines in a search.

Rules for tools:

4. A server's or host's prefix (`mcp__files__`, `developer.`) is not part of the name.
5. Unambiguous words come first: `todo`, `web`, `agent`. Then the first verb decides, in `read_file` as in
   `file_search`; but search and replace is an edit.
6. Removing something inside a file (`delete_lines`) edits the file.
7. Reading information *about* a file (`get_file_info`, `read_lints`) is a look, not a read of its text. A created
   or deleted directory is no file.
"""

from functools import lru_cache
from typing import Literal, TypeVar

from ctxmgr.model import expression

EffectKind = Literal[
    "read", "write", "edit", "delete", "move", "list", "search", "fetch", "plan", "delegate", "run", ""
]
ArgumentRole = Literal[
    "path", "paths", "source", "destination", "directory", "working directory", "old text", "new text", "content",
    "patch", "command", "input", "pattern", "query", "filter", "url", "start", "end", "offset", "limit", "range",
    "line", "tasks", "task", "about", "operation", "tool", "arguments", "id", "task id", "status", "aside", "",
]  # fmt: skip
Meaning = TypeVar("Meaning")
NAME_CHARACTERS = 80  # no argument of any tool has a longer name

_WORD = expression(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")


def words_of(name: str) -> tuple[str, ...]:
    """The words of a name, in lower case: `readFile`, `read_file` and `ReadFile` have the same."""
    return tuple(word.casefold() for word in _WORD.findall(name[: 2 * NAME_CHARACTERS]))


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _by_word(*rows: tuple[Meaning, str]) -> dict[str, Meaning]:
    return {word: meaning for meaning, words in rows for word in words.split()}


WHOLE: dict[str, ArgumentRole] = _by_word(
    ("path", "path file filename filepath pathname fname notebook"),
    ("paths", "paths files filepaths filenames filelist"),
    ("source", "source src oldpath oldname frompath"),
    ("destination", "destination dest dst newpath topath target"),
    ("working directory", "cwd workdir workingdirectory workingdir cd"),
    ("old text", "old before original search find oldcode originallines"),
    ("new text", "new after replacement replace newcode codeedit updatedlines replacementtext"),
    ("content", "content contents text body filetext code newsource codecontent filecontent data"),
    ("patch", "patch diff patchtext unifieddiff patchcontent"),
    ("command", "command commands cmd cmds cmdline commandline shellcommand script"),
    ("input", "input"),
    ("pattern", "pattern regex regexp globpattern searchpattern"),
    ("query", "query queries searchterm searchquery q"),
    ("filter", "glob include includes includepattern filepattern fileglob"),
    ("url", "url urls uri uris href"),
    ("start", "startline linestart fromline startlineoneindexed start"),
    ("end", "endline lineend toline endlineoneindexed endlineoneindexedinclusive end"),
    ("offset", "offset lineoffset"),
    ("limit", "limit nlines numlines linecount maxlines"),
    ("range", "viewrange readrange linerange lineranges range lines"),
    ("line", "line linenumber insertline anchorline"),
    ("tasks", "todos plan tasks items todolist tasklist"),
    ("task", "subject"),
    ("task id", "taskid todoid"),
    ("status", "status"),
    ("operation", "operation action op type"),
    ("tool", "toolname"),
    ("arguments", "arguments"),
    ("id", "id"),
    (
        "aside",
        "description timeout timeoutms yieldtimems maxoutputtokens justification securityrisk explanation"
        " reasoning reason instruction instructions intent requiresapproval",
    ),
)
_LAST: dict[str, ArgumentRole] = _by_word(  # of a name with several words, by the last
    ("command", "command cmd commands"),
    ("patch", "patch diff"),
    ("pattern", "pattern regex"),
    ("query", "query queries"),
    ("url", "url urls uri uris"),
    ("content", "content contents"),
    ("tasks", "todos todolist"),
)
_DIRECTORIES = _words("dir directory folder directories dirs folders")
_OLD = _words("old original find before previous search target")
_NEW = _words("new replacement replace updated after modified")
_TEXTS = _words("text str string strings content contents lines code block snippet value")


@lru_cache(maxsize=4_096)
def role_of(name: str) -> ArgumentRole:
    """The role of an argument by its name only; "" if no rule knows it."""
    if len(name) > NAME_CHARACTERS:
        return ""
    words = [word for word in words_of(name) if not word.isdigit()]
    role = WHOLE.get("".join(words))
    if role is not None or not words:
        return role or ""
    last, rest = words[-1], frozenset(words[:-1])
    if rest & {"exclude", "ignore", "include", "filter"}:
        return "filter"
    if last in _DIRECTORIES:
        return "working directory" if rest & {"working", "work", "current"} else "directory"
    if last in ("path", "file", "filename", "filepath", "paths", "files", "filepaths", "filenames"):
        return _path(last, rest)
    if (last in ("uri", "url") and rest & {"file", "document"}) or (
        words[0] == "path" and rest & {"in", "of", "to"}
    ):
        return "path"
    if last in _TEXTS and words[0] in _OLD | _NEW:
        return "old text" if words[0] in _OLD else "new text"
    if last == "text":
        return "content" if "file" in rest else ""
    role = _LAST.get(last, "")
    return "filter" if role == "pattern" and rest else role


def _path(last: str, rest: frozenset[str]) -> ArgumentRole:
    if rest & {"name", "attachment", "attachments"}:  # something in a file, as `name_path`, or attached
        return ""
    if rest & _DIRECTORIES:
        return "directory"
    if last.endswith("s"):
        return "paths"
    if rest & {"source", "src", "old", "from"}:
        return "source"
    return "destination" if rest & {"destination", "dest", "dst", "new", "to"} else "path"


SURE: dict[str, EffectKind] = _by_word(
    ("plan", "todo todos checklist"),
    ("fetch", "web url browser webpage http download crawl scrape"),
    ("delegate", "agent subagent delegate"),
)
VERBS: dict[str, EffectKind] = _by_word(
    ("read", "read view open cat show get peek load"),
    ("write", "write create save put overwrite new"),
    (
        "edit",
        "edit editor replace update modify insert append prepend change rewrite patch apply substitute multiedit"
        " strreplace undo",
    ),
    ("delete", "delete remove rm unlink trash"),
    ("move", "move rename mv copy cp duplicate"),
    ("list", "list ls dir tree compare diff check validate lint analyze review inspect explain"),
    ("search", "search grep find glob ripgrep rg lookup"),
    ("fetch", "fetch browse navigate curl"),
    ("run", "run exec execute bash shell sh zsh terminal command cmd powershell pwsh console"),
)
LOOKED_AT = _words(
    "info errors error diagnostics metadata symbols symbol outline status stats size history log logs diff"
    " lint lints problems definition definitions references usages names tree structure overview summary"
    " permissions output"
)
_THINGS = _words(
    "issue issues ticket tickets comment comments review reviews pull pr prs request release branch event task"
    " discussion label milestone thread mail email message"
)
_COPIES = _words("copy cp duplicate")
_INSIDE = _words(  # of a file
    "line lines text range cell cells import imports symbol symbols function method class block section property"
    " key keys string match matches variable variables field parameter identifier"
)
_TEXT_WORDS = _words("file files content contents text source code document")
_DIRECTORY_WORDS = _words("directory directories dir dirs folder folders")


def without_prefix(tool: str) -> str:
    """Rule 4: `read_file` for `mcp__files__read_file` and `files.read_file`."""
    for mark in ("__", ".", "/", ":"):
        tool = tool.rpartition(mark)[2] or tool
    return tool


@lru_cache(maxsize=512)
def is_of_a_service(tool: str) -> bool:
    """Whether it is about something that is in no file, though it may name one (`create_review_comment`)."""
    words = words_of(without_prefix(tool))
    return bool(_THINGS.intersection(words)) and not _TEXT_WORDS.intersection(words)


@lru_cache(maxsize=512)
def leaves_its_source(tool: str) -> bool:
    """Whether a move, by its verb, is a copy."""
    return bool(_COPIES.intersection(words_of(without_prefix(tool))))


@lru_cache(maxsize=512)
def kind_of(tool: str) -> EffectKind:
    """What a tool is for; "" if its words do not say."""
    words = words_of(without_prefix(tool))
    sure = next((SURE[word] for word in words if word in SURE), None)
    if sure is not None:
        return sure
    if "rename" in words and _INSIDE.intersection(words):
        return "edit"
    verbs = [VERBS[word] for word in words if word in VERBS]
    if not verbs:
        return ""
    kind: EffectKind = "edit" if verbs[0] == "search" and "replace" in words else verbs[0]
    if kind == "delete" and _INSIDE.intersection(words):
        return "edit"
    is_of_text = "get" not in words or _TEXT_WORDS.intersection(words)
    if kind == "read" and (LOOKED_AT.intersection(words) or not is_of_text):
        return "list"
    return "" if kind in ("write", "edit", "move") and _DIRECTORY_WORDS.intersection(words) else kind
