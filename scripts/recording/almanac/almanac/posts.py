"""Reads posts: a head of `name: value` lines, a blank line, then Markdown."""

from dataclasses import dataclass, field
from datetime import date
from pathlib import Path

REQUIRED = ("title", "date")


class PostError(ValueError):
    """A file that is no post."""


@dataclass(frozen=True)
class Post:
    slug: str
    title: str
    day: date
    text: str
    tags: tuple[str, ...] = ()
    draft: bool = False
    extra: dict[str, str] = field(default_factory=dict)

    @property
    def url(self) -> str:
        return f"/{self.slug}.html"


def read_post(path: Path) -> Post:
    head, _, text = path.read_text(encoding="utf-8").partition("\n\n")
    fields = {}
    for number, line in enumerate(head.splitlines(), start=1):
        name, colon, value = line.partition(":")
        if not colon:
            raise PostError(f"{path.name}:{number}: no colon")
        fields[name.strip().lower()] = value.strip()
    for name in REQUIRED:
        if name not in fields:
            raise PostError(f"{path.name}: no {name}")
    return Post(
        slug=path.stem,
        title=fields.pop("title"),
        day=date.fromisoformat(fields.pop("date")),
        text=text,
        tags=tuple(tag.strip() for tag in fields.pop("tags", "").split(",")),
        draft=fields.pop("draft", "no") == "yes",
        extra=fields,
    )


def read_posts(folder: Path) -> list[Post]:
    """All posts, newest first."""
    posts = [read_post(path) for path in folder.glob("*.md")]
    return sorted(posts, key=lambda post: post.day, reverse=True)
