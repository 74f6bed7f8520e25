"""New addresses: a decision, a change of mind, redirects."""

# ruff: noqa: E501 (long lines are the words of the user and the agent)

from recording.moves import Story, change, command, fails, look, put, search, shell, step, tasks, user

STORY: Story = (
    user("addresses now. /2025/beans-first/ please", after=20),
    step(
        'Before I change them: old addresses `/beans-first.html` are linked from outside. Without a server that redirects, a page with `<meta http-equiv="refresh">` at the old place does it. All right?'
    ),
    user("is that javascript?", after=15),
    step("No, plain HTML: the browser goes on by itself, and there is a link for those where it does not."),
    user("ok good. do it", after=10),
    step("", look("almanac/pages.py", offset=25), search("post\\.url|\\.html", "almanac")),
    step(
        "",
        change(
            "almanac/posts.py",
            """
        return f"/{self.slug}.html"
""",
            """
        return f"/{self.day.year}/{self.slug}/"

    @property
    def old_url(self) -> str:
        return f"/{self.slug}.html"
""",
        ),
        change(
            "almanac/pages.py",
            """
        return self.page(post.url.lstrip("/"), post.title, body)
""",
            """
        return self.page(file_of(post.url), post.title, body)
""",
        ),
        change(
            "almanac/pages.py",
            """
class Site:
""",
            """
def file_of(url: str) -> str:
    \"\"\"Where the page of an address is written.\"\"\"
    path = url.lstrip("/")
    return path + "index.html" if url.endswith("/") else path


REDIRECT = \"\"\"<!doctype html>
<meta charset="utf-8">
<meta http-equiv="refresh" content="0; url={url}">
<link rel="canonical" href="{url}">
<p>This page has moved to <a href="{url}">{url}</a>.</p>
\"\"\"


class Site:
""",
        ),
        change(
            "almanac/pages.py",
            """
        return [self.front_page(), *(self.post_page(post) for post in self.posts), *self.tag_pages()]
""",
            """
        moved = [Page(file_of(post.old_url), REDIRECT.format(url=post.url)) for post in self.posts]
        return [self.front_page(), *(self.post_page(post) for post in self.posts), *self.tag_pages(), *moved]
""",
        ),
        command(
            "python3 run_tests.py && python3 -m almanac build && python3 -m almanac check; true",
            "Test, build, check",
        ),
    ),
    step(
        "It builds, every old address has a redirect. The tests of pages are still missing, there never were any:"
    ),
    user(
        "wait. I changed my mind about the year. half of my posts get rewritten every year and then the year is a lie. make it /notes/beans-first/",
        after=95,
    ),
    step(
        "`/notes/SLUG/`, then, without the year. The date stays on the page. One line:",
        change("almanac/posts.py", 'return f"/{self.day.year}/{self.slug}/"', 'return f"/notes/{self.slug}/"'),
    ),
    step(
        "",
        put(
            "tests/test_pages.py",
            """
import tempfile
import unittest
from datetime import date
from pathlib import Path

from almanac.pages import Site, file_of, filled
from almanac.posts import Post
from almanac.settings import Settings

SETTINGS = Settings("Notes <1>", "R", "https://a.example", "en", 2, 2, "%d %B %Y")


def post(slug, day="2025-05-01", **more):
    return Post(slug, slug.title(), date.fromisoformat(day), "Text.", **more)


class Pages(unittest.TestCase):
    def site(self, *posts):
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "page.html").write_text("{{title}}|{{site}}|{{body}}")
            return Site(list(posts), SETTINGS, Path(folder))

    def pages(self, *posts):
        return {page.path: page.text for page in self.site(*posts).all()}

    def test_addresses(self):
        self.assertEqual(sorted(self.pages(post("beans"))), ["beans.html", "index.html", "notes/beans/index.html"])

    def test_old_address_leads_to_the_new(self):
        self.assertIn('url=/notes/beans/"', self.pages(post("beans"))["beans.html"])

    def test_a_draft_is_refused(self):
        with self.assertRaises(ValueError):
            self.site(post("beans", draft=True))

    def test_front_page_has_the_newest(self):
        text = self.pages(post("c"), post("b"), post("a"))["index.html"]
        self.assertIn("/notes/c/", text)
        self.assertNotIn("/notes/a/", text)

    def test_titles_are_escaped(self):
        self.assertIn("Notes &lt;1&gt;", self.pages(post("a"))["index.html"])

    def test_no_script(self):
        self.assertNotIn("<script", "".join(self.pages(post("a", tags=("x",))).values()).lower())


class Parts(unittest.TestCase):
    def test_file_of(self):
        self.assertEqual(file_of("/a/b/"), "a/b/index.html")
        self.assertEqual(file_of("/a.html"), "a.html")

    def test_filled(self):
        self.assertEqual(filled("{{a}}{{b}}", {"a": "1", "b": "2"}), "12")
""",
        ),
        command("python3 run_tests.py", "Run all tests"),
    ),
    user(
        "why is there a link to /jam-and-chutney.html in the check output? that post is on my laptop, not here",
        after=40,
    ),
    step(
        "",
        search("jam-and-chutney", "posts"),
        command("python3 -m almanac build >/dev/null; python3 -m almanac check; true", "Check for dead links"),
    ),
    step(
        "Three posts link to it, and it is not in `posts/`. Besides: posts link to each other by old addresses, `[last year](/birds-first.html)`. They work through the redirect, but a reader goes a detour each time. Should the build rewrite them, or should I change the posts?"
    ),
    user("never touch my posts! rewrite in the build", after=20),
    step(
        "Posts stay as they are. The build maps old addresses to new ones while it renders; what is not known (`jam-and-chutney`) stays and is told by `check`.",
        look("almanac/markdown.py", offset=1, limit=25),
        change(
            "RULES.md", "4. Nothing", "5. posts/ is Ruth's: nothing there is changed by anybody else.\n4. Nothing"
        ),
    ),
    step(
        "",
        change(
            "almanac/markdown.py",
            """
def inline(text: str) -> str:
    \"\"\"The marks within a line.\"\"\"
""",
            """
def inline(text: str, moved: Mapping[str, str] = {}) -> str:
    \"\"\"The marks within a line. `moved`: old address to new.\"\"\"
""",
        ),
        change(
            "almanac/markdown.py",
            """
    text = LINK.sub(r'<a href="\\2">\\1</a>', text)
""",
            """
    text = LINK.sub(lambda found: f'<a href="{moved.get(found[2], found[2])}">{found[1]}</a>', text)
""",
        ),
        change(
            "almanac/markdown.py",
            "import html\nimport re\n",
            "import html\nimport re\nfrom collections.abc import Mapping\n",
        ),
        fails(
            change(
                "almanac/markdown.py",
                'def render(text: str) -> str:\n    """The whole text."""',
                'def render(text: str, moved: Mapping[str, str] = {}) -> str:\n    """The whole text."""',
            )
        ),
    ),
    step("", look("almanac/markdown.py", offset=26)),
    step(
        "",
        change(
            "almanac/markdown.py",
            'def render(text: str) -> str:\n    """The whole text, block by block."""',
            'def render(text: str, moved: Mapping[str, str] = {}) -> str:\n    """The whole text, block by block."""',
        ),
        change("almanac/markdown.py", "{inline(line[level:].strip())}", "{inline(line[level:].strip(), moved)}"),
        change(
            "almanac/markdown.py",
            "blocks.append(block(lines[at:end]))",
            "blocks.append(block(lines[at:end], moved))",
        ),
        change(
            "almanac/markdown.py",
            """
def block(lines: list[str]) -> str:
    if all(line.startswith("> ") for line in lines):
        return f"<blockquote><p>{inline(' '.join(line[2:] for line in lines))}</p></blockquote>"
    if all(line.startswith("- ") for line in lines):
        items = "".join(f"<li>{inline(line[2:])}</li>" for line in lines)
        return f"<ul>{items}</ul>"
    return f"<p>{inline(' '.join(lines))}</p>"
""",
            """
def block(lines: list[str], moved: Mapping[str, str]) -> str:
    if all(line.startswith("> ") for line in lines):
        return f"<blockquote><p>{inline(' '.join(line[2:] for line in lines), moved)}</p></blockquote>"
    if all(line.startswith("- ") for line in lines):
        items = "".join(f"<li>{inline(line[2:], moved)}</li>" for line in lines)
        return f"<ul>{items}</ul>"
    return f"<p>{inline(' '.join(lines), moved)}</p>"
""",
        ),
        change("almanac/pages.py", "{render(post.text)}", "{render(post.text, self.moved)}"),
        change(
            "almanac/pages.py",
            """
        self.template = (templates
""",
            """
        self.moved = {post.old_url: post.url for post in posts}
        self.template = (templates
""",
        ),
        command(
            "python3 run_tests.py && python3 -m almanac build && python3 -m almanac check; true",
            "Test, build, check",
        ),
    ),
    user("looks good! commit message for this?", after=30),
    step("`Posts live at /notes/SLUG/; old addresses redirect, links between posts go straight`"),
    shell("ls almanac tests", after=60),
    step(
        "",
        tasks(
            "x drafts never reach public/ (pages, feed, tags), `Yes` counts as yes",
            "x addresses /notes/SLUG/ (not the year) with redirects from the old ones",
            "> feed: valid dates and ids",
            ". search without JavaScript (index of words), last",
            ". missing images: find, decide",
            ". README",
        ),
    ),
)
