"""After a compaction the packet completes the summary: what neither it nor the messages after it state of the work
is told, once, as it is now, within `resumeTokens`."""

import json

import pytest

from tests.unit.session.context.compacted import Host, packet_of

RULE = "Port the parser. Never touch the schema."
LAST = "The rows are in a table now. The docs come next."
TESTS = '`pytest -q` failed after #1: "1 failed, 40 passed"'
EVERYWHERE = pytest.mark.parametrize(
    ("preset", "form"), [("balanced", "pi"), ("turns", "anthropic"), ("tools", "pi")]
)


def worked(preset: str, form: str) -> Host:
    """A session that changed a file and ran tests, which failed at last, and types, which passed."""
    host = Host(preset, form)
    host.said.append(host.make.user(RULE))
    for text, tool, arguments, printed, failed in (
        ("First the rows.", "edit", {"path": "src/rows.py", "oldText": "a", "newText": "b"}, "edited", False),
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
    host.turn_end(f"It goes on.\n\n{LAST}")
    return host


def told(host: Host) -> str:
    """All that is sent, as one text."""
    return json.dumps(host.context()["list"], ensure_ascii=False)


LACKING = "## Goal\nPort the parser\n\n## Progress\n- The work began.\n"


@EVERYWHERE
def test_what_the_summary_lacks_is_told(preset: str, form: str) -> None:
    host = worked(preset, form)
    host.compacted(LACKING)
    text = packet_of(host.context())
    assert f': "{LAST}"' in text
    assert f'- #1: "{RULE}"' in text
    assert f"- test: {TESTS}" in text
    assert "- types: `mypy src` passed after #1" in text
    assert "- edited (edit, after #1): `src/rows.py`" in text


@EVERYWHERE
@pytest.mark.parametrize(
    "claim", ["`pytest -q` passes", "`pytest -q`: 41 passed", "`pytest -q` failed in test_a, and is green now"]
)
def test_a_summary_that_evidence_contradicts_is_answered_with_the_evidence(
    preset: str, form: str, claim: str
) -> None:
    host = worked(preset, form)
    host.compacted(f"{LACKING}- {claim}\n")
    assert TESTS in packet_of(host.context())
