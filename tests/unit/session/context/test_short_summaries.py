"""A short summary that stays does so until turns leave, whatever is learned between."""

from ctxmgr.server.effects import SnapshotLoaded
from tests.contract.talk import Fields, Messages, Talk, roles

RULE = "Never touch the generated tables, " + ", ".join(f"nor those of part {number}" for number in range(12))
TEXT = f"## Goal\nPort the parser\n\n## Constraints & Preferences\n- {RULE}\n\n## Next Steps\n1. Statements\n"
SAID = "Forget about the generated tables."  # the rule, too long for a packet, holds no longer


def told(restarts: bool) -> tuple[list[str], list[int]]:
    """How each list starts, and where it first changed: the user takes the rule back with the third."""
    talk, make = Talk({"preset": "turns"}), Messages()
    messages: list[Fields] = [make.summary(TEXT)]
    starts, changed = [], []
    for number in range(8):
        messages.append(make.user(SAID if number == 2 else f"And file {number}. " + "Mind the spaces. " * 5))
        answer = talk.context(messages)
        starts.append(roles(answer["list"])[:2])
        changed.append(answer["report"]["firstChangedIndex"])
        messages.append(make.reply("It is done. " * 20))
        talk.turn_end(messages[-1], tokens=3_000)
        if restarts:
            talk = Talk({"preset": "turns"}, found=SnapshotLoaded(tuple(talk.saved)))
    return starts, changed


def test_it_stays_until_turns_leave_though_the_packet_could_hold_it_before() -> None:
    starts, changed = told(restarts=False)
    assert starts == [*["SU"] * 5, *["PU"] * 3]  # with the sixth question the turn before the first one leaves
    assert changed == [*[-1] * 5, 0, 0, 0]


def test_a_restart_is_no_reason() -> None:
    assert told(restarts=True)[0] == told(restarts=False)[0]
