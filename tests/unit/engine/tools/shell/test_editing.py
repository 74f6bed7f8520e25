"""What scripts of Python, formatters, loops and `patch` change, as far as the line names it."""

import time

import pytest

from ctxmgr.engine.memory.facts import Stamp, Statements
from ctxmgr.engine.memory.from_tools import from_result
from ctxmgr.engine.tools import tool_call
from ctxmgr.engine.tools.shell.editing import files_of, without_loops
from ctxmgr.model import Block


def changed(command: str) -> list[str]:
    """Each file that it changes, with a `-` before one that it deletes."""
    effects = tool_call("bash", {"command": command}).effects
    return [
        f"{'-' if effect.kind == 'delete' else ''}{effect.path}"
        for effect in effects
        if effect.kind in ("write", "edit", "delete") and effect.path
    ]


def heredoc(*lines: str, runs: str = "python3 -") -> str:
    return "\n".join((f"{runs} <<'EOF'", *lines, "EOF"))


@pytest.mark.parametrize(
    ("command", "files"),
    [
        (heredoc("open('a.txt', 'w').write('x')"), ["a.txt"]),
        (
            heredoc("with open('a.txt', mode=\"a\") as out:", "    out.write('x')", runs="cd app && python3"),
            ["app/a.txt"],
        ),
        (
            heredoc("p = 'src/a.py'", "s = open(p).read()", "s = s.replace('a', 'b')", "open(p, 'w').write(s)"),
            ["src/a.py"],
        ),
        (heredoc("p = 'a.py'", "open(p, 'w')", "p = 'b.py'", "open(p, 'wb')"), ["a.py", "b.py"]),
        (heredoc("import pathlib", "p = pathlib.Path('a.py')", "p.write_text(p.read_text() + 'x')"), ["a.py"]),
        (
            heredoc(
                "from pathlib import Path", "root = Path('src')", "p = root / 'b' / 'a.py'", "p.write_bytes(b'')"
            ),
            ["src/b/a.py"],
        ),
        (
            heredoc("root = Path('src')", "(root / 'a.py').write_text('')", "(root / 'b.py').open('w')"),
            ["src/a.py", "src/b.py"],
        ),
        (heredoc("for p in ['a.py', 'b.py']:", "    open(p, 'w').write(texts[p])"), ["a.py", "b.py"]),
        (heredoc("import os", "os.remove('a.py')", "Path('b.py').unlink()"), ["-a.py", "-b.py"]),
        (heredoc("open('a.txt', 'w')", runs="uv run python -").replace("EOF'", "EOF' | tail -3", 1), ["a.txt"]),
        ("python -c \"import pathlib; pathlib.Path('a.py').write_text('x')\"", ["a.py"]),
        ("python -c \"open('a.py', 'w').write('x')\" > log.txt", ["log.txt", "a.py"]),
        (heredoc("print(open('a.txt').read())", "open('b.txt', 'r')"), []),
        (heredoc("open(f'{name}.txt', 'w')", "open(name + '.txt', 'w')", "open(where(), 'w')"), []),
        (heredoc("p = 'a.py'", "p = find()", "open(p, 'w')"), []),
        (
            heredoc(
                "s = s.replace('x', \"open('a.py', 'w')\")",
                "# open('b.py', 'w')",
                "t = '''",
                "open('c.py', 'w')",
                "'''",
            ),
            [],
        ),
        ("npx prettier --write src/a.ts src/b.ts", ["src/a.ts", "src/b.ts"]),
        ("npx prettier --check src/a.ts", []),
        ("npx prettier --write .", []),
        ("cd app && gofmt -w a.go 2>&1 | tail", ["app/a.go"]),
        ("gofmt -l a.go", []),
        ("ruff check --fix a.py && ruff format a.py", ["a.py", "a.py"]),
        ("ruff check a.py", []),
        ("black --check a.py", []),
        ("for f in a.py b.py; do sed -i 's/x/y/' $f; done", ["a.py", "b.py"]),
        ('cd app && for f in a b\ndo\n  mv "src/${f}.js" "src/${f}.ts"\ndone && npm test', []),  # a move is no edit
        ("for f in a b; do rm src/$f.py; done; npm test", ["-src/a.py", "-src/b.py"]),
        ("for f in *.py; do sed -i 's/x/y/' $f; done", []),
        ("for f in $(git ls-files); do sed -i 's/x/y/' $f; done", []),
    ],
)
def test_the_files_that_a_line_names_are_changed(command: str, files: list[str]) -> None:
    assert changed(command) == files


def test_a_patch_names_its_files_in_its_output() -> None:
    def files(command: str) -> list[str]:
        into = Statements(Stamp("o", 1))
        call = Block("call", tool="bash", arguments={"command": command})
        from_result(Block("result", text="patching file a.py\npatching file 'b c.py'"), call, into)
        return [fact.text for fact in into.facts() if fact.kind == "file"]

    assert files("patch -p1 < fix.diff") == ["a.py", "b c.py"]
    assert files("./load") == []


def test_time_is_linear_in_the_script() -> None:
    for piece in (
        "open(",
        "'''",
        "'",
        "(a / ",
        "for p in [",
        "p = q / ",
        "a.",
        "\n" * 3,
        "for f in a; do ",
        "x" * 9,
    ):
        begins = time.perf_counter()
        files_of(piece * 10_000)
        without_loops((piece * 10_000)[:19_000] + "done")
        assert time.perf_counter() - begins < 2, piece
