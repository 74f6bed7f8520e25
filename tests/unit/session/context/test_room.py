"""How much of a list stays in preset `balanced`, where the policy says it."""

from tests.contract.talk import Messages, packet
from tests.unit.session.context.epochs import sent, steps, talk_of


def pruned(**policy: object) -> tuple[str, int]:
    """Its packet and the bytes of the list, after an epoch over 24 steps."""
    make, talk = Messages(), talk_of(**policy)
    messages = [make.user("Go on with src/mod_1.py."), *steps(make, 24)]
    talk.context(messages)
    talk.call("prune", sessionId="s")
    answer = talk.context(messages, answer="messages")
    return packet(answer["list"]), sum(map(len, sent(answer)))


def test_what_stays_goes_by_what_it_is_worth() -> None:
    sizes = [pruned(keep=keep)[1] for keep in (20, 100, 250, 1_350)]
    assert sizes == sorted(set(sizes))


def test_the_newest_steps_stay_whole_in_their_tokens() -> None:
    few, many = (pruned(keep=1, workingSet={"results": 0, "tokens": tokens})[1] for tokens in (0, 4_000))
    assert few < many


def test_files_of_what_left_are_told_up_to_a_limit() -> None:
    told, _ = pruned(keep=1)
    assert "## Where the rest is" in told
    assert "src/mod_22.py" in told


def test_what_has_no_effect_any_more_changes_no_byte() -> None:
    older = {"costVersusRecall": 0.1, "oldTokens": 0, "newestTokens": 0, "indexTokens": 3_000}
    assert pruned(**older) == pruned()
