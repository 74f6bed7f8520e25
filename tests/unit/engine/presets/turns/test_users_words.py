"""Preset `turns` tells what the user said in turns that left, word for word."""

from ctxmgr.engine.conversation.delta import Delta, Incoming
from ctxmgr.engine.memory.facts import Stamp, Statements
from ctxmgr.engine.memory.ledger import fold
from ctxmgr.engine.memory.user_words import from_user
from ctxmgr.engine.presets.strategy import Inputs
from ctxmgr.engine.presets.table import PRESETS
from ctxmgr.engine.pressure.gauge import Gauge
from ctxmgr.engine.pressure.zone import thresholds
from ctxmgr.model.policy import Policy, WorkingSet
from ctxmgr.model.projection import Packet
from ctxmgr.model.saved.facts import Ledger
from ctxmgr.model.saved.state import Meter, ModelSpec, State
from tests.notation import Said, a, indexed, quarters, talk, u
from tests.unit.engine.stepwise import looked

WINDOW = 16_000
RULE = (
    "Never change what lies in the directory of the vendor, "
    + "and that holds for its tests as well, " * 7
    + "whatever fails."
)
WISH = "the rest needs to be moved to directories that we can keep, as the others go away at the end"
SMALL = WorkingSet(results=0, tokens=0)
SAID = [u("Write the parser of the small language, please."), u(RULE), u(WISH)]


def packet_of(policy: Policy, said: list[Said]) -> str:
    """The packet of a session in which the user says this first, and then asks for other things."""
    turns = [*said, *(u(f"go on with number {number}") for number in range(30))]
    conversation = indexed(
        talk(*(one for number, turn in enumerate(turns) for one in (turn, *looked(number, 20), a("ok"))))
    )
    ledger = Ledger()
    for at, message in enumerate(conversation.messages):
        if message.view.role == "user":
            into = Statements(Stamp(message.digest, at))
            from_user(message.view.blocks[0].text, into, opening=at == 0)
            ledger = fold(ledger, into.facts())
    gauge = Gauge(Meter(), thresholds(policy, WINDOW), "quarters/m", 0)
    state = State("s", ModelSpec("m", WINDOW), reopen="policy")
    found = PRESETS["turns"].project(
        Incoming(conversation, Delta(0)), state, Inputs(policy, gauge, quarters, ledger, {})
    )
    return next((piece.text for piece in found.plan.pieces if isinstance(piece, Packet)), "")


def test_the_users_rules_stay_word_for_word() -> None:
    """With the number of the message that they stood in."""
    text = packet_of(Policy(working_set=SMALL), SAID)
    assert '- #1: "Write the parser of the small language, please."' in text
    assert f'- #2: "{RULE}"' in text
    assert f'- #3: "{WISH}"' in text


def test_no_packet_is_written_where_none_may_be() -> None:
    assert packet_of(Policy(packet_tokens=0), SAID) == ""
