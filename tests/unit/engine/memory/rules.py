"""Rules that a user states over a session, in two languages, and the session that has them."""

from collections.abc import Sequence

from ctxmgr.model.compaction import BranchMessage
from tests.notation import Said, a, call, r, u
from tests.unit.summarize.scripted import told

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
