"""What `getLedger` tells: a session's statements by slot, each with its source."""

from itertools import permutations

import pytest

from tests.contract.talk import Messages, Talk


def told(talk: Talk) -> list[tuple[str, str, str]]:
    """Slot, source and text of each."""
    facts = talk.call("getLedger", sessionId="s")["facts"]
    return [(fact["slot"], fact["source"], fact["text"]) for fact in facts]


@pytest.mark.parametrize("apart", [False, True], ids=["one list", "two lists"])
@pytest.mark.parametrize("dated", ["of one time", "one after the other"])
def test_what_was_said_at_one_time_is_known_alike_in_any_order(dated: str, apart: bool) -> None:
    """The first of two messages of different times is the goal; of one time, that which the facts alone decide."""
    ledgers = []
    for texts in permutations(("Port the parser.", "Write the tests.")):
        talk, make = Talk(), Messages()
        messages = [make.user(text) for text in texts]
        if dated == "of one time":
            messages = [{**message, "timestamp": messages[0]["timestamp"]} for message in messages]
        if apart:
            talk.context(messages[:1])
        talk.context(messages)
        ledgers.append(sorted(told(talk)))
    goals = [[text for slot, _, text in ledger if slot == "goal"] for ledger in ledgers]
    if dated == "of one time":
        assert ledgers[0] == ledgers[1]
        assert goals == [["Write the tests."]] * 2
    else:
        assert goals == [["Port the parser."], ["Write the tests."]]
