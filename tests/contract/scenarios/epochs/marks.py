"""Cache marks: where they belong on the list of an answer, for a provider that caches by marks."""

from typing import ClassVar

from tests.contract.behaviours import behaviour
from tests.contract.running import MINUTE, Run
from tests.contract.scenarios.epochs.begun import PARTS, PORT
from tests.contract.talk import Fields, Talk


class Marked(Run):
    """Of a model whose provider caches by marks."""

    version = "1.1"
    model: ClassVar[Fields] = {"id": "claude-sonnet-5", "provider": "anthropic"}


@behaviour(
    "epochs/where-marks-belong",
    "The report says where cache marks belong: at the end of the list, and also where the look-back of that mark "
    "would not reach what an earlier call had cached, or the list changed after it.",
    "design 6",
)
def where_marks_belong() -> Talk:
    run = Marked(policy={"keep": 5_000})
    run.user(PORT)
    run.read(*PARTS[:4])
    assert run.ask()["cacheBreakpoints"] == [8]
    run.read(*PARTS[4:14])
    assert run.ask()["cacheBreakpoints"] == [8, 28]  # 20 messages of a block each
    run.read(PARTS[14])
    assert run.ask()["cacheBreakpoints"] == [30]
    run.talk.call("setPolicy", sessionId="s", policy={"keep": 900})
    report = run.ask()
    assert report["firstChangedIndex"] == 2
    assert report["cacheBreakpoints"] == [1, len(run.shown) - 1]
    run.read(PARTS[15])
    assert run.ask()["cacheBreakpoints"] == [1, len(run.shown) - 1]
    return run.talk


@behaviour(
    "epochs/as-many-marks-as-are-free",
    "There are never more marks than are free besides the host's own. A single one is as late as it can be and "
    "still finds what is cached.",
    "design 6",
)
def as_many_as_are_free() -> Talk:
    run = Marked(policy={"keep": 5_000})
    run.more = {"ownMarks": 3}
    run.user(PORT)
    run.read(*PARTS[:4])
    assert run.ask()["cacheBreakpoints"] == [8]
    run.read(*PARTS[4:14])
    (single,) = run.ask(MINUTE)["cacheBreakpoints"]
    assert 8 < single < len(run.shown) - 1
    run.more = {"ownMarks": 4}
    run.read(PARTS[14])
    assert run.ask()["cacheBreakpoints"] == []
    return run.talk


@behaviour(
    "epochs/no-marks-where-none-are-taken",
    "A provider that caches prefixes automatically gets no marks.",
    "design 6",
)
def none_are_taken() -> Talk:
    run = Unmarked()
    run.user(PORT)
    run.read(*PARTS[:3])
    assert run.ask()["cacheBreakpoints"] == []
    return run.talk


class Unmarked(Marked):
    model: ClassVar[Fields] = {"id": "gpt-5.5", "provider": "openai"}
