"""Questions first, a plan, and what is never to happen."""

# ruff: noqa: E501 (long lines are the words of the user and the agent)

from recording.moves import Story, command, look, names, search, shell, step, tasks, user

STORY: Story = (
    user(
        "hi! this is the generator for my allotment notes, I wrote it two years ago and forgot most of it. what does it do, in five lines?"
    ),
    step("I'll read it.", look("README.md"), look("almanac/cli.py"), look("almanac/pages.py")),
    step("", look("almanac/posts.py"), look("almanac/markdown.py")),
    step("", look("almanac/feed.py"), look("almanac/checks.py"), look("almanac/settings.py"), look("site.json")),
    step(
        "1. `almanac/posts.py` reads `posts/*.md`: a head of `name: value` lines, then Markdown.\n2. `almanac/markdown.py` renders a small part of Markdown by regular expressions.\n3. `almanac/pages.py` fills `templates/page.html` for each post, the front page and each tag.\n4. `almanac/feed.py` writes an RSS feed with full texts.\n5. `almanac/checks.py` finds dead links in what was built.\n\nOne thing I noticed: `draft` is read and never used, so drafts are published."
    ),
    user("WHAT. are any of my drafts on the site right now??", after=40),
    step(
        "",
        search("^draft", "posts"),
        command("python3 -m almanac build && python3 -m almanac list", "Build and list posts"),
    ),
    step(
        "In what `build` writes, yes: two posts say `draft` in their head, `compost-at-last` with `Yes` and `tools-at-last` with `yes`, and both have pages. What is on the server I can not see from here.",
        search("draft", "public", names_only=True),
        thinking="draft: Yes with a capital is not even recognised as a draft: read_post compares with 'yes'. Two faults, not one.",
    ),
    user(
        "ok. rule number one for today and forever: a draft never ends up in public/, not in pages, not in the feed, not in a tag count. I'd rather have the build fail.",
        after=60,
    ),
    step(
        "Understood: drafts never reach `public/`, in whatever form; when in doubt the build fails. Shall I plan that together with what else you have in mind?"
    ),
    user(
        "yes. my list: drafts. then addresses like /2025/beans-first/ instead of /beans-first.html. search without javascript?? images that are missing. feed is broken in my reader. and please no dependencies, I host this on a tiny box with plain python",
        after=130,
    ),
    step(
        "Let me see how far each of them reaches before I order them.",
        search("\\.html", "almanac"),
        search("url|slug", "almanac"),
        command("python3 -m almanac check; true", "Check for dead links"),
        names("posts/*.md"),
    ),
    step(
        "",
        tasks(
            "> drafts never reach public/ (pages, feed, tags), `Yes` counts as yes",
            ". addresses /YEAR/slug/ with redirects from the old ones",
            ". feed: valid dates and ids",
            ". search without JavaScript",
            ". missing images: find, decide",
            ". README",
        ),
    ),
    step(
        "In this order, I'd say. A word on search: without JavaScript and without a server there is only an index page (all words, with the posts they occur in). Is that what you want?"
    ),
    user(
        "an index like in the back of a book? love it. but only words that matter, not 'the'. do that LAST.",
        after=75,
    ),
    step("Noted: a book index, stop words left out, last of all."),
    user(
        "and no javascript anywhere, ever. I mean it. write these rules down somewhere so I find them again",
        after=30,
    ),
    step(
        "I'll keep them in a file of the project, so that they outlive this conversation.",
        look("templates/page.html"),
        look("templates/style.css"),
    ),
    shell("ls posts | wc -l", after=20),
)
