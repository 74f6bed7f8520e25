"""Missing images, and the book index that was to come last."""

# ruff: noqa: E501 (long lines are the words of the user and the agent)

from recording.moves import Story, change, command, look, names, put, search, step, tasks, user

STORY: Story = (
    user("images next. which are missing?", after=30),
    step("", search("!\\[", "posts"), names("**/*.jpg"), command("python3 -m almanac check; true", "Check")),
    step("All of them: no picture is in this checkout at all. Are they on the box, like the CNAME?"),
    user(
        "yes in public/images on the box. so check must not complain about /images/ when the folder isn't here. but if it IS here, complain",
        after=55,
    ),
    step("", look("almanac/checks.py")),
    step(
        "",
        change(
            "almanac/checks.py",
            """
            there = public / target.lstrip("/")
""",
            """
            if target.startswith(IMAGES) and not (public / "images").is_dir():
                continue  # they are kept on the server alone
            there = public / target.lstrip("/")
""",
        ),
        change("almanac/checks.py", "TARGET = ", 'IMAGES = "/images/"\nTARGET = '),
        put(
            "tests/test_checks.py",
            """
import tempfile
import unittest
from pathlib import Path

from almanac.checks import dead_links


class Dead(unittest.TestCase):
    def found(self, *folders, **pages):
        with tempfile.TemporaryDirectory() as root:
            public = Path(root)
            for folder in folders:
                (public / folder).mkdir()
            for name, text in pages.items():
                (public / f"{name}.html").write_text(text)
            return dead_links(public)

    def test_a_page_that_is_there(self):
        self.assertEqual(self.found(a='<a href="/b.html">', b=""), [])

    def test_one_that_is_not(self):
        self.assertEqual(self.found(a='<a href="/c.html">'), ["a.html: /c.html"])

    def test_images_without_their_folder(self):
        self.assertEqual(self.found(a='<img src="/images/x.jpg">'), [])

    def test_images_with_their_folder(self):
        self.assertEqual(self.found("images", a='<img src="/images/x.jpg">'), ["a.html: /images/x.jpg"])

    def test_a_place_within_a_page(self):
        self.assertEqual(self.found(a='<a href="/b.html#part">', b=""), [])
""",
        ),
        command("python3 run_tests.py checks; python3 -m almanac check; true", "Test and check"),
    ),
    user("perfect. alt texts: are they any good?", after=25),
    step(
        "They are the subject's bare name (`![beans](...)`). Better ones need somebody who has seen the pictures; I can not, and posts are yours."
    ),
    user("fair :) now the book index!", after=20),
    step(
        "How the words are spread, before I choose what matters:",
        command(
            "cat posts/*.md | tr 'A-Z' 'a-z' | tr -cs 'a-z' '\\n' | sort | uniq -c | sort -k1,1nr -k2 | head -70",
            "Count words",
        ),
        look("posts/water-first.md"),
    ),
    step(
        "My plan: words of four letters and more, not among 60 stop words, that stand in at most a third of the posts; singular and plural together where only an s differs; a page `/index-of-words/` with a letter each, every word with its posts. Drafts are left out by the same door.",
        thinking="Book index was to be last: README is still open but the user asks for it now, that is his order.",
    ),
    user(
        "at most a third is a nice idea. but keep names of people even if they're everywhere. Pemberton must be in it",
        after=65,
    ),
    step(
        "Names stay: a word that is always written with a capital within sentences counts as a name, whatever its share.",
        tasks(
            "x drafts never reach public/ (pages, feed, tags, links), `Yes` counts as yes",
            "x addresses /notes/SLUG/ (not the year) with redirects from the old ones",
            "x feed: dates, ids, excerpt with `Continue reading`",
            "x missing images: only where public/images is there",
            "> index of words: at most a third of the posts, names always",
            ". README",
        ),
    ),
    step(
        "",
        put(
            "almanac/words.py",
            '''
"""Turns posts into the index of a book: words that matter, with the posts they stand in.

1. A word has four letters and more and is no stop word; one that differs by an s at its end alone counts with it.
2. It stands in at most a third of the posts, or it would lead everywhere.
3. A name is always in: a word that is written with a capital wherever it does not begin a sentence.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping

from almanac.posts import Post

LEAST_LETTERS = 4
MOST_SHARE = 3  # one of so many posts
WORD = re.compile(r"[A-Za-z][a-z]+")
SENTENCE = re.compile(r"(?<=[.!?:])\\s+|\\n+")
MARKS = re.compile(r"```.*?```|\\(/.*?\\)|[*`#>\\[\\]!-]", re.DOTALL)
STOP_WORDS = frozenset(
    "about after again alone also been before blame both could does down each every fewer first from half have having here "
    "into just last leave left more most much need needs never nobody nothing only other over rather same says side some "
    "start such tell tells than that their them then there they this took twice until very want wants week were what when "
    "where which while will with would your year".split()
)


def plain(text: str) -> str:
    """Without marks, code and addresses."""
    return MARKS.sub(" ", text)


def names_in(texts: Iterable[str]) -> set[str]:
    """Rule 3."""
    upper, lower = set(), set()
    for text in texts:
        for sentence in SENTENCE.split(plain(text)):
            for found in WORD.findall(sentence)[1:]:
                (upper if found[0].isupper() else lower).add(found.lower())
    return upper - lower


def index_of(posts: list[Post]) -> Mapping[str, list[Post]]:
    """Each word with its posts, in the order of the alphabet."""
    found: dict[str, list[Post]] = defaultdict(list)
    for post in posts:
        for word in sorted({word.lower() for word in WORD.findall(plain(post.text))}):
            if len(word) >= LEAST_LETTERS and word not in STOP_WORDS:
                found[word].append(post)
    names = names_in(post.text for post in posts)
    joined = {word: singular(word, found) for word in found}
    index: dict[str, list[Post]] = defaultdict(list)
    for word, there in found.items():
        index[joined[word]] += [post for post in there if post not in index[joined[word]]]
    kept = {word: there for word, there in index.items() if word in names or len(there) * MOST_SHARE <= len(posts)}
    return {word: sorted(kept[word], key=lambda post: post.title) for word in sorted(kept)}


def singular(word: str, known: Mapping[str, object]) -> str:
    return word[:-1] if word.endswith("s") and word[:-1] in known else word
''',
        ),
        put(
            "tests/test_words.py",
            """
import unittest
from datetime import date

from almanac.posts import Post
from almanac.words import index_of, names_in, plain


def posts(*texts):
    return [Post(f"p{n}", f"Post {n}", date(2025, 5, 1), text) for n, text in enumerate(texts)]


def index(*texts):
    return {word: [post.slug for post in there] for word, there in index_of(posts(*texts)).items()}


class Index(unittest.TestCase):
    def test_stop_words_and_short_ones(self):
        self.assertEqual(index("This week the hoe and some compost.", "", ""), {"compost": ["p0"]})

    def test_plural_with_singular(self):
        self.assertEqual(index("one pigeon", "two pigeons", "", "", "", ""), {"pigeon": ["p0", "p1"]})

    def test_at_most_a_third(self):
        self.assertEqual(index("compost", "compost", "", "", ""), {})
        self.assertEqual(index("compost", "compost", "", "", "", ""), {"compost": ["p0", "p1"]})

    def test_names_are_always_in(self):
        self.assertEqual(index("Old Pemberton.", "My Pemberton."), {"pemberton": ["p0", "p1"]})

    def test_code_and_addresses_are_no_words(self):
        self.assertEqual(plain("a `b` [c](/secret.html)").split(), ["a", "b", "c"])

    def test_a_name_is_never_written_small(self):
        self.assertEqual(names_in(["The Rose and a rose by Lind."]), {"lind"})
""",
        ),
        command("python3 run_tests.py words", "Run tests of words"),
    ),
    step(
        "",
        change(
            "almanac/pages.py",
            """
    def listing(self, posts
""",
            """
    def words_page(self) -> Page:
        rows = []
        letter = ""
        for word, posts in index_of(self.posts).items():
            if word[0] != letter:
                letter = word[0]
                rows.append(f"<h2>{letter.upper()}</h2>")
            links = ", ".join(f'<a href="{post.url}">{html.escape(post.title)}</a>' for post in posts)
            rows.append(f"<p>{word}: {links}</p>")
        return self.page("index-of-words/index.html", "Index of words", "\\n".join(rows))

    def listing(self, posts
""",
        ),
        change(
            "almanac/pages.py",
            "from almanac.settings import Settings\n",
            "from almanac.settings import Settings\nfrom almanac.words import index_of\n",
        ),
        change("almanac/pages.py", "*self.tag_pages(), *moved]", "*self.tag_pages(), self.words_page(), *moved]"),
        command(
            "python3 run_tests.py; python3 -m almanac build | tail -26; sed -n 10,80p public/index-of-words/index.html | cut -c1-240",
            "Test, build, look at the index",
        ),
    ),
    step(
        "One test fails, rightly: `test_addresses` lists all pages, and there is one more now.",
        change(
            "tests/test_pages.py",
            '["beans.html", "index.html", "notes/beans/index.html"]',
            '["beans.html", "index-of-words/index.html", "index.html", "notes/beans/index.html"]',
        ),
        command("python3 run_tests.py", "Run all tests"),
    ),
    user("Pemberton's in it, 'committee' too. but why is 'harbinger' a name?", after=120),
    step(
        "Harbinger is a variety of tomato, always written with a capital: by my rule a name. It would also be in by its share.",
        search("Harbinger", "posts"),
    ),
    user("ah of course. keep.", after=15),
    step("It stays."),
)
