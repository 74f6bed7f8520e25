"""Turns the part of Markdown that the posts use into HTML: headings, paragraphs, lists, quotes, code, links, images."""

import html
import re

BOLD = re.compile(r"\*\*(.+?)\*\*")
ITALIC = re.compile(r"\*(.+?)\*")
CODE = re.compile(r"`(.+?)`")
IMAGE = re.compile(r"!\[(.*?)\]\((.+?)\)")
LINK = re.compile(r"\[(.+?)\]\((.+?)\)")


def inline(text: str) -> str:
    """The marks within a line."""
    text = html.escape(text, quote=False)
    text = IMAGE.sub(r'<img src="\2" alt="\1">', text)
    text = LINK.sub(r'<a href="\2">\1</a>', text)
    text = BOLD.sub(r"<strong>\1</strong>", text)
    text = ITALIC.sub(r"<em>\1</em>", text)
    return CODE.sub(r"<code>\1</code>", text)


def render(text: str) -> str:
    """The whole text, block by block."""
    blocks = []
    lines = text.splitlines()
    at = 0
    while at < len(lines):
        line = lines[at]
        if not line.strip():
            at += 1
        elif line.startswith("```"):
            end = next((n for n in range(at + 1, len(lines)) if lines[n].startswith("```")), len(lines))
            blocks.append(f"<pre><code>{html.escape(chr(10).join(lines[at + 1 : end]))}</code></pre>")
            at = end + 1
        elif line.startswith("#"):
            level = len(line) - len(line.lstrip("#"))
            blocks.append(f"<h{level}>{inline(line[level:].strip())}</h{level}>")
            at += 1
        else:
            end = next((n for n in range(at, len(lines)) if not lines[n].strip()), len(lines))
            blocks.append(block(lines[at:end]))
            at = end
    return "\n".join(blocks)


def block(lines: list[str]) -> str:
    if all(line.startswith("> ") for line in lines):
        return f"<blockquote><p>{inline(' '.join(line[2:] for line in lines))}</p></blockquote>"
    if all(line.startswith("- ") for line in lines):
        items = "".join(f"<li>{inline(line[2:])}</li>" for line in lines)
        return f"<ul>{items}</ul>"
    return f"<p>{inline(' '.join(lines))}</p>"
