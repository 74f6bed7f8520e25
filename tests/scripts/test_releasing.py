"""`scripts/release`: what stands in the way of a release is said, and then nothing is written."""

import re
import subprocess
from pathlib import Path

import msgspec
import pytest

from ctxmgr.model.rules import RELEASES, RULES
from scripts.releasing import (
    CHANGELOG,
    MODULE,
    PROJECT,
    ROOT,
    STUDY,
    Checkout,
    faults,
    main,
    read,
    released,
    sections,
)

LOG = """# Changelog

## 0.2.0 (unreleased)

- One thing.
- Another.

## 0.1.1 (2025-02-03)

- A third.

## 0.1.0 (2025-01-02)

- The first.
"""
PROJECT_TEXT = '[project]\nname = "x"\nversion = "0.1.1"\n\n[tool.z]\ntarget-version = "py311"\n'
PROJECT_TEXT += 'study = ["ctxmgr-study==0.1.1"]\n'
STUDY_TEXT = 'version = "0.1.1"  # as the other\ndependencies = ["ctxmgr-sidecar==0.1.1", "rich"]\n'
GOOD = Checkout(
    {CHANGELOG: LOG, PROJECT: PROJECT_TEXT, STUDY: STUDY_TEXT, MODULE: '__version__ = "0.1.1"\n'}, "0.2"
)


def changed(name: str, old: str, new: str) -> Checkout:
    assert old in GOOD.texts[name]
    return msgspec.structs.replace(GOOD, texts={**GOOD.texts, name: GOOD.texts[name].replace(old, new)})


def test_a_checkout_in_order_has_no_fault() -> None:
    assert list(faults("0.2.0", GOOD)) == []


OUT_OF_ORDER = [
    ("v0.2.0", GOOD, "v0.2.0 is no version such as 0.2.0"),
    (
        "0.3.0",
        msgspec.structs.replace(GOOD, newest="0.3"),
        "CHANGELOG.md does not begin with 0.3.0, but with 0.2.0",
    ),
    (
        "0.2.0",
        changed(CHANGELOG, "(unreleased)", "(2025-03-04)"),
        "CHANGELOG.md: 0.2.0 is marked (2025-03-04), not (unreleased)",
    ),
    ("0.2.0", changed(CHANGELOG, "- One thing.\n- Another.\n", ""), "CHANGELOG.md says nothing of 0.2.0"),
    ("0.2.0", changed(CHANGELOG, "## 0.1.1 (2025-02-03)", "## 0.1.1"), "CHANGELOG.md: 0.1.1 has no date"),
    ("0.2.0", changed(CHANGELOG, "## 0.1.0 (", "## 0.1.10 ("), "CHANGELOG.md: 0.1.10 stands below 0.1.1"),
    ("0.2.0", changed(PROJECT, 'version = "0.1.1"', ""), "pyproject.toml does not name one version"),
    (
        "0.2.0",
        changed(MODULE, "0.1.1", "0.1.2"),
        "pyproject.toml, ctxmgr/study/pyproject.toml and ctxmgr/__init__.py name different versions: 0.1.1, 0.1.2",
    ),
    (
        "0.2.0",
        changed(STUDY, "sidecar==0.1.1", "sidecar==0.1.0"),
        "pyproject.toml, ctxmgr/study/pyproject.toml and ctxmgr/__init__.py name different versions: 0.1.0, 0.1.1",
    ),
    (
        "0.2.0",
        msgspec.structs.replace(GOOD, newest="0.1"),
        "the table of rules says that ctxmgr 0.1 replays today's rules, not 0.2.0",
    ),
    ("0.2.0", msgspec.structs.replace(GOOD, changed=" M a.py"), "this is not committed:\n M a.py"),
]


def test_what_stands_in_the_way_is_said() -> None:
    for version, checkout, fault in OUT_OF_ORDER:
        assert list(faults(version, checkout)) == [fault], version


def test_a_version_does_not_go_back() -> None:
    texts = {name: text.replace("0.1.1", "0.10.0") for name, text in GOOD.texts.items() if name != CHANGELOG}
    texts[CHANGELOG] = LOG
    checkout = msgspec.structs.replace(GOOD, texts=texts)
    assert list(faults("0.2.0", checkout)) == ["pyproject.toml names 0.10.0 already, which is later than 0.2.0"]


def test_the_version_and_the_date_are_written_and_nothing_else() -> None:
    assert released("0.2.0", "2025-03-04", GOOD) == {
        CHANGELOG: LOG.replace("(unreleased)", "(2025-03-04)"),
        PROJECT: PROJECT_TEXT.replace("0.1.1", "0.2.0"),
        STUDY: STUDY_TEXT.replace("0.1.1", "0.2.0"),
        MODULE: '__version__ = "0.2.0"\n',
    }


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A repository with a version that today's rules fit, unreleased."""
    version = f"{RELEASES[RULES]}.9"
    texts = {
        CHANGELOG: f"# Changelog\n\n## {version} (unreleased)\n\n- A thing.\n",
        PROJECT: 'version = "0.0.1"\n',
        STUDY: 'version = "0.0.1"\ndependencies = ["ctxmgr-sidecar==0.0.1"]\n',
        MODULE: '__version__ = "0.0.1"\n',
    }
    for name, text in texts.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    who = ["-c", "user.name=nobody", "-c", "user.email=nobody@localhost", "-c", "commit.gpgsign=false"]
    for command in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "all"]):
        subprocess.run(["git", *who, *command], cwd=tmp_path, check=True)
    return tmp_path


def test_checking_writes_nothing(checkout: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = read(checkout)
    assert main([f"{RELEASES[RULES]}.9", "--check"], checkout) == 0
    assert "can be released" in capsys.readouterr().out
    assert main([f"{RELEASES[RULES]}.8"], checkout) == 1
    assert "does not begin with" in capsys.readouterr().err
    assert read(checkout) == before


def test_releasing_writes_the_files_and_not_twice(checkout: Path, capsys: pytest.CaptureFixture[str]) -> None:
    version = f"{RELEASES[RULES]}.9"
    assert main([version], checkout) == 0
    after = read(checkout)
    assert re.search(rf"^## {version} \(\d{{4}}-\d\d-\d\d\)$", after.texts[CHANGELOG], re.MULTILINE)
    assert after.texts[MODULE] == f'__version__ = "{version}"\n'
    assert after.texts[PROJECT] == f'version = "{version}"\n'
    assert main([version], checkout) == 1
    said = capsys.readouterr().err
    assert "not (unreleased)" in said
    assert "this is not committed" in said


def test_this_checkout_could_be_released_but_for_what_is_uncommitted() -> None:
    """Or it is the release itself."""
    here = read(ROOT)
    newest = sections(here.texts[CHANGELOG])[0]
    log = here.texts[CHANGELOG].replace(f"## {newest.version} ({newest.when})", f"## {newest.version} (unreleased)")
    here = msgspec.structs.replace(here, texts={**here.texts, CHANGELOG: log}, changed="")
    assert list(faults(newest.version, here)) == []
