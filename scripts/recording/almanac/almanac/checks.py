"""Looks over built pages: links that lead nowhere, images that are not there."""

import re
from pathlib import Path

TARGET = re.compile(r'(?:href|src)="(/[^"#]*)')


def dead_links(public: Path) -> list[str]:
    """One line a dead link: the page and where it leads."""
    found = []
    for page in sorted(public.rglob("*.html")):
        for target in TARGET.findall(page.read_text(encoding="utf-8")):
            there = public / target.lstrip("/")
            if not (there.is_file() or (there / "index.html").is_file()):
                found.append(f"{page.relative_to(public).as_posix()}: {target}")
    return found
