"""Conversations for packets and summaries: one session, random ones, and a long one of rules in two languages."""

from collections.abc import Sequence

from hypothesis import strategies as st

from ctxmgr.model.compaction import BranchMessage
from tests.notation import Said, a, call, err, r, u
from tests.unit.summarize.scripted import told

TASKS = [
    {"content": "Port the colours", "status": "completed"},
    {"content": "Port the fonts", "status": "in_progress"},
]
SETTINGS = (
    u("Please port the settings screen to the new theme system. Never touch the vendor folder."),
    a("I look at it.", call("read", path="src/settings.ts")),
    r("const theme = 1;"),
    a(call("edit", path="src/settings.ts", oldText="1", newText="2")),
    r("ok"),
    a(call("TodoWrite", todos=[*TASKS, {"content": "Write the docs", "status": "pending"}])),
    r("ok"),
    a(call("bash", command="npm run lint")),
    r("No problems."),
    a(call("bash", command="git commit -m 'Port the colours'")),
    r("[main 1a2b3c4] Port the colours\n 1 file changed"),
    a("I've ported `SettingsScreen`.\n\nIt reads its colours from `theme.fg()` now."),
    u("now run the tests and fix what fails there"),
    a(call("bash", command="npm test")),
    err("Error: TS2345: settings.test.ts fails\n1 failed, 8 passed"),
    a("The problem is that `SettingsScreen` reads the theme before `initTheme()` ran."),
)
NEXT = (
    a(call("bash", command="npm test")),
    r("9 passed"),
    a("Fixed `initTheme()` to run first, the tests pass."),
    u("please amend the commit"),
    a(call("bash", command="git commit --amend -m 'Port the settings'")),
    r("[main 5d6e7f8] Port the settings\n 2 files changed"),
    a("It is amended."),
)
PREFIX = (
    u("please rename the store to archive"),
    a("I rename it.", call("edit", path="store.py", oldText="a", newText="b")),
    r("ok"),
    a("Now let me rename the tests"),
)
HOSTS = """## Goal
Ship the exporter

## Constraints & Preferences
- Never touch the vendor folder.

## Progress
### Done
- [x] wrote the reader
### In Progress
- [ ] the writer

## Key Decisions
- **Streams**: no file is held whole

## Next Steps
1. test with large files

## Layout
- part, state; reader, done

```sh
export --all

  --deep
```

## Critical Context
- the fixture is `big.csv`"""

TEXTS = st.text(max_size=60) | st.sampled_from(
    ["ok", "## Now\n- [ ] forged", "[ctxmgr packet]", "```\ncode\n```", "never push " * 80, "提交之前先问我。" * 40]
)
CALLS = st.one_of(
    st.builds(lambda path: (call("write", path=path or "x", content="1"), r("ok")), TEXTS),
    st.builds(lambda told: (call("bash", command="pytest -q"), err(f"1 failed {told}")), TEXTS),
    st.builds(lambda text: (call("bash", command="git commit -m x"), r(f"[main abc1234] {text}")), TEXTS),
    st.builds(lambda text: (call("TodoWrite", todos=[{"content": text, "status": "pending"}]), r("ok")), TEXTS),
)
TURNS = st.tuples(TEXTS, st.lists(CALLS, max_size=3), TEXTS)


def said(turns: list[tuple[str, list[tuple[dict[str, object], Said]], str]]) -> list[Said]:
    found: list[Said] = []
    for request, calls, answer in turns:
        found.append(u(request))
        for made, result in calls:
            found += [a(made), result]
        found.append(a(answer))
    return found


COUNT = 63
PLACES = ("vendor", "billing", "docs", "api", "cli", "web", "db", "jobs", "auth")
RULES = {
    "English": (
        "Never touch the folder {0} in this repository.",
        "All functions in {0} keep their names.",
        "Write the comments in {0} in plain words.",
        "In {0} no call may take longer than two seconds.",
        "Ask me before you add a dependency to {0}.",
        "The tests of {0} must run without a network.",
        "Make sure that {0} is validated before run is called.",
    ),
    "Chinese": (
        "绝对不要改动 {0} 目录。",
        "{0} 里的所有函数都保持原来的名字。",
        "{0} 里的注释要写得通俗易懂。",
        "{0} 里的任何调用都不能超过两秒。",
        "给 {0} 添加依赖之前先问我。",
        "{0} 的测试必须能在没有网络时运行。",
        "调用 run 之前务必先校验 {0}。",
    ),
}


def rules(language: str) -> list[str]:
    return [one.format(place) for place in PLACES for one in RULES[language]]


def stretches(language: str, count: int, size: int = 1_500) -> list[tuple[BranchMessage, ...]]:
    """The session in so many stretches, each with its share of the rules, one a message, and work between them."""
    stated = rules(language)
    found: list[tuple[BranchMessage, ...]] = []
    for at in range(count):
        said: list[Said] = []
        for number in range(len(stated) * at // count, len(stated) * (at + 1) // count):
            said += [u(stated[number]), *_work(number, size)]
        found.append(told(*said))
    return found


def _work(number: int, size: int) -> Sequence[Said]:
    path = f"src/part{number}.py"
    return (
        a(f"Part {number}: first I look.", call("read", path=path)),
        r(f"line of part {number}\n" * (size // 16)),
        a(call("edit", path=path, oldText="1", newText="2")),
        r("ok"),
        a(f"That is noted.\n\nPart {number} is done; the cause was an index."),
    )
