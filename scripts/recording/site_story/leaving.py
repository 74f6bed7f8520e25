"""The documents, a last look back, the end."""

# ruff: noqa: E501 (long lines are the words of the user and the agent)

from recording.moves import Story, change, command, look, search, step, tasks, user

STORY: Story = (
    user("lunch. back in an hour, then README and we're done", after=30),
    step("Enjoy it. README is what is left."),
    user("back. what was the list again and what did we decide? short", after=4300),
    step(
        "Decisions:\n- a draft never ends up in `public/`; broken heads fail the build, all named at once; links to drafts become plain text; the two drafts stay drafts\n- no JavaScript, standard library only\n- nothing in `public/` is deleted, nothing in `posts/` is changed\n- addresses are `/notes/SLUG/`, not by year; old ones redirect\n- the feed has excerpts with `Continue reading`, not full texts\n- `check` is silent about `/images/` unless the folder is there\n- the index of words leaves out what stands in more than a third of the posts, but for names\n\nOpen: README."
    ),
    user("exactly. README, with the rules in it instead of RULES.md. one file less", after=40),
    step("", look("RULES.md"), look("README.md"), look("almanac/cli.py")),
    step(
        "",
        change(
            "README.md",
            """
A post begins with a head: `title:`, `date:`, `tags:` and, if it is not to be published yet, `draft: yes`.
""",
            """
A post begins with a head: `title:`, `date:`, `tags:` and, if it is not to be published yet, `draft: yes`. Pages are at
`/notes/SLUG/`; the old addresses `/SLUG.html` lead there. `/index-of-words/` is the index of a book: words that stand in at
most a third of the posts, and names. The feed has the first paragraph of each post.

## Rules

1. A draft never ends up in public/: no page, not in the feed, not counted under a tag, no link. Rather the build fails.
2. No JavaScript, anywhere, ever.
3. Standard library only.
4. Nothing in public/ is deleted: CNAME and robots.txt live there and nowhere else.
5. posts/ is Ruth's: nothing there is changed by anybody else.
""",
        ),
        command(
            "rm RULES.md && python3 run_tests.py && python3 -m almanac build | tail -2 && python3 -m almanac check; true",
            "Remove RULES.md, test, build, check",
        ),
        tasks(
            "x drafts never reach public/ (pages, feed, tags, links), `Yes` counts as yes",
            "x addresses /notes/SLUG/ (not the year) with redirects from the old ones",
            "x feed: dates, ids, excerpt with `Continue reading`",
            "x missing images: only where public/images is there",
            "x index of words: at most a third of the posts, names always",
            "x README with the rules",
        ),
    ),
    user("last question: `code` in a post with *stars* inside backticks, does that work?", after=60),
    step("", look("almanac/markdown.py", offset=1, limit=40), search("`.*\\*.*`", "posts")),
    step(
        "No: `inline` renders italics before code, so `*a*` between backticks becomes `<em>`. No post has it today. Code first, and what is inside left alone:",
        change(
            "almanac/markdown.py",
            """
def inline(text: str, moved: Mapping[str, str] = {}) -> str:
    \"\"\"The marks within a line. `moved`: old address to new.\"\"\"
    text = html.escape(text, quote=False)
""",
            """
def inline(text: str, moved: Mapping[str, str] = {}) -> str:
    \"\"\"The marks within a line; code is left as it is. `moved`: old address to new.\"\"\"
    parts = html.escape(text, quote=False).split("`")
    if len(parts) % 2 == 0:  # a backtick without its partner is a sign like others
        parts[-2:] = [parts[-2] + "`" + parts[-1]]
    return "".join(f"<code>{part}</code>" if at % 2 else marked(part, moved) for at, part in enumerate(parts))


def marked(text: str, moved: Mapping[str, str]) -> str:
""",
        ),
        change(
            "almanac/markdown.py",
            """
    text = ITALIC.sub(r"<em>\\1</em>", text)
    return CODE.sub(r"<code>\\1</code>", text)
""",
            """
    return ITALIC.sub(r"<em>\\1</em>", text)
""",
        ),
        change("almanac/markdown.py", 'CODE = re.compile(r"`(.+?)`")\n', ""),
        change(
            "tests/test_markdown.py",
            """
    def test_escaped(self):
""",
            """
    def test_code_within_a_line_is_not_marked(self):
        self.assertEqual(inline("`*a*` *b*"), "<code>*a*</code> <em>b</em>")

    def test_a_single_backtick(self):
        self.assertEqual(inline("it`s *b*"), "it`s <em>b</em>")

    def test_escaped(self):
""",
        ),
        command("python3 run_tests.py && python3 -m almanac build | tail -1", "Test and build"),
    ),
    step("It does now, with two tests."),
    user("you're a gem. that's all!", after=20),
    step("Gladly. 20 posts are published, both drafts are not, and all tests are green."),
)
