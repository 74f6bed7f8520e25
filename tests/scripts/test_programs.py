"""Programs are fetched by npm, held to their hash, all of one or nothing of it; tests fetch nothing themselves."""

import os
import subprocess
import tarfile
from dataclasses import replace
from pathlib import Path

import pytest

from tests.programs import installing
from tests.programs.installing import Program, fetch, installed, integrity


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Program:
    """One that an npm of the test's own packs, and that notes down what it was asked for."""
    monkeypatch.setattr(installing, "CACHE", tmp_path / "cache")
    executable = tmp_path / "run"
    executable.write_text("#!/bin/sh\necho 7\n", encoding="utf-8")
    executable.chmod(0o755)
    packed = tmp_path / "packed"
    with tarfile.open(packed, "w:gz") as archive:
        archive.add(executable, "package/bin/run")
    npm = tmp_path / "bin" / "npm"
    npm.parent.mkdir()
    npm.write_text(f'#!/bin/sh\necho "$@" >> {tmp_path}/asked\ncp {packed} "$4/own-1.tgz"\n', encoding="utf-8")
    npm.chmod(0o755)
    monkeypatch.setenv("PATH", f"{npm.parent}{os.pathsep}{os.environ['PATH']}")
    return Program("own", "@own/own", "1", integrity(packed), "bin/run")


def test_it_is_unpacked_once_and_runs(program: Program, tmp_path: Path) -> None:
    fetch(program)
    fetch(program)
    assert subprocess.run([installed(program)], capture_output=True, text=True, check=True).stdout == "7\n"
    asked = (tmp_path / "asked").read_text(encoding="utf-8").splitlines()
    assert len(asked) == 1
    assert asked[0].endswith(" @own/own@1")
    assert [path.name for path in (tmp_path / "cache").iterdir()] == ["own-1"]


def test_another_hash_leaves_nothing(program: Program, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="has the hash sha512-"):
        fetch(replace(program, integrity="sha512-AAAA"))
    assert list((tmp_path / "cache").iterdir()) == []


def test_a_missing_program_skips_or_fails(program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CTXMGR_NO_SKIPS", raising=False)
    with pytest.raises(pytest.skip.Exception, match="scripts/programs fetches it"):
        installed(program)
    monkeypatch.setenv("CTXMGR_NO_SKIPS", "1")
    with pytest.raises(pytest.fail.Exception, match="scripts/programs fetches it"):
        installed(program)
