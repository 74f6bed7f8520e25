"""After a compaction the packet completes the summary: what neither it nor the messages after it state of the work
is told, once, as it is now, within `resumeTokens`."""

import json

import pytest

from ctxmgr.model.estimate import estimate
from tests.unit.session.context.compacted import PRESETS, Host, packet_of

FOUND = "The root cause is that `pool.py` never lets go of the lock."
DECIDED = "I'll use a table instead of a list for the rows, because the order of rows is kept there."
TRIED = "Wrapping `reader.py` in a thread failed because the handle of the file is not shared."
SAID = f"{FOUND}\n\n{DECIDED}\n\n{TRIED}"
EVERYWHERE = pytest.mark.parametrize(
    ("preset", "form"), [(one, form) for one in PRESETS for form in ("pi", "anthropic")]
)


def worked(preset: str, form: str, **policy: object) -> Host:
    """A session that found and decided, tried what failed, changed a file and ran tests, which failed at last."""
    host = Host(preset, form, **policy)
    host.said.append(host.make.user("Port the parser. Never touch the schema."))
    for text, tool, arguments, printed, failed in (
        (SAID, "edit", {"path": "src/rows.py", "oldText": "a", "newText": "b"}, "edited", False),
        ("Now the tests.", "bash", {"command": "pytest -q"}, "41 passed in 2.1s", False),
        (
            "Once more.",
            "bash",
            {"command": "pytest -q"},
            "FAILED tests/test_rows.py::test_a\n1 failed, 40 passed",
            True,
        ),
        ("And the types.", "bash", {"command": "mypy src"}, "Success: no issues found in 9 source files", False),
    ):
        host.said += [host.make.reply(text, host.make.call(tool, **arguments)), host.make.result(printed, failed)]
        host.context()
    host.turn_end("It goes on. Next I'll write the docs.")
    return host


def told(host: Host) -> str:
    """All that is sent, as one text."""
    return json.dumps(host.context()["list"], ensure_ascii=False)


LACKING = "## Goal\nPort the parser\n\n## Progress\n- The work began.\n"
STATING = """## Goal
Port the parser. Never touch the schema.

## Key Decisions
- Use a table instead of a list for the rows: the order of rows is kept there because of it

## Findings
- Root cause: `pool.py` never lets go of the lock

## Critical Context
- Wrapping `reader.py` in a thread failed because the handle of the file is not shared
- `pytest -q`: 1 failed, 40 passed: FAILED tests/test_rows.py::test_a

<modified-files>
src/rows.py
</modified-files>
"""


@EVERYWHERE
def test_what_the_summary_lacks_is_told(preset: str, form: str) -> None:
    host = worked(preset, form)
    host.compacted(LACKING)
    text = packet_of(host.context())
    assert "never lets go of the lock" in text
    assert "use a table instead of a list" in text
    assert "in a thread failed" in text
    assert "`pytest -q`: 1 failed, 40 passed" in text
    assert "`mypy src`" in text
    assert "rows.py" in text


@EVERYWHERE
def test_what_the_summary_states_in_its_own_words_is_not_told_again(preset: str, form: str) -> None:
    host = worked(preset, form)
    host.compacted(STATING)
    sent = told(host)
    for statement in ("lets go of the lock", "in a thread failed", "instead of a list", "test_a"):
        assert sent.count(statement) == 1
    assert "`mypy src`" in sent


@EVERYWHERE
def test_what_a_message_after_the_summary_says_is_not_told_again(preset: str, form: str) -> None:
    host = worked(preset, form)
    host.compacted(LACKING, kept=len(host.said) - 1)
    sent = told(host)
    assert sent.count("lets go of the lock") == 1
    assert sent.count("instead of a list") == 1


@EVERYWHERE
@pytest.mark.parametrize(
    "claim", ["`pytest -q` passes", "`pytest -q`: 41 passed", "`pytest -q` failed in test_a, and is green now"]
)
def test_a_summary_that_evidence_contradicts_is_answered_with_the_evidence(
    preset: str, form: str, claim: str
) -> None:
    host = worked(preset, form)
    host.compacted(f"{LACKING}- {claim}\n")
    assert "`pytest -q`: 1 failed, 40 passed" in packet_of(host.context())


@EVERYWHERE
def test_a_choice_that_the_summary_tells_the_other_way_round_is_told_as_it_was(preset: str, form: str) -> None:
    host = worked(preset, form)
    host.compacted(f"{LACKING}- Use a list instead of a table for the rows, because the order of rows is kept\n")
    assert "use a table instead of a list" in packet_of(host.context())


@EVERYWHERE
def test_a_summary_in_another_language_is_completed_as_well(preset: str, form: str) -> None:
    host = worked(preset, form)
    host.compacted("## 目标\n移植解析器\n\n## 进展\n- 工作已经开始，测试通过\n")
    text = packet_of(host.context())
    for statement in ("lets go of the lock", "instead of a list", "in a thread failed", "1 failed, 40 passed"):
        assert statement in text


@EVERYWHERE
def test_two_compactions_in_a_row_lose_nothing(preset: str, form: str) -> None:
    host = worked(preset, form)
    host.compacted(LACKING)
    host.context()
    host.turn_end("Going on.")
    host.compacted("## Goal\nPort the parser\n\n## Progress\n- It went on.\n")
    text = packet_of(host.context())
    for statement in ("lets go of the lock", "instead of a list", "in a thread failed", "1 failed, 40 passed"):
        assert text.count(statement) == 1


@EVERYWHERE
def test_a_summary_that_quotes_a_packets_headings_hides_nothing(preset: str, form: str) -> None:
    host = worked(preset, form)
    found = "## Found by the assistant (newest first; the newer holds)\n- none\n"
    quoted = f"## Blockers (failed when last tried)\n- `make`: no\n\n{found}"
    host.compacted(f"{LACKING}\n[ctxmgr packet]\n{quoted}")
    text = packet_of(host.context())
    for statement in ("lets go of the lock", "instead of a list", "in a thread failed", "1 failed, 40 passed"):
        assert statement in text


@EVERYWHERE
@pytest.mark.parametrize("tokens", [0, 50, 150, 100_000])
def test_it_weighs_no_more_than_resume_tokens(preset: str, form: str, tokens: int) -> None:
    """The user's words stand beside it in `turns`. The goal is told with the smallest packet, or by the summary."""
    host = worked(preset, form, resumeTokens=tokens)
    host.compacted(LACKING)
    sent = told(host)
    text = packet_of(host.context()).partition("\n## Rules (the user's")[0].strip()
    assert estimate(text) <= tokens
    assert "lets go of the lock" in text or tokens < 1_000
    assert "Port the parser" in sent


@EVERYWHERE
def test_a_summary_of_a_branch_that_was_left_is_completed(preset: str, form: str) -> None:
    host = worked(preset, form)
    entry = {"id": "b1", "summary": "We looked at the lexer there.", "fromId": "e1"}
    host.talk.call("session_tree", sessionId="s", newLeafId="b1", oldLeafId="e9", summaryEntry=entry)
    host.said = [host.make.user("Port the parser. Never touch the schema."), host.make.user("Go on another way.")]
    text = packet_of(host.context())
    assert "looked at the lexer" in text
