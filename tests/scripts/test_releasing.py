"""`scripts/release`: what stands in the way of a release is said, and then nothing is written."""

import re
import subprocess
from pathlib import Path

import msgspec
import pytest

from ctxmgr import __version__
from ctxmgr.wire.transcript import RELEASES, RULES
from scripts import artifacts
from scripts.releasing import (
    CHANGELOG,
    MODULE,
    PROJECT,
    ROOT,
    STUDY,
    VERSIONED,
    Checkout,
    faults,
    main,
    read,
    released,
    sections,
    versions,
)

MAJOR, MINOR, _ = __version__.split(".")
BEFORE, NEXT = __version__, f"{MAJOR}.{int(MINOR) + 1}.0"
LOG = f"""# Changelog

## {NEXT} (unreleased)

- One thing.
- Another.

## {BEFORE} (2025-02-03)

- A third.

## 0.1.0 (2025-01-02)

- The first.
"""
GOOD = Checkout({**read(ROOT).texts, CHANGELOG: LOG}, NEXT.rpartition(".")[0])


def changed(name: str, old: str, new: str) -> Checkout:
    assert old in GOOD.texts[name]
    return msgspec.structs.replace(GOOD, texts={**GOOD.texts, name: GOOD.texts[name].replace(old, new)})


def test_a_checkout_in_order_has_no_fault() -> None:
    assert list(faults(NEXT, GOOD)) == []


OUT_OF_ORDER = [
    (f"v{NEXT}", GOOD, f"v{NEXT} is no version such as 0.2.0"),
    ("9.0.0", msgspec.structs.replace(GOOD, newest="9.0"), f"CHANGELOG.md starts with {NEXT}, not with 9.0.0"),
    (
        NEXT,
        changed(CHANGELOG, "(unreleased)", "(2025-03-04)"),
        f"CHANGELOG.md: {NEXT} is marked (2025-03-04), not (unreleased)",
    ),
    (NEXT, changed(CHANGELOG, "- One thing.\n- Another.\n", ""), f"CHANGELOG.md says nothing of {NEXT}"),
    (NEXT, changed(CHANGELOG, f"{BEFORE} (2025-02-03)", BEFORE), f"CHANGELOG.md: {BEFORE} has no date"),
    (NEXT, changed(CHANGELOG, "## 0.1.0", "## 0.99.0"), f"CHANGELOG.md: 0.99.0 is listed below {BEFORE}"),
    (NEXT, changed(MODULE, BEFORE, "new"), "ctxmgr/__init__.py does not name a version"),
    (NEXT, changed(MODULE, BEFORE, "0.1.2"), f"pyproject.toml names {BEFORE}, but ctxmgr/__init__.py: 0.1.2"),
    (
        NEXT,
        changed(STUDY, f"sidecar=={BEFORE}", "sidecar==0.1.0"),
        f"pyproject.toml names {BEFORE}, but ctxmgr/study/pyproject.toml: 0.1.0, {BEFORE}",
    ),
    (
        NEXT,
        msgspec.structs.replace(GOOD, newest="0.1"),
        f"the table of rules says that ctxmgr 0.1 replays today's rules, not {NEXT}",
    ),
    (NEXT, msgspec.structs.replace(GOOD, changed=" M a.py"), "uncommitted changes:\n M a.py"),
    (
        NEXT,
        msgspec.structs.replace(GOOD, texts=released("99.0.0", "", GOOD) | {CHANGELOG: LOG}),
        f"pyproject.toml names 99.0.0 already, which is later than {NEXT}",
    ),
]


def test_what_stands_in_the_way_is_said() -> None:
    for version, checkout, fault in OUT_OF_ORDER:
        assert list(faults(version, checkout)) == [fault], fault


def test_the_version_and_the_date_are_written_and_nothing_else() -> None:
    written = released(NEXT, "2025-03-04", GOOD)
    assert written.pop(CHANGELOG) == LOG.replace("(unreleased)", "(2025-03-04)")
    assert set(written) == set(VERSIONED)
    for name, text in written.items():
        assert versions(name, text) == {NEXT}
        pairs = zip(GOOD.texts[name].splitlines(), text.splitlines(), strict=True)
        lines = [(old, new) for old, new in pairs if old != new]
        assert all(new == old.replace(BEFORE, NEXT) for old, new in lines)
        assert len(lines) <= 2 or name == PROJECT, "of a lock file, the package itself"


def test_every_file_that_has_a_version_is_written() -> None:
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, check=True, encoding="utf-8").stdout
    manifests = {"package.json", "package-lock.json", "plugin.json", "Cargo.toml", "Cargo.lock", "pyproject.toml"}
    ours = [name for name in listed.split() if Path(name).name in manifests and not name.startswith("tests/")]
    assert {*ours, MODULE} == set(VERSIONED)


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A repository with a version that today's rules fit, unreleased."""
    version = f"{RELEASES[RULES]}.9"
    log = f"# Changelog\n\n## {version} (unreleased)\n\n- A thing.\n"
    texts = released("0.0.1", "", GOOD) | {CHANGELOG: log}
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
    assert "CHANGELOG.md starts with" in capsys.readouterr().err
    assert read(checkout) == before


def test_releasing_writes_the_files_and_not_twice(checkout: Path, capsys: pytest.CaptureFixture[str]) -> None:
    version = f"{RELEASES[RULES]}.9"
    assert main([version], checkout) == 0
    after = read(checkout)
    assert re.search(rf"^## {version} \(\d{{4}}-\d\d-\d\d\)$", after.texts[CHANGELOG], re.MULTILINE)
    assert all(versions(name, after.texts[name]) == {version} for name in VERSIONED)
    assert main([version], checkout) == 1
    said = capsys.readouterr().err
    assert "not (unreleased)" in said
    assert "uncommitted changes" in said


def test_this_checkout_could_be_released_but_for_what_is_uncommitted() -> None:
    """Or it is the release itself."""
    here = read(ROOT)
    newest = sections(here.texts[CHANGELOG])[0]
    log = here.texts[CHANGELOG].replace(f"## {newest.version} ({newest.when})", f"## {newest.version} (unreleased)")
    here = msgspec.structs.replace(here, texts={**here.texts, CHANGELOG: log}, changed="")
    assert list(faults(newest.version, here)) == []


def test_a_version_or_a_folder_is_needed(capsys: pytest.CaptureFixture[str]) -> None:
    for arguments in ([], ["0.2.0", "--build", "dist"]):
        with pytest.raises(SystemExit, match="2"):
            main(arguments)
        assert "a VERSION or --build FOLDER is needed" in capsys.readouterr().err


def test_nothing_is_built_where_a_program_is_missing_or_the_folder_is_not_empty(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "dist"
    monkeypatch.setattr(artifacts, "found", lambda name: None if name in ("npm", "cargo") else f"/bin/{name}")
    assert main(["--build", str(folder)]) == 1
    assert "not installed: npm, cargo" in capsys.readouterr().err
    assert not folder.exists()
    monkeypatch.setattr(artifacts, "found", lambda name: f"/bin/{name}")
    assert main(["--build", str(tmp_path.parent)]) == 1
    assert "is not empty" in capsys.readouterr().err


def test_what_was_not_built_is_named(tmp_path: Path) -> None:
    for name in artifacts.artifacts("1.2.3")[1:]:
        (tmp_path / name).touch()
    with pytest.raises(artifacts.BuildFault, match=r"^not built: ctxmgr_sidecar-1\.2\.3-py3-none-any\.whl$"):
        artifacts.check("1.2.3", tmp_path)
