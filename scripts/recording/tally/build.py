"""Checks the sources and writes docs/api.md. Prints one line a step, so that two runs can be compared."""

import ast
import sys
from pathlib import Path

HERE = Path(__file__).parent
WIDTH = 120


def main() -> int:
    warnings, pages = [], ["# API", ""]
    sources = sorted((HERE / "tally").glob("*.py"))
    for source in sources:
        text = source.read_text(encoding="utf-8")
        name = f"tally/{source.name}"
        tree = ast.parse(text, name)
        print(f"parse    {name} ({len(text.splitlines())} lines)")
        if not ast.get_docstring(tree):
            warnings.append(f"{name}:1: no docstring")
        warnings += [f"{name}:{n}: {len(line)} characters" for n, line in enumerate(text.splitlines(), 1) if len(line) > WIDTH]
        warnings += floats(tree, name)
        pages += [f"## {name}", "", ast.get_docstring(tree) or "", ""]
        for node in tree.body:
            if isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.name.startswith("_"):
                kind = "class" if isinstance(node, ast.ClassDef) else "function"
                print(f"document {kind} {name}:{node.lineno} {node.name}")
                pages.append(f"- `{node.name}`: {(ast.get_docstring(node) or 'undocumented').splitlines()[0]}")
                if not ast.get_docstring(node) and isinstance(node, ast.ClassDef):
                    warnings.append(f"{name}:{node.lineno}: class {node.name} has no docstring")
        pages.append("")
    (HERE / "docs" / "api.md").write_text("\n".join(pages), encoding="utf-8")
    print(f"write    docs/api.md ({len(pages)} lines)")
    for warning in warnings:
        print(f"warning  {warning}")
    print(f"{len(sources)} files, {len(warnings)} warnings")
    return 1 if "--strict" in sys.argv and warnings else 0


def floats(tree: ast.AST, name: str) -> list[str]:
    """Money must not be a float: each annotation and call of float is a warning, but in tables.py."""
    if name == "tally/tables.py":
        return []
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id == "float":
            found.append((node.lineno, f"{name}:{node.lineno}: float"))
        if isinstance(node, ast.Constant) and isinstance(node.value, float):
            found.append((node.lineno, f"{name}:{node.lineno}: the float {node.value}"))
    return [text for _, text in sorted(found)]


if __name__ == "__main__":
    raise SystemExit(main())
