"""The user's posts are read and talked about; an archive by month, and links from post to post."""

# ruff: noqa: E501 (long lines are the words of the user and the agent)

from recording.moves import Story, change, command, look, search, step, tasks, user

STORY: Story = (
    user(
        "something else: can you read all my posts about beans, birds and water and tell me where I contradict myself? don't change anything",
        after=90,
    ),
    step("", look("posts/beans-first.md"), look("posts/beans-again.md"), look("posts/birds-first.md")),
    step(
        "",
        look("posts/birds-again.md"),
        look("posts/birds-at-last.md"),
        look("posts/water-first.md"),
        look("posts/water-again.md"),
    ),
    step(
        'I find no plain contradiction, but three that rub:\n- `birds-first` says that the robin never did well on this side of the path, `birds-again` leaves it alone until it is dry: a robin is treated like a bed there.\n- `water-first` and `water-again` put off the float valve since different months.\n- the costs behind "For the record" differ between posts about the same thing, and no date says which is newer.'
    ),
    user("haha the robin. ok. and tomatoes vs soil? you have all day", after=45),
    step("", look("posts/tomatoes-first.md"), look("posts/tomatoes-again.md"), look("posts/tomatoes-at-last.md")),
    step("", look("posts/soil-first.md"), look("posts/soil-again.md"), look("posts/soil-at-last.md")),
    step(
        'Of those only the measures: the pH strips are "measured twice" in two posts with different centimetres, and centimetres are no measure of strips. You may want to read `soil-again` before others do.'
    ),
    user(
        "noted, I'll fix it myself. now: readers should be able to go from month to month. an archive page. and 'previous / next' under each post",
        after=120,
    ),
    step(
        "An archive at `/archive/` with a heading a month, newest first, and two links under each post, older to the left. Drafts are in neither, by the same door.",
        tasks(
            "x drafts never reach public/ (pages, feed, tags, links), `Yes` counts as yes",
            "x addresses /notes/SLUG/ (not the year) with redirects from the old ones",
            "x feed: dates, ids, excerpt with `Continue reading`",
            "x missing images: only where public/images is there",
            "x index of words: at most a third of the posts, names always",
            "> archive by month, previous / next",
            ". README",
        ),
        look("almanac/pages.py"),
    ),
    step(
        "",
        change(
            "almanac/pages.py",
            """
    def post_page(self, post: Post) -> Page:
        day = post.day.strftime(self.settings.date_format)
""",
            """
    def beside(self, post: Post) -> str:
        \"\"\"Links to the post before and the one after it; `posts` has the newest first.\"\"\"
        at = self.posts.index(post)
        older, newer = self.posts[at + 1 : at + 2], self.posts[max(0, at - 1) : at]
        links = [f'<a rel="prev" href="{one.url}">Previous: {html.escape(one.title)}</a>' for one in older]
        links += [f'<a rel="next" href="{one.url}">Next: {html.escape(one.title)}</a>' for one in newer]
        return f"<nav>{' '.join(links)}</nav>"

    def archive_page(self) -> Page:
        months: dict[str, list[Post]] = {}
        for post in self.posts:
            months.setdefault(post.day.strftime("%B %Y"), []).append(post)
        blocks = [f"<h2>{month}</h2>\\n{self.listing(posts)}" for month, posts in months.items()]
        return self.page("archive/index.html", "Archive", "\\n".join(blocks))

    def post_page(self, post: Post) -> Page:
        day = post.day.strftime(self.settings.date_format)
""",
        ),
        change(
            "almanac/pages.py",
            '<ul class=\\"tags\\">{tags}</ul>"',
            '<ul class=\\"tags\\">{tags}</ul>\\n{self.beside(post)}"',
        ),
        change("almanac/pages.py", "self.words_page(), *moved]", "self.words_page(), self.archive_page(), *moved]"),
        change(
            "tests/test_pages.py",
            """
        self.assertEqual(sorted(self.pages(post("beans"))), [""",
            """
        self.assertEqual(sorted(self.pages(post("beans"))), ["archive/index.html", """,
        ),
        change(
            "tests/test_pages.py",
            """
    def test_no_script(self):
""",
            """
    def test_archive_has_a_heading_a_month(self):
        text = self.pages(post("b", "2025-06-02"), post("a", "2025-05-01"), post("c", "2025-05-01"))["archive/index.html"]
        self.assertEqual([text.count("<h2>"), text.index("June") < text.index("May")], [2, True])

    def test_beside(self):
        pages = self.pages(post("c"), post("b"), post("a"))
        self.assertIn('rel="prev" href="/notes/a/"', pages["notes/b/index.html"])
        self.assertIn('rel="next" href="/notes/c/"', pages["notes/b/index.html"])
        self.assertNotIn('rel="next"', pages["notes/c/index.html"])
        self.assertNotIn('rel="prev"', pages["notes/a/index.html"])

    def test_no_script(self):
""",
        ),
        command(
            "python3 run_tests.py pages && python3 -m almanac build && cat public/archive/index.html",
            "Test, build, look at the archive",
        ),
    ),
    user(
        "lovely. but 'Previous'/'Next' is the wrong way round for me: next should be the OLDER one, people start at the newest",
        after=70,
    ),
    step(
        "Turned round: `Next` leads to the older post, `Previous` to the newer one; `rel` goes with the words.",
        change(
            "almanac/pages.py",
            """
        links = [f'<a rel="prev" href="{one.url}">Previous: {html.escape(one.title)}</a>' for one in older]
        links += [f'<a rel="next" href="{one.url}">Next: {html.escape(one.title)}</a>' for one in newer]
""",
            """
        links = [f'<a rel="prev" href="{one.url}">Previous: {html.escape(one.title)}</a>' for one in newer]
        links += [f'<a rel="next" href="{one.url}">Next: {html.escape(one.title)}</a>' for one in older]
""",
        ),
        change(
            "tests/test_pages.py",
            """
        self.assertIn('rel="prev" href="/notes/a/"', pages["notes/b/index.html"])
        self.assertIn('rel="next" href="/notes/c/"', pages["notes/b/index.html"])
        self.assertNotIn('rel="next"', pages["notes/c/index.html"])
        self.assertNotIn('rel="prev"', pages["notes/a/index.html"])
""",
            """
        self.assertIn('rel="next" href="/notes/a/"', pages["notes/b/index.html"])
        self.assertIn('rel="prev" href="/notes/c/"', pages["notes/b/index.html"])
        self.assertNotIn('rel="prev"', pages["notes/c/index.html"])
        self.assertNotIn('rel="next"', pages["notes/a/index.html"])
""",
        ),
        command("python3 run_tests.py pages && python3 -m almanac build | tail -1", "Test and build"),
    ),
    user("and link archive and index of words in the header of every page, small", after=30),
    step(
        "",
        change(
            "templates/page.html",
            '<header><a href="/">{{site}}</a></header>',
            '<header><a href="/">{{site}}</a> <small><a href="/archive/">Archive</a> <a href="/index-of-words/">Index</a></small></header>',
        ),
        change(
            "templates/style.css",
            "h1 {",
            "header small { margin-left: 1rem; }\nnav { display: flex; justify-content: space-between; }\nh1 {",
        ),
        command(
            "python3 -m almanac build | tail -1; python3 -m almanac check; sed -n 1,40p public/notes/seeds-first/index.html",
            "Build, check, look at a page",
        ),
    ),
    user(
        "one more question before lunch: which posts are linked from no other post? I want to know my orphans",
        after=60,
    ),
    step(
        "",
        command(
            'for post in posts/*.md; do name=$(basename $post .md); echo "$(grep -l "/$name.html" posts/*.md | wc -l | tr -d \' \') $name"; done | sort -n',
            "Count links to each post",
        ),
        search("\\(/[a-z-]+\\.html\\)", "posts"),
    ),
    step(
        "The ones with 0 in front are the orphans, that no other post links to. A post that links to itself would count here; none of the orphans does."
    ),
    user("thanks, that's a nice list. I keep it", after=20),
    step("Good. README is open."),
)
