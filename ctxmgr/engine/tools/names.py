"""Turns the name of a tool that nobody listed into what it is for, by its words.

Rules:

1. What a server or a host puts before a name (`mcp__files__`, `developer.`) is no part of it.
2. Words that leave no doubt come first: `todo`, `web`, `agent`. Then the first verb decides, in `read_file` as in
   `file_search`; but what searches and replaces edits.
3. What takes away a thing inside a file (`delete_lines`) edits the file.
4. To read what is told *of* a file (`get_file_info`, `read_lints`) is a look, and no read of its text. A directory
   that is made or taken away is no file.
"""

from functools import lru_cache

from ctxmgr.engine.tools.effects import EffectKind
from ctxmgr.engine.tools.roles import words_of


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _verbs(*rows: tuple[EffectKind, str]) -> dict[str, EffectKind]:
    return {word: kind for kind, words in rows for word in words.split()}


SURE: dict[str, EffectKind] = _verbs(
    ("plan", "todo todos checklist"),
    ("fetch", "web url browser webpage http download crawl scrape"),
    ("delegate", "agent subagent delegate"),
)
VERBS: dict[str, EffectKind] = _verbs(
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
_INSIDE = _words(  # a file
    "line lines text range cell cells import imports symbol symbols function method class block section property"
    " key keys string match matches variable variables field parameter identifier"
)
_TEXT = _words("file files content contents text source code document")
_DIRECTORIES = _words("directory directories dir dirs folder folders")


def without_prefix(tool: str) -> str:
    """Rule 1: `read_file` of `mcp__files__read_file` and of `files.read_file`."""
    for mark in ("__", ".", "/", ":"):
        tool = tool.rpartition(mark)[2] or tool
    return tool


@lru_cache(maxsize=512)
def is_of_a_service(tool: str) -> bool:
    """Is it for something that lies in no file, though it may name one (`create_review_comment`)?"""
    words = words_of(without_prefix(tool))
    return bool(_THINGS.intersection(words)) and not _TEXT.intersection(words)


@lru_cache(maxsize=512)
def leaves_its_source(tool: str) -> bool:
    """Is what would be a move by its verb a copy?"""
    return bool(_COPIES.intersection(words_of(without_prefix(tool))))


@lru_cache(maxsize=512)
def kind_of(tool: str) -> EffectKind:
    """What a tool is for; "" where its words do not say."""
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
    if kind == "read" and (LOOKED_AT.intersection(words) or ("get" in words and not _TEXT.intersection(words))):
        return "list"
    return "" if kind in ("write", "edit", "move") and _DIRECTORIES.intersection(words) else kind
