"""The command line."""

import argparse
from pathlib import Path

from almanac.checks import dead_links
from almanac.feed import feed
from almanac.pages import Site
from almanac.posts import read_posts
from almanac.settings import read_settings


def main(given: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="almanac")
    parser.add_argument("command", choices=("build", "check", "list"))
    parser.add_argument("--root", type=Path, default=Path())
    parser.add_argument("--tag")
    options = parser.parse_args(given)
    posts = read_posts(options.root / "posts")
    if options.command == "list":
        for post in posts:
            if options.tag is None or options.tag in post.tags:
                print(post.day, post.slug, ",".join(post.tags), "(draft)" if post.draft else "")
        return 0
    if options.command == "check":
        found = dead_links(options.root / "public")
        print("\n".join([*found, f"{len(found)} dead links"]))
        return 1 if found else 0
    settings = read_settings(options.root / "site.json")
    pages = Site(posts, settings, options.root / "templates").all()
    for page in pages:
        target = options.root / "public" / page.path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(page.text, encoding="utf-8")
        print(f"{page.path} {len(page.text)}")
    (options.root / "public" / "feed.xml").write_text(feed(posts, settings), encoding="utf-8")
    (options.root / "public" / "style.css").write_text((options.root / "templates" / "style.css").read_text(), encoding="utf-8")
    print(f"{len(pages)} pages")
    return 0
