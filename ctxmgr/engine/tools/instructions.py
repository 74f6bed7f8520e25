"""What others tell a model to follow: files of rules, skills and memories, the tools that bring them, and the texts
in which hosts put them beside a user's words.

1. A file counts by its name, or by the directory of rules that it is in; a policy may name others.
2. A text counts if it starts as a host's (a tag, a heading, "Contents of") and names such a file in its first
   lines, or is in a tag for such texts. Zed puts rules and skills behind the files that a user attaches.
3. What a host says of a tool that it called itself, and the result in a text behind that, form one read. Text about
   files of dependencies only does not count: their authors speak for nobody here.
4. A text with whole files names them: "Contents of PATH", "AGENTS.md instructions for DIRECTORY".
"""

import re

from ctxmgr.engine.tools.arguments import Arguments
from ctxmgr.engine.tools.catalog import CATALOG, Catalog
from ctxmgr.model import expression

FILES = (
    "CLAUDE.md",
    "CLAUDE.local.md",
    "AGENTS.md",
    "AGENTS.override.md",
    "GEMINI.md",
    "SKILL.md",
    "MEMORY.md",
    "copilot-instructions.md",
    "*.instructions.md",
    ".cursorrules",
    ".windsurfrules",
    ".clinerules",
    ".goosehints",
    ".clinerules/*",
    ".cursor/rules/*",
    ".claude/rules/*",
    ".windsurf/rules/*",
    ".roo/rules*/*",
    ".claude/*/memory/*.md",
    "memories/*.md",
)
"""Globs, of which a path's end from a `/` on meets one."""

DEPENDENCIES = frozenset(
    [
        "node_modules",
        "bower_components",
        "vendor",
        "vendored",
        "third_party",
        "third-party",
        "site-packages",
        "dist-packages",
        ".venv",
        "venv",
        ".virtualenv",
        ".tox",
        ".nox",
        "__pypackages__",
        ".yarn",
        ".pnpm-store",
        ".pnp",
        ".cargo",
        ".rustup",
        ".gradle",
        ".m2",
        ".nuget",
        ".pub-cache",
        "pods",
        "carthage",
        ".gem",
        ".bundle",
    ]
)
"""Folders, in small letters, in which others' code lies. From the documentation of package managers."""

SKILL_STARTS = ("Base directory for this skill:", "<skill")
"""How a text begins in which a host put a skill."""
_MODULES_OF_GO = "/pkg/mod/"
NAMING_CHARACTERS = 600  # of a text; hosts name the file in its first lines
_NAMES = r"(?:CLAUDE|AGENTS|GEMINI|SKILL|MEMORY)(?:\.local|\.override)?\.md|copilot-instructions\.md"
_NAMES += r"|[\w.-]+\.instructions\.md|\.(?:cursor|windsurf|cline)rules|claudeMd"
_NAMED = expression(rf"(?<![\w.-])(?:{_NAMES})(?![\w-])", re.IGNORECASE)
_BEGINS = expression(
    r"\s*(?:(?P<tag><(?:user_instructions|project_instructions|custom_instructions|instructions|rules|user_rules"
    r"|memory|memories|skill|skill_content)\b|Base directory for this skill:)"
    r"|<[a-z][\w-]*>|#{1,3} |Contents of |The user has provided )",
    re.IGNORECASE,
)
_CONTEXT = "<context>\nThe following items were attached by the user."  # Zed, thread.rs
_IN_CONTEXT = expression(
    r"^<(?:user_)?rules>\nThe user has specified|^<skills>\nThe user has attached", re.MULTILINE
)
_READING = expression(r"\s*<system-reminder>\s*(Called|Result of calling) the \w+ tool")
_TOLD = expression(r"(?:Contents of|instructions for|\"file_path\":)[ \"]*([^\s\"]+)")


def is_instructing(text: str, before: str = "") -> bool:
    """Rules 2 and 3. `before`: the text before it."""
    reading = _READING.match(text)
    if reading and reading[1] != "Called":
        called = _READING.match(before)
        return called is not None and called[1] == "Called" and is_instructing(before)
    start = text[:NAMING_CHARACTERS]
    if all(map(of_dependency, files_named(text) or ("",))):
        return False
    if text.startswith(_CONTEXT) and _IN_CONTEXT.search(text):
        return True
    begins = _BEGINS.match(start)
    return begins is not None and bool(begins["tag"] or _NAMED.search(start))


def files_named(text: str) -> frozenset[str]:
    """The files that it contains whole, as far as it names them (rule 4)."""
    return frozenset(name.rstrip(":").casefold() for name in _TOLD.findall(text))


def of_dependency(path: str) -> bool:
    """Whether it is in a folder of others' code."""
    path = path.replace("\\", "/").casefold()
    return _MODULES_OF_GO in path or not DEPENDENCIES.isdisjoint(path.split("/")[:-1])


def is_skill(tool: str, arguments: Arguments | None, catalog: Catalog = CATALOG) -> bool:
    """Whether this call brings instructions to follow."""
    row = catalog.row(tool, arguments or {})
    return row is not None and row.tells == "instructions"
