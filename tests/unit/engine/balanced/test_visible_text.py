"""Who chooses what stays goes by what is shown of a cut result, not by what it was."""

from ctxmgr.engine.balanced.budget import Budget
from ctxmgr.engine.balanced.identifiers import of_message
from ctxmgr.engine.balanced.visible_text import visible_conversation
from ctxmgr.model.messages import Message
from ctxmgr.model.projection import Decision, Plan
from tests.notation import Said, a, call, indexed, r, talk, u
from tests.unit.engine.projections import edited, kept
from tests.unit.engine.stepwise import code, looked, opened, projected

LONG = code(1, 200)
CUT = Decision("cut", written=("only first_name is shown",), weight=6)
SAID: list[Said] = [u("go"), a("so", call("read", path="a.py")), r(LONG), *looked(7), *looked(8)]


def cut(messages: tuple[Message, ...]) -> Plan:
    return projected(messages, decisions={indexed(messages).key(2): CUT}).plan


def test_a_cut_result_weighs_and_says_what_is_shown_of_it() -> None:
    messages = talk(*SAID)
    shown = visible_conversation(indexed(messages), cut(messages), frozenset())
    assert shown.messages[2].weights == (6,)
    assert shown.messages[2].weight == messages[2].weight - messages[2].weights[0] + 6
    assert of_message(shown.messages[2])[0] == {"first_name"}
    assert [one for at, one in enumerate(shown.messages) if at != 2] == [*messages[:2], *messages[3:]]
    assert shown.key(2) == indexed(messages).key(2)


def test_what_is_to_be_whole_again_counts_whole() -> None:
    messages = talk(*SAID)
    index = indexed(messages)
    assert visible_conversation(index, cut(messages), frozenset((2,))) is index


def test_where_nothing_is_cut_it_is_the_list() -> None:
    messages = talk(*SAID)
    index = indexed(messages)
    assert visible_conversation(index, projected(messages).plan, frozenset()) is index


def test_a_cut_result_competes_by_what_is_shown_of_it() -> None:
    """Of 1,000 tokens as it came there would be no room for it; of the few that are shown there is."""
    said = [*SAID, u("first_name again?"), a("first_name it is")]
    room = Budget(120, 0, 60)
    messages = talk(*said)
    decisions = {indexed(messages).key(2): CUT}
    _, plan = opened(said, budget=room, decisions=decisions)
    assert 2 in kept(plan)
    assert edited(plan)[2] == "cut"
    _, whole = opened(said, budget=room)
    assert 2 not in kept(whole) or edited(whole).get(2) == "pruned"
