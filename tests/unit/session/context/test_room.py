"""How much of a list stays in preset `balanced`, where the policy says it in tokens."""

from tests.contract.talk import Fields, Messages, packet
from tests.unit.session.context.epochs import sent, steps, talk_of

SMALL: Fields = {"oldTokens": 200, "newestTokens": 200}
HEADING = "## Left out"


def pruned(**policy: object) -> tuple[str, int]:
    """Its packet and the bytes of the list, after an epoch over 24 steps."""
    make, talk = Messages(), talk_of(**policy)
    messages = [make.user("Go on with src/mod_1.py."), *steps(make, 24)]
    talk.context(messages)
    talk.call("prune", sessionId="s")
    answer = talk.context(messages, answer="messages")
    return packet(answer["list"]), sum(map(len, sent(answer)))


def test_index_lines_have_a_budget_of_their_own() -> None:
    none, little, much = (pruned(**SMALL, indexTokens=index)[0] for index in (0, 120, 3_000))
    assert HEADING not in none
    assert 0 < little.count("func_") < 9
    assert much.count("func_") > 20


def test_what_stays_goes_by_the_tokens_that_are_set() -> None:
    sizes = [pruned(oldTokens=old, indexTokens=0)[1] for old in (500, 2_000, 6_000)]
    assert sizes == sorted(set(sizes))


def test_the_newest_steps_stay_whole_in_their_tokens() -> None:
    few, many = (pruned(oldTokens=0, indexTokens=0, newestTokens=newest)[1] for newest in (0, 4_000))
    assert few < many
