"""Turns posts into pages: one a post, the front page, one a tag."""

import html
from dataclasses import dataclass
from pathlib import Path

from almanac.markdown import render
from almanac.posts import Post
from almanac.settings import Settings


@dataclass(frozen=True)
class Page:
    path: str
    text: str


def filled(template: str, values: dict[str, str]) -> str:
    for name, value in values.items():
        template = template.replace("{{" + name + "}}", value)
    return template


class Site:
    def __init__(self, posts: list[Post], settings: Settings, templates: Path) -> None:
        self.posts, self.settings = posts, settings
        self.template = (templates / "page.html").read_text(encoding="utf-8")

    def page(self, path: str, title: str, body: str) -> Page:
        values = {"title": html.escape(title), "body": body, "site": html.escape(self.settings.title)}
        values |= {"author": self.settings.author, "language": self.settings.language}
        values["year"] = str(self.posts[0].day.year)
        return Page(path, filled(self.template, values))

    def post_page(self, post: Post) -> Page:
        day = post.day.strftime(self.settings.date_format)
        tags = "".join(f'<li><a href="/tag/{tag}.html">{tag}</a></li>' for tag in post.tags)
        body = f"<h1>{html.escape(post.title)}</h1>\n<time>{day}</time>\n{render(post.text)}\n<ul class=\"tags\">{tags}</ul>"
        return self.page(post.url.lstrip("/"), post.title, body)

    def front_page(self) -> Page:
        newest = self.posts[: self.settings.posts_on_front_page]
        return self.page("index.html", "Front page", self.listing(newest))

    def tag_pages(self) -> list[Page]:
        tags = sorted({tag for post in self.posts for tag in post.tags})
        return [self.page(f"tag/{tag}.html", tag, self.listing([p for p in self.posts if tag in p.tags])) for tag in tags]

    def listing(self, posts: list[Post]) -> str:
        rows = [f'<li><a href="{post.url}">{html.escape(post.title)}</a> <time>{post.day}</time></li>' for post in posts]
        return "<ul>\n" + "\n".join(rows) + "\n</ul>"

    def all(self) -> list[Page]:
        return [self.front_page(), *(self.post_page(post) for post in self.posts), *self.tag_pages()]
