"""Elements of a drawing as SVG text. What comes from outside is escaped; the same values give the same bytes."""

from html import escape

from ctxmgr.plain_text import safe


def escaped(text: str) -> str:
    """For HTML and for SVG, in text and in quoted attributes."""
    return escape(safe(text))


def element(tag: str, *inside: str, **attributes: str | float) -> str:
    """`inside` are elements, or escaped text. Numbers are written with one decimal. An attribute's `_` is a dash;
    one at its end is dropped (`class_`)."""
    opening = tag
    for name, value in attributes.items():
        written = escaped(value) if isinstance(value, str) else f"{value:.1f}"
        opening += f' {name.rstrip("_").replace("_", "-")}="{written}"'
    return f"<{opening}>{''.join(inside)}</{tag}>" if inside else f"<{opening}/>"
