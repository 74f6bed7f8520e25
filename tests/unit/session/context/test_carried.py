"""What is carried from list to list changes nothing but time: sessions that forget it answer and save the same."""

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxmgr.engine.conversation.index import CARRIED
from tests.contract.talk import Fields, Talk
from tests.unit.session.context.epochs import talk_of
from tests.unit.session.context.test_balanced_properties import Course
from tests.unit.session.recovery import session_of

POLICIES: dict[str, Fields] = {
    "off": {},
    "tools": {"pruneProtect": 2_000, "pruneMinimum": 1_000, "protectedTurns": 1},
    "turns": {"recentUserTurns": {"green": 3, "yellow": 2, "red": 1, "compact": 1}},
    "balanced": {"protectedTools": ["bash"]},
    "tools, pressed": {"pruneProtect": 2_000, "pruneMinimum": 1_000, "protectedTurns": 1},
    "balanced, pressed": {"workingSet": {"results": 2, "tokens": 1_000}},
}


class Lively(Course):
    """With rules that are read, told and read again, changed files, and results that come late."""

    MOVES = (*Course.MOVES, "rules", "told", "edit", "late", "answer")

    def grow(self, move: str) -> list[Fields]:
        make, number = self.make, self.number
        ways = {
            "rules": lambda: [make.reply("", make.call("read", path="AGENTS.md")), make.result("Use tabs. " * 40)],
            "told": lambda: [
                make.user(f"<system-reminder>\nContents of AGENTS.md: {number % 3}\n</system-reminder>")
            ],
            "edit": lambda: [
                make.reply("", make.call("write", path=f"src/mod_{number - 1}.py", content="x = 1\n" * 300)),
                make.result("written"),
            ],
            "late": lambda: [
                make.reply("", make.call("read", path=f"src/late_{number}.py")),
                make.user("Meanwhile?"),
            ],
            "answer": lambda: [make.result("it came late " * 60) if make._open else make.user("Well?")],
        }
        if move not in ways:
            return super().grow(move)
        self.number += 1
        new = ways[move]()
        self.messages = [*self.messages, *new]
        return new


def forget(talk: Talk) -> None:
    """As if the next list were the first that this process sees."""
    session = session_of(talk)
    vars(session.projection.conversation).pop(CARRIED, None)
    session.projection = msgspec.structs.replace(session.projection, settled=None)


@pytest.mark.parametrize("name", POLICIES)
@settings(max_examples=5)
@given(moves=st.lists(st.tuples(st.sampled_from(Lively.MOVES), st.sampled_from(Course.DEEDS)), max_size=20))
def test_what_is_carried_changes_nothing(name: str, moves: list[tuple[str, str]]) -> None:
    policy = {"preset": name.partition(",")[0], **POLICIES[name]}
    window = 20_000 if "pressed" in name else 60_000
    course, talks = Lively(), [talk_of(window=window, **policy) for _ in range(2)]
    for move, deed in [("step", "none"), *moves]:
        course.grow(move)
        clock = course.clock
        for talk in talks:
            course.clock = clock
            params = course.does(deed, talk)
            talk.context(course.messages, answer="messages", **params)
        forget(talks[1])
        assert talks[0].lines == talks[1].lines
        assert talks[0].saved == talks[1].saved
