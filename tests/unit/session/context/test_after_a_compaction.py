"""After a compaction of the host's the model is told what the ledger knows and the summary lacks, in every
format."""

import json

import pytest

from tests.contract.talk import Fields
from tests.unit.session.context.compacted import ASKED, BARE, Host, packet_of

EVERYWHERE = pytest.mark.parametrize(
    ("preset", "form"), [("balanced", "pi"), ("balanced", "responses"), ("turns", "anthropic"), ("tools", "openai")]
)


def compacted(preset: str, form: str, text: str = BARE, kept: int = 0) -> Host:
    host = Host(preset, form)
    host.worked()
    host.compacted(text, kept)
    return host


def sent(host: Host) -> str:
    """What is sent now, as one text."""
    answer = host.talk.context(host.told(host.said))
    assert answer["report"]["checks"] == []
    return json.dumps(answer["list"])


def works(host: Host, number: int) -> None:
    """A step: a file of about 900 tokens is read. With each fifth the user says something."""
    if number % 5 == 4:
        host.turn_end(f"Step {number} is done.")
        host.said.append(host.make.user(f"And what of {number}?"))
    text = "\n".join(f"def part_{number}_{line}(): pass" for line in range(130))
    call = host.make.call("read", path=f"src/part_{number}.py")
    host.said += [host.make.reply(f"Look at {number}.", call), host.make.result(text)]


@EVERYWHERE
@pytest.mark.parametrize("kept", [0, 4])
def test_the_packet_never_says_again_what_the_list_shows(preset: str, form: str, kept: int) -> None:
    host = compacted(preset, form, kept=kept)
    unique = (*ASKED, *(f"Part {at} is done." for at in range(3)), "pytest tests/part2.py", "Port the statements")
    for number in range(8):
        text = sent(host)
        assert [one for one in unique if text.count(one) > 1] == []
        works(host, 4 + 5 * number)


@pytest.mark.parametrize(("preset", "events"), [("turns", 1), ("balanced", 2), ("tools", 1)])
def test_a_compaction_that_changed_nothing_changes_nothing_also_after_a_restart(preset: str, events: int) -> None:

    def answers(restarts: bool) -> list[Fields]:
        host = Host(preset, "pi", window=40_000)
        given: list[Fields] = []
        for turn in range(12):
            host.said.append(host.make.user(f"Part {turn}?"))
            for number in range(4):
                text = "\n".join(f"row {line} of {turn}.{number}" for line in range(120))
                read = host.make.call("read", path=f"src/{turn}_{number}.py")
                host.said += [host.make.reply("I look.", read), host.make.result(text)]
            given.append(host.context())
            host.turn_end("Done.")
            for number in range(events if turn in (5, 8) else 0):
                entry = {"id": f"c{turn}{number}", "summary": BARE, "firstKeptEntryId": "e9"}
                host.talk.call("session_compact", sessionId="s", compactionEntry=entry)
                if restarts:
                    host.talk = Host(preset, "pi", host.talk.saved, window=40_000).talk
        return given

    direct, restarted = answers(restarts=False), answers(restarts=True)
    assert [one["list"] for one in restarted] == [one["list"] for one in direct]
    assert [one["report"]["epoch"] for one in restarted] == [one["report"]["epoch"] for one in direct]
    assert any(packet_of(one) for one in direct) or preset == "tools"
