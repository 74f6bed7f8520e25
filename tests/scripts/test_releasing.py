"""`scripts/release`: what stands in the way of a release is said, and then nothing is written."""

import re
import subprocess
from pathlib import Path

import msgspec
import pytest

from ctxmgr.model.rules import RELEASES, RULES
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
PACKAGE_TEXT = '{\n  "name": "ctxmgr-client",\n  "version": "0.1.1",\n  "devDependencies": {"ms": "2.0.0"}\n}\n'
LOCK_TEXT = """{
  "name": "ctxmgr-client",
  "version": "0.1.1",
  "packages": {
    "": {
      "name": "ctxmgr-client",
      "version": "0.1.1"
    },
    "node_modules/ms": {
      "version": "2.0.0"
    }
  }
}
"""
CRATE_TEXT = '[package]\nversion = "0.1.1"\n\n[dependencies]\nserde = { version = "1.0.190" }\n'
CRATE_LOCK_TEXT = 'name = "ctxmgr-client"\nversion = "0.1.1"\n\nname = "serde"\nversion = "1.0.190"\n'
HOSTS = {
    "protocol/hosts/typescript/package.json": PACKAGE_TEXT,
    "protocol/hosts/typescript/package-lock.json": LOCK_TEXT,
    "protocol/hosts/pi/package.json": PACKAGE_TEXT.replace("client", "pi"),
    "protocol/hosts/pi/package-lock.json": LOCK_TEXT.replace("client", "pi"),
    "protocol/hosts/rust/Cargo.toml": CRATE_TEXT,
    "protocol/hosts/rust/Cargo.lock": CRATE_LOCK_TEXT,
    "protocol/hosts/claude-code-hooks/.claude-plugin/plugin.json": '{\n  "version": "0.1.1"\n}\n',
}
GOOD = Checkout(
    {CHANGELOG: LOG, PROJECT: PROJECT_TEXT, STUDY: STUDY_TEXT, MODULE: '__version__ = "0.1.1"\n', **HOSTS}, "0.2"
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
        "CHANGELOG.md starts with 0.2.0, not with 0.3.0",
    ),
    (
        "0.2.0",
        changed(CHANGELOG, "(unreleased)", "(2025-03-04)"),
        "CHANGELOG.md: 0.2.0 is marked (2025-03-04), not (unreleased)",
    ),
    ("0.2.0", changed(CHANGELOG, "- One thing.\n- Another.\n", ""), "CHANGELOG.md says nothing of 0.2.0"),
    ("0.2.0", changed(CHANGELOG, "## 0.1.1 (2025-02-03)", "## 0.1.1"), "CHANGELOG.md: 0.1.1 has no date"),
    ("0.2.0", changed(CHANGELOG, "## 0.1.0 (", "## 0.1.10 ("), "CHANGELOG.md: 0.1.10 is listed below 0.1.1"),
    ("0.2.0", changed(MODULE, "0.1.1", "new"), "ctxmgr/__init__.py does not name a version"),
    (
        "0.2.0",
        changed(MODULE, "0.1.1", "0.1.2"),
        "pyproject.toml names 0.1.1, but ctxmgr/__init__.py: 0.1.2",
    ),
    (
        "0.2.0",
        changed(STUDY, "sidecar==0.1.1", "sidecar==0.1.0"),
        "pyproject.toml names 0.1.1, but ctxmgr/study/pyproject.toml: 0.1.0, 0.1.1",
    ),
    (
        "0.2.0",
        msgspec.structs.replace(GOOD, newest="0.1"),
        "the table of rules says that ctxmgr 0.1 replays today's rules, not 0.2.0",
    ),
    ("0.2.0", msgspec.structs.replace(GOOD, changed=" M a.py"), "uncommitted changes:\n M a.py"),
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
        **{name: text.replace("0.1.1", "0.2.0") for name, text in HOSTS.items()},
    }


def test_every_file_that_has_a_version_is_written() -> None:
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, check=True, encoding="utf-8").stdout
    manifests = {"package.json", "package-lock.json", "plugin.json", "Cargo.toml", "Cargo.lock", "pyproject.toml"}
    ours = [name for name in listed.split() if Path(name).name in manifests and not name.startswith("tests/")]
    assert {*ours, MODULE} == set(VERSIONED)


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A repository with a version that today's rules fit, unreleased."""
    version = f"{RELEASES[RULES]}.9"
    texts = {
        CHANGELOG: f"# Changelog\n\n## {version} (unreleased)\n\n- A thing.\n",
        PROJECT: 'version = "0.0.1"\n',
        STUDY: 'version = "0.0.1"\ndependencies = ["ctxmgr-sidecar==0.0.1"]\n',
        MODULE: '__version__ = "0.0.1"\n',
        **{name: text.replace("0.1.1", "0.0.1") for name, text in HOSTS.items()},
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
    assert "CHANGELOG.md starts with" in capsys.readouterr().err
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
    assert "uncommitted changes" in said


def test_this_checkout_could_be_released_but_for_what_is_uncommitted() -> None:
    """Or it is the release itself."""
    here = read(ROOT)
    newest = sections(here.texts[CHANGELOG])[0]
    log = here.texts[CHANGELOG].replace(f"## {newest.version} ({newest.when})", f"## {newest.version} (unreleased)")
    here = msgspec.structs.replace(here, texts={**here.texts, CHANGELOG: log}, changed="")
    assert list(faults(newest.version, here)) == []


@pytest.mark.parametrize("arguments", [[], ["0.2.0", "--build", "dist"]])
def test_a_version_or_a_folder_is_needed(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 2
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
