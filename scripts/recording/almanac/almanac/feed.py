"""Turns posts into an RSS feed."""

from xml.sax.saxutils import escape

from almanac.markdown import render
from almanac.posts import Post
from almanac.settings import Settings


def feed(posts: list[Post], settings: Settings) -> str:
    items = "\n".join(item(post, settings) for post in posts[: settings.feed_length])
    return (
        '<?xml version="1.0" encoding="utf-8"?>\n<rss version="2.0"><channel>\n'
        f"<title>{escape(settings.title)}</title>\n<link>{settings.address}</link>\n{items}\n</channel></rss>\n"
    )


def item(post: Post, settings: Settings) -> str:
    return (
        f"<item><title>{escape(post.title)}</title><link>{settings.address}{post.url}</link>"
        f"<pubDate>{post.day}</pubDate><description>{escape(render(post.text))}</description></item>"
    )
