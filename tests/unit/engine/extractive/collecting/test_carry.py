"""What a previous summary says, read back: our own labels, notes under unknown headings, code."""

import pytest

from ctxmgr.engine.extractive.collecting import carry


def texts(previous: str) -> list[str]:
    return [fact.text for fact in carry.read(previous).facts]


@pytest.mark.parametrize("previous", [None, "", "  \n "])
def test_nothing_says_nothing(previous: str | None) -> None:
    assert carry.read(previous) == carry.PreviousFacts()


def test_what_is_carried_is_older_than_any_message() -> None:
    assert [fact.time_ms for fact in carry.read("## Goal\nShip it").facts] == [-1]
    assert [fact.time_ms for fact in carry.read("## Goal\nShip it", 7).facts] == [7]


def test_our_labels_are_read_back() -> None:
    previous = "\n".join(
        [
            "## Goal",
            "Ship it",
            'Latest request: "write the docs"',
            "",
            "## Critical Context",
            "- Files worked on most: `a.py` (changed 2, read 3), `b.py` (read 1), `c.py`",
            "- Named often: `Lexer`, `parse`",
            "- Last run: `make`: worked",
            '- Failed: `npm test`: "x"',
            "- Found: the cache is cold",
            "- Planned earlier (check before doing it): measure it",
            "- Planned earlier, likely done since (check): move it",
            "- Last said: Let me see",
            "- Constraint: never push",
            "- Decided: use a table",
            "- Done: the lexer",
            "- Blocked: the build",
            '- Asked: "fix the footer"',
            "- port is 80",
        ]
    )
    found = carry.read(previous)
    assert found.latest == "write the docs"
    assert found.files == {"a.py": (2, 3), "b.py": (0, 1), "c.py": (0, 0)}
    assert list(found.names) == ["Lexer", "parse"]
    assert list(found.ran) == ["`make`: worked"]
    assert list(found.failed) == ['`npm test`: "x"']
    assert list(found.findings) == ["the cache is cold"]
    assert (found.planned, found.likely, found.last_statement) == (["measure it"], ["move it"], "Let me see")
    assert [(fact.slot, fact.status, fact.text) for fact in found.facts] == [
        ("goal", "", "Ship it"),
        ("constraint", "", "never push"),
        ("decision", "", "use a table"),
        ("task", "done", "the lexer"),
        ("task", "blocked", "the build"),
        ("request", "", "fix the footer"),
        ("context", "", "port is 80"),
    ]


def test_notes_under_one_unknown_heading_stand_on_one_line() -> None:
    assert texts("## Deployment\n- first part.\n- second part\n- third") == [
        "Deployment: first part. second part; third"
    ]


def test_and_on_another_beyond_600_characters() -> None:
    first, second = "a" * 300, "b" * (600 - 300 - len("Deployment: ") - 1)
    assert len(texts(f"## Deployment\n- {first}\n- {second}")) == 1
    assert len(texts(f"## Deployment\n- {first}\n- {second}b")) == 2


def test_headings_of_other_summaries_say_nothing_themselves() -> None:
    assert texts("## Critical Context\n- Problem solving\n- the port is 80") == ["the port is 80"]


def test_a_heading_is_told_in_80_characters() -> None:
    title = "Deploy " + "x" * 73
    assert len(title) == 80
    assert texts(f"## {title}\n- it is late") == [f"{title}: it is late"]
    assert texts(f"## {title}y\n- it is late") == [f"{title}: it is late"]


def test_a_list_is_its_items_and_what_stands_before_it() -> None:
    assert texts("## Critical Context\nit is late\n- the port is 80\n- the cache is cold") == [
        "it is late",
        "the port is 80",
        "the cache is cold",
    ]
    assert texts("## Critical Context\n- the port is 80\n  - of the host\n- the cache is cold") == [
        "the port is 80; of the host",
        "the cache is cold",
    ]


def test_a_list_that_is_introduced_is_one_statement() -> None:
    assert texts("## Critical Context\nports:\n- 80\n- 81") == ["ports: 80; 81"]


def test_the_line_that_says_to_go_on_is_no_statement() -> None:
    assert texts(f"{carry.CONTINUE}\n\n## Critical Context\n- {carry.CONTINUE}\n- the port is 80") == [
        "the port is 80"
    ]
